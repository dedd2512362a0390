"""Ports of what turns a file into chunks and vectors, and of what searches vectors and reranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.model.chunk import Chunk
    from octavo.model.converted_file import Converted, RefusedFile
    from octavo.model.document import Document, Source
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.ids import ChunkKey
    from octavo.model.search_result import ScoredChunk


class Parser(Protocol):
    """Text → structure. Total: any text gives a document; what was odd about it goes into `warnings`."""

    @property
    def version(self) -> str: ...

    def parse(self, source: Source) -> Document: ...


class Converter(Protocol):
    """A file in another format → text with its headings, blocks and pages."""

    def reads(self, uri: str) -> bool:
        """Whether files of this name are converted, with what is installed."""

    def is_text(self, uri: str) -> bool:
        """Whether files of this name are text, and are given as UTF-8."""

    def claims(self, uri: str, data: bytes) -> bool:
        """Whether a file of such a name, with this content, is converted; else it is text as its name says."""

    def convert(self, uri: str, data: bytes) -> Converted | RefusedFile: ...

    def close(self) -> None:
        """Frees what converting holds; the next file takes it again."""


class TokenCounter(Protocol):
    """Counts as the embedder's own tokenizer counts, special tokens left out."""

    def count(self, text: str) -> int: ...

    def counts(self, texts: Sequence[str]) -> list[int]:
        """`count` of each; a counter may have a faster way for many."""

    def words(self, text: str) -> Sequence[tuple[int, int]]:
        """`(end, tokens)` for each whitespace-separated word, in order; the tokens add up to `count(text)`."""


class Chunker(Protocol):
    """Structure → chunks: exact slices, in order, together covering everything that is not blank."""

    @property
    def version(self) -> str: ...

    def chunk(self, document: Document) -> tuple[Chunk, ...]: ...


class Embedder(Protocol):
    """Text → unit vectors, float32, one row per text."""

    @property
    def profile(self) -> EmbeddingProfile: ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def embed_query(self, text: str) -> NDArray[np.float32]: ...


@runtime_checkable
class ReadingEmbedder(Protocol):
    """An embedder that knows what it cannot read. A passage of which it reads too little gets a vector of zeros."""

    def readability(self, text: str) -> float:
        """The share of a text that the model has learnt something about, between 0 and 1."""

    def fluency(self, text: str) -> float:
        """The share of a text that is in words the model knows as words, between 0 and 1."""


@runtime_checkable
class AtOnceEmbedder(Protocol):
    """An embedder behind a service that can be asked once, without further attempts: somebody waits for the answer."""

    def embed_at_once(self, texts: Sequence[str]) -> NDArray[np.float32]: ...


@runtime_checkable
class AheadEmbedder(Protocol):
    """An embedder that computes while its caller does something else."""

    def ahead(self) -> AbstractContextManager[Callable[[Sequence[str]], Callable[[], NDArray[np.float32]]]]:
        """A function that begins texts and returns at once; what it returns waits for their vectors."""


class VectorIndex(Protocol):
    """Nearest chunks by cosine; a chunk with several windows scores by its best."""

    def prepare(self) -> None:
        """Reads what a search will need, so that the search itself need not wait for it."""

    def search(
        self, vector: NDArray[np.float32], limit: int, admitted: NDArray[np.int64] | None = None
    ) -> tuple[ScoredChunk, ...]: ...

    def score(self, vector: NDArray[np.float32], keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, float]:
        """Exact cosines for named chunks; chunks without a vector are left out."""

    def vectors_of(self, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, NDArray[np.float32]]:
        """One unit vector a chunk, the mean direction of its windows; chunks without a vector are left out."""


@runtime_checkable
class TieredIndex(Protocol):
    """A `VectorIndex` some of whose vectors only stand in for better ones."""

    def fast_among(self, keys: Sequence[ChunkKey]) -> int:
        """How many of these chunks have no better vector than a fast one."""


@runtime_checkable
class RoutedIndex(Protocol):
    """A `VectorIndex` that knows an outline of the library and can leave aside what is far from the query."""

    def search_near_sections(
        self,
        vector: NDArray[np.float32],
        limit: int,
        sections: int,
        shards: int,
        admitted: NDArray[np.int64] | None = None,
    ) -> tuple[tuple[ScoredChunk, ...], str]:
        """The nearest chunks in the shards of the nearest sections, and in words what was looked into."""


@runtime_checkable
class ChoosingIndex(Protocol):
    """A `LexicalIndex` that has more than one way to answer."""

    def answered(self) -> str:
        """Which way this thread's last search went, and why it did not go another."""


class Reranker(Protocol):
    """Question and passage read together → how well one answers the other; higher is better."""

    @property
    def name(self) -> str:
        """The model with its revision: scores of different names are not compared."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]: ...
