"""Sessions: stretches of work that memories can name, each ended once with a summary."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

from recto.algorithms.analysis import Analyzer
from recto.algorithms.syntax import parse_query
from recto.engine.engine import Engine
from recto.memory import recall, sessions
from recto.memory.session_search import ranked, session_of
from recto.model.limits import Field
from recto.model.memory import MemoryFilter, MemoryId, MemorySession
from recto.model.query import Query
from recto.operations.memories import Author, ProjectName, Scope, when, within
from recto.operations.quoting import one_line
from recto.operations.recall import FLOOR
from recto.retrieval.profiles import MEMORY_PROFILE, profile_named

_DEEP = 200  # memories that are looked for before they are told by session


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
    """With a query, those in which it was talked about, best first; else the latest."""

    query: Annotated[str, Field(max_length=20_000, description="A question or words.")] = ""
    limit: Annotated[int, Field(ge=1, le=200, description="How many sessions at most.")] = 200
    scopes: Annotated[tuple[Scope, ...], Field(max_length=100, description="Only with memories of these scopes.")] = ()
    open_only: Annotated[bool, Field(description="Only those that have not ended.")] = False
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class SessionState:
    """`memories` counts what was kept in it, in the scopes asked for, and is still active, its summary included."""

    session: str
    title: str
    author: str
    started_at: str
    memories: int
    ended_at: str | None = None
    summary: str = ""


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """Latest first; with a query, best first."""

    sessions: tuple[SessionState, ...]


def sessions_start(engine: Engine, request: SessionsStartRequest) -> SessionState:
    engine = within(engine, request.project)
    return _state(engine, sessions.start(engine.desk, one_line(request.title.strip()), request.author), 0)


def sessions_end(engine: Engine, request: SessionsEndRequest) -> SessionState:
    engine = within(engine, request.project)
    named = sessions.session_named(engine.desk, request.session.strip())
    ended = sessions.end(engine.desk, named.id, request.summary)
    every = engine.store.memories.find(engine.project.id, MemoryFilter())
    return _state(engine, ended, sum(session_of(item) == ended.id for item in every))


def sessions_list(engine: Engine, request: SessionsListRequest) -> SessionsAnswer:
    engine = within(engine, request.project)
    query, scopes = request.query.strip(), request.scopes
    answering = _answering(engine, query, scopes) if query else ()
    with engine.store.reading():
        found = {one.id: one for one in reversed(engine.store.memories.sessions(engine.project.id))}
        items = engine.store.memories.find(engine.project.id, MemoryFilter(scopes=scopes))
        order = ranked(engine.desk, items, answering, _words(query)) if query else list(found)
    counted = Counter(session_of(item) for item in items)
    wanted = [found[one] for one in order if one in found and (one in counted or not scopes)]
    wanted = [one for one in wanted if one.ended_at is None or not request.open_only]
    return SessionsAnswer(tuple(_state(engine, one, counted[one.id]) for one in wanted[: request.limit]))


def _answering(engine: Engine, query: str, scopes: tuple[str, ...]) -> tuple[MemoryId, ...]:
    filters = recall.narrowed(engine.desk, MemoryFilter(scopes=scopes))
    if filters is None:
        return ()
    return recall.answering(engine.candidates(Query(query, _DEEP, filters), profile_named(MEMORY_PROFILE)), FLOOR)


def _words(query: str) -> tuple[str, ...]:
    terms, _ = parse_query(query, Analyzer())
    return (*terms.words, *(word for phrase in terms.phrases for word in phrase))


def session_text(answer: SessionState) -> str:
    ended = f", ended {answer.ended_at}" if answer.ended_at else ""
    title = f": {answer.title}" if answer.title else ""
    return one_line(f"{answer.session}{title} (started {answer.started_at}{ended}, {answer.memories} memories)")


def sessions_text(answer: SessionsAnswer) -> str:
    return "\n".join(f"- {session_text(one)}" for one in answer.sessions) or "There is no such session."


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
