"""Makes the memories of an open library's project; their first write records the collection and the recipe."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from octavo.engine.indexing.recorded_index_recipe import ensure_recipe
from octavo.fast_dataclass import replace
from octavo.memory.project_memories import ProjectMemories, memories_collection, record_collection

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary


def project_memories(library: OpenLibrary) -> ProjectMemories:
    store, adapters = library.store, library.adapters
    collection = memories_collection(store, library.project.id)
    settings = collection.settings

    @cache
    def ensure_collection() -> None:
        ensure_recipe(library)
        record_collection(store, collection)

    return ProjectMemories(
        store=store,
        collection=collection,
        recipe=library.cut_by(settings),
        prepare=adapters.preparing.preparer(settings).text,
        prepare_canonical=adapters.preparing.preparer(replace(settings, overlap_tokens=0)).text,
        analyse=adapters.analyzer.tokens,
        clock=adapters.clock,
        ensure_collection=ensure_collection,
    )
