"""Runs a retrieval profile: expand → recall → fuse → refine, with a trace of every stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Sized
from functools import partial
from typing import Any, Protocol, TypeVar, runtime_checkable

from octavo.errors import LibraryError, OctavoError, ProviderFailed
from octavo.fast_dataclass import replace
from octavo.model.ids import ChunkKey
from octavo.model.query import Query
from octavo.model.search_result import NO_TIME_FOR, Candidate, Ranking, StageTrace
from octavo.retrieval.search_data_sources import SearchedLibrary
from octavo.retrieval.stage import (
    AsksLanguageModel,
    CutsList,
    Expand,
    Fuse,
    Recall,
    Refine,
    RetrievalProfile,
    Search,
    SkipStage,
)
from octavo.retrieval.stages.filter_only_recall import FilterRecall, as_listed
from octavo.retrieval.stages.score_and_rank_fusion import SingleChannel
from octavo.retrieval.tie_breaking import by_place

_T = TypeVar("_T")

MANY = 100
"""Hits from which deeper recall fills up the list."""
_DEEPER = (4, 16)
"""How many times as deep: of 100 chunks 1,600, of which a list of 1,000 hits can be made."""

_LEVEL = "deeper"


@runtime_checkable
class DeepeningRecall(Protocol):
    """A channel that knows by itself what it is at another depth."""

    def deeper(self, times: int) -> Recall: ...


@runtime_checkable
class RecallToDepth(Protocol):
    """A channel that returns at most `depth` chunks."""

    @property
    def depth(self) -> int: ...


def run(
    profile: RetrievalProfile, query: Query, library: SearchedLibrary
) -> tuple[tuple[Candidate, ...], tuple[StageTrace, ...]]:
    """Candidates in their total order, and the trace. A stage that cannot apply is skipped; one that fails is noted.

    A channel that meets damage fails like any other: it is an error when channels failed and none answered.
    A query of filters alone, where no channel can answer it, lists what they let through.

    How many hits are asked for changes none of them. Where more than `MANY` are and the profile's depths do not give
    them, what deeper recall finds besides is ranked by itself and follows, so that a longer list begins with the
    shorter one.
    """
    entries: list[StageTrace] = list(library.run.expanded or ())
    for expand in profile.expand:
        if library.run.expanded is None or not isinstance(expand, AsksLanguageModel):
            query = _expanded(entries, Search(query, library), expand)
    search = Search(query, library)
    if profile.embeds and len(profile.recall) > 1:
        search.begin()
    seen: set[ChunkKey] = set()
    candidates = _ranked(profile, search, entries, seen)
    for times in _DEEPER if query.limit > MANY and candidates else ():
        if len(candidates) >= query.limit or any(_ends_list(stage) for stage in profile.refine):
            break
        reached = len(candidates)
        entries.append(StageTrace(_LEVEL, "recall", reached, reached, 0.0, detail={"depth": f"× {times}"}))
        try:
            further = _ranked(deeper(profile, times), search.deeper(candidates), entries, seen)
        except OctavoError as error:  # the list is shorter than it might be, and says so
            entries.append(StageTrace(_LEVEL, "recall", reached, reached, 0.0, failed=error.message, repeatable=False))
            break
        candidates = (*candidates, *(each.scored(min(each.score, candidates[-1].score)) for each in further))
    return candidates, tuple(entries)


def first_level(trace: Sequence[StageTrace], candidates: Sequence[Candidate]) -> int:
    """How many of the candidates the profile found at its own depths: the others follow, and say nothing of these."""
    return next((entry.received for entry in trace if entry.stage == _LEVEL), len(candidates))


def _ranked(
    profile: RetrievalProfile, search: Search, trace: list[StageTrace], seen: set[ChunkKey]
) -> tuple[Candidate, ...]:
    """What the profile's channels find at its depth and was not `seen` at a smaller one, fused and refined."""
    entries: list[StageTrace] = []
    errors: list[OctavoError] = []
    rankings: dict[str, Ranking] = {}
    for recall in profile.recall:
        nothing = Ranking(recall.name, ())
        ranking = _traced(entries, errors, search, recall.name, "recall", (), partial(recall.recall, search), nothing)
        passing = by_place(search, search.passing(ranking.scored))
        rankings[recall.name] = ranking if passing is ranking.scored else replace(ranking, scored=passing)
    listed = None
    fuse: Fuse = profile.fuse
    if all(entry.failed or entry.skipped for entry in entries):
        if search.query.terms.empty and search.narrowed:
            listed = _listed(entries, errors, search)
            rankings, fuse = {listed.channel: listed}, SingleChannel()
        elif errors:
            raise errors[0]
    keys = {chunk.key for ranking in rankings.values() for chunk in ranking.scored}
    candidates: tuple[Candidate, ...] = ()
    candidates = _traced(
        entries, errors, search, fuse.name, "fuse", keys, partial(fuse.fuse, search, rankings), candidates
    )
    if entries[-1].failed:
        raise errors[-1]
    candidates = _without(seen, candidates)
    for refine in profile.refine:
        step = partial(refine.refine, search, candidates)
        candidates = _traced(entries, errors, search, refine.name, "refine", candidates, step, candidates)
        candidates = candidates if listed is None else as_listed(listed, candidates)
    trace += entries
    # A stage may fetch what no channel found.
    candidates = _without(seen, candidates)
    seen |= keys
    seen.update(candidate.key for candidate in candidates)
    return candidates


