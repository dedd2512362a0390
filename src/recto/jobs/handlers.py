"""What each kind of job does. Every one may run twice, or stop anywhere, and leaves the library as one run would."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from recto.ingest.accelerate import Accelerator
from recto.ingest.profiles import fill, profile_named, switch
from recto.jobs.graph import find_communities, find_thematic_links
from recto.memory.desk import Desk
from recto.memory.reingest import reingest
from recto.model.collection import Project
from recto.model.ids import ProjectId
from recto.model.job import Job, JobKind
from recto.model.memory import MemoryId
from recto.model.profile import NamedProfile, ProfileState
from recto.model.recipe import Recipe
from recto.observability.progress import NoProgress
from recto.ports import Embedder, Store

Handler = Callable[[Job], None]

_AT_ONCE = 512  # inputs a job embeds before it makes way for newer ones


class Workshop(Protocol):
    """What jobs are done with. An engine is one."""

    @property
    def store(self) -> Store: ...

    @property
    def project(self) -> Project: ...

    @property
    def embedder(self) -> Embedder: ...

    @property
    def desk(self) -> Desk: ...

    @property
    def accelerator(self) -> Accelerator | None: ...

    def follow_profile(self) -> None: ...

    def profile_embedder(self, profile: NamedProfile) -> Embedder: ...

    def recipe(self) -> Recipe: ...

    def upgrade(self, most: int) -> int: ...

    def make_inputs(self) -> None: ...


def handlers(engine: Workshop) -> Mapping[JobKind, Handler]:
    store, project = engine.store, engine.project.id

    def embed(job: Job) -> None:
        engine.follow_profile()
        if engine.upgrade(_AT_ONCE) == _AT_ONCE:
            with store.transaction():
                store.outbox.enqueue(project, JobKind.EMBED, job.subject, {})
        elif engine.accelerator is not None and engine.accelerator.due():
            promise_snapshot(store, project)

    def index_again(job: Job) -> None:
        engine.follow_profile()
        only = [MemoryId(name) for name in job.payload.get("items", ())]
        reingest(engine.desk, only=only, everything=bool(only) or bool(job.payload.get("everything")))

    def reindex_profile(job: Job) -> None:
        profile = profile_named(store, project, str(job.payload["profile"]))
        if profile.state is not ProfileState.FILLING:
            return  # it was stopped, or another worker has finished it
        embedder = engine.profile_embedder(profile)
        engine.make_inputs()
        fill(store, project, embedder, newest=_AT_ONCE)
        if not switch(store, profile, embedder, engine.recipe()):
            with store.transaction():
                store.outbox.enqueue(project, JobKind.REINDEX_PROFILE, job.subject, job.payload)

    def communities(job: Job) -> None:
        find_communities(store, project, job.payload)

    def thematic_links(job: Job) -> None:
        engine.follow_profile()
        find_thematic_links(store, project, engine.embedder.profile, job.payload)

    def snapshot(job: Job) -> None:
        engine.follow_profile()
        if engine.accelerator is not None:
            engine.accelerator.publish_if_due(NoProgress())

    return {
        JobKind.EMBED: embed,
        JobKind.REINGEST: index_again,
        JobKind.REINDEX_PROFILE: reindex_profile,
        JobKind.COMMUNITIES: communities,
        JobKind.THEMATIC_LINKS: thematic_links,
        JobKind.SNAPSHOT: snapshot,
    }


def promise_snapshot(store: Store, project: ProjectId) -> None:
    """A new snapshot, made by whichever worker is free; whether it is still due is asked then."""
    with store.transaction():
        store.outbox.enqueue(project, JobKind.SNAPSHOT, "snapshot", {})
