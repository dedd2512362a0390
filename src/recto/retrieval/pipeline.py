"""Runs a profile: expand → recall → fuse → refine, and writes down what each stage did."""

from __future__ import annotations

import time
from collections.abc import Callable, Sized
from functools import partial
from typing import TypeVar

from recto.errors import RectoError
from recto.model.query import Query
from recto.model.result import Candidate, Ranking, StageTrace
from recto.retrieval.stage import Library, Profile, Search, SkipStage

_T = TypeVar("_T")


def run(profile: Profile, query: Query, library: Library) -> tuple[tuple[Candidate, ...], tuple[StageTrace, ...]]:
    """Candidates in their total order, and the trace. A stage that cannot apply is skipped; one that fails is noted."""
    entries: list[StageTrace] = []
    search = Search(query, library)
    for expand in profile.expand:
        expanded = _traced(entries, search, expand.name, "expand", (), partial(expand.expand, search), search.query)
        search = Search(expanded, library)
    rankings: dict[str, Ranking] = {}
    for recall in profile.recall:
        nothing = Ranking(recall.name, ())
        ranking = _traced(entries, search, recall.name, "recall", (), partial(recall.recall, search), nothing)
        rankings[recall.name] = ranking
    found = {one.key for ranking in rankings.values() for one in ranking.scored}
    fuse = profile.fuse
    candidates: tuple[Candidate, ...] = ()
    candidates = _traced(entries, search, fuse.name, "fuse", found, partial(fuse.fuse, search, rankings), candidates)
    for refine in profile.refine:
        step = partial(refine.refine, search, candidates)
        candidates = _traced(entries, search, refine.name, "refine", candidates, step, candidates)
    return candidates, tuple(entries)


def _traced(
    entries: list[StageTrace],
    search: Search,
    name: str,
    shape: str,
    received: Sized,
    stage: Callable[[], _T],
    otherwise: _T,
) -> _T:
    """Runs a stage, times it, counts what went in and came out; a failure becomes an entry, not an exception."""
    started = time.perf_counter()
    skipped = failed = None
    result = otherwise
    try:
        result = stage()
    except SkipStage as skip:
        skipped = skip.reason
    except RectoError as error:
        failed = error.message
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
