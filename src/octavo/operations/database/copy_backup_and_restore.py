"""A library in another place: copied to another engine, saved to a file, or put back."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import chain, count
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_copying import Carried, Transfer, transfer
from octavo.engine.wiring.store_opening import open_tables, overwrite_library
from octavo.errors import Conflict, InvalidArgument, LibraryError, NotALibrary, NotFound
from octavo.fast_dataclass import Value
from octavo.model.library_location import DatabaseUrl, Location
from octavo.observability.progress import NoProgress, Progress
from octavo.operations.database.requests import DbBackupRequest
from octavo.operations.database.results import SavedLibrary
from octavo.path_resolution_and_private_folders import expand_user, make_folder, real_path

_NOT_SAVED = "name a file that `octavo db backup` made"


class Migrated(Value):
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


def db_backup(engine: Engine, request: DbBackupRequest) -> SavedLibrary:
    """The library in a file, while it is in use."""
    if engine.location is None:
        raise InvalidArgument("a library in memory cannot be saved", hint="open it at a path")
    return save_copy(engine.location, expand_user(request.to), replace=request.force)


def save_copy(library: Location, to: Path, *, replace: bool = False) -> SavedLibrary:
    """The library in a file, while it is in use."""
    if to.exists() and not replace:
        raise Conflict(f"{to} is already there", hint="give another name, or --force to replace it")
    with closing(open_tables(library, read_only=True)) as opened:
        if isinstance(library, DatabaseUrl):
            opened.backup(to)
        with _unfinished(to) as unfinished:
            opened.backup(unfinished)
            unfinished.replace(to)
    return _saved(to)


def restore(saved: Path, library: Location, *, replace: bool = False) -> SavedLibrary:
    """Puts a saved library back. One that is there is kept as `….before-restore`, and may be open elsewhere."""
    if not saved.is_file():
        raise NotFound(f"there is no file {saved}", hint=_NOT_SAVED)
    if isinstance(library, DatabaseUrl):
        try:
            migrate(saved, library)
        except NotALibrary as error:
            hint = f"{_NOT_SAVED}; what `pg_dump` saved is put back by `pg_restore`"
            raise NotALibrary(error.message, hint=hint) from error
        return _saved(saved)
    if library.exists() and not replace:
        raise Conflict(f"{library} is already there", hint="add --force; it is kept beside the restored one")
    make_folder(library.parent)
    with _unfinished(library) as unfinished:
        try:
            with closing(open_tables(saved, read_only=True, at_rest=True)) as opened:
                opened.backup(unfinished)
        except NotALibrary as error:
            raise NotALibrary(error.message, hint=_NOT_SAVED) from error
        # Not before the other is known to be a library, and written.
        if library.exists() and _kept_in_place(library):
            overwrite_library(library, unfinished)
        else:
            _set_aside(library)
            unfinished.replace(library)
    return _saved(library)


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """Where a copy is written before it takes its place: another process may be making one for the same place."""
    place = target.with_name(f"{target.name}.{os.urandom(4).hex()}.new")
    try:
        yield place
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            place.with_name(f"{place.name}{suffix}").unlink(missing_ok=True)


def _kept_in_place(library: Path) -> bool:
    """Copies a library to `….before-restore`; false where it is too damaged, or too old, to be read."""
    copy = _free_name(library)
    try:
        with closing(open_tables(library, read_only=True)) as opened:
            opened.backup(copy)
    except LibraryError:
        copy.unlink(missing_ok=True)
        return False
    return True


def _set_aside(library: Path) -> None:
    """Renames a library to `….before-restore`."""
    # The log holds what was written last: it goes with its library.
    suffixes = [suffix for suffix in ("", "-wal", "-shm") if library.with_name(f"{library.name}{suffix}").exists()]
    name = _free_name(library).name if suffixes else ""
    for suffix in suffixes:
        library.with_name(f"{library.name}{suffix}").replace(library.with_name(f"{name}{suffix}"))


def _free_name(library: Path) -> Path:
    """`….before-restore`, with a number where earlier ones have that name; an empty file there keeps others off it."""
    for number in chain(("",), (f"-{number}" for number in count(2))):
        place = library.with_name(f"{library.name}.before-restore{number}")
        with suppress(FileExistsError):
            place.touch(mode=0o600, exist_ok=False)
            return place
    raise AssertionError("numbers do not end")


def _same_place(place: Location, other: Location) -> bool:
    if isinstance(place, Path) and isinstance(other, Path):
        return real_path(place) == real_path(other)
    return place == other


def _saved(path: Path) -> SavedLibrary:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return SavedLibrary(str(path), path.stat().st_size, digest)
