"""Stretches of work that commits can name: started, and ended once with a summary."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from recto.errors import Conflict, NotFound
from recto.memory.desk import Desk
from recto.model.memory import MemorySession, SessionId, session_id


def start(desk: Desk, title: str, author: str = "") -> MemorySession:
    at = desk.clock()
    with desk.store.transaction():
        for occurrence in count():
            name = session_id(desk.project, author, title, at, occurrence)
            if desk.store.memories.session(desk.project, name) is None:
                break
        session = MemorySession(name, desk.project, title, author, at)
        desk.store.memories.put_session(session)
    return session


def end(desk: Desk, name: SessionId, summary: str = "") -> MemorySession:
    """Ending again with the same summary is the same answer; with another one it is a conflict."""
    with desk.store.transaction():
        session = desk.store.memories.session(desk.project, name)
        if session is None:
            raise NotFound(f"there is no session {name}")
        if session.ended_at is not None:
            if session.summary != summary:
                raise Conflict(f"the session {name} has already ended with another summary")
            return session
        ended = replace(session, ended_at=max(desk.clock(), session.started_at), summary=summary)
        desk.store.memories.put_session(ended)
    return ended
