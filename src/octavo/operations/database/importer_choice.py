"""The protocol of importers, and the choice of the one that claims a folder, file or database."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import AbstractContextManager, closing
from typing import Protocol

from octavo.engine.engine import Engine
from octavo.errors import ConfigurationError, NotALibrary
from octavo.model.library_location import DatabaseUrl, Location
from octavo.observability.logs import logger
from octavo.observability.progress import Progress
from octavo.operations.database.results import Imported
from octavo.plugins import IMPORTERS, load, names


class ImportSource(Protocol):
    """A place of another program, open for reading."""

    def preview(self) -> Imported:
        """What an import would take into an empty library, and what it would leave out."""

    def import_into(self, engine: Engine, progress: Progress) -> Imported: ...

    def close(self) -> None: ...


class Importer(Protocol):
    """What an entry point of `octavo.importers` names: a module, or anything with these two functions.

    A place is a folder or a file; where the importer has `SCHEMES`, also a database with an address of one of these.
    """

    def claims(self, place: Location) -> bool:
        """Whether the place looks like one of this program."""

    def open_source(self, place: Location) -> ImportSource:
        """Raises an `OctavoError` where the place cannot be read: no library is made for it then."""


def find_source(place: Location) -> AbstractContextManager[ImportSource] | None:
    """The place, opened by the first importer that claims it; one that cannot be loaded is passed over."""
    for name in names(IMPORTERS):
        try:
            importer: Importer = load(IMPORTERS, name)
        except ConfigurationError as error:
            logger("importing").warning("%s", error.message)
            continue
        schemes: Collection[str] = getattr(importer, "SCHEMES", ())
        reads = place.scheme in schemes if isinstance(place, DatabaseUrl) else not schemes
        if reads and importer.claims(place):
            return closing(importer.open_source(place))
    return None


def open_source(place: Location) -> AbstractContextManager[ImportSource]:
    """As `find_source`, where the place cannot be a library."""
    if found := find_source(place):
        return found
    raise NotALibrary(
        f"{place} is neither a library nor a folder that an importer reads ({', '.join(names(IMPORTERS))})",
        hint="name a library's file, or the folder where one of these programs keeps its data",
    )
