"""Sessions: periods of work that commits can name, started and ended once with a summary."""

from __future__ import annotations

from itertools import count

from octavo.errors import Conflict, NotFound
from octavo.fast_dataclass import replace
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.memory_changes import create
from octavo.memory.project_memories import ProjectMemories
from octavo.model.memory import MemoryKind, MemorySession, SessionId, session_id
from octavo.sources.secret_redaction import redacted


def start(memories: ProjectMemories, title: str, author: str = "") -> MemorySession:
    at, title, author = memories.clock(), redacted(title)[0], redacted(author)[0]
    with memories.store.transaction():
        for occurrence in count():
            name = session_id(memories.project, author, title, at, occurrence)
            if memories.repository.session(memories.project, name) is None:
                break
        session = MemorySession(name, memories.project, title, author, at)
        memories.repository.put_session(session)
    return session


def session_named(memories: ProjectMemories, name: str) -> MemorySession:
    """The session with this id, or the latest with this title; open sessions before ended ones."""
    stored = memories.repository.session(memories.project, SessionId(name))
    if stored is not None:
        return stored
    titled = [session for session in memories.repository.sessions(memories.project) if session.title == name]
    if not titled:
        raise NotFound(f"there is no session {name}", hint="`octavo sessions list` shows them")
    return max(titled, key=lambda session: (session.ended_at is None, session.started_at, session.id))


def end(memories: ProjectMemories, name: SessionId, summary: str = "") -> MemorySession:
    """Ends a session and stores its summary as a memory, so that it is found like any other.

    Repeating it with the same summary gives the same answer; with another summary it is a conflict.
    """
    summary = redacted(summary)[0]
    ended = record_end(memories, name, summary)
    if summary.strip():
        # Under a fixed key: if the process dies between the two writes, ending again adds the missing memory.
        title = f"Session: {ended.title}" if ended.title else ""
        draft = MemoryDraft(summary, MemoryKind.SUMMARY, title=title, metadata={"session": name})
        create(memories, draft, Provenance(ended.author, "the session ended", name, f"summary of {name}"))
    return ended


def record_end(memories: ProjectMemories, name: SessionId, summary: str) -> MemorySession:
    with memories.store.transaction():
        session = memories.repository.session(memories.project, name)
        if session is None:
            raise NotFound(f"there is no session {name}", hint="`octavo sessions list` shows them")
        if session.ended_at is not None:
            if session.summary != summary:
                raise Conflict(f"the session {name} has already ended with another summary")
            return session
        ended = replace(session, ended_at=max(memories.clock(), session.started_at), summary=summary)
        memories.repository.put_session(ended)
    return ended
