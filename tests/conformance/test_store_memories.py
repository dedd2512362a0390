"""What every store promises of memories: items, versions, the log, sessions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from octavo.errors import Conflict, NotFound
from octavo.model.ids import ProjectId, project_id, text_hash
from octavo.model.memory import (
    MemoryAction,
    MemoryCommit,
    MemoryFile,
    MemoryFilter,
    MemoryId,
    MemoryItem,
    MemoryKind,
    MemoryLink,
    MemorySession,
    MemoryStatus,
    MemoryVersion,
    SessionId,
)
from octavo.sql_repositories.store import Store

MINE, THEIRS = project_id("mine"), project_id("theirs")


@pytest.fixture(autouse=True)
def projects(store: Store) -> None:
    with store.transaction():
        store.catalog.ensure_project("mine")
        store.catalog.ensure_project("theirs")


def item(name: str = "mem_a", project: ProjectId = MINE, **values: Any) -> MemoryItem:
    given: dict[str, Any] = {
        "kind": MemoryKind.FACT,
        "scope": "project",
        "title": "A title",
        "tags": ("one", "two/three"),
        "links": (MemoryLink("notes/a.md", "plans"),),
        "pinned": False,
        "status": MemoryStatus.ACTIVE,
        "version": 1,
        "fingerprint": text_hash("words"),
        "created_at": 10.0,
        "updated_at": 10.0,
        "metadata": {"where": "é"},
    }
    return MemoryItem(id=MemoryId(name), project_id=project, **given | values)


def version(of: MemoryItem, number: int = 1, **values: Any) -> MemoryVersion:
    given: dict[str, Any] = {
        "title": of.title,
        "text_hash": text_hash(f"text {number}"),
        "tags": of.tags,
        "author": "a person",
        "reason": "because",
        "session_id": None,
        "created_at": 10.0 + number,
        "valid_from": 5.0,
        "valid_to": None,
        "supersedes": number - 1 or None,
    }
    return MemoryVersion(item_id=of.id, number=number, **given | values)


def commit(of: MemoryItem, action: MemoryAction = MemoryAction.CREATED, **values: Any) -> MemoryCommit:
    given: dict[str, Any] = {
        "version": of.version,
        "status": of.status,
        "pinned": of.pinned,
        "author": "a person",
        "reason": "",
        "session_id": None,
        "key": None,
        "payload": "hash",
        "at": 11.0,
    }
    return MemoryCommit(item_id=of.id, action=action, **given | values)


def put(store: Store, one: MemoryItem) -> MemoryItem:
    with store.transaction():
        store.memories.put(one, commit(one), version(one))
    return one


def test_an_item_comes_back_as_it_was_put(store: Store) -> None:
    one = put(store, item())
    assert store.memories.get(MINE, one.id) == one
    assert store.memories.versions(MINE, one.id) == (version(one),)
    assert store.memories.commits(MINE, one.id) == (commit(one),)
    assert store.memories.get(MINE, MemoryId("mem_z")) is None
    assert store.memories.versions(MINE, MemoryId("mem_z")) == ()


def test_a_second_put_changes_the_item_and_adds_to_its_history(store: Store) -> None:
    one = put(store, item())
    later = replace(one, title="Another", version=2, status=MemoryStatus.ARCHIVED, pinned=True, updated_at=20.0)
    second = version(later, 2, valid_to=99.5, session_id=SessionId("ses_1"))
    change = commit(later, MemoryAction.REVISED, key="k", session_id=SessionId("ses_1"))
    with store.transaction():
        store.memories.put(later, change, second)
    assert store.memories.get(MINE, one.id) == later
    assert store.memories.versions(MINE, one.id) == (version(one), second)
    assert store.memories.commits(MINE, one.id) == (commit(one), change)


def test_an_item_was_made_when_its_owner_says(store: Store) -> None:
    made = put(store, item())
    earlier = replace(made, created_at=1.0)
    with store.transaction():
        store.memories.put(earlier, commit(made))
    assert store.memories.get(MINE, made.id) == earlier


def test_a_version_number_is_used_once(store: Store) -> None:
    one = put(store, item())
    with pytest.raises(Conflict), store.transaction():
        store.memories.put(one, commit(one), version(one, text_hash=text_hash("other")))
    assert store.memories.versions(MINE, one.id) == (version(one),)
    assert len(store.memories.commits(MINE, one.id)) == 1


def test_an_idempotency_key_is_used_once_in_a_project_and_found_again(store: Store) -> None:
    mine, theirs = put(store, item()), put(store, item(project=THEIRS))
    with store.transaction():
        store.memories.put(mine, commit(mine, key="k"))
        store.memories.put(theirs, commit(theirs, key="k", reason="theirs"))
    with pytest.raises(Conflict), store.transaction():
        store.memories.put(mine, commit(mine, key="k"))
    found = store.memories.commit_under(MINE, "k")
    assert found == commit(mine, key="k")
    assert store.memories.commit_under(MINE, "other") is None


def test_items_of_another_project_are_not_there(store: Store) -> None:
    one = put(store, item())
    other = MemoryFilter(status=None)
    assert store.memories.get(THEIRS, one.id) is None
    assert store.memories.find(THEIRS, other) == ()
    assert store.memories.versions(THEIRS, one.id) == ()
    assert store.memories.commits(THEIRS, one.id) == ()
    assert store.memories.same_text(THEIRS, one.scope, one.fingerprint) == ()


def test_a_project_that_is_not_there_is_not_found(store: Store) -> None:
    nowhere = project_id("nowhere")
    with pytest.raises(NotFound):
        store.memories.get(nowhere, MemoryId("mem_a"))
    with pytest.raises(NotFound), store.transaction():
        store.memories.put(item(project=nowhere), commit(item()))


FILTERS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"mem_a", "mem_b"}),
    ({"status": None}, {"mem_a", "mem_b", "mem_c"}),
    ({"status": MemoryStatus.ARCHIVED}, {"mem_c"}),
    ({"kinds": (MemoryKind.BUG, MemoryKind.RULE)}, {"mem_b"}),
    ({"scopes": ("project",)}, {"mem_a"}),
    ({"tags_all": ("two",)}, {"mem_a"}),
    ({"tags_all": ("ONE",), "tags_any": ("four", "two/three")}, {"mem_a"}),
    ({"tags_any": ("four",)}, {"mem_b"}),
    ({"pinned_only": True}, {"mem_b"}),
    ({"created_after": 20.0}, {"mem_b"}),
    ({"created_before": 20.0}, {"mem_a"}),
    ({"items": (MemoryId("mem_a"), MemoryId("mem_c"))}, {"mem_a"}),
    ({"not_items": (MemoryId("mem_a"),)}, {"mem_b"}),
]


@pytest.mark.parametrize(("given", "expected"), FILTERS)
def test_a_filter_lets_through_what_it_says(store: Store, given: dict[str, Any], expected: set[str]) -> None:
    put(store, item("mem_a"))
    put(store, item("mem_b", kind=MemoryKind.BUG, scope="s", tags=("four",), pinned=True, created_at=20.0))
    put(store, item("mem_c", status=MemoryStatus.ARCHIVED, created_at=30.0))
    found = store.memories.find(MINE, MemoryFilter(**given))
    assert {one.id for one in found} == expected
    assert list(found) == sorted(found, key=lambda one: one.created_at)


def test_the_same_text_is_looked_for_among_active_items_of_the_scope(store: Store) -> None:
    one = put(store, item("mem_a"))
    put(store, item("mem_b", scope="other"))
    put(store, item("mem_c", status=MemoryStatus.ARCHIVED))
    put(store, item("mem_d", fingerprint=text_hash("different")))
    assert store.memories.same_text(MINE, "project", one.fingerprint) == (one,)


def test_what_was_rolled_back_was_never_remembered(store: Store) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.memories.put(item(), commit(item()), version(item()))
        raise RuntimeError
    assert store.memories.find(MINE, MemoryFilter()) == ()
    assert store.memories.versions(MINE, MemoryId("mem_a")) == ()


def test_a_session_ends_with_its_summary_and_belongs_to_its_project(store: Store) -> None:
    first = MemorySession(SessionId("ses_b"), MINE, "Work", "a person", 1.0)
    second = MemorySession(SessionId("ses_a"), MINE, "More", "", 2.0)
    ended = replace(first, ended_at=3.0, summary="done")
    with store.transaction():
        store.memories.put_session(second)
        store.memories.put_session(first)
        store.memories.put_session(ended)
    assert store.memories.sessions(MINE) == (ended, second)
    assert store.memories.session(MINE, first.id) == ended
    assert store.memories.session(THEIRS, first.id) is None
    assert store.memories.sessions(THEIRS) == ()


def test_a_canonical_key_names_one_item_of_a_project(store: Store) -> None:
    spec = item("mem_spec", canonical_key="spec/app", doc_class="app_spec")
    put(store, spec)
    theirs = item("mem_spec", THEIRS, canonical_key="spec/app")
    put(store, theirs)
    assert store.memories.under(MINE, "spec/app") == spec
    assert store.memories.under(MINE, "spec/other") is None
    plain = item("mem_plain")
    put(store, plain)
    assert store.memories.find(MINE, MemoryFilter(canonical_only=True)) == (spec,)
    assert store.memories.find(MINE, MemoryFilter(doc_classes=("app_spec", "other"))) == (spec,)
    rival = item("mem_rival", canonical_key="spec/app")
    with pytest.raises(Conflict):
        put(store, rival)
    assert store.memories.get(MINE, rival.id) is None


def test_ids_alone_are_those_of_the_items_found(store: Store) -> None:
    for number in range(3):
        put(store, item(f"mem_{number}", scope=str(number % 2), tags=("x",) if number else ()))
    for wanted in (MemoryFilter(), MemoryFilter(scopes=("0",)), MemoryFilter(tags_all=("x",)), MemoryFilter(kinds=())):
        assert store.memories.named(MINE, wanted) == tuple(one.id for one in store.memories.find(MINE, wanted))


def test_a_sequence_knows_its_last_place(store: Store) -> None:
    assert store.memories.last_position(MINE, "talk") == 0
    for place in (1, 2):
        one = item(f"mem_{place}", sequence="talk", position=place)
        put(store, one)
    assert store.memories.last_position(MINE, "talk") == 2
    assert store.memories.last_position(THEIRS, "talk") == 0
    assert [one.position for one in store.memories.find(MINE, MemoryFilter(sequences=("talk",)))] == [1, 2]


def test_links_are_found_from_their_target_while_the_item_is_active(store: Store) -> None:
    first = item("mem_first", links=(MemoryLink("a.md"), MemoryLink("b.md", "plans")))
    second = item("mem_second", links=(MemoryLink("a.md", "supersedes"),), created_at=11.0)
    for one in (first, second):
        put(store, one)
    found = store.memories.linking(MINE, ["a.md", "c.md"])
    assert found == ((MemoryLink("a.md"), first.id), (MemoryLink("a.md", "supersedes"), second.id))
    assert store.memories.linking(MINE, ["a.md"], ["supersedes"]) == ((MemoryLink("a.md", "supersedes"), second.id),)
    assert store.memories.linking(THEIRS, ["a.md"]) == ()
    changed = replace(first, links=(MemoryLink("c.md"),), version=2)
    with store.transaction():
        store.memories.put(changed, commit(changed, MemoryAction.REVISED), version(changed, 2))
    assert [name for _, name in store.memories.linking(MINE, ["a.md", "b.md", "c.md"])] == [second.id, first.id]
    gone = replace(second, status=MemoryStatus.ARCHIVED)
    with store.transaction():
        store.memories.put(gone, commit(gone, MemoryAction.ARCHIVED))
    assert store.memories.linking(MINE, ["a.md"]) == ()


def test_files_are_remembered_by_folder_and_path(store: Store) -> None:
    one, other = MemoryFile("b.md", MemoryId("mem_b"), 1, "x"), MemoryFile("a.md", MemoryId("mem_a"), 3, "y")
    with store.transaction():
        store.memories.put_file(MINE, "here", one)
        store.memories.put_file(MINE, "here", other)
        store.memories.put_file(MINE, "there", one)
        store.memories.put_file(MINE, "here", replace(one, version=2))
    assert store.memories.files(MINE, "here") == (other, replace(one, version=2))
    assert (store.memories.folders(MINE), store.memories.folders(THEIRS)) == (("here", "there"), ())
    assert store.memories.files(THEIRS, "here") == ()
    with store.transaction():
        store.memories.remove_file(MINE, "here", "b.md")
    assert store.memories.files(MINE, "here") == (other,)
    assert store.memories.files(MINE, "there") == (one,)


def test_validity_is_that_of_the_version_an_item_stands_at(store: Store) -> None:
    one = put(store, item("mem_one"))
    changed = replace(one, version=2)
    with store.transaction():
        store.memories.put(changed, commit(changed, MemoryAction.REVISED), version(changed, 2, valid_to=99.0))
    put(store, item("mem_theirs", THEIRS))
    wanted = [one.id, MemoryId("mem_theirs"), MemoryId("mem_nowhere")]
    assert dict(store.memories.validity(MINE, wanted)) == {one.id: (5.0, 99.0)}


def test_how_everything_stood_at_an_instant_is_each_item_s_last_change_up_to_it(store: Store) -> None:
    one, other = item("mem_one"), item("mem_other")
    with store.transaction():
        for of, action, at in (
            (one, MemoryAction.CREATED, 10.0),
            (other, MemoryAction.CREATED, 11.0),
            (one, MemoryAction.PINNED, 12.0),
        ):
            held = version(of) if action is MemoryAction.CREATED else None
            store.memories.put(of, commit(of, action, at=at), held)

    def stood(at: float) -> dict[str, str]:
        return {name: change.action.value for name, change in store.memories.moments(MINE, at).items()}

    assert stood(9.0) == {}
    assert stood(10.0) == {"mem_one": "created"}
    assert stood(11.5) == {"mem_one": "created", "mem_other": "created"}
    assert stood(12.0) == {"mem_one": "pinned", "mem_other": "created"}
    assert store.memories.moments(THEIRS, 99.0) == {}
