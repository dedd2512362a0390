"""A whole library checked, part by part, and everything mended that can be computed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from octavo.engine.maintenance.damage_check import damage
from octavo.errors import LibraryError, OctavoError
from octavo.jobs.follow_up_job_queueing import queue_graph_jobs
from octavo.memory.memory_item_repair import repair_items
from octavo.memory.memory_rechunking import reingest
from octavo.model.library_damage import Damage, LibraryPart
from octavo.model.projects_and_collections import MEMORIES
from octavo.observability.logs import logger
from octavo.observability.progress import NoProgress, Progress

if TYPE_CHECKING:
    from octavo.engine.engine import Engine

_ALL = 1 << 40  # vectors: as many as are missing
_STORED = {LibraryPart.FILE, LibraryPart.MEMORIES}


def mend_derived(engine: Engine) -> None:
    """Makes anew what derives from texts, folders and models, while the library is in use; no text is removed."""
    _, left = mend(engine, derived_only=True)
    if left:
        raise LibraryError(f"not everything could be mended: {left[0].message}", hint="run `octavo db repair`")


def mend(
    engine: Engine, progress: Progress | None = None, *, derived_only: bool = False
) -> tuple[tuple[Damage, ...], tuple[Damage, ...]]:
    """What was wrong, and what still is. What fails in one part does not keep the others from being mended; it is told,
    but where a server mends beside its work: a later run makes up for it."""
    damages, failed = damage(engine, progress=progress), _Attempts()
    for problem in damages:
        logger("engine").info("damaged: %s", problem.message)
    parts = {problem.part for problem in damages} - (_STORED if derived_only else set())
    projects = [engine.within(known.name) for known in engine.store.catalog.projects()] if damages else []
    if LibraryPart.MEMORIES in parts:
        for project in projects:
            failed.attempt(LibraryPart.MEMORIES, "memories", partial(repair_items, project.memories))
    if LibraryPart.WORDS in parts:
        failed.attempt(LibraryPart.WORDS, "the word index", engine.store.repair)
        parts = {problem.part for problem in engine.store.damage()} | (parts & {LibraryPart.SNAPSHOTS})
    if parts & {LibraryPart.DOCUMENTS, LibraryPart.VECTORS, LibraryPart.FILE, LibraryPart.MEMORIES}:
        remove = partial(engine.store.remove_damaged, texts_too=not derived_only)
        failed.attempt(LibraryPart.DOCUMENTS, "what has changed", remove)
    if LibraryPart.MEMORIES in parts:
        for project in projects:
            _index_memories(project, failed, everything=False)  # those whose texts were put back
    if parts & {LibraryPart.DOCUMENTS, LibraryPart.WORDS, LibraryPart.VECTORS, LibraryPart.FILE}:
        for project in projects:
            everything = bool(parts - {LibraryPart.VECTORS, LibraryPart.SNAPSHOTS})
            _read_again(project, progress or NoProgress(), failed, everything=everything)
            queue_graph_jobs(project.store, project.project.id)  # the graph of what was read again
    if LibraryPart.SNAPSHOTS in parts and (accelerator := engine.accelerator) is not None:
        failed.attempt(LibraryPart.SNAPSHOTS, "snapshots", lambda: accelerator.upkeep.rebuild(progress or NoProgress()))
    left = damage(engine) if damages else ()
    return damages, left if derived_only else (*left, *failed.damage)


def read_everything(engine: Engine, progress: Progress) -> tuple[Damage, ...]:
    """Folders, memories and vectors of every project: what a library that was just salvaged lacks. What failed."""
    failed = _Attempts()
    for known in engine.store.catalog.projects():
        _read_again(engine.within(known.name), progress, failed, everything=True)
    return tuple(failed.damage)


def not_read_again(engine: Engine, unreadable: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """After a repair: of versions whose texts could not be read those that no file says any more."""
    hashes, documents = [digest for digest, _ in unreadable], engine.store.documents
    projects = engine.store.catalog.projects() if unreadable else ()
    known = {digest for project in projects for digest in documents.texts(project.id, hashes)}
    return tuple(message for digest, message in unreadable if digest not in known)


def _read_again(engine: Engine, progress: Progress, failed: _Attempts, *, everything: bool) -> None:
    """Files from their folders, memories from their versions, then vectors.

    The ledger would say that nothing has changed, so it is distrusted first; vectors that are whole are kept.
    """
    store, project = engine.store, engine.project.id
    folders = [known for known in engine.collections() if known.on_disk and known.root.is_dir()]
    if everything:
        with store.transaction():
            for collection in folders:
                store.ledger.distrust(project, collection.id, list(store.ledger.entries(project, collection.id)))
    names = [folder.name for folder in folders]
    if names:
        failed.attempt(
            LibraryPart.DOCUMENTS, "folders", lambda: engine.index(names, reread=everything, progress=progress)
        )
    _index_memories(engine, failed, everything=everything)
    failed.attempt(LibraryPart.VECTORS, "vectors", lambda: engine.writer.embed(_ALL, progress=progress))


def _index_memories(engine: Engine, failed: _Attempts, *, everything: bool) -> None:
    if any(collection.name == MEMORIES for collection in engine.collections()):
        failed.attempt(LibraryPart.MEMORIES, "memories", lambda: reingest(engine.memories, everything=everything))


class _Attempts:
    """Steps of a repair. One that fails does not keep the others from being tried, and is remembered."""

    def __init__(self) -> None:
        self.damage: list[Damage] = []

    def attempt(self, part: LibraryPart, what: str, work: Callable[[], object]) -> None:
        try:
            work()
            logger("engine").info("mended: %s", what)
        except OctavoError as error:
            logger("engine").warning("%s could not be mended: %s", what, error.message)
            self.damage.append(Damage(part, f"{what} could not be mended: {error.message}"))
        except Exception as error:
            # Rows that are damaged may be anything, and what reads them may rely on what they no longer are.
            logger("engine").exception("%s could not be mended", what)
            self.damage.append(Damage(part, f"{what} could not be mended: {type(error).__name__}: {error}"))
