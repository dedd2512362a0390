"""What a commit writes, and what asking twice does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from observation import observed
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.memory import memory_changes, work_sessions
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.project_memories import ProjectMemories
from octavo.model.document import Kind
from octavo.model.ids import collection_id
from octavo.model.job import JobKind, JobState
from octavo.model.memory import (
    MemoryAction,
    MemoryFilter,
    MemoryId,
    MemoryKind,
    MemoryLink,
    MemoryStatus,
    SessionId,
    memory_uri,
)
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Query
from octavo.retrieval.profiles_by_name import profile_named

FACT = MemoryDraft("The staging database is on port 5433.", MemoryKind.FACT, tags=("#staging", "db"))


def found(engine: Engine, text: str) -> list[str]:
    result = engine.search(Query(text, filters=Filters(kinds=(Kind.MEMORY,))), profile_named("lexical_only"))
    return [hit.citation.uri for hit in result.hits]


def test_a_new_item_stands_at_version_one_and_is_found_at_once(
    engine: Engine, memories: ProjectMemories, clock: SetClock
) -> None:
    made = memory_changes.create(memories, FACT, Provenance("a person", "asked"))
    item = made.item
    assert (item.version, item.status, item.kind, item.scope) == (1, MemoryStatus.ACTIVE, MemoryKind.FACT, "project")
    assert (item.title, item.tags) == ("The staging database is on port 5433.", ("staging", "db"))
    assert (item.created_at, item.updated_at) == (clock.now, clock.now)
    assert memories.repository.get(memories.project, item.id) == item
    (version,) = memories.repository.versions(memories.project, item.id)
    assert (version.number, version.author, version.reason, version.supersedes) == (1, "a person", "asked", None)
    assert (version.valid_from, version.valid_to) == (clock.now, None)
    assert found(engine, "staging port") == [memory_uri(item.id)]
    assert [job.kind for job in memories.store.outbox.jobs(memories.project, [JobState.READY])] == [JobKind.EMBED]
    assert memories.store.check() == ()


def test_a_revision_takes_the_place_of_what_it_supersedes(
    engine: Engine, memories: ProjectMemories, clock: SetClock
) -> None:
    item = memory_changes.create(memories, FACT).item
    clock.now += 10
    made = memory_changes.revise(memories, item.id, replace(FACT, text="It moved to harbour 6000."), expected=1)
    assert (made.item.version, made.commit.action) == (2, MemoryAction.REVISED)
    assert (made.item.created_at, made.item.updated_at) == (clock.now - 10, clock.now)
    assert found(engine, "harbour") == [memory_uri(item.id)]
    assert found(engine, "staging") == [memory_uri(item.id)]  # by its tag
    assert found(engine, "5433") == []
    assert memories.repository.versions(memories.project, item.id)[1].supersedes == 1


def test_a_revision_of_a_version_that_is_no_longer_the_last_is_a_conflict(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, FACT).item
    memory_changes.revise(memories, item.id, FACT)
    with pytest.raises(Conflict, match="version 2, not 1"):
        memory_changes.revise(memories, item.id, FACT, expected=1)


def test_a_forgotten_item_leaves_every_search_and_keeps_its_history(engine: Engine, memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, FACT).item
    made = memory_changes.archive(memories, item.id)
    assert (made.item.status, made.commit.action) == (MemoryStatus.ARCHIVED, MemoryAction.ARCHIVED)
    assert found(engine, "staging") == []
    assert len(memories.repository.versions(memories.project, item.id)) == 1
    assert memories.repository.find(memories.project, MemoryFilter()) == ()
    assert memories.store.check() == ()


def test_a_restored_version_is_a_new_one_with_the_old_text(engine: Engine, memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, FACT).item
    memory_changes.revise(memories, item.id, replace(FACT, text="Nothing of the kind."))
    memory_changes.archive(memories, item.id)
    made = memory_changes.restore(memories, item.id, 1)
    assert (made.item.version, made.item.status, made.commit.action) == (3, MemoryStatus.ACTIVE, MemoryAction.RESTORED)
    first, _, third = memories.repository.versions(memories.project, item.id)
    assert (third.text_hash, third.supersedes) == (first.text_hash, 2)
    assert made.item.fingerprint == item.fingerprint
    assert found(engine, "5433") == [memory_uri(item.id)]
    with pytest.raises(NotFound, match="no version 9"):
        memory_changes.restore(memories, item.id, 9)


def test_pins_and_links_change_the_item_and_make_no_version(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, FACT).item
    assert memory_changes.pin(memories, item.id).item.pinned
    assert not memory_changes.pin(memories, item.id, pinned=False).item.pinned
    linked = memory_changes.link(memories, item.id, MemoryLink("notes/a.md", "plans")).item
    assert linked.links == (MemoryLink("notes/a.md", "plans"),)
    again = memory_changes.link(memories, item.id, MemoryLink("notes/a.md", "plans"))
    assert (again.item, again.commit.action) == (linked, MemoryAction.UNCHANGED)
    assert linked.version == 1
    actions = [commit.action.value for commit in memories.repository.commits(memories.project, item.id)]
    assert actions == ["created", "pinned", "unpinned", "linked"]


def test_the_same_key_gives_the_first_answer_and_changes_nothing(memories: ProjectMemories, clock: SetClock) -> None:
    by = Provenance("a person", key="once")
    first = memory_changes.create(memories, FACT, by)
    before = observed(memories.store)
    clock.now += 5
    again = memory_changes.create(memories, FACT, by)
    assert (again.commit, again.replayed) == (first.commit, True)
    assert observed(memories.store) == before


@pytest.mark.parametrize("other", [replace(FACT, text="Other."), replace(FACT, pinned=True), replace(FACT, scope="s")])
def test_the_same_key_with_something_else_is_a_conflict(memories: ProjectMemories, other: MemoryDraft) -> None:
    by = Provenance(key="once")
    item = memory_changes.create(memories, FACT, by).item
    before = observed(memories.store)
    with pytest.raises(Conflict, match="once") as caught:
        memory_changes.create(memories, other, by)
    assert caught.value.details == {"key": "once", "item": item.id, "version": 1}
    with pytest.raises(Conflict):
        memory_changes.pin(memories, item.id, by)
    assert observed(memories.store) == before


def test_every_kind_of_change_is_repeatable_under_its_key(memories: ProjectMemories) -> None:
    item = memory_changes.create(memories, FACT).item
    changes = {
        "revise": lambda by: memory_changes.revise(memories, item.id, replace(FACT, text="New text."), by),
        "pin": lambda by: memory_changes.pin(memories, item.id, by),
        "link": lambda by: memory_changes.link(memories, item.id, MemoryLink("x"), by),
        "archive": lambda by: memory_changes.archive(memories, item.id, by),
        "restore": lambda by: memory_changes.restore(memories, item.id, 1, by),
        "again": lambda by: memory_changes.pin(memories, item.id, by),
    }
    first = {name: change(Provenance(key=name)).commit for name, change in changes.items()}
    before = observed(memories.store)
    assert {name: change(Provenance(key=name)).commit for name, change in changes.items()} == first
    assert observed(memories.store) == before


def test_two_items_of_the_same_text_and_instant_are_two(memories: ProjectMemories) -> None:
    one, other = memory_changes.create(memories, FACT).item, memory_changes.create(memories, FACT).item
    assert one.id != other.id
    assert memory_changes.create(memories, FACT, unique=True).item in (one, other)


def test_the_log_of_an_item_runs_one_way_when_the_clock_is_set_back(memories: ProjectMemories, clock: SetClock) -> None:
    item = memory_changes.create(memories, FACT).item
    clock.now -= 500
    memory_changes.pin(memories, item.id)
    memory_changes.revise(memories, item.id, FACT)
    at = [commit.at for commit in memories.repository.commits(memories.project, item.id)]
    assert at == sorted(at)


@pytest.mark.parametrize(
    "draft",
    [
        MemoryDraft(""),
        MemoryDraft(" \n\t"),
        MemoryDraft("x", scope=" "),
        MemoryDraft("x", valid_from=2.0, valid_to=1.0),
        MemoryDraft("x" * 1_000_001),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_reason(memories: ProjectMemories, draft: MemoryDraft) -> None:
    with pytest.raises((InvalidArgument, Conflict)):
        memory_changes.create(memories, draft)
    assert memories.repository.find(memories.project, MemoryFilter(status=None)) == ()


def test_what_is_not_there_is_not_found(memories: ProjectMemories) -> None:
    for change in (memory_changes.pin, memory_changes.archive):
        with pytest.raises(NotFound, match="mem_none"):
            change(memories, MemoryId("mem_none"))
    with pytest.raises(NotFound, match="ses_none"):
        memory_changes.create(memories, FACT, Provenance(session=SessionId("ses_none")))
    assert memories.repository.find(memories.project, MemoryFilter(status=None)) == ()


def test_an_id_may_be_shortened_while_only_one_begins_so(memories: ProjectMemories, clock: SetClock) -> None:
    item = memory_changes.create(memories, FACT).item
    assert memories.item(item.id[:10]) == item
    with pytest.raises(NotFound):
        memories.item("mem_")
    with pytest.raises(NotFound):
        memories.item("staging")


def test_a_session_is_named_by_what_was_committed_in_it_and_ends_once(
    memories: ProjectMemories, clock: SetClock
) -> None:
    session = work_sessions.start(memories, "Release", "a person")
    item = memory_changes.create(memories, FACT, Provenance(session=session.id)).item
    assert memories.repository.versions(memories.project, item.id)[0].session_id == session.id
    clock.now += 60
    ended = work_sessions.end(memories, session.id, "Shipped.")
    assert (ended.ended_at, ended.summary) == (clock.now, "Shipped.")
    assert work_sessions.end(memories, session.id, "Shipped.") == ended
    with pytest.raises(Conflict):
        work_sessions.end(memories, session.id, "Not shipped.")
    assert work_sessions.start(memories, "Release", "a person").id != session.id


def test_a_folder_that_took_the_name_of_the_memories_is_not_overwritten(engine: Engine, tmp_path: Path) -> None:
    folder = Collection(collection_id(engine.project.id, "memories"), engine.project.id, "memories", tmp_path)
    with engine.store.transaction():
        engine.store.catalog.put_collection(folder)
    with pytest.raises(Conflict, match="memories are kept"):
        _ = engine.memories
    assert engine.collection("memories") == folder
