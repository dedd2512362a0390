"""Advisories to whoever runs a library: offline work that is missing, stale or under way.

Cheap enough to ask with every status; nothing is told of a feature that is not in use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from octavo.engine.maintenance.library_wide_job_states import (
    CLUSTERS,
    FINETUNE,
    FULL_VECTORS,
    OTHER_MODEL,
    REINGEST,
    REPAIR,
    SNAPSHOT,
    offline_runs,
)
from octavo.engine.search.index_freshness import about, seconds_left
from octavo.errors import OctavoError
from octavo.model.embedding_profile import EmbeddingProfileState, embed_anew
from octavo.model.link_graph import COMMUNITIES, ENTITIES, ENTITY_EDGES, THEMATIC_LINKS, EdgeType
from octavo.model.maintenance_advisory import Advisory
from octavo.model.summary import SUMMARIES
from octavo.observability.logs import logger
from octavo.ports import ReadingEmbedder
from octavo.retrieval.stages.linked_document_boost import WRITTEN_EDGES
from octavo.retrieval.stages.summary_recall_and_fusion import FileRecall, SectionRecall

if TYPE_CHECKING:
    from octavo.engine.engine import Engine

_LOG = logger("advisories")
_CALLED = {
    CLUSTERS: ("making clusters", "octavo cluster build"),
    SNAPSHOT: ("making a snapshot", "octavo snapshots build"),
    COMMUNITIES: ("finding communities", "octavo graph build"),
    THEMATIC_LINKS: ("linking what is near in meaning", "octavo graph build"),
    FINETUNE: ("fine-tuning a model", "octavo models finetune"),
    FULL_VECTORS: ("computing full vectors", "octavo index --wait-full"),
    OTHER_MODEL: ("embedding the library with another model", "octavo jobs list"),
    ENTITIES: ("looking for entities", "octavo graph build"),
    SUMMARIES: ("summarising sections and files", "octavo summaries build"),
    REINGEST: ("reading a document again", "octavo jobs list"),
    REPAIR: ("repairing what was found damaged", "octavo db repair"),
}
_FOUND = {COMMUNITIES: "communities", THEMATIC_LINKS: "thematic links", ENTITIES: "entities"}


@runtime_checkable
class NeedsRun(Protocol):
    """A stage that reads what an offline run computes; `needs` is the run's name."""

    @property
    def needs(self) -> str: ...


@runtime_checkable
class FollowsEdges(Protocol):
    """A stage that walks the graph along these types of edges; along all where there are none."""

    @property
    def types(self) -> tuple[EdgeType, ...]: ...


def advisories(engine: Engine, chunks: int) -> tuple[Advisory, ...]:
    return tuple(advisory for kind in _KINDS for advisory in _told(kind, engine, chunks))


def _told(kind: _Kind, engine: Engine, chunks: int) -> list[Advisory]:
    """Whatever goes wrong here is logged and becomes an advisory itself: the work it comes with was done."""
    try:
        return list(kind(engine, chunks))
    except Exception as error:
        subject = kind.__name__.strip("_").replace("_", " ")
        _LOG.warning("advisories about %(subject)s failed", {"subject": subject}, exc_info=True)
        return [Advisory("warn", f"what to advise about {subject} could not be found out: {error}", "octavo doctor")]


def _folders(engine: Engine, _chunks: int) -> Iterator[Advisory]:
    """A first reading that was broken off leaves a library that looks whole and does not find the rest."""
    ledger, project = engine.store.ledger, engine.project.id
    checks = ledger.checks(project)
    unread = [collection for collection in engine.collections() if collection.on_disk and collection.id not in checks]
    if not unread or engine.builds.under_way():
        return
    for collection in unread:
        if collection.root.is_dir():
            begun = ledger.entries(project, collection.id)
            state = "was not read to its end: the rest is not found" if begun else "has not been read yet"
            yield Advisory("warn", f"{collection.name} {state}", "octavo index")


