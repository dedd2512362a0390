"""Re-chunks and re-analyses memories from their stored texts after the recipe changed."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.errors import LibraryError, NotFound
from octavo.memory.draft import draft_of, prepared_of
from octavo.memory.memory_indexing import as_item, index_document
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.version_history import version
from octavo.model.memory import MemoryFilter, MemoryId, memory_uri
from octavo.observability.logs import logger


def reingest(memories: ProjectMemories, *, only: Sequence[MemoryId] = (), everything: bool = False) -> int:
    """Reindexes active memories that another recipe indexed, each in its own transaction; returns how many."""
    memories.ensure_collection()
    entries = memories.store.ledger.entries(memories.project, memories.collection.id)
    done = 0
    for item in memories.repository.find(memories.project, MemoryFilter(items=tuple(only))):
        entry = entries.get(memory_uri(item.id))
        if entry is not None and entry.recipe_id == memories.recipe.id and not everything:
            continue
        try:
            current = version(memories, item.id, item.version)
        except (LibraryError, NotFound) as error:
            # One that cannot be read leaves the others to be indexed; the check names it.
            logger("memory").warning("memory %s is not indexed again: %s", item.id, error.message)
            continue
        draft = draft_of(item, current.text, item.title, item.tags)
        prepared = as_item(prepared_of(memories, item.id, draft, current.version.created_at), item)
        with memories.store.transaction():
            # It may have been revised or archived since it was listed; whoever did that has indexed it.
            now = memories.repository.get(memories.project, item.id)
            if now is not None and (now.version, now.status) == (item.version, item.status):
                index_document(memories, prepared)
                done += 1
    return done
