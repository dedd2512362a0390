"""What a search reads from: the store, texts as the index has them, vectors, models, and what it did before it read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

from octavo.algorithms.text.japanese_content_words import without_endings
from octavo.algorithms.text.language_detection_and_marked_stems import ENGLISH
from octavo.algorithms.text.search_tokenizer import Analyzer, is_latin, shared_analyzer, written_words
from octavo.config.retrieval_settings import Retrieval
from octavo.fast_dataclass import dataclass
from octavo.model.document import Kind
from octavo.model.ids import ChunkKey, DocumentId, ProjectId
from octavo.model.query import Terms
from octavo.model.search_result import Candidate, StageTrace
from octavo.ports import Embedder, QueryWriter, SummaryIndex, VectorIndex
from octavo.retrieval.candidate_and_text_cache import SearchMemory
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.sql_repositories.store import Store

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_T = TypeVar("_T")

SMALL = 1_000
"""Chunks up to which a library, or what filters leave of it, is small."""

_PASSAGES = 1_024  # whose tokens are remembered: some 12 MB
_TITLES = 8_192  # whose first words are: some 2 MB
_LONG = 1_000  # chunks with a phrase that are not remembered


class SearchText:
    """Texts as the index and queries have them. Key by key a query finds much the same passages, and several stages
    look at their tokens: the last ones are kept."""

    def __init__(self, analyzer: Analyzer | None = None) -> None:
        self._analyzer = analyzer or shared_analyzer()
        self._joined = lru_cache(_PASSAGES)(self._analyzer.joined)
        self._forms = lru_cache(_PASSAGES // 4)(self._analyzer.forms)
        self._first_tokens = lru_cache(_TITLES)(self._tokens_of_first)

    def query_tokens(self, text: str) -> Sequence[str]:
        """As a query has them: words that a stage adds have to be like those that were typed."""
        return self._analyzer.query_tokens(text)

    def subject(self, text: str) -> frozenset[str]:
        """What a query asks for: its tokens without those that only frame a question."""
        return frozenset(self._analyzer.subject(self._analyzer.tokens(text)))

    def content(self, words: Collection[str], query: str) -> Collection[str]:
        """Those of a query's words that are no endings and no function words of the language that it tells, unless
        nothing else is there; of a query in English, all."""
        language = self.language(query)
        if language not in ("", ENGLISH):
            words = self._analyzer.without_function_words(words, language) or words
        return without_endings(words)

    def joined(self, text: str) -> str:
        """Every token as the index has them, with single spaces between them."""
        return self._joined(text)

    def tokens_among(self, text: str, words: frozenset[str]) -> Sequence[str]:
        """The tokens of a text if each is one of these words; mostly its first one says that they are not."""
        first = text[:1]
        if first.isascii() and first.isalpha() and first.lower() not in _initials(words):
            return ()  # no stem changes the letter a word begins with
        if (not is_latin(text) and all(map(str.isascii, words))) or not words.issuperset(self._first_tokens(text)):
            return ()
        tokens: list[str] = []
        for word in self._analyzer.separated(text):
            tokens += (more := self._analyzer.word(word).split())
            if not words.issuperset(more):
                return ()
        return tokens

    def _tokens_of_first(self, text: str) -> Sequence[str]:
        """The tokens of the first word that has any."""
        return next(filter(None, (self._analyzer.word(word).split() for word in self._analyzer.separated(text))), ())

    def forms(self, text: str, language: str) -> Sequence[str]:
        """The stems of its words in a language, as the index has them beside the tokens."""
        return self._forms(text, language)

    def prefix(self, text: str) -> str:
        """The start of a word as in `Terms.prefixes`."""
        return self._analyzer.prefix(text)

    def written(self, text: str) -> str:
        """Its words as they are written, folded like tokens and not stemmed, with single spaces between them."""
        return written_words().joined(text)

    def language(self, text: str) -> str:
        """The language that a query tells it is in; empty where it does not tell."""
        return self._analyzer.told_language(text)


@lru_cache(16)
def _initials(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[0] for word in words)


class SearchVectors(Protocol):
    """The embedder and the vectors that it made. Each is made on first use: a lexical search never pays for it."""

    @property
    def embedder(self) -> Embedder: ...
    @property
    def vectors(self) -> VectorIndex: ...
    @property
    def summaries(self) -> SummaryIndex: ...


class SearchModels(Protocol):
    """Models that stages may ask."""

    @property
    def reranker(self) -> MeasuredReranker: ...

    def query_writer(self) -> QueryWriter | None:
        """The language model that writes hypotheses and further queries, if one is configured."""
        ...

    def judges(self, style: str, prompt: str, deadline_ms: float) -> Sequence[MeasuredReranker]:
        """The language models that may rerank, the smallest first, by style, prompt (empty: the usual one) and a
        deadline."""
        ...


class BackgroundTasks(Protocol):
    """Begins something elsewhere; what it returns waits until that is done."""

    def __call__(self, task: Callable[[], _T]) -> Callable[[], _T]: ...


class ReadTransaction(Protocol):
    """The transaction in which a search reads one state of the library."""

    def outside(self, ask: Callable[[], None]) -> None:
        """Runs what takes long while no read transaction is open."""
        ...


@dataclass(frozen=True, slots=True)
class SearchRun:
    """What one search has done before it reads, where it does what takes long, and what its stages share."""

    expanded: tuple[StageTrace, ...] | None = None
    """What the stages that ask a model did to the query, where they ran before the search reads."""
    query_vector: Callable[[], NDArray[np.float32]] | None = None
    """The vector of the query, or what its model raised, where that was computed before the search reads."""
    background: BackgroundTasks | None = None
    """Where something can be computed while the search goes on, if anywhere."""
    transaction: ReadTransaction | None = None
    """Unset where the search cannot do without one for a while."""
    reranked: dict[tuple[str, str], float] = field(default_factory=dict)
    """The reranker's scores of this search, by the hashes of question and passage: asked once, although a library that
    changes meanwhile is searched again."""
    later: list[Callable[[], None]] = field(default_factory=list)
    """What stages want written down once the search is answered: a search itself only reads."""
    texts: dict[str, str] = field(default_factory=dict)
    """The texts that this search has read, by their hashes: several stages look at the same passages."""
    in_another_language: dict[tuple[str, Terms], bool] = field(default_factory=dict)
    """Whether the model reads the language of a query badly: found out once, by looking for its words."""


@dataclass(frozen=True, slots=True)
class SearchedLibrary:
    store: Store
    project: ProjectId
    meaning: SearchVectors
    now: Callable[[], float]
    text: SearchText = field(default_factory=SearchText)
    models: SearchModels | None = None
    settings: Retrieval = Retrieval()
    """How passages are imagined where a profile does not say."""
    remembered: SearchMemory = field(default_factory=SearchMemory)
    """What earlier searches have read."""
    run: SearchRun = field(default_factory=SearchRun)

    def candidates(self, keys: Sequence[ChunkKey]) -> dict[ChunkKey, Candidate]:
        """What the library says of these chunks, in their order; those that are gone are left out."""
        known = self.remembered.state().candidates
        if missing := [key for key in keys if key not in known]:
            known.update(self.store.documents.candidates(self.project, missing))
        return {key: known[key] for key in keys if key in known}

    def lengths(self, chunks: Mapping[DocumentId, ChunkKey]) -> Mapping[DocumentId, int]:
        """How many chunks documents have, each given by one of them."""
        known = self.remembered.state().lengths
        if missing := {key: document for document, key in chunks.items() if document not in known}:
            found = self.store.documents.lengths(self.project, sorted(missing))
            known.update((missing[key], length) for key, length in found.items())
        return known

    def containing(self, phrase: Sequence[str], most: int | None = None) -> Sequence[ChunkKey]:
        """As `LexicalIndex.containing`: title, phrase and rare words of a query are often the same."""
        known, asked = self.remembered.state().containing, (tuple(phrase), most)
        if asked not in known:
            keys = self.store.lexical.containing(self.project, phrase, most=most)
            if len(keys) > _LONG:
                return keys
            known[asked] = keys
        return known[asked]

    @property
    def has_commits(self) -> bool:
        known = self.remembered.state()
        if known.has_commits is None:
            known.has_commits = self.store.history.any(self.project)
        return known.has_commits

    @property
    def has_code(self) -> bool:
        known = self.remembered.state()
        if known.has_code is None:
            known.has_code = self.store.documents.any_of(self.project, Kind.CODE)
        return known.has_code

    @property
    def small(self) -> bool:
        """Whether there is so little in it that looking deep costs nothing."""
        return self.has_at_most(SMALL)

    def has_at_most(self, chunks: int) -> bool:
        known = self.remembered.state().at_most
        if chunks not in known:
            known[chunks] = not self.store.documents.more_than(self.project, chunks)
        return known[chunks]

    def texts(self, hashes: Iterable[str]) -> Mapping[str, str]:
        """At least the texts with these hashes."""
        read, before = self.run.texts, self.remembered.texts
        if missing := {*hashes} - read.keys():
            read.update(before.known(missing))
        if missing := missing - read.keys():
            texts = self.store.documents.texts(self.project, missing)
            read.update(texts)
            before.remember(texts)
        return read

    def outside(self, ask: Callable[[], None]) -> None:
        """Asks while no read transaction is open, where that can be."""
        if self.run.transaction is None:
            ask()
        else:
            self.run.transaction.outside(ask)
