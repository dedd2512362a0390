"""In which sessions something was talked about: by the memory of each that answers best, and by all its words.

A question's words are often spread over a session, one here and one there, so that no memory holds them all. The two
orders are joined by reciprocal ranks.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from recto.memory.desk import Desk
from recto.model.collection import MEMORIES
from recto.model.document import Kind
from recto.model.ids import ChunkKey
from recto.model.memory import MemoryId, MemoryItem, SessionId, memory_of
from recto.model.query import Filters

_K = 60  # as reciprocal rank fusion is mostly used
_K1, _B = 1.2, 0.75


def session_of(item: MemoryItem) -> SessionId | None:
    """The session an item was made in: its sequence ends in its id."""
    return SessionId(item.sequence.rpartition("#")[2]) if "#" in item.sequence else None


def ranked(
    desk: Desk, items: Sequence[MemoryItem], answering: Sequence[MemoryId], words: Sequence[str]
) -> list[SessionId]:
    """The sessions of `items`, best first; `answering` are those of the items that a search found, best first."""
    sessions = {item.id: session for item in items if (session := session_of(item)) is not None}
    by_best = list(dict.fromkeys(sessions[one] for one in answering if one in sessions))
    spoken = _by_words(desk, sessions, words)
    by_words = sorted(spoken, key=lambda one: (-spoken[one], one))
    scores: dict[SessionId, float] = {}
    for order in (by_best, by_words):
        for rank, one in enumerate(order, 1):
            scores[one] = scores.get(one, 0.0) + 1.0 / (_K + rank)
    return sorted(scores, key=lambda one: (-scores[one], one))


def _by_words(desk: Desk, sessions: Mapping[MemoryId, SessionId], words: Sequence[str]) -> dict[SessionId, float]:
    """BM25 of whole sessions, of which a word's frequency is the number of memories that hold it."""
    lengths = Counter(sessions.values())
    average = sum(lengths.values()) / max(1, len(lengths))
    scores: dict[SessionId, float] = {}
    for holding in _holding(desk, sessions, words):
        weight = math.log(1.0 + (len(lengths) - len(holding) + 0.5) / (len(holding) + 0.5))
        for session, often in holding.items():
            damped = often + _K1 * (1.0 - _B + _B * lengths[session] / average)
            scores[session] = scores.get(session, 0.0) + weight * often * (_K1 + 1.0) / damped
    return scores


def _holding(desk: Desk, sessions: Mapping[MemoryId, SessionId], words: Sequence[str]) -> list[Counter[SessionId]]:
    """For each word, how many memories of each session hold it."""
    store, project = desk.store, desk.project
    memories = set(store.documents.admitted(project, Filters(collections=(MEMORIES,), kinds=(Kind.MEMORY,))))
    keys = {word: memories.intersection(store.lexical.containing(project, (word,))) for word in dict.fromkeys(words)}
    known = store.documents.candidates(project, sorted({ChunkKey(key) for found in keys.values() for key in found}))
    holding = []
    for found in keys.values():
        items = {memory_of(known[ChunkKey(key)].uri) for key in found if key in known}
        holding.append(Counter(sessions[item] for item in items if item in sessions))
    return [one for one in holding if one]
