"""Rows of a store: documents without their text, versions, neighbours, pending inputs, vectors, counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple

from octavo.fast_dataclass import Value
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, CollectionId, DocumentId
from octavo.model.normalised_text_and_spans import Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class StoredDocument(Value):
    """A current document without its text, which is stored under `text_hash`."""

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


class DocumentVersion(NamedTuple):
    """One text a document has had. Versions count from 1 and never change."""

    version: int
    uri: str
    title: str
    text_hash: str
    modified_at: float
    indexed_at: float
    removed_at: float | None = None


class PastDocument(NamedTuple):
    """What a document said at a time and no longer says."""

    id: DocumentId
    version: DocumentVersion


class ChunkVectors(NamedTuple):
    """A chunk's length, and how many of its windows have a vector of the full profile and of the fast one."""

    key: ChunkKey
    tokens: int
    windows: int
    full: int
    fast: int


class Neighbour(NamedTuple):
    """A chunk near another: so many positions before or after it in its document of `chunks` chunks.

    For a document of one chunk in a sequence, the neighbours are the adjacent documents, and `chunks` is 1.
    """

    key: ChunkKey
    neighbour: ChunkKey
    distance: int
    chunks: int


class PendingInput(NamedTuple):
    """An embedding input without a vector yet: the location of its slice, and its context prefix."""

    input_key: int
    hash: str
    context: str
    text_hash: str
    span: Span
    document_key: int


class PostponedChunk(NamedTuple):
    """A chunk whose embedding inputs are not built yet, with what building them needs besides its document."""

    key: ChunkKey
    document_id: DocumentId
    heading_path: tuple[str, ...]
    span: Span
    tokens: int
    signature: str


class VectorRow(NamedTuple):
    """A computed vector as stored: little-endian float16, the precision at which nothing measurable is lost."""

    input_key: int
    data: bytes


class StoredVectors(NamedTuple):
    """Parallel arrays: the key of a vector, the key of its input, and the vector as a row."""

    keys: NDArray[np.int64]
    inputs: NDArray[np.int64]
    matrix: NDArray[np.float32]


class EarlierVersion(NamedTuple):
    """A version that is no longer its document's current one. `replaced_at` is when it was superseded or removed."""

    document: int
    version: int
    replaced_at: float
    size: int


class UnusedContent(NamedTuple):
    """Texts and vectors that no document refers to any more."""

    texts: int
    bytes: int
    vectors: int


class LibraryCounts(NamedTuple):
    """How much a project contains, and how many of its files were indexed, skipped, or failed."""

    documents: int
    chunks: int
    sections: int
    indexed: int
    skipped: int
    failed: int
    text_bytes: int
