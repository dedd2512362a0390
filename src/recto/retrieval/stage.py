"""The four shapes a stage can have, and what a stage may look things up in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from operator import attrgetter, eq
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recto.model.ids import ProjectId
from recto.model.index import LexicalField
from recto.model.query import Query, Terms
from recto.model.result import Candidate, Ranking, Scored
from recto.ports import Embedder, Store, VectorIndex
from recto.retrieval.reranking import MeasuredReranker

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_T = TypeVar("_T")


class SkipStage(Exception):
    """Raised by a stage that cannot apply. Expected: the search goes on and the trace gives the reason."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Beside(Protocol):
    """Begins something elsewhere; what it returns waits until that is done."""

    def __call__(self, task: Callable[[], _T]) -> Callable[[], _T]: ...


class NearClusters(Protocol):
    """Chunks in groups that lie together in the space of vectors."""

    def near(self, vector: NDArray[np.float32], count: int) -> NDArray[np.int64]:
        """Keys of the chunks in the nearest groups, and of those in none; ascending."""
        ...


SMALL = 1_000
"""Chunks up to which a library, or what filters leave of it, is small."""


@dataclass(frozen=True, slots=True)
class Library:
    """What a search reads from. The embedder is made on first use: a lexical search never pays for it."""

    store: Store
    project: ProjectId
    embedder: Callable[[], Embedder]
    vectors: Callable[[], VectorIndex]
    now: Callable[[], float]
    analyse: Callable[[str], Sequence[str]] = str.split
    """Text → tokens as a query has them: words that a stage adds have to be like those that were typed."""
    beginning: Callable[[str], str] = str.casefold
    """The start of a word → what the tokens of such words start with; empty where that cannot be said."""
    reranker: Callable[[], MeasuredReranker] | None = None
    clusters: Callable[[], NearClusters | None] | None = None
    """The clusters that were made of the library's chunks, if any were."""
    beside: Beside | None = None
    """Where something can be computed while the search goes on, if anywhere."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """What stages want written down once the search is answered: a search itself only reads."""


@dataclass
class Search:
    """One running search: the query, the library, and what stages share so that it is computed once."""

    query: Query
    library: Library
    notes: dict[str, Any] = field(default_factory=dict)
    """What the running stage wants the trace to say; the pipeline takes it after each stage."""
    _begun: Callable[[], NDArray[np.float32]] | None = None

    def begin(self) -> None:
        """Starts on the query's vector, if that can be done beside what comes before it is needed."""
        if self.library.beside is not None and (self.query.hypothesis or self.query.terms.text).strip():
            self._begun = self.library.beside(self._embedded)

    @cached_property
    def vector(self) -> NDArray[np.float32]:
        return self._embedded() if self._begun is None else self._begun()

    def _embedded(self) -> NDArray[np.float32]:
        embedder, hypothesis = self.library.embedder(), self.query.hypothesis
        # A hypothesis is written like a passage, so it is embedded like one.
        return embedder.embed([hypothesis])[0] if hypothesis else embedder.embed_query(self.query.terms.text)

    @property
    def narrowed(self) -> bool:
        """Whether there are chunks that may not be found."""
        terms = self.query.terms
        return bool(not self.query.filters.empty or terms.phrases or terms.excluded)

    @property
    def splits_documents(self) -> bool:
        """Whether one chunk of a document may be found while the next may not."""
        terms, filters = self.query.terms, self.query.filters
        return bool(terms.phrases or terms.excluded or filters.heading_contains or filters.languages)

    @cached_property
    def admitted(self) -> NDArray[np.int64] | None:
        """Keys of the chunks that filters, phrases and exclusions let through; None when nothing narrows."""
        if not self.narrowed:
            return None
        import numpy as np

        terms, filters = self.query.terms, self.query.filters
        store, project = self.library.store, self.library.project
        plain = replace(filters, without=())
        keys = np.asarray(store.documents.admitted(project, plain), dtype=np.int64)
        for refused in filters.without:
            keys = np.setdiff1d(keys, np.asarray(store.documents.admitted(project, refused), dtype=np.int64))
        for phrase in terms.phrases:
            keys = np.intersect1d(keys, np.asarray(store.lexical.containing(project, phrase), dtype=np.int64))
        return np.setdiff1d(keys, self._excluded)

    def holding(self, terms: Terms, depth: int, fields: Sequence[LexicalField] = ()) -> tuple[Scored, ...]:
        """The `depth` best chunks by words. More are asked for until as many are left without what filters refuse."""
        filters, lexical = self.query.filters, self.library.store.lexical
        if not filters.without:
            return lexical.search(self.library.project, terms, filters, depth, fields)
        plain, asked = replace(filters, without=()), depth
        while True:
            found = lexical.search(self.library.project, terms, plain, asked, fields)
            kept = self.passing(found)
            if len(kept) >= depth or len(found) < asked:
                return kept[:depth]
            asked *= 4

    def passing(self, scored: tuple[Scored, ...]) -> tuple[Scored, ...]:
        """Without what exclusions and negated filters refuse, which not every channel looks at."""
        if scored and self.query.filters.without:
            return tuple(one for one in scored if one.key in self._passing)
        if scored and self.query.terms.excluded:
            refused = set(self._excluded.tolist())
            return tuple(one for one in scored if one.key not in refused)
        return scored

    @cached_property
    def _passing(self) -> frozenset[int]:
        return frozenset(() if self.admitted is None else self.admitted.tolist())

    @cached_property
    def _excluded(self) -> NDArray[np.int64]:
        import numpy as np

        lexical, project = self.library.store.lexical, self.library.project
        keys = [np.asarray(lexical.containing(project, one), dtype=np.int64) for one in self.query.terms.excluded]
        return np.concatenate([np.empty(0, dtype=np.int64), *keys])

    @cached_property
    def small(self) -> bool:
        """Whether there is so little to find something in that looking deep costs nothing."""
        if self.admitted is not None:
            return len(self.admitted) <= SMALL
        return not self.library.store.documents.more_than(self.library.project, SMALL)


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
class Profile:
    """A named retrieval pipeline: a value made of stages."""

    name: str
    recall: tuple[Recall, ...]
    fuse: Fuse
    refine: tuple[Refine, ...] = ()
    expand: tuple[Expand, ...] = ()

    @property
    def embeds(self) -> bool:
        """Whether a channel asks for the query's vector."""
        return any(stage.name.startswith("dense") for stage in self.recall)


_score = attrgetter("score")


def in_order(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The total order of every ranking: score, then uri, then start."""
    ordered = sorted(candidates, key=_score, reverse=True)
    # Scores are seldom equal, and comparing numbers alone takes a fifth of the time.
    if any(map(eq, map(_score, ordered), map(_score, islice(ordered, 1, None)))):
        ordered.sort(key=lambda one: (-one.score, one.uri, one.span.start, one.collection))
    return tuple(ordered)
