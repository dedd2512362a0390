"""Imports another program's collections with their texts, ids, metadata and vectors, or counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from octavo.engine.engine import Engine
from octavo.engine.indexing.folder_and_change_indexing import fill_in_vectors
from octavo.engine.indexing.index_upkeep_after_run import publish
from octavo.engine.indexing.recorded_index_recipe import ensure_recipe
from octavo.errors import Conflict
from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import EmbeddingProfile, EmbeddingProfileSettings, NamedEmbeddingProfile
from octavo.model.ids import collection_id
from octavo.model.projects_and_collections import MEMORIES, Collection
from octavo.observability.progress import Progress
from octavo.operations.database.results import Imported, ImportedCollection
from octavo_import.imported_record_writer import PAGE, ImportedRecord, compared, keep_vectors, write_records

_SERVICES = {"openai": "openai", "ollama": "ollama", "voyageai": "voyage", "jina": "jina"}
"""Functions of Chroma's that a provider here gives the same vectors as. Only the model's name is believed: where texts
are sent is never taken from a directory somebody else may have written."""

_WINDOW = 8_192


class SourceCollection(Value):
    """A collection as its program describes it. `function` names what made its vectors, where that was kept."""

    id: str
    name: str
    dimensions: int | None = None
    database: str = ""
    function: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Of the function: its model, its address."""


class Vectors(Protocol):
    def of(self, record: str) -> NDArray[np.float32] | None: ...


class RecordSource(Protocol):
    """What another program stored, as collections of records."""

    @property
    def program(self) -> str:
        """The program's name, which the profiles of its vectors begin with."""

    def collections(self) -> Sequence[SourceCollection]: ...

    def count(self, collection: SourceCollection) -> int: ...

    def pages(self, collection: SourceCollection, size: int) -> Iterator[Sequence[ImportedRecord]]:
        """Every record, in the order of the ids."""

    def vectors(self, collection: SourceCollection) -> Vectors:
        """Asked for collections with dimensions only."""


def import_records(engine: Engine, directory: RecordSource, progress: Progress) -> Imported:
    """Takes in every collection, compares each with its source, then fills in vectors as a run of indexing does.

    Given again after an interruption it passes over what is there. A source that changed meanwhile is followed, except
    that nothing is removed.
    """
    collections = directory.collections()
    totals = {source.id: directory.count(source) for source in collections}
    ensure_recipe(engine.library)
    names = _names(collections)
    pairs = [(source, _collection(engine, names[source.id])) for source in collections]
    done = []
    for source, collection in pairs:
        progress.start(f"copying {collection.name}", totals[source.id], "records")
        try:
            done.append(_one(engine, directory, source, collection, progress))
        finally:
            progress.finish()
    filled = fill_in_vectors(engine.library, progress, wait=False)
    publish(engine.library, progress)
    return Imported(tuple(done), filled.full + filled.fast)


def count_records(directory: RecordSource) -> Imported:
    """What an import into an empty library would take, and what it would leave out; nothing is written."""
    done = []
    for source in directory.collections():
        counted = ImportedCollection(source.name, records=directory.count(source))
        for page in directory.pages(source, PAGE):
            for record in page:
                if not record.current:
                    counted.earlier_versions += 1
                elif not (record.text or "").strip():
                    counted.without_text.append(record.id)
                else:
                    counted.added += 1
        done.append(counted)
    return Imported(tuple(done), 0)


def _one(
    engine: Engine, directory: RecordSource, source: SourceCollection, collection: Collection, progress: Progress
) -> ImportedCollection:
    pages = partial(directory.pages, source, PAGE)
    adapters = engine.library.adapters
    recipe, prepare = engine.library.cut_by(collection.settings), adapters.preparing.preparer(collection.settings).text
    done = write_records(engine.store, collection, recipe.id, prepare, pages, progress)
    if source.dimensions:
        profile = _profile(engine, directory.program, source, collection.name)
        vectors = directory.vectors(source)
        done.vectors = keep_vectors(engine.store, collection, profile, pages, vectors.of)
        done.profile = profile.name if done.vectors else ""
    done.sha256 = compared(engine.store, collection, pages)
    return done


def _names(collections: Sequence[SourceCollection]) -> dict[str, str]:
    """A collection's own name; with its database's in front where two databases have one of the same name."""
    often = Counter(source.name for source in collections)
    return {
        source.id: source.name if often[source.name] == 1 else f"{source.database}.{source.name}"
        for source in collections
    }


def _collection(engine: Engine, name: str) -> Collection:
    project = engine.project.id
    for known in engine.collections():
        if known.name == name:
            if known.on_disk or name == MEMORIES:
                raise Conflict(
                    f"the library already has a collection {name} of another kind",
                    hint="import into another project with --project, or into a new library",
                )
            return known
    made = Collection(collection_id(project, name), project, name, Path())
    with engine.store.transaction():
        engine.store.catalog.put_collection(made)
    return made


def _profile(engine: Engine, program: str, source: SourceCollection, name: str) -> EmbeddingProfile:
    """What the vectors are kept under: a profile by name where a provider makes such vectors, so that it can answer."""
    project, called = engine.project.id, f"{program}-{name}"
    dimensions = source.dimensions or 0
    model = source.settings.get("model_name") or source.settings.get("model")
    if source.function in _SERVICES and isinstance(model, str):
        settings = EmbeddingProfileSettings(_SERVICES[source.function], model, dimensions)
        named = next((profile for profile in engine.store.profiles.named(project) if profile.name == called), None)
        if named is None:
            named = NamedEmbeddingProfile(project, called, settings)
            with engine.store.transaction():
                engine.store.profiles.put(named)
        return engine.profile_embedder(named).profile
    return EmbeddingProfile(called, f"{program}:{source.function or 'unknown'}", "imported", dimensions, _WINDOW)
