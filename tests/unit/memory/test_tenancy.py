"""Whose memories they are: sessions, projects, workspaces, and exact commits through the operations."""

from __future__ import annotations

import pytest
from set_clock import SetClock

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.model.memory import MemoryKind
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.memory.memory_reading_and_writing import forget, memory_commit, memory_get
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import ForgetRequest, MemoryCommitRequest, MemoryGetRequest, RecallRequest
from octavo.operations.operation_lookup import EVERY
from octavo.operations.projects.projects_and_sessions import (
    projects_list,
    projects_resolve,
    repository_place,
    sessions_end,
    sessions_list,
    sessions_start,
)
from octavo.operations.projects.requests import (
    ProjectsListRequest,
    ProjectsResolveRequest,
    SessionsEndRequest,
    SessionsListRequest,
    SessionsStartRequest,
)


def resolve(engine: Engine, **asked: object) -> tuple[str, str, bool]:
    found = projects_resolve(engine, ProjectsResolveRequest(**asked))  # type: ignore[arg-type]
    return found.project, found.by, found.created


def test_a_session_ends_once_and_its_summary_is_remembered(engine: Engine, clock: SetClock) -> None:
    begun = sessions_start(engine, SessionsStartRequest("Valves", "me"))
    memory_commit(engine, MemoryCommitRequest(text="The left valve leaks.", session=begun.session))
    clock.now += 60.0
    ended = sessions_end(engine, SessionsEndRequest("Valves", "Both valves were replaced."))
    assert (ended.session, ended.memories, ended.ended_at is not None) == (begun.session, 2, True)
    again = sessions_end(engine, SessionsEndRequest(begun.session, "Both valves were replaced."))
    assert again == ended
    with pytest.raises(Conflict, match="another summary"):
        sessions_end(engine, SessionsEndRequest(begun.session, "Something else."))
    (found,) = recall(engine, RecallRequest("valves replaced", kinds=(MemoryKind.SUMMARY.value,))).memories
    assert (found.title, found.text) == ("Session: Valves", "Both valves were replaced.")
    assert sessions_list(engine, SessionsListRequest(open_only=True)).sessions == ()
    assert [session.session for session in sessions_list(engine, SessionsListRequest()).sessions] == [begun.session]


def test_sessions_are_found_by_what_was_said_in_them_taken_together(engine: Engine) -> None:
    said = {
        "Valves": ("The left valve leaks.", "We opened it with a wrench.", "Tea was served."),
        "Roof": ("The roof needs slates.", "A wrench fell off the roof."),
        "Garden": ("Apples are ripe in the garden.",),
    }
    for title, turns in said.items():
        begun = sessions_start(engine, SessionsStartRequest(title))
        for turn in turns:
            memory_commit(engine, MemoryCommitRequest(text=turn, session=begun.session, scope=title.lower()))
    work(engine, Jobs())

    def found(query: str, **more: object) -> list[str]:
        asked = SessionsListRequest(query, **more)  # type: ignore[arg-type]
        return [session.title for session in sessions_list(engine, asked).sessions]

    assert found("leaking valve, tea and wrench")[0] == "Valves"
    assert found("wrench and slates on the roof")[0] == "Roof"
    assert found("wrench", scopes=("roof",)) == ["Roof"]
    assert len(found("wrench", limit=1)) == 1
    assert found("", scopes=("garden",)) == ["Garden"]
    assert found("submarine") == []


def test_a_summary_that_a_crash_kept_from_being_remembered_is_so_by_ending_again(engine: Engine) -> None:
    from octavo.memory import work_sessions

    begun = work_sessions.start(engine.memories, "Crash")
    work_sessions.record_end(engine.memories, begun.id, "What was done.")
    assert recall(engine, RecallRequest("done")).memories == ()
    work_sessions.end(engine.memories, begun.id, "What was done.")
    work_sessions.end(engine.memories, begun.id, "What was done.")
    assert len(recall(engine, RecallRequest("done")).memories) == 1


def test_a_title_means_the_open_session_rather_than_one_that_ended(engine: Engine, clock: SetClock) -> None:
    first = sessions_start(engine, SessionsStartRequest("Daily"))
    sessions_end(engine, SessionsEndRequest(first.session))
    clock.now += 1.0
    second = sessions_start(engine, SessionsStartRequest("Daily"))
    clock.now += 1.0
    third = sessions_start(engine, SessionsStartRequest("Daily"))
    assert sessions_end(engine, SessionsEndRequest("Daily")).session == third.session
    assert sessions_end(engine, SessionsEndRequest("Daily")).session == second.session
    with pytest.raises(NotFound):
        sessions_end(engine, SessionsEndRequest("Nightly"))


@pytest.mark.parametrize(
    "url",
    [
        "git@Example.org:acme/site.git",
        "https://example.org/acme/site",
        "https://you:secret@example.org/acme/site.git/",
        "ssh://git@example.org:2222/acme/site.git",
        "git://example.org/acme/site",
    ],
)
def test_a_repository_is_the_same_however_its_address_is_written(url: str) -> None:
    assert repository_place(url) == "example.org/acme/site"


