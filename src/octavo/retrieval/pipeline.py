"""Runs a retrieval profile: expand → recall → fuse → refine, with a trace of every stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from functools import partial
from typing import TypeVar

from octavo.dataclass import replace
from octavo.errors import LibraryError, OctavoError
from octavo.model.query import Query
from octavo.model.result import Candidate, Ranking, StageTrace
from octavo.retrieval.stage import Expand, Fuse, RetrievalProfile, Search, SearchedLibrary, SkipStage, asks_model
from octavo.retrieval.stages.fuse import SingleChannel
from octavo.retrieval.stages.listing import FilterRecall, as_listed

_T = TypeVar("_T")


def run(
    profile: RetrievalProfile, query: Query, library: SearchedLibrary
) -> tuple[tuple[Candidate, ...], tuple[StageTrace, ...]]:
    """Candidates in their total order, and the trace. A stage that cannot apply is skipped; one that fails is noted.

    A channel that meets damage fails like any other: it is an error when channels failed and none answered.
    A query of filters alone, where no channel can answer it, lists what they let through.
    """
    entries: list[StageTrace] = list(library.expanded or ())
    errors: list[OctavoError] = []
    for expand in profile.expand:
        if library.expanded is None or not asks_model(expand):
            query = _expanded(entries, Search(query, library), expand)
    search = Search(query, library)
    if profile.embeds and len(profile.recall) > 1:
        search.begin()
    rankings: dict[str, Ranking] = {}
    for recall in profile.recall:
        nothing = Ranking(recall.name, ())
        ranking = _traced(entries, errors, search, recall.name, "recall", (), partial(recall.recall, search), nothing)
        passing = search.passing(ranking.scored)
        rankings[recall.name] = ranking if passing is ranking.scored else replace(ranking, scored=passing)
    listed = None
    fuse: Fuse = profile.fuse
    if all(entry.failed or entry.skipped for entry in entries if entry.shape == "recall"):
        if search.query.terms.empty and search.narrowed:
            listed = _listed(entries, errors, search)
            rankings, fuse = {listed.channel: listed}, SingleChannel()
        elif errors:
            raise errors[0]
    found = {chunk.key for ranking in rankings.values() for chunk in ranking.scored}
    candidates: tuple[Candidate, ...] = ()
    candidates = _traced(
        entries, errors, search, fuse.name, "fuse", found, partial(fuse.fuse, search, rankings), candidates
    )
    if entries[-1].failed:
        raise errors[-1]
    for refine in profile.refine:
        step = partial(refine.refine, search, candidates)
        candidates = _traced(entries, errors, search, refine.name, "refine", candidates, step, candidates)
        candidates = candidates if listed is None else as_listed(listed, candidates)
    return candidates, tuple(entries)


def expanded_ahead(profile: RetrievalProfile, query: Query, library: SearchedLibrary) -> tuple[Query, SearchedLibrary]:
    """The query as the profile's language model would have it. Nobody holds a read transaction open meanwhile."""
    if not profile.asks_model:
        return query, library
    entries: list[StageTrace] = []
    for stage in profile.expand:
        if asks_model(stage):
            query = _expanded(entries, Search(query, library), stage)
    return query, replace(library, expanded=tuple(entries))


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
    damage, result = False, otherwise
    try:
        result = stage()
    except SkipStage as skip:
        skipped, failed = (None, skip.reason) if skip.degrades else (skip.reason, None)
    except OctavoError as error:
        failed, damage = error.message, isinstance(error, LibraryError)
        errors.append(error)
    took = (time.perf_counter() - started) * 1e3
    returned = result.scored if isinstance(result, Ranking) else result
    entries.append(
        StageTrace(
            stage=name,
            shape=shape,
            received=len(received),
            returned=len(returned) if isinstance(returned, Sized) else 1,
            took_ms=took,
            skipped=skipped,
            failed=failed,
            detail=dict(search.notes),
            damage=damage,
        )
    )
    search.notes.clear()
    return result
