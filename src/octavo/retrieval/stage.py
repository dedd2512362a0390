"""The four protocols of a stage (expand, recall, fuse, refine), and the search state they share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import chain, islice
from operator import attrgetter, eq
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from octavo.algorithms.model_inputs.vocabulary_coverage_of_text import fluent_trust, trust
from octavo.algorithms.ranking.relevance_calibration import Calibration
from octavo.fast_dataclass import dataclass, replace
from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import LexicalField
from octavo.model.query import Query, Terms
from octavo.model.search_result import Candidate, Ranking, ScoredChunk, best_first
from octavo.ports import AtOnceEmbedder, ReadingEmbedder
from octavo.retrieval.non_english_query_detection import in_another_script, worded_in_another_language
from octavo.retrieval.search_data_sources import SMALL, SearchedLibrary

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from octavo.retrieval.filtered_chunks import Admission


_T = TypeVar("_T")


class SkipStage(Exception):
    """Raised by a stage that cannot apply. Expected: the search goes on and the trace gives the reason."""

    def __init__(self, reason: str, *, degrades: bool = False) -> None:
        """`degrades` where the answer lacks what somebody would expect in it: the trace has it among the failures."""
        super().__init__(reason)
        self.reason = reason
        self.degrades = degrades


_COMPOUNDS = 0.5
"""The share of a compound's score that its part is worth."""
_AGREED = 0.1
"""Added to the score of a passage with the word exactly as typed, which ranks it above one with another form."""

_LEAST_LATIN = 0.25
"""The trust in a query in ASCII: pieces of a code or of a misspelt word still say a little."""


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
        run = self.library.run
        if run.query_vector is not None:
            self._begun = run.query_vector
        elif run.background is not None and self.query.by_meaning.strip():
            self._begun = run.background(self.embedded)

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        return self.embedded() if self._begun is None else self._begun()

    @cached_property
    def trust(self) -> float:
        """How much the query's vector says, from 0, where the model cannot read the query, to 1."""
        embedder = self.library.meaning.embedder
        if not isinstance(embedder, ReadingEmbedder):
            return 1.0
        text = self.query.by_meaning
        share = trust(embedder.readability(text))
        if text.isascii():
            share = max(share, _LEAST_LATIN)
        fluent = fluent_trust(embedder.fluency(text))
        return share * fluent if fluent < 1.0 and self.in_another_language else share

    @property
    def in_another_language(self) -> bool:
        """Whether the query is in another language than English, by its script, function words and letters, or else by
        the passages with its words; in doubt it is not."""
        known, query = self.library.run.in_another_language, (self.query.by_meaning, self.query.terms)
        if query not in known:
            known[query] = self._in_another_language(query[0])
        return known[query]

    def _in_another_language(self, text: str) -> bool:
        if not isinstance(self.library.meaning.embedder, ReadingEmbedder):
            return False
        if in_another_script(text):
            return True
        if language := self.library.text.language(text):
            return language != "en"
        return worded_in_another_language(self.library.store.lexical, self.library.project, self.query.terms)

    def embedded(self) -> NDArray[np.float32]:
        """Asks the model."""
        embedder, hypothesis = self.library.meaning.embedder, self.query.hypothesis
        # A hypothesis is written like a passage, so it is embedded like one.
        supposed = [hypothesis] if hypothesis else list(self.query.hypotheses)
        if not supposed:
            terms = self.query.terms
            return embedder.embed_query(f"{terms.text} {terms.gloss}" if terms.gloss else terms.text)
        # An embedder behind a service is asked once, as for a query: somebody waits for the answer.
        embed = embedder.embed_at_once if isinstance(embedder, AtOnceEmbedder) else embedder.embed
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
        from octavo.retrieval.filtered_chunks import Admission  # with numpy, which most searches by words do without

        return Admission(self.library.store, self.library.project, self.library.text.written)

    def holding(self, terms: Terms, depth: int, fields: Sequence[LexicalField] = ()) -> tuple[ScoredChunk, ...]:
        """The `depth` best chunks by words, as they are written or in their forms, whichever says more of a chunk.

        Who quotes a phrase wants it as it is written.
        """
        chunks = self._holding(terms, depth, fields)
        if not (terms.forms or terms.english) or terms.phrases:
            return chunks
        scores = {chunk.key: chunk.score for chunk in chunks}
        for words, share in _readings(terms):
            other = replace(terms, words=words, prefixes=(), preferred=(), forms=(), english=())
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
        plain, limit = replace(filters, without=()), depth
        while True:
            chunks = lexical.search(self.library.project, terms, plain, limit, fields)
            kept = tuple(chunk for chunk in self.passing(chunks) if written is None or chunk.key in written)
            if len(kept) >= depth or len(chunks) < limit:
                return tuple(islice(chain(kept, self._unscored(kept)), depth))
            limit *= 4

    def _unscored(self, chunks: Sequence[ScoredChunk]) -> Iterator[ScoredChunk]:
        """What meets the query's condition without a word that counts: `red OR NOT blue`, but not `red -blu*`."""
        condition = self.query.terms.condition
        if condition is not None and self.admitted is not None and not condition.only_refuses:
            known = {chunk.key for chunk in chunks}
            yield from (ScoredChunk(ChunkKey(key), 0.0) for key in map(int, self.admitted) if key not in known)

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


