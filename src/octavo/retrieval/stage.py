"""The four protocols of a stage (expand, recall, fuse, refine), and the search state they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import islice
from operator import attrgetter, eq
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from octavo.algorithms.calibration import Calibration
from octavo.algorithms.readability import fluent_trust, trust
from octavo.config.schema import Retrieval
from octavo.dataclass import dataclass, replace
from octavo.model.ids import ChunkKey, DocumentId, ProjectId
from octavo.model.index import LexicalField
from octavo.model.query import Query, Terms
from octavo.model.result import Candidate, Ranking, ScoredChunk, StageTrace, best_first
from octavo.ports import Embedder, QueryWriter, ReadingEmbedder, Store, SummaryIndex, VectorIndex
from octavo.retrieval.query_language import worded_in_another_language
from octavo.retrieval.remembered import RememberedState, RememberedTexts
from octavo.retrieval.reranking import MeasuredReranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.retrieval.conditions import Admission


_T = TypeVar("_T")


class SkipStage(Exception):
    """Raised by a stage that cannot apply. Expected: the search goes on and the trace gives the reason."""

    def __init__(self, reason: str, *, degrades: bool = False) -> None:
        """`degrades` where the answer lacks what somebody would expect in it: the trace has it among the failures."""
        super().__init__(reason)
        self.reason = reason
        self.degrades = degrades


class BackgroundTasks(Protocol):
    """Begins something elsewhere; what it returns waits until that is done."""

    def __call__(self, task: Callable[[], _T]) -> Callable[[], _T]: ...


_COMPOUNDS = 0.5
"""The share of a compound's score that its part is worth."""
_AGREED = 0.1
"""What is added where a word occurs as it is written: of two passages, the one with the very form goes first."""

_LEAST_LATIN = 0.25
"""The trust in a query in ASCII: pieces of a code or of a misspelt word still say a little."""

SMALL = 1_000
"""Chunks up to which a library, or what filters leave of it, is small."""