def _without(seen: set[ChunkKey], candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    return tuple(candidate for candidate in candidates if candidate.key not in seen) if seen else candidates


def deeper(profile: RetrievalProfile, times: int) -> RetrievalProfile:
    """The same profile with every recall stage that has a depth going that many times further down."""
    return replace(profile, recall=tuple(deeper_stage(stage, times) for stage in profile.recall))


def deeper_stage(stage: Any, times: int) -> Any:
    if isinstance(stage, DeepeningRecall):
        return stage.deeper(times)
    return replace(stage, depth=stage.depth * times) if isinstance(stage, RecallToDepth) else stage


def _ends_list(stage: Refine) -> bool:
    """Whether a stage says how long the whole list is."""
    return isinstance(stage, CutsList) and stage.cuts_list


def expanded_ahead(profile: RetrievalProfile, query: Query, library: SearchedLibrary) -> tuple[Query, SearchedLibrary]:
    """The query as the profile's language model would have it. Nobody holds a read transaction open meanwhile."""
    if not profile.asks_model:
        return query, library
    entries: list[StageTrace] = []
    for stage in profile.expand:
        if isinstance(stage, AsksLanguageModel):
            query = _expanded(entries, Search(query, library), stage)
    return query, replace(library, run=replace(library.run, expanded=tuple(entries)))


def _expanded(entries: list[StageTrace], search: Search, stage: Expand) -> Query:
    """A query that could not be made better is asked as it is."""
    step = partial(stage.expand, search)
    return _traced(entries, [], search, stage.name, "expand", (), step, search.query)


def _listed(entries: list[StageTrace], errors: list[OctavoError], search: Search) -> Ranking:
    stage = FilterRecall()
    nothing = Ranking(stage.name, ())
    return _traced(entries, errors, search, stage.name, "recall", (), partial(stage.recall, search), nothing)


def _traced(
    entries: list[StageTrace],
    errors: list[OctavoError],
    search: Search,
    name: str,
    shape: str,
    received: Sized,
    stage: Callable[[], _T],
    otherwise: _T,
) -> _T:
    """Runs a stage, times it, counts what went in and came out; a failure becomes an entry."""
    started = time.perf_counter()
    skipped = failed = None
    damage, answered, result = False, True, otherwise
    try:
        result = stage()
    except SkipStage as skip:
        skipped, failed = (None, skip.reason) if skip.degrades else (skip.reason, None)
        answered = not isinstance(skip.__cause__, ProviderFailed)
    except OctavoError as error:
        failed, damage = error.message, isinstance(error, LibraryError)
        answered = not isinstance(error, ProviderFailed)
        errors.append(error)
    took = (time.perf_counter() - started) * 1e3
    returned = result.scored if isinstance(result, Ranking) else result
    entries.append(
        StageTrace(
            stage=name,
            shape=shape,
            received=len(received),
            returned=len(returned) if isinstance(returned, Sized) else 1,
            took_ms=round(took, 3),
            skipped=skipped,
            failed=failed,
            detail=dict(search.notes),
            damage=damage or None,
            repeatable=None if answered and not search.notes.get(NO_TIME_FOR) else False,
        )
    )
    search.notes.clear()
    return result