def _constrained(engine: Engine, _chunks: int) -> Iterator[Advisory]:
    if reason := engine.library.adapters.constrained():
        fast = engine.library.config.embedding.fast
        searched = "fast ones and words are searched" if fast else "words alone are searched"
        yield Advisory("info", f"{reason}: full vectors are not computed, {searched}")


def _vectors(engine: Engine, chunks: int) -> Iterator[Advisory]:
    made, profile = engine.store.catalog.recipe(engine.project.id), engine.embedder.profile
    if made is not None and made.embedding != profile and chunks:
        by = f"{made.embedding.model} ({made.embedding.revision})"
        message = f"the vectors were made by {by}, which is not the model in use: only words are searched"
        yield Advisory("warn", message, embed_anew(made.embedding, profile))
        return
    waiting = round((1.0 - engine.freshness().full_vectors) * chunks)
    if waiting and not engine.library.adapters.constrained():
        fast = engine.library.active.fast_profile
        tabled = fast is not None and engine.store.embeddings.coverage(engine.project.id, fast)[0]
        meanwhile = "their words and a rough meaning" if tabled else "their words"
        subject, learnt = (f"{waiting:,} passages are", "them") if waiting > 1 else ("1 passage is", "it")
        message = f"{subject} found by {meanwhile} until a server or a worker has learnt {learnt}"
        if (left := seconds_left(engine.library, waiting)) is not None:
            message += f"; that takes about {about(left)} more"
        learning = left is not None or engine.watched  # nobody need do anything
        yield Advisory("info", message, None if learning else "octavo index --wait-full")


def _unread(engine: Engine, chunks: int) -> Iterator[Advisory]:
    """What the model cannot read is found by words alone, which is no fault; but another model would find more."""
    if not chunks or not isinstance(engine.embedder, ReadingEmbedder):
        return
    embeddings, project = engine.store.embeddings, engine.project.id
    unread = embeddings.unread(project, engine.embedder.profile)
    if fast := engine.library.active.fast_profile:
        unread += embeddings.unread(project, fast)
    if unread:
        name = engine.embedder.profile.name
        message = f"{unread:,} of {chunks:,} chunks are in scripts that {name} cannot read: words alone find them"
        advice = "; a multilingual model such as bge-m3 or multilingual-e5 reads them"
        yield Advisory("info", message + advice, "octavo config describe embedding.model")


def _snapshots(engine: Engine, chunks: int) -> Iterator[Advisory]:
    accelerator = engine.accelerator
    if accelerator is None or chunks < accelerator.threshold:
        return
    if accelerator.manifest() is None:
        damaged = [snapshot for snapshot in accelerator.upkeep.stored() if snapshot.problem]
        message = "its snapshots cannot be used" if damaged else "it has no snapshot"
        yield Advisory("warn", f"the library is large and {message}: searches are slow", "octavo snapshots build")


def _clusters(engine: Engine, chunks: int) -> Iterator[Advisory]:
    made = engine.store.clusters.state(engine.project.id)
    if made is not None and made.stale(chunks):
        yield Advisory("info", "the library has grown by a fifth since its clusters were made", "octavo cluster build")
    if made is None and (profile := _needing(engine, CLUSTERS)):
        yield Advisory("warn", f"{profile} searches in clusters, but none were made", "octavo cluster build")


def _graph(engine: Engine, _chunks: int) -> Iterator[Advisory]:
    runs = engine.store.graph.runs(engine.project.id)
    if COMMUNITIES not in runs and (profile := _needing(engine, COMMUNITIES)):
        yield Advisory("warn", f"{profile} knows communities, but none were found", "octavo graph build")
    if THEMATIC_LINKS not in runs and (profile := _following(engine, EdgeType.THEMATIC_LINK)):
        message = f"{profile} follows links between what is near in meaning, but none were made"
        yield Advisory("warn", message, "octavo graph build")
    elif ENTITIES not in runs and (profile := _following(engine, *ENTITY_EDGES)):
        message = f"{profile} follows who and what documents name, but nobody has looked for entities"
        yield Advisory("warn", message, "octavo graph build")