@dataclass(frozen=True, slots=True)
class SearchedLibrary:
    """What a search reads from. The embedder is made on first use: a lexical search never pays for it."""

    store: Store
    project: ProjectId
    embedder: Callable[[], Embedder]
    vectors: Callable[[], VectorIndex]
    now: Callable[[], float]
    analyse: Callable[[str], Sequence[str]] = str.split
    """Text → tokens as a query has them: words that a stage adds have to be like those that were typed."""
    tokenised: Callable[[str], str] = lambda text: " ".join(text.split())
    """Text → every token as the index has them, with single spaces between them."""
    forms: Callable[[str, str], Sequence[str]] = lambda text, language: ()
    """Text and language → the stems of its words there, as the index has them beside the tokens."""
    beginning: Callable[[str], str] = str.casefold
    """The start of a word as in `Terms.prefixes`."""
    written: Callable[[str], str] = lambda text: " ".join(text.casefold().split())
    """Text → its words as they are written, folded like tokens and not stemmed, with single spaces between them."""
    language: Callable[[str], str] = lambda text: ""
    """The language that a query tells it is in; empty where it does not tell."""
    reranker: Callable[[], MeasuredReranker] | None = None
    settings: Retrieval = Retrieval()
    """How passages are imagined where a profile does not say."""
    query_writer: Callable[[], QueryWriter | None] | None = None
    """The language model that writes hypotheses and further queries, if one is configured."""
    judges: Callable[[str, str, float], Sequence[MeasuredReranker]] | None = None
    """The language models that may rerank, the smallest first, by style, prompt (empty: the usual one) and a deadline
    in ms."""
    expanded: tuple[StageTrace, ...] | None = None
    """What the stages that ask a model did to the query, where they ran before the search reads."""
    summaries: Callable[[], SummaryIndex] | None = None
    """The summaries of sections and files, for a search that looks at those too."""
    beside: BackgroundTasks | None = None
    """Where something can be computed while the search goes on, if anywhere."""
    query_vector: Callable[[], NDArray[np.float32]] | None = None
    """The vector of the query, or what its model raised, where that was computed before the search reads."""
    outside: Callable[[Callable[[], None]], None] | None = None
    """Runs what takes long while no read transaction is open, where the search can do without one for a while."""
    reranked: dict[tuple[str, str], float] = field(default_factory=dict)
    """The reranker's scores of this search, by the hashes of question and passage: asked once, although a library that
    changes meanwhile is searched again."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """What stages want written down once the search is answered: a search itself only reads."""
    read: dict[str, str] = field(default_factory=dict)
    """The texts that this search has read, by their hashes: several stages look at the same passages."""
    read_before: RememberedTexts = field(default_factory=RememberedTexts)
    """Those that earlier searches have read."""
    in_another_language: dict[tuple[str, Terms], bool] = field(default_factory=dict)
    """Whether the model reads the language of a query badly: found out once, by looking for its words."""
    remembered: Callable[[], RememberedState] = RememberedState
    """What earlier searches have read of this state of the library."""

    def candidates(self, keys: Sequence[ChunkKey]) -> dict[ChunkKey, Candidate]:
        """What the library says of these chunks, in their order; those that are gone are left out."""
        known = self.remembered().candidates
        if missing := [key for key in keys if key not in known]:
            known.update(self.store.documents.candidates(self.project, missing))
        return {key: known[key] for key in keys if key in known}

    def lengths(self, chunks: Mapping[DocumentId, ChunkKey]) -> Mapping[DocumentId, int]:
        """How many chunks documents have, each given by one of them."""
        known = self.remembered().lengths
        if missing := {key: document for document, key in chunks.items() if document not in known}:
            found = self.store.documents.lengths(self.project, sorted(missing))
            known.update((missing[key], length) for key, length in found.items())
        return known

    @property
    def small(self) -> bool:
        """Whether there is so little in it that looking deep costs nothing."""
        known = self.remembered()
        if known.small is None:
            known.small = not self.store.documents.more_than(self.project, SMALL)
        return known.small

    def texts(self, hashes: Iterable[str]) -> Mapping[str, str]:
        """At least the texts with these hashes."""
        if missing := {*hashes} - self.read.keys():
            self.read.update(self.read_before.known(missing))
        if missing := missing - self.read.keys():
            texts = self.store.documents.texts(self.project, missing)
            self.read.update(texts)
            self.read_before.remember(texts)
        return self.read


@dataclass
class Search:
    """One running search: the query, the library, and what stages share so that it is computed once."""

    query: Query
    library: SearchedLibrary
    before: tuple[Candidate, ...] = ()
    """The hits of shallower recall, which stand before what is found now: a long list is filled up level by level."""
    notes: dict[str, Any] = field(default_factory=dict)
    """What the running stage wants the trace to say; the pipeline takes it after each stage."""
    _begun: Callable[[], NDArray[np.float32]] | None = None

    def deeper(self, before: tuple[Candidate, ...]) -> Search:
        """The same search once more, for what comes after these hits."""
        return Search(self.query, self.library, before, _begun=self._begun)

    def begin(self) -> None:
        """Starts on the query's vector, if that can be done beside what comes before it is needed."""
        if self.library.query_vector is not None:
            self._begun = self.library.query_vector
        elif self.library.beside is not None and self.query.by_meaning.strip():
            self._begun = self.library.beside(self.embedded)

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        return self.embedded() if self._begun is None else self._begun()

    @cached_property
    def trust(self) -> float:
        """How much the query's vector says, from 0, where the model cannot read the query, to 1."""
        embedder = self.library.embedder()
        if not isinstance(embedder, ReadingEmbedder):
            return 1.0
        text = self.query.by_meaning
        found = trust(embedder.readability(text))
        if text.isascii():
            found = max(found, _LEAST_LATIN)
        return found * fluent_trust(embedder.fluency(text)) if self.in_another_language else found

    @property
    def in_another_language(self) -> bool:
        """Whether the query is in a language that the model reads badly, by its function words and letters, or else by
        the passages with its words; in doubt it is not."""
        known, query = self.library.in_another_language, (self.query.by_meaning, self.query.terms)
        if query not in known:
            known[query] = self._in_another_language(query[0])
        return known[query]

    def _in_another_language(self, text: str) -> bool:
        embedder = self.library.embedder()
        if not isinstance(embedder, ReadingEmbedder) or fluent_trust(embedder.fluency(text)) == 1.0:
            return False
        if told := self.library.language(text):
            return told != "en"
        return worded_in_another_language(self.library.store.lexical, self.library.project, self.query.terms)

    def embedded(self) -> NDArray[np.float32]:
        """Asks the model."""
        embedder, hypothesis = self.library.embedder(), self.query.hypothesis
        # A hypothesis is written like a passage, so it is embedded like one.
        supposed = [hypothesis] if hypothesis else list(self.query.hypotheses)
        if not supposed:
            return embedder.embed_query(self.query.terms.text)
        # An embedder behind a service is asked once, as for a query: somebody waits for the answer.
        embed: Callable[[list[str]], NDArray[np.float32]] = getattr(embedder, "embed_at_once", embedder.embed)
        return _pooled(embed(supposed), self.query.pooling)

    @property
    def narrowed(self) -> bool:
        """Whether there are chunks that may not be found."""
        terms = self.query.terms
        return bool(not self.query.filters.empty or terms.phrases or terms.excluded or terms.condition)

    @property
    def splits_documents(self) -> bool:
        """Whether one chunk of a document may be found while the next may not."""
        terms, filters = self.query.terms, self.query.filters
        narrow = terms.phrases or terms.excluded or terms.condition
        return bool(narrow or filters.heading_contains or filters.languages or filters.content_types)

    @cached_property
    def admitted(self) -> NDArray[np.int64] | None:
        """Keys of the chunks that filters, phrases and exclusions let through; None when nothing narrows."""
        if not self.narrowed:
            return None
        return self._admission.of_query(self.query.terms, self.query.filters)

    @cached_property
    def _admission(self) -> Admission:
        from octavo.retrieval.conditions import Admission  # with numpy, which most searches by words do without

        return Admission(self.library.store, self.library.project, self.library.written)

    def holding(self, terms: Terms, depth: int, fields: Sequence[LexicalField] = ()) -> tuple[ScoredChunk, ...]:
        """The `depth` best chunks by words, as they are written or in their forms, whichever says more of a chunk.

        Who quotes a phrase wants it as it is written.
        """
        found = self._holding(terms, depth, fields)
        if not terms.forms or terms.phrases:
            return found
        scores = {chunk.key: chunk.score for chunk in found}
        for words, share in _readings(terms):
            other = replace(terms, words=words, prefixes=(), preferred=(), forms=())
            for chunk in self._holding(other, depth, fields):
                one, more = scores.get(chunk.key, 0.0), share * chunk.score
                scores[chunk.key] = max(one, more) + _AGREED * min(one, more)
        return best_first(scores.items(), depth)

    def _holding(self, terms: Terms, depth: int, fields: Sequence[LexicalField]) -> tuple[ScoredChunk, ...]:
        """More are asked for until as many are left without what filters refuse, and what only looks like a prefix."""
        filters, lexical = self.query.filters, self.library.store.lexical
        terms, written = self._admission.beginnings.as_tokens(terms) if terms.prefixes else (terms, None)
        if not filters.without and self.query.terms.condition is None and written is None:
            return lexical.search(self.library.project, terms, filters, depth, fields)
        plain, asked = replace(filters, without=()), depth
        while True:
            found = lexical.search(self.library.project, terms, plain, asked, fields)
            kept = tuple(chunk for chunk in self.passing(found) if written is None or chunk.key in written)
            if len(kept) >= depth or len(found) < asked:
                return (*kept, *self._unscored(kept))[:depth]
            asked *= 4

    def _unscored(self, found: Sequence[ScoredChunk]) -> Iterator[ScoredChunk]:
        """What meets the query's condition without a word that counts: `red OR NOT blue`, but not `red -blu*`."""
        condition = self.query.terms.condition
        if condition is not None and self.admitted is not None and not condition.only_refuses:
            known = {chunk.key for chunk in found}
            yield from (ScoredChunk(ChunkKey(key), 0.0) for key in self.admitted.tolist() if key not in known)

    def passing(self, scored: tuple[ScoredChunk, ...]) -> tuple[ScoredChunk, ...]:
        """Without what exclusions and negated filters refuse, which not every channel looks at."""
        if scored and (self.query.filters.without or self.query.terms.condition):
            return tuple(chunk for chunk in scored if chunk.key in self._passing)
        if scored and self.query.terms.excluded:
            refused = set(self._excluded.tolist())
            return tuple(chunk for chunk in scored if chunk.key not in refused)
        return scored

    @cached_property
    def _passing(self) -> frozenset[int]:
        return frozenset(() if self.admitted is None else self.admitted.tolist())

    @cached_property
    def _excluded(self) -> NDArray[np.int64]:
        return self._admission.excluded(self.query.terms)

    @cached_property
    def small(self) -> bool:
        """Whether there is so little to find something in that looking deep costs nothing."""
        return self.library.small if self.admitted is None else len(self.admitted) <= SMALL


