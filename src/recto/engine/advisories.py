"""What whoever runs the library should know: offline work that is missing, stale or under way.

Cheap enough to ask with every status; nothing is told of a feature that is not in use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recto.errors import RectoError
from recto.model.advisory import Advisory
from recto.model.stored import LibraryCounts

if TYPE_CHECKING:
    from recto.engine.engine import Engine


def advisories(engine: Engine, counts: LibraryCounts) -> tuple[Advisory, ...]:
    return (*_constrained(engine), *_vectors(engine, counts), *_snapshots(engine, counts), *_clusters(engine, counts))


def _constrained(engine: Engine) -> Iterator[Advisory]:
    if reason := engine._parts.constrained():
        searched = "words alone are searched" if engine._parts.fast is None else "fast ones and words are searched"
        yield Advisory("info", f"{reason}: full vectors are not computed, {searched}")


def _vectors(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    waiting = round((1.0 - engine.freshness().full_vectors) * counts.chunks)
    if waiting and not engine._parts.constrained():
        said = f"{waiting} chunks wait for their full vector and are found by words and fast vectors meanwhile"
        yield Advisory("info", said, "recto index --wait-full")


def _snapshots(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    accelerator = engine.accelerator
    if accelerator is None or counts.chunks < accelerator.threshold:
        return
    if accelerator.snapshots.current() is None:
        damaged = [one for one in accelerator.kept() if one.problem]
        said = "its snapshots cannot be used" if damaged else "it has no snapshot"
        yield Advisory("warn", f"the library is large and {said}: searches are slow", "recto snapshot build")


def _clusters(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    accelerator = engine.accelerator
    made = None if accelerator is None else accelerator.clusters()
    if made is not None and made.stale(counts.chunks):
        yield Advisory("info", "the library has grown by a fifth since its clusters were made", "recto cluster build")
    if made is None and _searches_clusters(engine):
        yield Advisory("warn", "the default profile searches in clusters, but none were made", "recto cluster build")


def _searches_clusters(engine: Engine) -> bool:
    from recto.retrieval.stages.clusters import ClusterRecall

    try:
        profile = engine.profile(engine.defaults.profile)
    except RectoError:
        return False
    return any(isinstance(stage, ClusterRecall) for stage in profile.recall)
