"""Searches an open library, records searches and replays them, and says how fresh an answer is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from octavo.algorithms.queries.query_parsing import parse_query
from octavo.engine.search.collection_path_filters import typed_filters, typed_terms
from octavo.engine.search.index_freshness import Counts, as_of_now, counted, mark_stale
from octavo.engine.search.library_language_detection import LibraryLanguages
from octavo.engine.search.query_embedding_ahead import QueryThreads, embedded_ahead, load_model_ahead, with_query_vector
from octavo.engine.search.search_degradation_report import Degradation
from octavo.engine.search.search_in_read_transaction import in_read_snapshot
from octavo.errors import Busy, ProviderFailed, StorageError
from octavo.fast_dataclass import replace
from octavo.model.query import Filters
from octavo.model.search_result import Result
from octavo.retrieval.candidate_and_text_cache import SearchMemory
from octavo.retrieval.hit_presentation import present
from octavo.retrieval.hit_relevance import BY_WORDS, Scale, judged, scale_of
from octavo.retrieval.pipeline import MANY, expanded_ahead, first_level, run
from octavo.retrieval.profiles_by_name import DEFAULT_PROFILE, PROFILES, profile_named
from octavo.retrieval.reranker_cost_measurement import MeasuredReranker
from octavo.retrieval.search_data_sources import SearchedLibrary, SearchRun, SearchText
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.token_budget_cutoff import check_cursor, next_cursor

if TYPE_CHECKING:
    import threading

    from octavo.algorithms.ranking.relevance_calibration import Calibration
    from octavo.engine.open_project_library import OpenLibrary
    from octavo.model.ids import ChunkKey
    from octavo.model.query import Query
    from octavo.model.search_result import Candidate, Freshness, Hit, StageTrace
    from octavo.ports import QueryWriter
    from octavo.retrieval.search_replay import Answered, Recording
    from octavo.retrieval.stage import RetrievalProfile

    Presented = tuple[tuple[Candidate, ...], tuple[StageTrace, ...], tuple[Hit, ...], Freshness]


_WHOLE_QUERIES = 32  # whose scales are remembered, with the relevance of some 6,000 chunks
_JUDGED = 100  # candidates that get their full vector before a search says that nothing matches, or hardly anything
JUDGED_WITHIN = {False: 0.5, True: 1.5}  # seconds that these vectors may take: of a search, of one that is to be sure
_WEAK = 0.5  # the relevance below which what fast vectors found is doubted
_LOADED_WITHIN = 10.0  # seconds that closing waits for a model that is being loaded


class Reader:
    """Answers questions of one library, from any number of threads.

    `queued` counts the paths that wait to be indexed. `loading` is the thread that loads the model, where somebody has
    started it already.
    """

    def __init__(
        self, library: OpenLibrary, queued: Callable[[], int] = int, loading: threading.Thread | None = None
    ) -> None:
        self._library = library
        self._queued = queued
        self.loading = loading
        self._query_threads = QueryThreads()
        self._text = SearchText(library.adapters.analyzer)
        self.remembered = SearchMemory(library.store.content_generation)
        self._degradation = Degradation(library)
        self.languages = LibraryLanguages(library.store, library.project.id)
        self.counts = Counts(partial(counted, library), library.store.generation)
        self._rerankers: dict[str | None, MeasuredReranker] = {}
        self._judges: dict[tuple[str, str, float], tuple[MeasuredReranker, ...]] = {}

    def promise_repair(self) -> None:
        """Queues a job that mends what derives from texts, folders and models: somebody has met damage."""
        self._degradation.promise_all()

    def close(self) -> None:
        """Writes down what was counted, and waits for the threads that read the library."""
        library = self._library
        # Not while somebody indexes: this would wait for that run's transactions.
        if library.hits and not library.builds.under_way():
            library.hits.store(library.store, library.project.id, library.active.profile)
        self._query_threads.stop()
        self.counts.stop()
        if self.loading is not None:
            self.loading.join(_LOADED_WITHIN)  # an interpreter that ends while a model loads may abort

    @property
    def reranker(self) -> MeasuredReranker:
        """One for all searches, because it learns what a pair costs; another once another is chosen for the project."""
        library = self._library
        adapters = library.adapters
        name = None if adapters.rerank_service else library.store.catalog.reranker(library.project.id)
        if name not in self._rerankers:
            self._rerankers[name] = MeasuredReranker(adapters.reranker(name))
        return self._rerankers[name]

    def query_writer(self) -> QueryWriter | None:
        """The language model that writes hypotheses and further queries, if one is configured."""
        models, model = self._library.adapters.models, self._library.language_model("hypothesise")
        return models.query_writer(model) if models is not None and model is not None else None

    def judges(self, style: str, prompt: str, deadline_ms: float) -> tuple[MeasuredReranker, ...]:
        """The same for all searches, because each learns what a passage costs."""
        models, key = self._library.adapters.models, (style, prompt, deadline_ms)
        if models is not None and key not in self._judges:
            made = models.judges(style, prompt, deadline_ms / 1e3)
            self._judges[key] = tuple(MeasuredReranker(judge, at_once=at_once) for judge, at_once in made)
        return self._judges.get(key, ())

    def search(self, query: Query, profile: RetrievalProfile | None = None) -> Result:
        """Parses the query's syntax, runs the profile, presents the hits."""
        profile = profile or PROFILES[DEFAULT_PROFILE]
        active, fallback = self._library.active, self._library.config.embedding.fallback
        # With a fallback, whether the service answers is known before the search reads.
        if profile.embeds and not active.loaded and self.loading is None and fallback == "none":
            text = query.hypothesis or query.terms.text or query.text
            self.loading = load_model_ahead(lambda: active.embedder, text)
        scale = partial(self._scale, profile)
        return self._answered(query, profile, partial(run, profile), scale, embeds=profile.embeds)

    def record(self, query: Query, profile: RetrievalProfile) -> tuple[Result, Recording]:
        """The same answer as `search`, and what it takes to get it again."""
        from octavo.retrieval.search_replay import run_recorded

        recordings: list[Recording] = []
        scales: list[Scale | None] = []

        def answer(parsed: Query, searched: SearchedLibrary) -> Answered:
            answered, recording = run_recorded(profile, parsed, searched)
            recordings.append(recording)
            return answered

        def measure(parsed: Query, searched: SearchedLibrary) -> Scale | None:
            scales.append(self._scale(profile, parsed, searched))
            return scales[-1]

        result = self._answered(query, profile, answer, measure)
        return result, replace(recordings[-1], scale=scales[-1] if scales else None)

    def replay(self, recording: Recording) -> Result:
        """What a recorded search answered, from what its channels returned then; no model is asked."""
        from octavo.retrieval.search_replay import replay

        profile = replace(recording.retrieval_profile, expand=())

        def answer(_: Query, searched: SearchedLibrary) -> Answered:
            return replay(recording, searched)

        return self._answered(recording.query, profile, answer, lambda _, searched: recording.scale, replays=True)

    def retrieval_profile(self, name: str) -> RetrievalProfile:
        """A built-in retrieval profile, or one of the user's or the project's own."""
        profile = PROFILES[name] if name in PROFILES else profile_named(name, self.own_retrieval_profiles())
        settings = self._library.config.retrieval
        if not settings.tuning:
            return profile
        tuning = import_module("octavo.retrieval.profile_config_overrides")  # and with it every stage there is
        tuned: RetrievalProfile = tuning.tuned(profile, settings.tuning, strict=name == settings.profile)
        return tuned

    def own_retrieval_profiles(self) -> dict[str, RetrievalProfile]:
        """Those that files of the user or the project describe, by name."""
        folders = [folder for folder in self._library.adapters.profile_folders if folder.is_dir()]
        if not folders:
            return {}
        from octavo.retrieval.profile_toml_files import own_profiles  # and with it every stage there is

        return own_profiles(folders)

    def candidates(self, query: Query, profile: RetrievalProfile) -> tuple[Candidate, ...]:
        """Everything the profile ranks for a query, in order and not presented: what evaluation scores documents by."""
        return self.candidates_degraded(query, profile)[0]

    def candidates_degraded(
        self, query: Query, profile: RetrievalProfile
    ) -> tuple[tuple[Candidate, ...], tuple[str, ...]]:
        """The same, and what could not be searched."""
        parsed, searched = expanded_ahead(profile, self.parsed(query), self.searched())
        candidates, trace = in_read_snapshot(self._library.store, searched, partial(run, profile, parsed))
        _write_later(searched)
        return candidates, tuple(self._degradation.parts(trace))

    def freshness(self) -> Freshness:
        """How much of what is on the disk an answer can see now."""
        return as_of_now(self._library, self.counts.now(), self._queued())

    def _answered(
        self,
        query: Query,
        profile: RetrievalProfile,
        answer: Callable[[Query, SearchedLibrary], Answered],
        scale: Callable[[Query, SearchedLibrary], Scale | None],
        *,
        embeds: bool = False,
        replays: bool = False,
    ) -> Result:
        started = time.perf_counter()
        library = self._library
        library.active.follow()
        parsed, searched = self.parsed(query), self.searched()
        parsed, searched = expanded_ahead(profile, parsed, searched)
        stood_in: tuple[str, ...] = ()
        if embeds and self.loading is None:  # a model that is being loaded is waited for later, if at all
            searched, stood_in = self._embedded(parsed, searched)
        calibration = self._calibration(profile, parsed, searched)
        best: list[ChunkKey] = []

        def presented(searched: SearchedLibrary) -> Presented:
            check_cursor(parsed)
            candidates, trace = answer(parsed, searched)
            best[:] = [candidate.key for candidate in candidates[:_JUDGED]]
            if calibration is not None and candidates:
                search, first = Search(parsed, searched), first_level(trace, candidates)
                own = scale_of(search, candidates[:first], calibration)
                plain = parsed.filters.empty and parsed.budget is None and parsed.cursor is None and not replays
                if plain and first == len(candidates):
                    own = own.remembering(candidates)
                    _remember_whole(profile, parsed, searched, own, trace)
                candidates = judged(search, candidates, own, scale(parsed, searched) or own)
            return candidates, trace, mark_stale(library, present(candidates, parsed, searched)), self.freshness()

        candidates, trace, hits, freshness = in_read_snapshot(library.store, searched, presented)
        unsure = parsed.judged_in_full or not hits or hits[0].score < _WEAK
        fitted = calibration is not None and calibration.encoder and profile.embeds
        seconds = JUDGED_WITHIN[parsed.judged_in_full]
        if unsure and freshness.pending and fitted and not replays and self._embed_candidates(best, seconds):
            candidates, trace, hits, freshness = in_read_snapshot(library.store, searched, presented)
        _write_later(searched)
        degraded = (*stood_in, *self._degradation.parts(trace), *self._degradation.unread_names(parsed))
        if degraded:
            self._degradation.promise_repair(trace)
        if problem := parsed.terms.problem:
            degraded = (problem, *degraded)
        if freshness.pending and library.config.retrieval.count_hits:
            library.hits.note(candidate.key for candidate in candidates[: parsed.limit])
        if self.loading is not None and not self.loading.is_alive():
            self.loading = None
        took = (time.perf_counter() - started) * 1e3
        log_search(profile.name, len(hits), took, degraded)
        for observer in library.adapters.observers:
            stages = [(stage.stage, stage.took_ms) for stage in trace if stage.skipped is None]
            observer.searched(profile.name, took, stages, bool(degraded))
        cursor, scored = next_cursor(trace), calibration is not None
        repeatable = not stood_in and all(stage.repeatable is not False for stage in trace)
        answered = Result(query.text, profile.name, hits, trace, freshness, took, cursor, degraded, scored, repeatable)
        return replace(answered, in_english=parsed.terms.gloss) if parsed.terms.gloss else answered

    def _embed_candidates(self, chunks: Sequence[ChunkKey], seconds: float) -> int:
        """Full vectors for those that have none: fast ones tell what is near, not whether that is an answer.

        A library that cannot be written to now, or a model that fails, leaves the answer as it is.
        """
        with suppress(Busy, StorageError, ProviderFailed):
            embedded: int = import_module("octavo.engine.indexing.full_vector_upgrade").embed_candidates(
                self._library, chunks, seconds
            )
            return embedded
        return 0

    def _embedded(self, query: Query, searched: SearchedLibrary) -> tuple[SearchedLibrary, tuple[str, ...]]:
        """With the query's vector, by the fallback where the service does not answer; and what there is to say."""
        searched = embedded_ahead(query, searched)
        setup, store = self._library.active.setup, self._library.store
        vector = searched.run.query_vector
        if vector is None or (fallback := setup.fallback) is None:
            return searched, ()
        try:
            vector()
        except ProviderFailed as error:
            if not store.embeddings.coverage(searched.project, fallback.profile)[0]:
                return searched, ()  # it has no vectors yet: the stage says what failed
            by_fallback = with_query_vector(replace(searched, meaning=setup.fallback_setup), None)
            message = f"dense: {error.message}; {fallback.profile.name} answered in its place"
            return embedded_ahead(query, by_fallback), (message,)
        return searched, ()

    def _calibration(self, profile: RetrievalProfile, query: Query, searched: SearchedLibrary) -> Calibration | None:
        """What the profile's scores mean: as it was fitted for the model in use, else by words alone.

        A list of what filters let through has no relevance to speak of.
        """
        known = profile.calibration
        if not query.by_meaning.strip():
            return None
        if known is None or (known.encoder and known.encoder != searched.meaning.embedder.profile.name):
            known = BY_WORDS
        # A hypothesis is nearer to passages than a question: its cosines do not say that there is no answer. What
        # fulfils a condition is what was asked for, however many of the query's words it lacks.
        hypothetical = known is not BY_WORDS and query.by_meaning != query.terms.text
        return known.without_floor() if hypothetical or query.terms.condition is not None else known

    def _scale(self, profile: RetrievalProfile, query: Query, searched: SearchedLibrary) -> Scale | None:
        """What the whole library makes of a query with filters, so that they change no hit's score; else None."""
        calibration = self._calibration(profile, query, searched)
        if query.filters.empty or profile.scoped or calibration is None:
            return None
        remembered = searched.remembered.state().whole.get(_of_whole(profile, query, searched))
        known: Scale | None = remembered[1] if remembered is not None and remembered[0] == profile else None
        if known is None:
            whole = _whole(query)
            candidates, trace = run(profile, whole, searched)
            if not candidates:
                return None
            known = scale_of(Search(whole, searched), candidates, calibration).remembering(candidates)
            _remember_whole(profile, query, searched, known, trace)
        return known

    def parsed(self, query: Query) -> Query:
        """The query with what its syntax says."""
        if query.terms.text:
            return query
        library = self._library
        terms, written = parse_query(query.text, library.adapters.analyzer, self.languages.held(), datetime.now(UTC))
        return replace(
            query,
            terms=typed_terms(library, self.languages.with_english(self.languages.with_compounds(terms))),
            filters=query.filters.narrowed_by(typed_filters(library, written)),
        )

    def searched(self) -> SearchedLibrary:
        """What a search reads from now: the snapshot where there is one, else the store."""
        library, setup = self._library, self._library.active.setup
        # While the model is being loaded already, nobody else should begin to.
        run = SearchRun(background=self._query_threads if self.loading is None else None)
        return SearchedLibrary(
            store=setup.searched_store,
            project=library.project.id,
            meaning=setup,
            now=library.adapters.clock,
            text=self._text,
            models=self,
            settings=library.config.retrieval,
            remembered=self.remembered,
            run=run,
        )


