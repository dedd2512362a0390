"""A library brought up to this version and its configuration, checked, and repaired."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import mend, not_read_again
from octavo.engine.wiring.store_opening import upgrade_schema as change_tables
from octavo.errors import InvalidArgument, LibraryError
from octavo.model.job import JobKind
from octavo.model.library_location import Location
from octavo.observability.progress import Progress
from octavo.operations.database.requests import DbCheckRequest, DbRepairRequest, DbUpgradeRequest
from octavo.operations.database.results import CheckAnswer, RepairAnswer, UpgradeAnswer
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
