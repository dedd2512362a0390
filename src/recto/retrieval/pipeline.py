"""Runs a profile: expand → recall → fuse → refine, and writes down what each stage did."""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from dataclasses import replace
from functools import partial
from typing import TypeVar

from recto.errors import DamagedSnapshot, LibraryError, RectoError, StorageError
from recto.model.query import Query
from recto.model.result import Candidate, Ranking, StageTrace
from recto.retrieval.stage import Fuse, Library, Profile, Search, SkipStage
from recto.retrieval.stages.fuse import SingleChannel
from recto.retrieval.stages.listing import FilterRecall, as_listed

_T = TypeVar("_T")


def run(profile: Profile, query: Query, library: Library) -> tuple[tuple[Candidate, ...], tuple[StageTrace, ...]]:
    """Candidates in their total order, and the trace. A stage that cannot apply is skipped; one that fails is noted.

    A damaged library is an error whichever stage meets it; so is it when channels failed and none answered.
    A query of filters alone, where no channel can answer it, lists what they let through.
    """
    entries: list[StageTrace] = []
    errors: list[RectoError] = []
    search = Search(query, library)
    for expand in profile.expand:
        expanded = _traced(
            entries, errors, search, expand.name, "expand", (), partial(expand.expand, search), search.query
        )
        search = Search(expanded, library)
    errors.clear()  # a query that could not be made better is asked as it is
    if profile.embeds and len(profile.recall) > 1:
        search.begin()
    rankings: dict[str, Ranking] = {}
    for recall in profile.recall:
        nothing = Ranking(recall.name, ())
        ranking = _traced(entries, errors, search, recall.name, "recall", (), partial(recall.recall, search), nothing)
        rankings[recall.name] = replace(ranking, scored=search.passing(ranking.scored))
    listed = None
    fuse: Fuse = profile.fuse
    if all(entry.failed or entry.skipped for entry in entries if entry.shape == "recall"):
        if search.query.terms.empty and search.narrowed:
            listed = _listed(entries, errors, search)
            rankings, fuse = {listed.channel: listed}, SingleChannel()
        elif errors:
            raise errors[0]
    found = {one.key for ranking in rankings.values() for one in ranking.scored}
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


def _listed(entries: list[StageTrace], errors: list[RectoError], search: Search) -> Ranking:
    stage = FilterRecall()
    nothing = Ranking(stage.name, ())
    return _traced(entries, errors, search, stage.name, "recall", (), partial(stage.recall, search), nothing)


def _traced(
    entries: list[StageTrace],
    errors: list[RectoError],
    search: Search,
    name: str,
    shape: str,
    received: Sized,
    stage: Callable[[], _T],
    otherwise: _T,
) -> _T:
    """Runs a stage, times it, counts what went in and came out; a failure becomes an entry, unless it is damage."""
    started = time.perf_counter()
    skipped = failed = None
    result = otherwise
    try:
        result = stage()
    except SkipStage as skip:
        skipped = skip.reason
    except RectoError as error:
        # A damaged snapshot leaves the library whole, and another channel may not need it.
        if isinstance(error, LibraryError | StorageError) and not isinstance(error, DamagedSnapshot):
            raise
        failed = error.message
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
        )
    )
    search.notes.clear()
    return result
