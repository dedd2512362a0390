"""What a commit writes, and what asking twice does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from recto.engine.engine import Engine
from recto.errors import Conflict, InvalidArgument, NotFound
from recto.memory import commit, sessions
from recto.memory.desk import Desk
from recto.memory.draft import Circumstances, Draft
from recto.model.collection import Collection
from recto.model.document import Kind
from recto.model.ids import collection_id
from recto.model.job import JobKind, JobState
from recto.model.memory import (
    MemoryAction,
    MemoryFilter,
    MemoryId,
    MemoryKind,
    MemoryLink,
    MemoryStatus,
    SessionId,
    memory_uri,
)
from recto.model.query import Filters, Query
from recto.retrieval.profiles import profile_named
from recto.testing.clock import SetClock
from recto.testing.observation import observed

FACT = Draft("The staging database is on port 5433.", MemoryKind.FACT, tags=("#staging", "db"))


def found(engine: Engine, text: str) -> list[str]:
    result = engine.search(Query(text, filters=Filters(kinds=(Kind.MEMORY,))), profile_named("lexical_only"))
    return [hit.citation.uri for hit in result.hits]


def test_a_new_item_stands_at_version_one_and_is_found_at_once(engine: Engine, desk: Desk, clock: SetClock) -> None:
    made = commit.create(desk, FACT, Circumstances("a person", "asked"))
    item = made.item
    assert (item.version, item.status, item.kind, item.scope) == (1, MemoryStatus.ACTIVE, MemoryKind.FACT, "project")
    assert (item.title, item.tags) == ("The staging database is on port 5433.", ("staging", "db"))
    assert (item.created_at, item.updated_at) == (clock.now, clock.now)
    assert desk.store.memories.get(desk.project, item.id) == item
    (version,) = desk.store.memories.versions(desk.project, item.id)
    assert (version.number, version.author, version.reason, version.supersedes) == (1, "a person", "asked", None)
    assert (version.valid_from, version.valid_to) == (clock.now, None)
    assert found(engine, "staging port") == [memory_uri(item.id)]
    assert [job.kind for job in desk.store.outbox.jobs(desk.project, [JobState.READY])] == [JobKind.EMBED]
    assert desk.store.check() == ()


def test_a_revision_takes_the_place_of_what_it_supersedes(engine: Engine, desk: Desk, clock: SetClock) -> None:
    item = commit.create(desk, FACT).item
    clock.now += 10
    made = commit.revise(desk, item.id, replace(FACT, text="It moved to harbour 6000."), expected=1)
    assert (made.item.version, made.commit.action) == (2, MemoryAction.REVISED)
    assert (made.item.created_at, made.item.updated_at) == (clock.now - 10, clock.now)
    assert found(engine, "harbour") == [memory_uri(item.id)]
    assert found(engine, "staging") == [memory_uri(item.id)]  # by its tag
    assert found(engine, "5433") == []
    assert desk.store.memories.versions(desk.project, item.id)[1].supersedes == 1


def test_a_revision_of_a_version_that_is_no_longer_the_last_is_a_conflict(desk: Desk) -> None:
    item = commit.create(desk, FACT).item
    commit.revise(desk, item.id, FACT)
    with pytest.raises(Conflict, match="version 2, not 1"):
        commit.revise(desk, item.id, FACT, expected=1)


def test_a_forgotten_item_leaves_every_search_and_keeps_its_history(engine: Engine, desk: Desk) -> None:
    item = commit.create(desk, FACT).item
    made = commit.archive(desk, item.id)
    assert (made.item.status, made.commit.action) == (MemoryStatus.ARCHIVED, MemoryAction.ARCHIVED)
    assert found(engine, "staging") == []
    assert len(desk.store.memories.versions(desk.project, item.id)) == 1
    assert desk.store.memories.find(desk.project, MemoryFilter()) == ()
    assert desk.store.check() == ()


def test_a_restored_version_is_a_new_one_with_the_old_text(engine: Engine, desk: Desk) -> None:
    item = commit.create(desk, FACT).item
    commit.revise(desk, item.id, replace(FACT, text="Nothing of the kind."))
    commit.archive(desk, item.id)
    made = commit.restore(desk, item.id, 1)
    assert (made.item.version, made.item.status, made.commit.action) == (3, MemoryStatus.ACTIVE, MemoryAction.RESTORED)
    first, _, third = desk.store.memories.versions(desk.project, item.id)
    assert (third.text_hash, third.supersedes) == (first.text_hash, 2)
    assert made.item.fingerprint == item.fingerprint
    assert found(engine, "5433") == [memory_uri(item.id)]
    with pytest.raises(NotFound, match="no version 9"):
        commit.restore(desk, item.id, 9)


def test_pins_and_links_change_the_item_and_make_no_version(desk: Desk) -> None:
    item = commit.create(desk, FACT).item
    assert commit.pin(desk, item.id).item.pinned
    assert not commit.pin(desk, item.id, pinned=False).item.pinned
    linked = commit.link(desk, item.id, MemoryLink("notes/a.md", "plans")).item
    assert linked.links == (MemoryLink("notes/a.md", "plans"),)
    again = commit.link(desk, item.id, MemoryLink("notes/a.md", "plans"))
    assert (again.item, again.commit.action) == (linked, MemoryAction.UNCHANGED)
    assert linked.version == 1
    actions = [one.action.value for one in desk.store.memories.commits(desk.project, item.id)]
    assert actions == ["created", "pinned", "unpinned", "linked"]


def test_the_same_key_gives_the_first_answer_and_changes_nothing(desk: Desk, clock: SetClock) -> None:
    by = Circumstances("a person", key="once")
    first = commit.create(desk, FACT, by)
    before = observed(desk.store)
    clock.now += 5
    again = commit.create(desk, FACT, by)
    assert (again.commit, again.replayed) == (first.commit, True)
    assert observed(desk.store) == before


@pytest.mark.parametrize("other", [replace(FACT, text="Other."), replace(FACT, pinned=True), replace(FACT, scope="s")])
def test_the_same_key_with_something_else_is_a_conflict(desk: Desk, other: Draft) -> None:
    by = Circumstances(key="once")
    item = commit.create(desk, FACT, by).item
    before = observed(desk.store)
    with pytest.raises(Conflict, match="once") as caught:
        commit.create(desk, other, by)
    assert caught.value.details == {"key": "once", "item": item.id, "version": 1}
    with pytest.raises(Conflict):
        commit.pin(desk, item.id, by)
    assert observed(desk.store) == before


def test_every_kind_of_change_is_repeatable_under_its_key(desk: Desk) -> None:
    item = commit.create(desk, FACT).item
    changes = {
        "revise": lambda by: commit.revise(desk, item.id, replace(FACT, text="New text."), by),
        "pin": lambda by: commit.pin(desk, item.id, by),
        "link": lambda by: commit.link(desk, item.id, MemoryLink("x"), by),
        "archive": lambda by: commit.archive(desk, item.id, by),
        "restore": lambda by: commit.restore(desk, item.id, 1, by),
        "again": lambda by: commit.pin(desk, item.id, by),
    }
    first = {name: change(Circumstances(key=name)).commit for name, change in changes.items()}
    before = observed(desk.store)
    assert {name: change(Circumstances(key=name)).commit for name, change in changes.items()} == first
    assert observed(desk.store) == before


def test_two_items_of_the_same_text_and_instant_are_two(desk: Desk) -> None:
    one, other = commit.create(desk, FACT).item, commit.create(desk, FACT).item
    assert one.id != other.id
    assert commit.create(desk, FACT, unique=True).item in (one, other)


def test_the_log_of_an_item_runs_one_way_when_the_clock_is_set_back(desk: Desk, clock: SetClock) -> None:
    item = commit.create(desk, FACT).item
    clock.now -= 500
    commit.pin(desk, item.id)
    commit.revise(desk, item.id, FACT)
    at = [one.at for one in desk.store.memories.commits(desk.project, item.id)]
    assert at == sorted(at)


@pytest.mark.parametrize(
    "draft",
    [
        Draft(""),
        Draft(" \n\t"),
        Draft("x", scope=" "),
        Draft("x", valid_from=2.0, valid_to=1.0),
        Draft("x" * 1_000_001),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_reason(desk: Desk, draft: Draft) -> None:
    with pytest.raises((InvalidArgument, Conflict)):
        commit.create(desk, draft)
    assert desk.store.memories.find(desk.project, MemoryFilter(status=None)) == ()


def test_what_is_not_there_is_not_found(desk: Desk) -> None:
    for change in (commit.pin, commit.archive):
        with pytest.raises(NotFound, match="mem_none"):
            change(desk, MemoryId("mem_none"))
    with pytest.raises(NotFound, match="ses_none"):
        commit.create(desk, FACT, Circumstances(session=SessionId("ses_none")))
    assert desk.store.memories.find(desk.project, MemoryFilter(status=None)) == ()


def test_an_id_may_be_shortened_while_only_one_begins_so(desk: Desk, clock: SetClock) -> None:
    item = commit.create(desk, FACT).item
    assert desk.item(item.id[:10]) == item
    with pytest.raises(NotFound):
        desk.item("mem_")
    with pytest.raises(NotFound):
        desk.item("staging")


def test_a_session_is_named_by_what_was_committed_in_it_and_ends_once(desk: Desk, clock: SetClock) -> None:
    session = sessions.start(desk, "Release", "a person")
    item = commit.create(desk, FACT, Circumstances(session=session.id)).item
    assert desk.store.memories.versions(desk.project, item.id)[0].session_id == session.id
    clock.now += 60
    ended = sessions.end(desk, session.id, "Shipped.")
    assert (ended.ended_at, ended.summary) == (clock.now, "Shipped.")
    assert sessions.end(desk, session.id, "Shipped.") == ended
    with pytest.raises(Conflict):
        sessions.end(desk, session.id, "Not shipped.")
    assert sessions.start(desk, "Release", "a person").id != session.id


def test_a_folder_that_took_the_name_of_the_memories_is_not_overwritten(engine: Engine, tmp_path: Path) -> None:
    folder = Collection(collection_id(engine.project.id, "memories"), engine.project.id, "memories", tmp_path)
    with engine.store.transaction():
        engine.store.catalog.put_collection(folder)
    with pytest.raises(Conflict, match="memories are kept"):
        _ = engine.desk
    assert engine.collection("memories") == folder
