"""What whoever runs the library should know: offline work that is missing, stale or under way.

Cheap enough to ask with every status; nothing is told of a feature that is not in use.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from recto.engine.offline import CLUSTERS, FINETUNE, FULL_VECTORS, OTHER_MODEL, REINGEST, SNAPSHOT, offline_runs
from recto.engine.upgrading import fast_profile, seconds_left
from recto.errors import RectoError
from recto.model.advisory import Advisory
from recto.model.graph import COMMUNITIES, THEMATIC_LINKS
from recto.model.stored import LibraryCounts

if TYPE_CHECKING:
    from recto.engine.engine import Engine

_CALLED = {
    CLUSTERS: ("making clusters", "recto cluster build"),
    SNAPSHOT: ("making a snapshot", "recto snapshot build"),
    COMMUNITIES: ("finding communities", "recto graph build"),
    THEMATIC_LINKS: ("linking what is near in meaning", "recto graph build"),
    FINETUNE: ("fine-tuning a model", "recto finetune"),
    FULL_VECTORS: ("computing full vectors", "recto index --wait-full"),
    OTHER_MODEL: ("embedding the library with another model", "recto jobs list"),
    REINGEST: ("reading a document again", "recto jobs list"),
}
_FOUND = {COMMUNITIES: "communities", THEMATIC_LINKS: "thematic links"}


def advisories(engine: Engine, counts: LibraryCounts) -> tuple[Advisory, ...]:
    return (
        *_constrained(engine),
        *_vectors(engine, counts),
        *_snapshots(engine, counts),
        *_clusters(engine, counts),
        *_graph(engine),
        *_broken_off(engine, counts),
    )


def _constrained(engine: Engine) -> Iterator[Advisory]:
    if reason := engine._parts.constrained():
        searched = "words alone are searched" if engine._parts.fast is None else "fast ones and words are searched"
        yield Advisory("info", f"{reason}: full vectors are not computed, {searched}")


def _vectors(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    made, wanted = engine.store.catalog.recipe(engine.project.id), engine.embedder.profile
    if made is not None and made.embedding != wanted and counts.chunks:
        by = f"{made.embedding.model} ({made.embedding.revision})"
        said = f"the vectors were made by {by}, which is not the model in use: only words are searched"
        yield Advisory("warn", said, f"recto models activate {wanted.name}")
        return
    waiting = round((1.0 - engine.freshness().full_vectors) * counts.chunks)
    if waiting and not engine._parts.constrained():
        fast = fast_profile(engine)
        tabled = fast is not None and engine.store.embeddings.coverage(engine.project.id, fast)[0]
        meanwhile = "words and fast vectors" if tabled else "words"
        said = (
            f"{waiting:,} chunks wait for a server or a worker to make their full vector, found by {meanwhile} so far"
        )
        if (left := seconds_left(engine, waiting)) is not None:
            said += f"; that takes about {_about(left)} more"
        yield Advisory("info", said, "recto index --wait-full")


def _about(seconds: float) -> str:
    """`40 s`, `12 min`, `3.5 h`: as exact as an estimate can be."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def _snapshots(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    accelerator = engine.accelerator
    if accelerator is None or counts.chunks < accelerator.threshold:
        return
    if accelerator.snapshots.current() is None:
        damaged = [one for one in accelerator.kept() if one.problem]
        said = "its snapshots cannot be used" if damaged else "it has no snapshot"
        yield Advisory("warn", f"the library is large and {said}: searches are slow", "recto snapshot build")


def _clusters(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    from recto.retrieval.stages.clusters import ClusterRecall

    accelerator = engine.accelerator
    made = None if accelerator is None else accelerator.clusters()
    if made is not None and made.stale(counts.chunks):
        yield Advisory("info", "the library has grown by a fifth since its clusters were made", "recto cluster build")
    if made is None and _searches(engine, ClusterRecall):
        yield Advisory("warn", "the default profile searches in clusters, but none were made", "recto cluster build")


def _graph(engine: Engine) -> Iterator[Advisory]:
    from recto.retrieval.stages.graph import CommunityBoost

    if _searches(engine, CommunityBoost) and COMMUNITIES not in engine.store.graph.runs(engine.project.id):
        yield Advisory("warn", "the default profile knows communities, but none were found", "recto graph build")


def _broken_off(engine: Engine, counts: LibraryCounts) -> Iterator[Advisory]:
    for run in offline_runs(engine, counts):
        if run.state == "stale" and run.name in _FOUND:
            said = f"a tenth of the documents came, changed or went since {_FOUND[run.name]} were found"
            yield Advisory("info", said, "recto graph build")
        if run.state in ("interrupted", "failed"):
            said = "was broken off" if run.state == "interrupted" else "was given up"
            yield Advisory("warn", f"{_CALLED[run.name][0]} {said}", _CALLED[run.name][1])


def _searches(engine: Engine, kind: type[object]) -> bool:
    """Whether the default profile has a stage of this kind."""
    try:
        profile = engine.profile(engine.defaults.profile)
    except RectoError:
        return False
    return any(isinstance(stage, kind) for stage in (*profile.recall, *profile.refine))
