"""What a store knows of a document beyond its content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from recto.model.document import Kind
from recto.model.ids import ChunkKey, CollectionId, DocumentId
from recto.model.text import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A current document without its text, which `text_hash` leads to."""

    id: DocumentId
    collection_id: CollectionId
    collection: str
    uri: str
    kind: Kind
    title: str
    language: str | None
    description: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    text_hash: str
    modified_at: float
    version: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One text a document has had. Versions count from 1 and never change."""

    version: int
    uri: str
    title: str
    text_hash: str
    modified_at: float
    indexed_at: float
    removed_at: float | None = None


class Neighbour(NamedTuple):
    """A chunk near another: so many places before or after it in its document of `chunks` chunks.

    Where a document of one chunk is part of a sequence, its neighbours are the documents beside it, and `chunks` is 1.
    """

    key: ChunkKey
    neighbour: ChunkKey
    distance: int
    chunks: int


@dataclass(frozen=True, slots=True)
class PendingInput:
    """An embedding input still to be computed: where its slice is, and what goes in front of it."""

    input_key: int
    hash: str
    context: str
    text_hash: str
    span: Span


class PostponedChunk(NamedTuple):
    """A chunk whose inputs are still to be made, and what they are made from besides its document."""

    key: ChunkKey
    document_id: DocumentId
    heading_path: tuple[str, ...]
    span: Span
    tokens: int
    signature: str


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A computed vector as stored: little-endian float16, the precision at which nothing measurable is lost."""

    input_key: int
    data: bytes


@dataclass(frozen=True, slots=True)
class StoredVectors:
    """Parallel arrays: a vector's own key, the input it stands for, and the vector as a row."""

    keys: NDArray[np.int64]
    inputs: NDArray[np.int64]
    matrix: NDArray[np.float32]


class EarlierVersion(NamedTuple):
    """A version that is no document's current one. `replaced_at` is when it was followed or removed."""

    document: int
    version: int
    replaced_at: float
    size: int


class Unused(NamedTuple):
    texts: int
    bytes: int
    vectors: int


@dataclass(frozen=True, slots=True)
class LibraryCounts:
    """How much a project holds, and how many of its files were indexed, skipped, or failed."""

    documents: int
    chunks: int
    sections: int
    indexed: int
    skipped: int
    failed: int
    text_bytes: int