class Expand(Protocol):
    """Query → a better query."""

    @property
    def name(self) -> str: ...

    def expand(self, search: Search) -> Query: ...


class Recall(Protocol):
    """Query → one channel's ranking."""

    @property
    def name(self) -> str: ...

    def recall(self, search: Search) -> Ranking: ...


class Fuse(Protocol):
    """Rankings → candidates with one score each."""

    @property
    def name(self) -> str: ...

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]: ...


class Refine(Protocol):
    """Candidates → better candidates. Receives and returns them in order."""

    @property
    def name(self) -> str: ...

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]: ...


@dataclass(frozen=True, slots=True)
class RetrievalProfile:
    """A named retrieval pipeline: a value made of stages."""

    name: str
    recall: tuple[Recall, ...]
    fuse: Fuse
    refine: tuple[Refine, ...] = ()
    expand: tuple[Expand, ...] = ()
    calibration: Calibration | None = None
    """What its scores mean; without it they are only good for ordering, and no client sees them."""

    @property
    def asks_model(self) -> bool:
        """Whether a language model changes the query first, which takes seconds."""
        return any(asks_model(stage) for stage in self.expand)

    @property
    def embeds(self) -> bool:
        """Whether a channel asks for the query's vector."""
        return any(stage.name.startswith("dense") for stage in self.recall)


