"""Two writers of one memory: what was read before the transaction is never written inside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from engines import engine_over
from interleaving import Interleaved
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.errors import Conflict
from octavo.memory import canonical_documents, memory_changes
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.remember import remember
from octavo.model.memory import MemoryAction, MemoryId, MemoryItem, MemoryKind, MemoryStatus
from octavo.observability.progress import NoProgress
from octavo.operations.database.requests import DbRepairRequest
from octavo.operations.database.upgrade_repair_and_prune import db_repair
from octavo.operations.memory.memory_reading_and_writing import memory_commit
from octavo.operations.memory.requests import MemoryCommitRequest

TEXT = (
    "The staging database is on port 5433, and its backup starts at two, long before anyone reads the nightly report."
)
EDITED = TEXT.replace("5433", "5434")
KEYED = Provenance("an agent", key="first")


def interleaved(memories: ProjectMemories, other: Callable[[], object]) -> ProjectMemories:
    return replace(memories, store=Interleaved(memories.store, other))


def current(memories: ProjectMemories, name: MemoryId) -> MemoryItem:
    """The item, which has to agree with its newest version and can be revised."""
    item = memories.item(name)
    assert item.version == memories.repository.versions(memories.project, name)[-1].number
    assert memories.store.check() == ()
    memory_changes.revise(memories, name, MemoryDraft("Something else was decided since then."))
    return item


def test_remembering_what_another_writer_revises_meanwhile_loses_neither(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT)).item
    other = interleaved(
        memories, lambda: memory_changes.revise(memories, item.id, MemoryDraft("It was switched off in May."))
    )
    remembered = remember(other, MemoryDraft(TEXT), KEYED).committed
    assert (remembered.item.id, remembered.commit.action) != (item.id, MemoryAction.UNCHANGED)
    assert current(memories, item.id).version == 2


def test_remembering_an_unchanged_text_under_a_key_writes_the_log_alone(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT)).item
    other = interleaved(memories, lambda: memory_changes.pin(memories, item.id))
    assert remember(other, MemoryDraft(TEXT), KEYED).committed.commit.action is MemoryAction.UNCHANGED
    assert current(memories, item.id).pinned


def test_an_edit_of_a_memory_that_is_archived_meanwhile_does_not_bring_it_back(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT)).item
    other = interleaved(memories, lambda: memory_changes.archive(memories, item.id))
    remembered = remember(other, MemoryDraft(EDITED), KEYED).committed
    assert remembered.item.id != item.id
    assert memories.item(item.id).status is MemoryStatus.ARCHIVED


def test_a_canonical_upsert_of_the_current_text_keeps_what_another_writer_revises(memories: ProjectMemories) -> None:
    item = canonical_documents.upsert(memories, "spec/app", MemoryDraft(TEXT)).item
    other = interleaved(
        memories, lambda: canonical_documents.upsert(memories, "spec/app", MemoryDraft("# Version two"))
    )
    made = canonical_documents.upsert(other, "spec/app", MemoryDraft(TEXT), KEYED)
    assert (made.item.version, made.commit.action) == (3, MemoryAction.REVISED)
    assert current(memories, item.id).version == 3


def test_a_canonical_upsert_takes_omitted_fields_from_the_version_it_replaces(memories: ProjectMemories) -> None:
    canonical_documents.upsert(memories, "spec/app", MemoryDraft(TEXT, tags=("draft",)))
    other = interleaved(
        memories,
        lambda: canonical_documents.upsert(memories, "spec/app", MemoryDraft(EDITED, title="Ports", tags=("final",))),
    )
    made = canonical_documents.upsert(other, "spec/app", MemoryDraft("# Third"), expected=2)
    assert (made.item.title, made.item.tags) == ("Ports", ("final",))


def test_a_restored_version_keeps_the_scope_that_another_writer_gives_meanwhile(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT)).item
    other = interleaved(
        memories,
        lambda: memory_changes.revise(memories, item.id, MemoryDraft(EDITED, MemoryKind.DECISION, scope="user")),
    )
    restored = memory_changes.restore(other, item.id, 1).item
    assert (restored.version, restored.kind, restored.scope) == (3, MemoryKind.DECISION, "user")


def test_a_commit_keeps_the_tags_that_another_writer_adds_meanwhile(
    engine: Engine, memories: ProjectMemories, clock: SetClock
) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT, tags=("db",))).item
    store = Interleaved(engine.store)
    second = engine_over(store, engine.library, clock)
    second.memories.ensure_collection()
    store.other = lambda: memory_changes.revise(memories, item.id, MemoryDraft(EDITED, tags=("db", "staging")))
    state = memory_commit(second, MemoryCommitRequest(item=item.id, text="It moved to port 6000."))
    assert (state.version, memories.item(item.id).tags) == (3, ("db", "staging"))


def test_a_commit_that_expects_a_version_is_a_conflict_when_another_writer_was_first(
    memories: ProjectMemories,
) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT)).item
    other = interleaved(memories, lambda: memory_changes.revise(memories, item.id, MemoryDraft(EDITED)))
    with pytest.raises(Conflict, match="is at version 2, not 1"):
        memory_changes.revise(other, item.id, MemoryDraft("Third."), expected=1)


def test_an_item_behind_its_newest_version_is_reported_and_repaired(engine: Engine, memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, MemoryDraft(TEXT, tags=("db",))).item
    memory_changes.revise(memories, item.id, MemoryDraft(EDITED, title="Ports", tags=("db", "port")))
    newest = memory_changes.pin(memories, item.id).item
    entry = replace(memories.repository.commits(memories.project, item.id)[0], action=MemoryAction.UNCHANGED)
    with memories.store.transaction():
        memories.repository.put(item, entry)  # the stale row that a lost update leaves
    problem = f"{item.id} stands at version 1, and its newest is 2"
    assert memories.store.check() == (problem,)
    done = db_repair(engine, DbRepairRequest(), NoProgress())
    assert (done.found, done.left) == ((problem,), ())
    assert memories.item(item.id) == newest
    assert current(memories, item.id).version == 2