def test_a_project_is_made_when_asked_and_found_by_all_it_is_known_by(engine: Engine) -> None:
    with pytest.raises(NotFound, match="/home/me/site"):
        resolve(engine, path="/home/me/site")
    made = resolve(engine, path="/home/me/site", repo_url="git@example.org:acme/site.git", create_if_missing=True)
    assert made == ("site", "created", True)
    assert resolve(engine, path="/home/me/site/src/deep") == ("site", "folder", False)
    assert resolve(engine, repo_url="https://example.org/acme/site") == ("site", "repository", False)
    assert resolve(engine, name="site") == ("site", "name", False)
    assert resolve(engine, path="/home/me/site", create_if_missing=True) == ("site", "folder", False)
    with pytest.raises(NotFound):
        resolve(engine, path="/home/me")
    with pytest.raises(NotFound):
        resolve(engine, name="nobody", path="/home/me/site")
    with pytest.raises(InvalidArgument, match="give a path"):
        resolve(engine)


def test_the_deepest_folder_decides_and_equal_names_are_told_apart(engine: Engine) -> None:
    assert resolve(engine, path="/a/site", create_if_missing=True)[0] == "site"
    with pytest.raises(NotFound):
        resolve(engine, path="/b/site")
    assert resolve(engine, path="/b/site", create_if_missing=True)[0] == "site-2"
    assert resolve(engine, name="inner", path="/a/site/inner", create_if_missing=True)[0] == "inner"
    assert resolve(engine, path="/a/site/inner/x")[0] == "inner"
    assert resolve(engine, path="/a/site/other")[0] == "site"


def test_a_workspace_keeps_its_projects_apart(engine: Engine) -> None:
    assert resolve(engine, name="site", workspace="acme", create_if_missing=True)[0] == "acme/site"
    assert resolve(engine, name="site", create_if_missing=True)[0] == "site"
    assert resolve(engine, name="site", workspace="acme")[0] == "acme/site"
    listed = projects_list(engine, ProjectsListRequest(workspace="acme")).projects
    assert [(one.name, one.workspace) for one in listed] == [("acme/site", "acme")]
    assert {project.workspace for project in projects_list(engine, ProjectsListRequest()).projects} == {
        "acme",
        "default",
    }


def test_nothing_crosses_a_project_unless_it_is_asked_for_by_name(engine: Engine) -> None:
    resolve(engine, name="other", create_if_missing=True)
    mine = memory_commit(engine, MemoryCommitRequest(text="The key is under the mat."))
    request = MemoryCommitRequest(text="The key is at the neighbour's.", project="other")
    theirs = EVERY["memory_commit"].run(engine, request)
    assert [memory.item for memory in recall(engine, RecallRequest("key")).memories] == [mine.item]
    recalled = EVERY["recall"].run(engine, RecallRequest("key", project="other")).memories
    assert [memory.item for memory in recalled] == [theirs.item]
    with pytest.raises(NotFound):
        memory_get(engine, MemoryGetRequest(theirs.item))
    read = EVERY["memory_get"].run(engine, MemoryGetRequest(theirs.item, project="other"))
    assert read.text.startswith("The key is at")
    with pytest.raises(NotFound, match="there is no project nowhere"):
        EVERY["recall"].run(engine, RecallRequest("key", project="nowhere"))


def test_a_commit_keeps_what_it_does_not_say_and_nothing_is_merged(engine: Engine) -> None:
    first = memory_commit(
        engine, MemoryCommitRequest(text="We ship on Mondays.", kind="decision", tags=("release",), scope="team")
    )
    twin = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays.", kind="decision", scope="team"))
    assert twin.item != first.item
    next_ = memory_commit(engine, MemoryCommitRequest(text="We ship on Tuesdays.", item=first.item, expected_version=1))
    assert (next_.item, next_.version, next_.kind, next_.scope, next_.tags) == (
        first.item,
        2,
        "decision",
        "team",
        ("release",),
    )
    assert next_.title == "We ship on Tuesdays."
    with pytest.raises(Conflict, match="is at version 2, not 1"):
        memory_commit(engine, MemoryCommitRequest(text="Late.", item=first.item, expected_version=1))
    assert memory_commit(engine, MemoryCommitRequest(text="x y", item=first.item, tags=())).tags == ()
    assert forget(engine, ForgetRequest(item=twin.item)).status == "archived"
    with pytest.raises(InvalidArgument, match="secret"):
        memory_commit(engine, MemoryCommitRequest(text="The password: 'dX7-quarry-Lantern'"))


def test_what_is_superseded_comes_after_what_took_its_place_and_says_by_what(engine: Engine) -> None:
    old = memory_commit(engine, MemoryCommitRequest(text="The meeting room is room five on the second floor."))
    new = memory_commit(
        engine, MemoryCommitRequest(text="Meetings moved to the library.", supersedes=(old.item,), kind="fact")
    )
    first, second = recall(engine, RecallRequest("meeting room")).memories
    assert (first.item, first.superseded_by) == (new.item, None)
    assert (second.item, second.superseded_by, second.holds) == (old.item, new.item, False)
    with pytest.raises(InvalidArgument, match="supersede itself"):
        memory_commit(engine, MemoryCommitRequest(text="x", item=new.item, supersedes=(new.item,)))
    forget(engine, ForgetRequest(item=new.item))
    assert [memory.superseded_by for memory in recall(engine, RecallRequest("meeting room")).memories] == [None]
