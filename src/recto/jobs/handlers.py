"""What each kind of job does. Every one may run twice, or stop anywhere, and leaves the library as one run would."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from recto.ingest.embed import embed_pending
from recto.memory.desk import Desk
from recto.memory.reingest import reingest
from recto.model.ids import ProjectId
from recto.model.job import Job, JobKind
from recto.observability.progress import NoProgress
from recto.ports import Embedder, Store

Handler = Callable[[Job], None]

_AT_ONCE = 512  # inputs a job embeds before it makes way for newer ones


def handlers(
    store: Store, project: ProjectId, embedder: Callable[[], Embedder], desk: Callable[[], Desk]
) -> Mapping[JobKind, Handler]:
    def embed(job: Job) -> None:
        if embed_pending(store, project, embedder(), NoProgress(), newest=_AT_ONCE) == _AT_ONCE:
            with store.transaction():
                store.outbox.enqueue(project, JobKind.EMBED, job.subject, {})

    def index_again(job: Job) -> None:
        reingest(desk())

    return {JobKind.EMBED: embed, JobKind.REINGEST: index_again}
