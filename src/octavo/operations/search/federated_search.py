"""One answer from several libraries: hits by relevance, each with its library; libraries that failed are named."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from octavo.algorithms.ranking.reciprocal_rank_fusion import reciprocal_rank
from octavo.engine.library_federation import LibraryGroup, Reply, qualified
from octavo.fast_dataclass import replace
from octavo.model.search_result import Copy, Freshness, Hit, Result

if TYPE_CHECKING:
    from octavo.engine.engine import Engine


def find_in_group(
    group: LibraryGroup, search: Callable[[Engine], Result], own: Engine | None = None, *, limit: int
) -> Result:
    """A search of each; `limit` is how many hits there are. Where none answers, the first one's error is raised."""
    started = time.perf_counter()
    replies = group.ask_all(search, None if own is None else lambda: search(own))
    answered = [reply for reply in replies if reply.error is None]
    if not answered:
        raise next(reply.error for reply in replies if reply.error is not None)
    result = merged(answered, limit)
    missing = tuple(f"{reply.library}: {reply.error.message}" for reply in replies if reply.error is not None)
    return replace(
        result,
        took_ms=(time.perf_counter() - started) * 1e3,
        degraded=(*missing, *result.degraded),
        repeatable=result.repeatable and not missing,
    )


def merged(replies: Sequence[Reply], limit: int) -> Result:
    """By relevance where every library knows it; a list of what filters let through, newest first; else by rank."""
    results: list[Result] = [reply.answer for reply in replies]
    hits = [_of_library(hit, reply.library) for reply in replies for hit in reply.answer.hits]
    if all(result.calibrated for result in results):
        hits.sort(key=lambda hit: -hit.score)
    elif any(result.calibrated for result in results):
        rankings = {
            reply.library: [at for at, hit in enumerate(hits) if hit.library == reply.library] for reply in replies
        }
        hits = [hits[at] for at in reciprocal_rank(rankings)]
    else:
        hits.sort(key=lambda hit: -hit.modified_at)
    hits = _without_repetitions(hits)[:limit]
    degraded = (f"{reply.library}: {reason}" for reply in replies for reason in reply.answer.degraded)
    trace = (
        replace(stage, stage=f"{reply.library}: {stage.stage}") for reply in replies for stage in reply.answer.trace
    )
    return replace(
        results[0],
        hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)),
        trace=tuple(trace),
        freshness=_together([result.freshness for result in results]),
        degraded=tuple(degraded),
        calibrated=all(result.calibrated for result in results),
        repeatable=all(result.repeatable for result in results),
        excluding=results[0].excluding if all(result.excluding for result in results) else None,
    )


def _of_library(hit: Hit, library: str) -> Hit:
    copies = tuple(copy._replace(collection=qualified(library, copy.collection)) for copy in hit.copies)
    return replace(hit, library=library, collection=qualified(library, hit.collection), copies=copies)


def _without_repetitions(hits: Sequence[Hit]) -> list[Hit]:
    """What two libraries have in common is shown once, with the places of the others."""
    best: dict[str, Hit] = {}
    for hit in hits:
        first = best.get(hit.excerpt)
        if first is None or first.library == hit.library:
            best[hit.excerpt if first is None else f"{hit.chunk_id} {hit.library}"] = hit
        else:
            again = Copy(hit.collection, hit.citation.uri, hit.citation.lines.first)
            best[hit.excerpt] = replace(first, copies=(*first.copies, again, *hit.copies))
    return list(best.values())


def _together(states: Sequence[Freshness]) -> Freshness:
    documents = sum(state.documents for state in states)
    vectors = sum(state.full_vectors * state.documents for state in states)
    ages = [state.age_seconds for state in states if state.age_seconds is not None]
    lefts = [state.seconds_left for state in states if state.seconds_left is not None]
    return Freshness(
        documents,
        pending=sum(state.pending for state in states),
        failed=sum(state.failed for state in states),
        full_vectors=vectors / documents if documents else 1.0,
        queued=sum(state.queued for state in states),
        age_seconds=max(ages, default=None),
        seconds_left=max(lefts, default=None),
    )
