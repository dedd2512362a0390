"""Where the libraries of tests are: in files, or in databases of the session's server."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from cli_calls import Location

from octavo.model.location import DatabaseUrl

if TYPE_CHECKING:
    from postgres_server import Server


def shown(library: Location) -> str:
    """The place as every answer names it: without a password."""
    return str(DatabaseUrl(library)) if isinstance(library, str) else str(library)


class Databases(Protocol):
    stand_in: bool
    """Whether libraries get the stand-in for a model."""

    def empty(self) -> Location:
        """Where no library is yet."""
        ...

    def copy(self, library: Location) -> Location:
        """The library, which nobody has open, at another place."""
        ...

    def remove(self, library: Location) -> None: ...


class Files:
    def __init__(self, folders: pytest.TempPathFactory, *, stand_in: bool) -> None:
        self.stand_in = stand_in
        self._folders = folders

    def empty(self) -> Location:
        return self._folders.mktemp("library") / "library.db"

    def copy(self, library: Location) -> Location:
        return Path(shutil.copy(library, self.empty()))

    def remove(self, library: Location) -> None:
        """Left to pytest, which keeps the folders of its last runs."""


class ServerDatabases:
    stand_in = False

    def __init__(self, server: Server) -> None:
        self._server = server

    def empty(self) -> Location:
        return self._server.database(empty=True).secret

    def copy(self, library: Location) -> Location:
        return self._server.database(template=DatabaseUrl(str(library))).secret

    def remove(self, library: Location) -> None:
        self._server.drop(DatabaseUrl(str(library)))
