"""The earlier questions of a conversation, kept in a session where somebody asked for that."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.work_sessions import start
from octavo.model.memory import MemorySession
from octavo.sources.secret_redaction import redacted

AUTHOR = "octavo ask"
_KEPT = 20  # questions: what was asked longer ago is hardly pointed back to
_TITLE = 80  # characters


def earlier_questions(memories: ProjectMemories) -> tuple[str, ...]:
    """Of the conversation that is open, the oldest first; nothing where none is."""
    session = _open(memories)
    return tuple(session.summary.splitlines()) if session is not None else ()


def keep_question(memories: ProjectMemories, question: str) -> None:
    """At the end of the open conversation, or as the first of a new one."""
    message = redacted(" ".join(question.split()))[0]
    if _open(memories) is None:
        start(memories, message[:_TITLE], AUTHOR)
    with memories.store.transaction():
        session = _open(memories)
        if session is not None:
            kept = [*session.summary.splitlines(), message][-_KEPT:]
            memories.repository.put_session(replace(session, summary="\n".join(kept)))


def _open(memories: ProjectMemories) -> MemorySession | None:
    sessions = (
        session
        for session in memories.repository.sessions(memories.project)
        if session.author == AUTHOR and session.ended_at is None
    )
    return max(sessions, key=lambda session: (session.started_at, session.id), default=None)