def _whole(query: Query) -> Query:
    """The same query of the whole library, at the depth that all limits up to `MANY` have."""
    return replace(query, filters=Filters(), limit=MANY, cursor=None, budget=None)


def _of_whole(profile: RetrievalProfile, query: Query, searched: SearchedLibrary) -> Hashable:
    """What the candidates of the whole library depend on besides the whole profile, which takes long to hash."""
    embedded = searched.meaning.embedder.profile if profile.embeds else None
    return profile.name, _whole(query), embedded, searched.store.generation()


def _remember_whole(
    profile: RetrievalProfile, query: Query, searched: SearchedLibrary, known: Scale, trace: Sequence[StageTrace]
) -> None:
    """For whoever narrows the same search by a filter next; not where a stage failed or had no time."""
    whole = searched.remembered.state().whole
    if all(stage.failed is None and stage.repeatable is not False for stage in trace):
        if len(whole) >= _WHOLE_QUERIES:
            whole.clear()
        whole[_of_whole(profile, query, searched)] = profile, known


def _write_later(searched: SearchedLibrary) -> None:
    """Writes what the stages of a search want stored. It only saves work, so a busy library does without it."""
    with suppress(Busy, StorageError):
        for write in searched.run.later:
            write()


SLOW_MS = 1_000.0


def log_search(profile: str, hits: int, took_ms: float, degraded: Sequence[str]) -> None:
    """Writes nothing where nobody has asked for logs: a search on the command line does not import logging."""
    if "octavo.observability.logs" not in sys.modules or not (degraded or took_ms > SLOW_MS):
        return
    from octavo.observability.logs import logger

    log = logger("search")
    for part in degraded:
        log.info("a search was degraded: %s", part)
    if took_ms > SLOW_MS:
        log.info("a search by %s with %d hits took %d ms", profile, hits, round(took_ms))
