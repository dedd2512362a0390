"""Stretches of work that commits can name: started, and ended once with a summary."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from recto.errors import Conflict, NotFound
from recto.memory.commit import create
from recto.memory.desk import Desk
from recto.memory.draft import Circumstances, Draft
from recto.model.memory import MemoryKind, MemorySession, SessionId, session_id


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


def session_named(desk: Desk, name: str) -> MemorySession:
    """The session with this id, or else the latest with this title, open ones before those that ended."""
    found = desk.store.memories.session(desk.project, SessionId(name))
    if found is not None:
        return found
    titled = [one for one in desk.store.memories.sessions(desk.project) if one.title == name]
    if not titled:
        raise NotFound(f"there is no session {name}", hint="`recto sessions list` shows them")
    return max(titled, key=lambda one: (one.ended_at is None, one.started_at, one.id))


def end(desk: Desk, name: SessionId, summary: str = "") -> MemorySession:
    """Ending again with the same summary is the same answer; with another one it is a conflict.

    A summary is a memory too: what was done is found like anything else that was said.
    """
    ended = _ended(desk, name, summary)
    if summary.strip():
        # Under a key of its own: if this process dies in between, ending again writes what is missing.
        title = f"Session: {ended.title}" if ended.title else ""
        draft = Draft(summary, MemoryKind.SUMMARY, title=title, metadata={"session": name})
        create(desk, draft, Circumstances(ended.author, "the session ended", name, f"summary of {name}"))
    return ended


def _ended(desk: Desk, name: SessionId, summary: str) -> MemorySession:
    with desk.store.transaction():
        session = desk.store.memories.session(desk.project, name)
        if session is None:
            raise NotFound(f"there is no session {name}", hint="`recto sessions list` shows them")
        if session.ended_at is not None:
            if session.summary != summary:
                raise Conflict(f"the session {name} has already ended with another summary")
            return session
        ended = replace(session, ended_at=max(desk.clock(), session.started_at), summary=summary)
        desk.store.memories.put_session(ended)
    return ended
