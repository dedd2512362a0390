"""Repairs memory items that do not stand at their newest version, from their versions and the log."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.memory.draft import Provenance
from octavo.memory.memory_changes import log_entry
from octavo.memory.near_duplicate_similarity import fingerprint
from octavo.memory.project_memories import ProjectMemories
from octavo.model.memory import MemoryAction, MemoryFilter, MemoryId

_REPAIRED = Provenance(reason="repaired: the item did not stand at its newest version")


def repair_items(memories: ProjectMemories) -> int:
    """Sets items back to their newest version, each in its own transaction; returns how many were behind."""
    items = memories.repository.find(memories.project, MemoryFilter(status=None))
    return sum(_repair(memories, item.id) for item in items)


def _repair(memories: ProjectMemories, name: MemoryId) -> bool:
    repository, project = memories.repository, memories.project
    with memories.store.transaction():
        item, versions = repository.get(project, name), repository.versions(project, name)
        if item is None or not versions or item.version == versions[-1].number:
            return False
        newest = versions[-1]
        # The log says what the last change made of the item; what only confirmed it may have seen an earlier one.
        changes = [entry for entry in repository.commits(project, name) if entry.action is not MemoryAction.UNCHANGED]
        last = changes[-1] if changes else None
        texts = memories.store.documents.texts(project, [newest.text_hash])
        text = texts.get(newest.text_hash)
        repaired = replace(
            item,
            version=newest.number,
            title=newest.title,
            tags=newest.tags,
            status=last.status if last else item.status,
            pinned=last.pinned if last else item.pinned,
            fingerprint=item.fingerprint if text is None else fingerprint(text),
            updated_at=max(item.updated_at, newest.created_at),
        )
        at = max(memories.clock(), repaired.updated_at)
        repository.put(repaired, log_entry(repaired, MemoryAction.UNCHANGED, _REPAIRED, "", at))
        return True
