"""The ports: what a flow asks of the world besides the library. Nobody inherits from these; fitting is enough.

Writing:  `Parser` → `Chunker` → `Embedder`, with no model call inside a transaction of the `Store`.
Reading:  `Recall` stages ask `LexicalIndex` and `VectorIndex`; what is stored is asked of `sql_repositories`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.model.chunk import Chunk
    from octavo.model.converted_file import Converted, RefusedFile
    from octavo.model.document import Document, Source
    from octavo.model.embedding_profile import EmbeddingProfile
    from octavo.model.entity import EntityKind
    from octavo.model.ids import ChunkKey, ProjectId, SnapshotId
    from octavo.model.language_model_calls import Completion, CompletionRequest, Hypotheses, Subqueries
    from octavo.model.language_model_settings import Prices
    from octavo.model.prepared_document import LexicalField, LexicalRow
    from octavo.model.query import Filters, Terms
    from octavo.model.search_result import ScoredChunk
    from octavo.model.search_snapshot import Watermark, WindowVectors
    from octavo.model.summary import NodeType


class LanguageModel(Protocol):
    """Messages → text. A call ends at its deadline (seconds from now), or when nobody waits for it any more.

    Whatever goes wrong with the model is `ProviderFailed`. Safe from several threads.
    """

    @property
    def name(self) -> str:
        """The model with its provider: what answers are stored under."""

    @property
    def window(self) -> int:
        """How many tokens it reads and writes at most."""

    @property
    def prices(self) -> Prices: ...

    def complete(self, request: CompletionRequest) -> Completion: ...

    def stream(self, request: CompletionRequest) -> Iterator[str]:
        """The text in pieces as they are written. Closing the iterator ends the call."""

    def structured(self, request: CompletionRequest) -> Completion:
        """A completion whose `value` is JSON that the request's schema allows; `ProviderFailed` where the model
        cannot."""

    def count_tokens(self, text: str) -> int:
        """As the model counts, or nearly: services that do not say are estimated, rather too high than too low."""


@runtime_checkable
class RemembersCompletions(Protocol):
    """A language model that is not asked twice for the same: how many of its calls were known already."""

    @property
    def known(self) -> int: ...


class QueryWriter(Protocol):
    """Question → what else to look for. `prompt` names the instructions that the model gets, `deadline` is seconds."""

    def hypotheses(
        self, question: str, *, count: int, temperature: float, deadline: float, prompt: str
    ) -> Hypotheses: ...

    def subqueries(self, question: str, *, deadline: float, prompt: str) -> Subqueries: ...


class Summariser(Protocol):
    """Text → what it says, in a few sentences."""

    @property
    def maker(self) -> str:
        """The model and the version of its instructions: what a summary is stored under."""

    @property
    def prices(self) -> Prices: ...

    def tokens(self, title: str, text: str) -> int:
        """About how many tokens a call reads and writes."""

    def summary(self, title: str, text: str) -> Completion: ...


class EntityFinder(Protocol):
    """Text → the names in it."""

    @property
    def maker(self) -> str:
        """The model and the version of its instructions: what was found is stored under."""

    @property
    def prices(self) -> Prices: ...

    def tokens(self, title: str, text: str) -> int:
        """About how many tokens a call reads and writes."""

    def names(self, title: str, text: str) -> tuple[tuple[tuple[EntityKind, str], ...], Completion]:
        """Names with their kinds, as the model wrote them, and what it took."""


class LexicalIndex(Protocol):
    """Words → chunks, by BM25 over the boosted fields. Higher scores are better."""

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None: ...

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        """With `fields`, only what stands in these counts; what is excluded may stand nowhere."""

    def containing(
        self, project: ProjectId, phrase: Sequence[str], *, prefix: bool = False, most: int | None = None
    ) -> Sequence[ChunkKey]:
        """Keys of all chunks that hold these tokens next to each other, ascending; the first `most` of them."""

    def starting(self, project: ProjectId, start: str) -> Sequence[str]:
        """The tokens that start so, ascending; some may be of chunks that are gone."""

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        """The token alone when a chunk holds it; or else the tokens of chunks that share most trigrams with it."""


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


class SnapshotMarks(Protocol):
    """Which snapshots a library knows, and how far it has moved on."""

    def begin(self, project: ProjectId, snapshot: SnapshotId) -> None:
        """From here on changes are written down, so that none is missed while the snapshot is built."""

    def finish(self, project: ProjectId, snapshot: SnapshotId) -> None: ...

    def forget(self, project: ProjectId, snapshots: Sequence[SnapshotId], seen: int) -> None:
        """These are no more, and what is left has seen all changes up to a number."""

    def known(self, project: ProjectId) -> Mapping[SnapshotId, bool]:
        """Snapshots of this very library, and whether each was finished."""

    def mark(self, project: ProjectId) -> Watermark: ...

    def changed(self, project: ProjectId, since: Watermark) -> Sequence[ChunkKey]:
        """Chunks that went, or were written again under the same key."""


class SnapshotSource(SnapshotMarks, Protocol):
    """What snapshots are made from, and what has changed since one was. A store that needs none offers none."""

    def written(self, project: ProjectId, since: int, until: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Keys of the chunks in a range of blocks, gone ones included, and the block of each."""

    def rows(self, project: ProjectId, since: int, until: int) -> Iterator[tuple[int, ChunkKey, str]]:
        """The same with their analysed fields, `FIELD_SEPARATOR` between them, block by block."""

    def places(self, project: ProjectId, keys: Sequence[ChunkKey] | None = None) -> NDArray[np.int64]:
        """Rows of (chunk, document) for those of the chunks that exist, all of them when none is named; ascending."""

    def uris(self, project: ProjectId, documents: Sequence[int] | None = None) -> Mapping[int, str]: ...

    def sections(self, project: ProjectId, keys: Sequence[ChunkKey]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of (chunk, document, section), and of (document, ordinal, level) for these documents; ascending."""

    def admitted(self, project: ProjectId, filters: Filters) -> NDArray[np.int64]:
        """Keys of the documents that filters let through, headings left aside."""

    def embedded_since(
        self, project: ProjectId, profiles: Sequence[EmbeddingProfile], vector: int
    ) -> Sequence[ChunkKey]:
        """Chunks with a vector that is newer."""

    def windows(
        self, project: ProjectId, profiles: Sequence[EmbeddingProfile], keys: Sequence[ChunkKey]
    ) -> WindowVectors:
        """Vectors of the named chunks, each of the first of the profiles that has one."""


class SummaryIndex(Protocol):
    """Nearest sections and files by meaning."""

    def near(self, vector: NDArray[np.float32], node: NodeType, limit: int) -> tuple[tuple[int, float], ...]:
        """Keys of summaries with their cosines, best first; of equals the older first."""


class Observer(Protocol):
    """Told after the fact, from any thread; what it does with it changes nothing."""

    def searched(self, profile: str, took_ms: float, stages: Sequence[tuple[str, float]], degraded: bool) -> None:
        """A search was answered; each stage that ran with its milliseconds."""

    def claimed(self, kind: str) -> None:
        """A job was taken."""

    def worked(self, kind: str, outcome: str, seconds: float) -> None:
        """A job ended as done, failed, dead or lost."""

    def embedded(self, inputs: int, seconds: float) -> None:
        """A job gave that many inputs a vector."""
