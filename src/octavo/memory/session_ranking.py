"""Sessions ranked for a question: by the best answering memory of each, and by BM25 over the session as a whole.

A question's words are often spread over a session so that no single memory has them all. The two rankings are fused by
reciprocal rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from octavo.algorithms.ranking.bm25 import damping, saturated, smoothed_idf
from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.memory.project_memories import ProjectMemories
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey
from octavo.model.memory import MemoryId, MemoryItem, SessionId, memory_of
from octavo.model.projects_and_collections import MEMORIES
from octavo.model.query import Filters


def session_of(item: MemoryItem) -> SessionId | None:
    """The session an item was created in: its sequence ends with the session's id."""
    return SessionId(item.sequence.rpartition("#")[2]) if "#" in item.sequence else None


def ranked(
    memories: ProjectMemories, items: Sequence[MemoryItem], answering: Sequence[MemoryId], words: Sequence[str]
) -> list[SessionId]:
    """The sessions of `items`, best first; `answering` are the items that a search found, best first."""
    sessions = {item.id: session for item in items if (session := session_of(item)) is not None}
    by_best_memory = list(dict.fromkeys(sessions[item] for item in answering if item in sessions))
    bm25 = _bm25(memories, sessions, words)
    by_words = sorted(bm25, key=lambda session: (-bm25[session], session))
    return list(reciprocal_rank({"best memory": by_best_memory, "words": by_words}))


def _bm25(
    memories: ProjectMemories, sessions: Mapping[MemoryId, SessionId], words: Sequence[str]
) -> dict[SessionId, float]:
    """BM25 of whole sessions: a word's frequency is the number of the session's memories that contain it."""
    lengths = Counter(sessions.values())
    order = sorted(lengths)
    damped = damping(np.array([lengths[session] for session in order]), len(sessions) / max(1, len(order)))
    scores = np.zeros(len(order))
    for frequencies in _frequencies(memories, sessions, words):
        counts = np.array([float(frequencies[session]) for session in order])
        scores += smoothed_idf(len(order), len(frequencies)) * saturated(counts, damped)
    return {session: score for session, score in zip(order, scores.tolist(), strict=True) if score}


def _frequencies(
    memories: ProjectMemories, sessions: Mapping[MemoryId, SessionId], words: Sequence[str]
) -> list[Counter[SessionId]]:
    """For each word that occurs, how many memories of each session contain it."""
    store, project = memories.store, memories.project
    chunks = set(store.documents.admitted(project, Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))))
    keys = {word: chunks.intersection(store.lexical.containing(project, (word,))) for word in dict.fromkeys(words)}
    known = store.documents.candidates(project, sorted({ChunkKey(key) for several in keys.values() for key in several}))
    frequencies = []
    for several in keys.values():
        items = {memory_of(known[ChunkKey(key)].uri) for key in several if key in known}
        frequencies.append(Counter(sessions[item] for item in items if item in sessions))
    return [counter for counter in frequencies if counter]
