"""What was asked, what was shown for it, and what was opened."""

from __future__ import annotations

from typing import NamedTuple

from octavo.model.ids import ChunkId, DocumentId


class ShownHit(NamedTuple):
    """A hit of a logged search, in its place."""

    document: DocumentId
    chunk: ChunkId


class LoggedQuery(NamedTuple):
    """A search with its hits, best first, and which of their documents were read afterwards."""

    at: float
    query: str
    profile: str
    hits: tuple[ShownHit, ...]
    opened: tuple[DocumentId, ...] = ()
