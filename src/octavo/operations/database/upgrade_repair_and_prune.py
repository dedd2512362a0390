"""Brings a library up to date, checks and repairs it, reads what can be read of a damaged one, drops old versions."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import chain, count
from pathlib import Path
from threading import Thread
from typing import Protocol, TypeVar

from octavo.engine.engine import Engine
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import mend, not_read_again, read_everything
from octavo.engine.wiring.salvage_adapter import Salvaged, salvage_file
from octavo.engine.wiring.store_opening import upgrade_schema as change_tables
from octavo.errors import InvalidArgument, LibraryError
from octavo.fast_dataclass import replace
from octavo.model.job import JobKind, JobState
from octavo.model.library_damage import LibraryPart
from octavo.model.library_location import Location
from octavo.observability.logs import logger
from octavo.observability.progress import NoProgress, Progress
from octavo.operations.database.requests import DbCheckRequest, DbPruneRequest, DbRepairRequest, DbUpgradeRequest
from octavo.operations.database.results import CheckAnswer, PruneAnswer, RepairAnswer, UpgradeAnswer
from octavo.operations.library.indexing import answered


def db_upgrade(engine: Engine, request: DbUpgradeRequest, progress: Progress) -> UpgradeAnswer:
    """Records how the configuration indexes, then indexes again what was indexed otherwise.

    Texts are embedded again only where the model changed; with `background` a worker does that, and until it has, what
    has no new vector yet is found by its words.
    """
    configured, recorded = engine.recipe(), engine.store.catalog.recipe(engine.project.id)
    differences = recorded.differences(configured) if recorded is not None else ()
    if differences:
        with engine.store.transaction():
            engine.store.catalog.record_recipe(engine.project.id, configured)
            engine.store.outbox.enqueue(engine.project.id, JobKind.REINGEST, "recipe", {"redact": True})
            if request.background:
                engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "upgrade", {})
    report = None
    if any(collection.on_disk for collection in engine.collections()):
        report = engine.index(embed=not request.background, reread=request.rebuild, progress=progress)
    return UpgradeAnswer(
        differences=differences,
        promised=request.background and bool(differences),
        report=None if report is None else answered(report),
    )


def upgrade_schema(library: Location) -> Path | None:
    """Before a library is opened: has its tables made this version's. Where a file that was older is kept as it was."""
    return change_tables(library)


def db_check(engine: Engine, request: DbCheckRequest, progress: Progress) -> CheckAnswer:
    """Reads the whole library and its snapshots, or samples of them."""
    if request.quick and request.full:
        raise InvalidArgument(
            "a check is quick or full, not both",
            hint="leave one of --quick and --full out",
            details={"field": "quick", "value": True, "reason": "full is given as well", "valid_options": [False]},
        )
    problems = tuple(problem.message for problem in damage(engine, quick=request.quick, progress=progress))
    return CheckAnswer(not problems, problems, "quick" if request.quick else None)


def db_repair(engine: Engine, request: DbRepairRequest, progress: Progress) -> RepairAnswer:
    """Makes anew what can be computed again: the word index from the stored words, vectors by the model, chunks from
    files in their folders and memories from their versions, snapshots from all of these."""
    unreadable: tuple[tuple[str, str], ...] = ()
    with suppress(LibraryError):  # a file that cannot be read has that said by the check
        unreadable = engine.store.unreadable_versions()
    problems, left = mend(engine, progress)
    return RepairAnswer(
        tuple(problem.message for problem in problems),
        tuple(problem.message for problem in left),
        lost=not_read_again(engine, unreadable) or None,
    )


def salvage_library(library: Path, *, only_whole: bool = False) -> tuple[Path, Salvaged]:
    """Where the damaged file is kept now, and what was read of it. Nothing is changed where nothing can be read, nor,
    with `only_whole`, where something cannot."""
    fresh = library.with_name(f"{library.name}.salvaged")
    for suffix in ("", "-wal", "-shm"):
        fresh.with_name(f"{fresh.name}{suffix}").unlink(missing_ok=True)
    salvaged = salvage_file(library, fresh)
    if not salvaged.rows.get("projects"):
        fresh.unlink(missing_ok=True)
        raise LibraryError(
            f"{library} is not a library, or nothing of it can be read any more",
            hint="put back a saved copy with `octavo db restore FILE --force`, or name another file with --library",
        )
    if only_whole and (lost := [*salvaged.lost, *(message for _, message in salvaged.textless)]):
        fresh.unlink(missing_ok=True)
        raise LibraryError(
            f"{library} is damaged, and not all of it can be read: {lost[0]}",
            hint="run `octavo db repair`: it keeps the damaged file and names what is lost",
        )
    names = chain([""], (f"-{number}" for number in count(2)))
    damaged = next(f"{library.name}.damaged{number}" for number in names if not _there(library, number))
    for suffix in ("", "-wal", "-shm"):  # the log is of the damaged file, and would be applied to the new one
        file = library.with_name(f"{library.name}{suffix}")
        if file.exists():
            file.replace(library.with_name(f"{damaged}{suffix}"))
    fresh.replace(library)
    return library.with_name(damaged), salvaged


