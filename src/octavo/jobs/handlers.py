"""What each kind of job does. Every one may run twice, or stop anywhere, and leaves the library as one run would."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from octavo.errors import MissingExtra
from octavo.fast_dataclass import replace
from octavo.ingest.chunk_embedding import embed_pending
from octavo.ingest.embedding_profile_switch import CONFIGURED, missing, profile_named, switch, switch_back
from octavo.ingest.snapshot_search_accelerator import Accelerator
from octavo.jobs.communities_and_thematic_links import find_communities, find_thematic_links
from octavo.jobs.entity_finding import EntitySettings, EntityWork, find_entities
from octavo.jobs.follow_up_job_queueing import can_find_communities, queue_snapshot
from octavo.jobs.summary_making import Summarising, make_summaries
from octavo.memory.memory_rechunking import reingest
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.stored_text_redaction import redact_stored
from octavo.model.embedding_profile import EmbeddingProfileState, NamedEmbeddingProfile
from octavo.model.index_recipe import Recipe
from octavo.model.job import REBUILD, Job, JobKind
from octavo.model.memory import MemoryId
from octavo.model.summary import SummarySettings
from octavo.observability.logs import logger
from octavo.observability.progress import NoProgress
from octavo.ports import Embedder, Observer

Handler = Callable[[Job], None]

_AT_ONCE = 512  # inputs a job embeds before it makes way for newer ones


class VectorWriter(Protocol):
    """What gives chunks their vectors."""

    def upgrade(self, most: int) -> int: ...

    def make_inputs(self) -> None: ...


class JobEngine(Summarising, EntityWork, Protocol):
    @property
    def observers(self) -> Sequence[Observer]: ...

    @property
    def memories(self) -> ProjectMemories: ...

    @property
    def accelerator(self) -> Accelerator | None: ...

    def follow_active_profile(self) -> None: ...

    def profile_embedder(self, profile: NamedEmbeddingProfile) -> Embedder: ...

    def configured_embedder(self) -> Embedder: ...

    def recipe(self) -> Recipe: ...

    def repair(self) -> None: ...

    @property
    def writer(self) -> VectorWriter: ...


def handlers(engine: JobEngine) -> Mapping[JobKind, Handler]:
    store, project = engine.store, engine.project.id

    def embed(job: Job) -> None:
        engine.follow_active_profile()
        started = time.perf_counter()
        done = engine.writer.upgrade(_AT_ONCE)
        for observer in engine.observers:
            observer.embedded(done, time.perf_counter() - started)
        if done == _AT_ONCE:
            with store.transaction():
                store.outbox.enqueue(project, JobKind.EMBED, job.subject, {})
        elif engine.accelerator is not None and engine.accelerator.upkeep.due():
            queue_snapshot(store, project)

    def index_again(job: Job) -> None:
        engine.follow_active_profile()
        only = [MemoryId(name) for name in job.payload.get("items", ())]
        if job.payload.get("redact"):
            redact_stored(engine.memories)
        reingest(engine.memories, only=only, everything=bool(only) or bool(job.payload.get("everything")))

    def reindex_profile(job: Job) -> None:
        if job.payload["profile"] == CONFIGURED:
            reindex_configured(job)
            return
        profile = profile_named(store, project, str(job.payload["profile"]))
        if profile.state is not EmbeddingProfileState.FILLING:
            return  # it was stopped, or another worker has finished it
        embedder = engine.profile_embedder(profile)
        engine.writer.make_inputs()
        embed_pending(store, project, embedder, NoProgress(), newest=_AT_ONCE)
        filled = indexed(embedder, profile.settings.options)
        if not filled or not switch(store, profile, embedder, engine.recipe()):
            with store.transaction():
                store.outbox.enqueue(project, JobKind.REINDEX_PROFILE, job.subject, job.payload)

    def reindex_configured(job: Job) -> None:
        embedder = engine.configured_embedder()
        engine.writer.make_inputs()
        embed_pending(store, project, embedder, NoProgress(), newest=_AT_ONCE)
        if indexed(embedder, {}) and switch_back(store, project, embedder, engine.recipe()):
            engine.follow_active_profile()
            return
        with store.transaction():
            store.outbox.enqueue(project, JobKind.REINDEX_PROFILE, job.subject, job.payload)

    def indexed(embedder: Embedder, options: Mapping[str, Any]) -> bool:
        """Whether every chunk has its vector; a server's index of them is there before searches need it."""
        if missing(store, project, embedder):
            return False
        store.maintain(project, embedder.profile, options)
        return True

    def communities(job: Job) -> None:
        if not can_find_communities():
            logger("jobs").warning("the communities stay as they are: igraph is not installed any more")
            return
        try:
            find_communities(store, project, job.payload)
        except MissingExtra as error:  # it is there and cannot be imported: trying again would not help
            logger("jobs").warning("the communities stay as they are: %s", error.message)

    def thematic_links(job: Job) -> None:
        engine.follow_active_profile()
        find_thematic_links(store, project, engine.embedder.profile, job.payload)

    def summaries(job: Job) -> None:
        engine.follow_active_profile()
        settings = SummarySettings.of(job.payload)
        if engine.writer.upgrade(_AT_ONCE) < _AT_ONCE:  # a centroid is made of full vectors, so those come first
            made = make_summaries(engine, settings, most=_AT_ONCE)
            if not made.documents or not made.left:
                return
            settings = settings.after(made.tokens)
        with store.transaction():
            store.outbox.enqueue(project, JobKind.SUMMARIES, job.subject, settings.facts())

    def entities(job: Job) -> None:
        settings = EntitySettings.of(job.payload)
        outcome = find_entities(engine, settings, most=_AT_ONCE)
        if outcome.documents and outcome.left and not outcome.stopped:
            left = replace(settings, budget=max(0, settings.budget - outcome.tokens))
            with store.transaction():
                store.outbox.enqueue(project, JobKind.ENTITIES, job.subject, left.facts())

    def snapshot(job: Job) -> None:
        engine.follow_active_profile()
        if engine.accelerator is None:  # a database server has indexes of its own
            store.maintain(project, engine.embedder.profile)
        elif job.subject == REBUILD:
            engine.accelerator.upkeep.rebuild(NoProgress())
        else:
            engine.accelerator.upkeep.publish_if_due(NoProgress())

    return {
        JobKind.EMBED: embed,
        JobKind.REINGEST: index_again,
        JobKind.REINDEX_PROFILE: reindex_profile,
        JobKind.COMMUNITIES: communities,
        JobKind.THEMATIC_LINKS: thematic_links,
        JobKind.SNAPSHOT: snapshot,
        JobKind.SUMMARIES: summaries,
        JobKind.ENTITIES: entities,
        JobKind.REPAIR: lambda job: engine.repair(),
    }
