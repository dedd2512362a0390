"""Redacts keys and tokens in texts that were stored unredacted: memories, and earlier versions of documents."""

from __future__ import annotations

from collections.abc import Collection as Container

from octavo.fast_dataclass import replace
from octavo.memory.memory_rechunking import reingest
from octavo.memory.project_memories import ProjectMemories
from octavo.model.memory import MemoryId
from octavo.observability.logs import logger
from octavo.sources.secret_redaction import redacted


def redact_stored(memories: ProjectMemories, only: Container[str] | None = None) -> int:
    """Blacks out keys and tokens in stored texts, or in those of these hashes; how many texts held any.

    What a collection that allows secrets says or said stays as it is. What files say now is redacted as they are read.
    """
    store, project = memories.store, memories.project
    allowed = frozenset[str]().union(
        *(
            store.pruning.texts_of(project, collection.id)
            for collection in store.catalog.collections(project)
            if collection.settings.allow_secrets
        )
    )
    count, said_now = 0, list[MemoryId]()
    for digest, text in store.pruning.stored_texts(project, only):
        if digest in allowed:
            continue
        hidden, secrets = redacted(text)
        if secrets:
            with store.transaction():
                said_now += store.pruning.replace_text(project, digest, hidden, lambda title: redacted(title)[0])
            count += 1
    if only is None:  # a title may be told beside a text that holds nothing: the subject of a message
        with store.transaction():
            count += store.pruning.retitle(project, lambda title: redacted(title)[0], allowed)
            count += _redact_sessions(memories)
    if said_now:
        reingest(memories, only=said_now, everything=True)
    if count:
        with store.transaction():
            store.pruning.remove_unused(project)
            store.completions.prune(project, 0)  # what language models answered may repeat it
        logger("memory").warning("keys and tokens were redacted in %s texts that were stored before", count)
    return count


def _redact_sessions(memories: ProjectMemories) -> int:
    """Blacks out keys and tokens in what sessions are called, by whom and with which summary; how many held any."""
    count = 0
    for session in memories.repository.sessions(memories.project):
        title, author, summary = (redacted(text)[0] for text in (session.title, session.author, session.summary))
        hidden = replace(session, title=title, author=author, summary=summary)
        if hidden != session:
            memories.repository.put_session(hidden)
            count += 1
    return count