def rebuilt(engine: Engine, kept: Path, salvaged: Salvaged, found: str, progress: Progress) -> RepairAnswer:
    """Reads folders and memories into the new library; what was wrong, what still is, and what nobody can read."""
    failed = read_everything(engine, progress)
    left = tuple(problem.message for problem in (*damage(engine), *failed))
    lost = (*salvaged.lost, *not_read_again(engine, salvaged.textless))
    return replace(RepairAnswer((found,), left), kept=str(kept), lost=lost)


def heal(library: Path, found: str) -> None:
    """Puts a new file in place of a damaged one of which everything could be read; a `LibraryError` where it could not.

    `read_again` does the rest once it is open."""
    kept, _ = salvage_library(library, only_whole=True)
    message = "%s; everything in it could be read: a new file has it, and the damaged one is kept as %s"
    logger("engine").warning(message, found, kept)


def read_again(engine: Engine) -> None:
    """Reads folders and memories into a library that was just healed, in a thread, while it answers already."""
    Thread(target=read_everything, args=(engine, NoProgress()), name="octavo-read-again", daemon=True).start()


def file_damage(engine: Engine) -> str:
    """What is wrong with the file itself, in a sentence; empty where it is whole."""
    return next((problem.message for problem in damage(engine) if problem.part is LibraryPart.FILE), "")


def _there(library: Path, number: str) -> bool:
    return library.with_name(f"{library.name}.damaged{number}").exists()


_DAY = 86_400.0


class Version(Protocol):
    @property
    def document(self) -> int: ...

    @property
    def version(self) -> int: ...

    @property
    def replaced_at(self) -> float: ...

    @property
    def size(self) -> int: ...


_V = TypeVar("_V", bound=Version)


def db_prune(engine: Engine, request: DbPruneRequest, now: Callable[[], float] = time.time) -> PruneAnswer:
    store, project = engine.store, engine.project.id
    pruning = store.pruning
    before = None if request.older_than is None else now() - request.older_than * _DAY

    class DryRun(Exception):
        """Raised to roll everything back."""

    answer = PruneAnswer(0, 0, 0, 0, request.dry_run)
    try:
        with store.transaction():
            going = chosen(pruning.earlier(project), before, request.keep, request.max_bytes)
            pruning.remove(project, going)
            unused = pruning.unused(project)
            pruning.remove_unused(project)
            store.outbox.purge(project, [JobState.DONE], now())
            cached = (
                (store.completions.prune(project, 0) + store.rerank_scores.prune(project, 0)) if request.cache else 0
            )
            answer = PruneAnswer(len(going), unused.texts, unused.vectors, unused.bytes, request.dry_run, cached)
            if request.dry_run:
                raise DryRun
    except DryRun:
        return answer
    store.compact(fully=True)
    return answer


def chosen(
    versions: Sequence[_V], before: float | None = None, keep: int | None = None, max_bytes: int | None = None
) -> list[_V]:
    """Of earlier versions, oldest first, those that any of the conditions lets go."""
    of_document: defaultdict[int, list[int]] = defaultdict(list)
    for version in versions:
        of_document[version.document].append(version.version)
    newest = {document: set(sorted(versions)[-keep:] if keep else ()) for document, versions in of_document.items()}
    going: list[_V] = []
    left: list[_V] = []
    for version in versions:
        old = before is not None and version.replaced_at < before
        many = keep is not None and version.version not in newest[version.document]
        (going if old or many else left).append(version)
    total = sum(version.size for version in left)
    for version in left if max_bytes is not None else ():
        if total <= (max_bytes or 0):
            break
        going.append(version)
        total -= version.size
    return going
