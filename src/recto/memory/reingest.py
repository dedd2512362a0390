"""Memories cut and analysed again, after the recipe changed: there is no folder they could be read from."""

from __future__ import annotations

from collections.abc import Sequence

from recto.memory.commit import index_document, placed
from recto.memory.desk import Desk
from recto.memory.draft import Draft, prepared_of
from recto.memory.history import version
from recto.model.memory import MemoryFilter, MemoryId, memory_uri


def reingest(desk: Desk, *, only: Sequence[MemoryId] = (), everything: bool = False) -> int:
    """Indexes active memories that another recipe made, each in a transaction of its own; how many there were."""
    desk.settle()
    entries = desk.store.ledger.entries(desk.project, desk.collection.id)
    done = 0
    for item in desk.store.memories.find(desk.project, MemoryFilter(items=tuple(only))):
        entry = entries.get(memory_uri(item.id))
        if entry is not None and entry.recipe_id == desk.recipe.id and not everything:
            continue
        current = version(desk, item.id, item.version)
        draft = Draft(current.text, item.kind, item.scope, item.title, item.tags, canonical_key=item.canonical_key)
        prepared = placed(prepared_of(desk, item.id, draft, current.version.created_at), item)
        with desk.store.transaction():
            # It may have been revised or put away since it was listed; then somebody else indexed it.
            now = desk.store.memories.get(desk.project, item.id)
            if now is not None and (now.version, now.status) == (item.version, item.status):
                index_document(desk, prepared)
                done += 1
    return done