def _following(engine: Engine, *types: EdgeType) -> str:
    """The profile with a stage that follows every type of link, or names one of these."""
    for profile, stages in _wanted_stages(engine):
        walked = [stage.types for stage in stages if isinstance(stage, FollowsEdges)]
        # What follows all that people wrote down does well without what is computed.
        if any(not each or (each != WRITTEN_EDGES and not set(types).isdisjoint(each)) for each in walked):
            return profile
    return ""


def _finetuned(engine: Engine, chunks: int) -> Iterator[Advisory]:
    """Fine-tuning takes an hour or more; that what it made answers nobody is easily overlooked."""
    done = any(run.name == FINETUNE and run.state == "done" for run in offline_runs(engine, chunks))
    made_here = [
        profile for profile in engine.store.profiles.named(engine.project.id) if profile.settings.provider == "onnx"
    ]
    idle = all(profile.state is EmbeddingProfileState.IDLE for profile in made_here)
    if done and idle and engine.store.catalog.reranker(engine.project.id) is None:
        yield Advisory("info", "a model was fine-tuned on this library and is not in use", "octavo models list")


def _summaries(engine: Engine, _chunks: int) -> Iterator[Advisory]:
    made = engine.store.summaries.summarised(engine.project.id, engine.embedder.profile)
    if made.documents >= made.of:
        return
    profile = _with_stage(engine, SectionRecall) or _with_stage(engine, FileRecall)
    if profile and not made.documents:
        yield Advisory("warn", f"{profile} searches in summaries, but none were made", "octavo summaries build")
    elif made.documents or SUMMARIES in engine.store.graph.runs(engine.project.id):
        message = f"{made.of - made.documents:,} of {made.of:,} documents have no summaries yet"
        yield Advisory("info", message, "octavo summaries build")


def _broken_off(engine: Engine, chunks: int) -> Iterator[Advisory]:
    for run in offline_runs(engine, chunks):
        if run.state == "stale" and run.name in _FOUND:
            message = f"a tenth of the documents came, changed or went since {_FOUND[run.name]} were found"
            yield Advisory("info", message, "octavo graph build")
        if run.state in ("interrupted", "failed"):
            message = "was broken off" if run.state == "interrupted" else "was given up"
            yield Advisory("warn", f"{_CALLED[run.name][0]} {message}", _CALLED[run.name][1])


def _with_stage(engine: Engine, kind: type[object]) -> str:
    """The profile that has a stage of this kind, in words; empty where none has."""
    for profile, stages in _wanted_stages(engine):
        if any(isinstance(stage, kind) for stage in stages):
            return profile
    return ""


def _needing(engine: Engine, run: str) -> str:
    """The profile with a stage that reads what this run computes, in words; empty where none does."""
    for profile, stages in _wanted_stages(engine):
        if any(isinstance(stage, NeedsRun) and stage.needs == run for stage in stages):
            return profile
    return ""


def _wanted_stages(engine: Engine) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Of the default profile, and of those that somebody wrote: what ships with Octavo is offered, not wanted."""
    default, profiles = engine.defaults.profile, []
    with suppress(OctavoError):
        profiles.append(("the default profile", engine.retrieval_profile(default)))
    with suppress(OctavoError):  # what is wrong with one of them is said to whoever searches by it
        own = engine.reader.own_retrieval_profiles()
        profiles += [(f"the profile {name}", profile) for name, profile in own.items() if name != default]
    for message, profile in profiles:
        yield message, (*profile.recall, *profile.refine)


_Kind = Callable[["Engine", int], Iterable[Advisory]]
_KINDS: tuple[_Kind, ...] = (
    _folders,
    _constrained,
    _vectors,
    _unread,
    _snapshots,
    _clusters,
    _graph,
    _summaries,
    _finetuned,
    _broken_off,
)
