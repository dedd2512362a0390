"""What is done with a whole library: copied to another engine, saved, brought up to date, checked, thinned out."""

from __future__ import annotations

import hashlib
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from recto.engine.engine import Engine
from recto.engine.importing import Imported, import_chroma
from recto.engine.parts import IndexReport
from recto.engine.wiring import open_tables
from recto.engine.wiring import upgrade_schema as change_tables
from recto.errors import Conflict, InvalidArgument, NotALibrary, NotFound
from recto.memory.reingest import reingest
from recto.migration.chroma import ChromaDirectory
from recto.migration.transfer import Carried, Transfer, transfer
from recto.model.collection import MEMORIES
from recto.model.job import JobKind
from recto.model.location import DatabaseUrl, Location
from recto.observability.progress import NoProgress, Progress

_NOT_SAVED = "name a file that `recto db backup` made"


@dataclass(frozen=True, slots=True)
class Migrated:
    """A library that now is in two places."""

    source: str
    target: str
    transfer: Transfer

    @property
    def carried(self) -> tuple[Carried, ...]:
        return self.transfer.carried


def migrate(source: Location, target: Location, progress: Progress | None = None) -> Migrated:
    """Copies a library to where there is none, compares both, and leaves the source as it was."""
    if _same_place(source, target):
        raise InvalidArgument(f"{source} is both source and target", hint="name another place after --to")
    if isinstance(source, Path) and not source.is_file():
        raise NotFound(f"there is no library at {source}", hint="name the library to copy after --from")
    with closing(open_tables(source, read_only=True)) as given, closing(open_tables(target, read_only=False)) as taken:
        return Migrated(str(source), str(target), transfer(given, taken, progress or NoProgress()))


def open_chroma(directory: Path) -> AbstractContextManager[ChromaDirectory]:
    """Looks whether it is one that can be read, before a library is made for it."""
    return closing(ChromaDirectory(directory))


def take_in_chroma(engine: Engine, source: ChromaDirectory, progress: Progress | None = None) -> Imported:
    """Takes the collections of a Chroma directory into an open library; what the library holds already stays."""
    return import_chroma(engine, source, progress or NoProgress())


@dataclass(frozen=True, slots=True)
class Saved:
    path: Path
    size: int
    sha256: str


def backup(library: Location, to: Path, *, replace: bool = False) -> Saved:
    """The library in a file, while it is in use."""
    if to.exists() and not replace:
        raise Conflict(f"{to} is already there", hint="give another name, or --force to replace it")
    with closing(open_tables(library, read_only=True)) as opened:
        if isinstance(library, DatabaseUrl):
            opened.backup(to)
        aside = to.with_name(f"{to.name}.new")
        aside.unlink(missing_ok=True)
        opened.backup(aside)
    aside.replace(to)
    return Saved(to, to.stat().st_size, _digest(to))


def restore(saved: Path, library: Location, *, replace: bool = False) -> Saved:
    """Puts a saved library back. One that is there is kept beside it, under the name `….before-restore`."""
    if not saved.is_file():
        raise NotFound(f"there is no file {saved}", hint=_NOT_SAVED)
    if isinstance(library, DatabaseUrl):
        try:
            migrate(saved, library)
        except NotALibrary as error:
            hint = f"{_NOT_SAVED}; what `pg_dump` saved is put back by `pg_restore`"
            raise NotALibrary(error.message, hint=hint) from error
        return Saved(saved, saved.stat().st_size, _digest(saved))
    if library.exists() and not replace:
        raise Conflict(f"{library} is already there", hint="add --force; it is kept beside the restored one")
    library.parent.mkdir(parents=True, exist_ok=True)
    aside = library.with_name(f"{library.name}.new")
    aside.unlink(missing_ok=True)
    try:
        with closing(open_tables(saved, read_only=True)) as opened:
            opened.backup(aside)
    except NotALibrary as error:
        raise NotALibrary(error.message, hint=_NOT_SAVED) from error
    _keep(library)  # not before the other is known to be one, and written
    aside.replace(library)
    return Saved(library, library.stat().st_size, _digest(library))


def _keep(library: Path) -> None:
    """Moves a library aside, beside any that an earlier restoring put there."""
    names = chain(("",), (f"-{number}" for number in count(2)))
    places = (f"{library.name}.before-restore{name}" for name in names)
    kept = next(place for place in places if not library.with_name(place).exists())
    for suffix in ("", "-wal", "-shm"):  # the log holds what was written last: it goes with its library
        part = library.with_name(f"{library.name}{suffix}")
        if part.exists():
            part.replace(library.with_name(f"{kept}{suffix}"))


@dataclass(frozen=True, slots=True)
class Upgraded:
    """What was different about the recipe, and what was done about it."""

    differences: tuple[str, ...]
    report: IndexReport | None
    promised: bool


def upgrade(
    engine: Engine, *, background: bool = False, rebuild: bool = False, progress: Progress | None = None
) -> Upgraded:
    """Records how the configuration indexes, then indexes again what was indexed otherwise.

    Texts are embedded again only where the model changed; with `background` a worker does that, and until it has, what
    has no new vector yet is found by its words.
    """
    wanted, recorded = engine.recipe(), engine.store.catalog.recipe(engine.project.id)
    differences = recorded.differences(wanted) if recorded is not None else ()
    if differences:
        with engine.store.transaction():
            engine.store.catalog.record_recipe(engine.project.id, wanted)
            engine.store.outbox.enqueue(engine.project.id, JobKind.REINGEST, "recipe", {})
            if background:
                engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "upgrade", {})
    on_disk = [one for one in engine.collections() if one.on_disk]
    report = engine.index(embed=not background, reread=rebuild, progress=progress) if on_disk else None
    return Upgraded(differences, report, promised=background and bool(differences))


def upgrade_schema(library: Location) -> Path | None:
    """Before a library is opened: has its tables made this version's. Where a file that was older is kept as it was."""
    return change_tables(library)


def check(engine: Engine) -> tuple[str, ...]:
    return engine.store.check()


@dataclass(frozen=True, slots=True)
class Repaired:
    """What was wrong, and what still is."""

    found: tuple[str, ...]
    left: tuple[str, ...]


def repair(engine: Engine, progress: Progress | None = None) -> Repaired:
    """Makes the word index anew from the tokens that are kept, and where that is not enough indexes everything again
    that can be read again: files from their folders, memories from their versions.

    The ledger would say that nothing has changed, so it is forgotten first; vectors that are there are kept.
    """
    found = engine.store.check()
    if not found:
        return Repaired((), ())
    store, project = engine.store, engine.project.id
    if store.mend() and not (left := store.check()):
        return Repaired(found, left)
    folders = [one for one in engine.collections() if one.on_disk and one.root.is_dir()]
    with store.transaction():
        for collection in folders:
            store.ledger.forget(project, collection.id, list(store.ledger.entries(project, collection.id)))
    if folders:
        engine.index([one.name for one in folders], reread=True, progress=progress)
    if any(one.name == MEMORIES for one in engine.collections()):
        reingest(engine.desk, everything=True)
    return Repaired(found, engine.store.check())


def _same_place(one: Location, other: Location) -> bool:
    if isinstance(one, Path) and isinstance(other, Path):
        return one.resolve() == other.resolve()
    return one == other


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