class AsksLanguageModel:
    """Inherited by expand stages that ask a language model, which takes seconds: they run before the search reads."""

    __slots__ = ()


class UsesQueryVector:
    """Inherited by recall stages that ask for the query's vector: it is computed while other channels search."""

    __slots__ = ()


@runtime_checkable
class CutsList(Protocol):
    """A refine stage that may say how long the whole list is."""

    @property
    def cuts_list(self) -> bool: ...


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
    """What its scores mean, where that was fitted; elsewhere relevance is judged by words."""
    scoped: bool = False
    """Whether relevance is measured among what filters let through, as of memories; else in the whole library."""

    @property
    def asks_model(self) -> bool:
        """Whether a language model changes the query first, which takes seconds."""
        return any(isinstance(stage, AsksLanguageModel) for stage in self.expand)

    @property
    def embeds(self) -> bool:
        """Whether a channel asks for the query's vector."""
        return any(isinstance(stage, UsesQueryVector) for stage in self.recall)


def _readings(terms: Terms) -> Iterator[tuple[tuple[str, ...], float]]:
    """The query's words in their languages, as parts of compounds and in English; each with what its score is worth."""
    if terms.english:
        yield tuple(dict.fromkeys(chain.from_iterable(terms.english))), 1.0
    if forms := tuple(dict.fromkeys(form for word in terms.forms for form in word.forms)):
        yield forms, 1.0
    if compounds := tuple(dict.fromkeys(compound for word in terms.forms for compound in word.compounds)):
        yield compounds, _COMPOUNDS


_score = attrgetter("score")


def in_order(candidates: Iterable[Candidate], score: Callable[[Candidate], float] = _score) -> tuple[Candidate, ...]:
    """The total order of every ranking: score, then uri, then start, then collection. Scores are rounded already."""
    ordered = sorted(candidates, key=score, reverse=True)
    return tuple(order_ties(ordered, list(map(score, ordered)), place_of))


def order_ties(ordered: list[_T], scores: Sequence[float], place: Callable[[_T], Any]) -> list[_T]:
    """What is in the order of its scores, equal ones by their places, which only these are asked for."""
    done = 0
    for start, same in enumerate(map(eq, scores, islice(scores, 1, None))):
        if same and start >= done:
            done = start + 2
            while done < len(scores) and scores[done] == scores[start]:
                done += 1
            ordered[start:done] = sorted(ordered[start:done], key=place)
    return ordered


def place_of(candidate: Candidate) -> tuple[str, int, str]:
    return candidate.uri, candidate.span.start, candidate.collection


def _pooled(vectors: NDArray[np.float32], pooling: str) -> NDArray[np.float32]:
    """One unit vector: the mean of several, or the largest value of each dimension."""
    if len(vectors) == 1:
        only: NDArray[np.float32] = vectors[0]
        return only
    pooled = vectors.max(axis=0) if pooling == "max" else vectors.mean(axis=0)
    unit: NDArray[np.float32] = pooled / max(float((pooled * pooled).sum()) ** 0.5, 1e-12)
    return unit
