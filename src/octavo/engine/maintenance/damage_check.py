"""What is wrong with a library and its snapshots: asked after every run that wrote, and before a repair."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from octavo.errors import OctavoError
from octavo.model.library_damage import Damage, LibraryPart
from octavo.observability.progress import Progress
from octavo.sql_repositories.project_of_open_library import StoredProject

if TYPE_CHECKING:
    from octavo.ingest.snapshot_search_accelerator import Accelerator


class CheckableEngine(StoredProject, Protocol):
    @property
    def accelerator(self) -> Accelerator | None: ...


def damage(engine: CheckableEngine, *, quick: bool = False, progress: Progress | None = None) -> tuple[Damage, ...]:
    """What is wrong with the library and its snapshots. `quick` looks at samples of both."""
    return (*engine.store.damage(quick=quick, progress=progress), *_snapshot_damage(engine, quick=quick))


def _snapshot_damage(engine: CheckableEngine, *, quick: bool) -> tuple[Damage, ...]:
    accelerator = engine.accelerator
    if accelerator is None or not accelerator.published:
        return ()
    with suppress(OctavoError):  # a library that cannot be read has said so
        upkeep = accelerator.upkeep
        stored = upkeep.stored() if quick else upkeep.verify()
        return tuple(
            Damage(LibraryPart.SNAPSHOTS, snapshot.problem) for snapshot in stored if "damaged" in snapshot.problem
        )
    return ()
