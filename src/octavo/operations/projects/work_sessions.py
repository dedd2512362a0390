"""Start, end and list sessions: periods of work that memories can name."""

from __future__ import annotations

from collections import Counter

from octavo.algorithms.model_inputs.prompt_quotations import one_line
from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.engine.engine import Engine
from octavo.memory import memories_from_hits, work_sessions
from octavo.memory.session_ranking import ranked, session_of
from octavo.model.memory import MemoryFilter, MemoryId, MemorySession
from octavo.model.query import Query
from octavo.operations.memory.requests import MIN_SIMILARITY
from octavo.operations.memory.results import when
from octavo.operations.projects.requests import SessionsEndRequest, SessionsListRequest, SessionsStartRequest
from octavo.operations.projects.results import SessionsAnswer, SessionState
from octavo.operations.same_named_fields import filled
from octavo.retrieval.profiles_by_name import MEMORY_PROFILE, profile_named

_SEARCH_DEPTH = 200  # memories that are searched for before they are grouped by session


def sessions_start(engine: Engine, request: SessionsStartRequest) -> SessionState:
    return _state(work_sessions.start(engine.memories, one_line(request.title.strip()), request.author), 0)


def sessions_end(engine: Engine, request: SessionsEndRequest) -> SessionState:
    named = work_sessions.session_named(engine.memories, request.session.strip())
    ended = work_sessions.end(engine.memories, named.id, request.summary)
    items = engine.store.memories.find(engine.project.id, MemoryFilter())
    return _state(ended, sum(session_of(item) == ended.id for item in items))


def sessions_list(engine: Engine, request: SessionsListRequest) -> SessionsAnswer:
    query, scopes = request.query.strip(), request.scopes
    answering, degraded = _answering(engine, query, scopes) if query else ((), ())
    with engine.store.reading():
        known = {session.id: session for session in reversed(engine.store.memories.sessions(engine.project.id))}
        items = engine.store.memories.find(engine.project.id, MemoryFilter(scopes=scopes))
        order = ranked(engine.memories, items, answering, _words(query)) if query else list(known)
    counts = Counter(session_of(item) for item in items)
    sessions = [known[name] for name in order if name in known and (name in counts or not scopes)]
    sessions = [session for session in sessions if session.ended_at is None or not request.open_only]
    states = tuple(_state(session, counts[session.id]) for session in sessions[: request.limit])
    return SessionsAnswer(states, degraded or None)


def _answering(engine: Engine, query: str, scopes: tuple[str, ...]) -> tuple[tuple[MemoryId, ...], tuple[str, ...]]:
    """The memories that answer, and what could not be searched for them."""
    filters = memories_from_hits.narrowed(engine.memories, MemoryFilter(scopes=scopes))
    if filters is None:
        return (), ()
    search_query = Query(query, _SEARCH_DEPTH, filters)
    candidates, degraded = engine.reader.candidates_degraded(search_query, profile_named(MEMORY_PROFILE))
    return memories_from_hits.answering(candidates, MIN_SIMILARITY), degraded


def _words(query: str) -> tuple[str, ...]:
    terms, _ = parse_query(query, Analyzer())
    return (*terms.words, *(word for phrase in terms.phrases for word in phrase))


def _state(session: MemorySession, memories: int) -> SessionState:
    return filled(SessionState, session, session=session.id, memories=memories, written=when)