def asks_model(stage: Expand) -> bool:
    return bool(getattr(stage, "ahead", False))


def _readings(terms: Terms) -> Iterator[tuple[tuple[str, ...], float]]:
    """The query's words in their languages, and as parts of compounds; each with what its score is worth."""
    yield tuple(dict.fromkeys(form for word in terms.forms for form in word.forms)), 1.0
    if compounds := tuple(dict.fromkeys(compound for word in terms.forms for compound in word.compounds)):
        yield compounds, _COMPOUNDS


_score = attrgetter("score")


def in_order(candidates: Iterable[Candidate], score: Callable[[Candidate], float] = _score) -> tuple[Candidate, ...]:
    """The total order of every ranking: score, then uri, then start, then collection. Scores are rounded already."""
    ordered = sorted(candidates, key=score, reverse=True)
    # Scores are seldom equal, and comparing numbers alone takes a fifth of the time.
    if any(map(eq, map(score, ordered), map(score, islice(ordered, 1, None)))):
        ordered.sort(
            key=lambda candidate: (-score(candidate), candidate.uri, candidate.span.start, candidate.collection)
        )
    return tuple(ordered)


def _pooled(vectors: NDArray[np.float32], pooling: str) -> NDArray[np.float32]:
    """One unit vector: the mean of several, or the largest value of each dimension."""
    if len(vectors) == 1:
        only: NDArray[np.float32] = vectors[0]
        return only
    pooled = vectors.max(axis=0) if pooling == "max" else vectors.mean(axis=0)
    unit: NDArray[np.float32] = pooled / max(float((pooled * pooled).sum()) ** 0.5, 1e-12)
    return unit
