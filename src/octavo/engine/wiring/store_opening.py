"""Opens the store of a library by its location, a file or a database server, and a file's snapshots."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.config.schema import Config
from octavo.config.search_snapshot_settings import Snapshots
from octavo.errors import MissingExtra, NotIndexed
from octavo.ingest.search_snapshot_setup import SnapshotSetup
from octavo.ingest.snapshot_search_accelerator import Accelerator
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.library_location import DatabaseUrl, Location
from octavo.model.projects_and_collections import Project
from octavo.plugins import STORES, install_command, load
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.database import overwrite, save_older
from octavo.stores.sqlite.library_path_checks import refuse_impossible
from octavo.stores.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from octavo.sql_repositories.table_transfer import TableTransfer


def open_store(place: Location, config: Config, *, create: bool) -> Store:
    if isinstance(place, DatabaseUrl):
        return _engine_of(place).open_store(place, config, create=create)
    if not create and not _is_there(place):
        raise NotIndexed(
            f"there is no library at {place}",
            hint="run `octavo start FOLDER` to make one of a folder, or connect the disk if it lies on another one",
        )
    return SqliteStore(place, create=create)


def _is_there(place: Path) -> bool:
    refuse_impossible(place, create=False)
    return place.exists()


def accelerator(
    settings: Snapshots,
    place: Location,
    store: Store,
    project: Project,
    profiles: Callable[[], tuple[EmbeddingProfile, ...]],
) -> Accelerator | None:
    """Snapshots lie next to the library's file. A database server has indexes of its own."""
    if not isinstance(store, SqliteStore) or not isinstance(place, Path) or not settings.enabled:
        return None
    root = place.with_name(f"{place.name}.snapshots") / project.id
    return Accelerator(
        SnapshotSetup(
            store,
            lambda: store.snapshot_marks,
            lambda: store.snapshots,
            project.id,
            root,
            settings,
            Analyzer.version,
            profiles,
        )
    )


def open_tables(place: Location, *, read_only: bool, at_rest: bool = False) -> TableTransfer:
    """A library as plain rows, to be copied from (`read_only`) or to. `at_rest` is a file that nobody writes to."""
    if isinstance(place, DatabaseUrl):
        return _engine_of(place).open_tables(place, read_only=read_only)
    from octavo.stores.sqlite.row_transfer import sqlite_transfer

    return sqlite_transfer(place, read_only=read_only, at_rest=at_rest)


def overwrite_library(library: Path, saved: Path) -> None:
    """Copies a saved library into one that may be open in other processes, which see it at once."""
    overwrite(library, saved)


def upgrade_schema(place: Location) -> Path | None:
    """Makes an older library one that this version opens; the path of the copy of a file as it was.

    A file is changed by whoever opens it next. What several people share on a server is changed here alone.
    """
    if isinstance(place, Path):
        return save_older(place)
    _engine_of(place).upgrade_schema(place)
    return None


class StoreEngine(Protocol):
    """Opens libraries at URLs of one scheme: what an entry point of `octavo.stores` names."""

    def open_store(self, url: DatabaseUrl, config: Config, *, create: bool) -> Store: ...

    def open_tables(self, url: DatabaseUrl, *, read_only: bool) -> TableTransfer:
        """The library as plain rows, to be copied from or to."""

    def upgrade_schema(self, url: DatabaseUrl) -> None: ...


def _engine_of(url: DatabaseUrl) -> StoreEngine:
    try:
        engine: StoreEngine = load(STORES, url.scheme)
    except ImportError as error:
        raise MissingExtra(f"{url} needs the PostgreSQL driver: {error}", hint=install_command("postgres")) from error
    return engine
