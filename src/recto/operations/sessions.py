"""Sessions: stretches of work that memories can name, each ended once with a summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.memory import sessions
from recto.model.limits import Field
from recto.model.memory import MemoryFilter, MemorySession
from recto.operations.memories import Author, ProjectName, when, within
from recto.operations.quoting import one_line

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class SessionsStartRequest:
    title: Annotated[str, Field(max_length=500, description="What it is about, in a line.")] = ""
    author: Author = ""
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class SessionsEndRequest:
    session: Annotated[str, Field(min_length=1, max_length=100, description="The session's id or title.")]
    summary: Annotated[
        str, Field(max_length=100_000, description="What was done and found, to be remembered; ends it for good.")
    ] = ""
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class SessionsListRequest:
    open_only: Annotated[bool, Field(description="Only those that have not ended.")] = False
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class SessionState:
    """`memories` counts what was kept in it and is still active, its summary included."""

    session: str
    title: str
    author: str
    started_at: str
    memories: int
    ended_at: str | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """Latest first."""

    sessions: tuple[SessionState, ...]


def sessions_start(engine: Engine, request: SessionsStartRequest) -> SessionState:
    engine = within(engine, request.project)
    return _state(engine, sessions.start(engine.desk, one_line(request.title.strip()), request.author), 0)


def sessions_end(engine: Engine, request: SessionsEndRequest) -> SessionState:
    engine = within(engine, request.project)
    named = sessions.session_named(engine.desk, request.session.strip())
    ended = sessions.end(engine.desk, named.id, request.summary)
    return _state(engine, ended, _counted(engine).get(ended.id, 0))


def sessions_list(engine: Engine, request: SessionsListRequest) -> SessionsAnswer:
    engine = within(engine, request.project)
    with engine.store.reading():
        counted = _counted(engine)
        found = reversed(engine.store.memories.sessions(engine.project.id))
        wanted = [one for one in found if one.ended_at is None or not request.open_only]
    return SessionsAnswer(tuple(_state(engine, one, counted.get(one.id, 0)) for one in wanted[:_SHOWN]))


def session_text(answer: SessionState) -> str:
    ended = f", ended {answer.ended_at}" if answer.ended_at else ""
    title = f": {answer.title}" if answer.title else ""
    return one_line(f"{answer.session}{title} (started {answer.started_at}{ended}, {answer.memories} memories)")


def sessions_text(answer: SessionsAnswer) -> str:
    return "\n".join(f"- {session_text(one)}" for one in answer.sessions) or "There is no session yet."


def _counted(engine: Engine) -> dict[str, int]:
    """Memories by the session they were made in: their sequence ends in its id."""
    counted: dict[str, int] = {}
    for item in engine.store.memories.find(engine.project.id, MemoryFilter()):
        session = item.sequence.rpartition("#")[2] if "#" in item.sequence else ""
        counted[session] = counted.get(session, 0) + 1
    return counted


def _state(engine: Engine, session: MemorySession, memories: int) -> SessionState:
    return SessionState(
        session=session.id,
        title=session.title,
        author=session.author,
        started_at=when(session.started_at),
        memories=memories,
        ended_at=None if session.ended_at is None else when(session.ended_at),
        summary=session.summary,
    )
