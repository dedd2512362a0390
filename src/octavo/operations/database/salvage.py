"""A library whose file is damaged: what can be read of it becomes a new library, and the old file is kept."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path
from threading import Thread

from octavo.engine.engine import Engine
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import not_read_again, read_everything
from octavo.engine.wiring.salvage_adapter import Salvaged, salvage_file
from octavo.errors import LibraryError
from octavo.fast_dataclass import replace
from octavo.model.library_damage import LibraryPart
from octavo.observability.logs import logger
from octavo.observability.progress import NoProgress, Progress
from octavo.operations.database.results import RepairAnswer


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
