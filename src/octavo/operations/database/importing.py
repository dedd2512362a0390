"""Records that another program stored in a folder, imported by whichever importer claims it."""

from __future__ import annotations

from contextlib import AbstractContextManager, closing
from pathlib import Path
from typing import Protocol

from octavo.engine.engine import Engine
from octavo.errors import ConfigurationError, NotALibrary
from octavo.model.import_report import Imported
from octavo.observability.progress import Progress
from octavo.plugins import IMPORTERS, load, names


class ImportSource(Protocol):
    """A folder of another program, open for reading."""

    def import_into(self, engine: Engine, progress: Progress) -> Imported: ...

    def close(self) -> None: ...


class Importer(Protocol):
    """What an entry point of `octavo.importers` names: a module, or anything with these two functions."""

    def claims(self, folder: Path) -> bool:
        """Whether the folder looks like one of this program."""
        ...

    def open_source(self, folder: Path) -> ImportSource:
        """Raises an `OctavoError` where the folder cannot be read: no library is made for it then."""
        ...


def open_source(folder: Path) -> AbstractContextManager[ImportSource]:
    """The folder, opened by the first importer that claims it. One that cannot be imported is passed over."""
    broken = []
    for name in names(IMPORTERS):
        try:
            importer: Importer = load(IMPORTERS, name)
        except ConfigurationError as error:
            broken.append(error.message)
            continue
        if importer.claims(folder):
            return closing(importer.open_source(folder))
    raise NotALibrary(
        f"{folder} is neither a library nor a folder that an importer reads ({', '.join(names(IMPORTERS))})",
        hint="name a library's file, or the directory that Chroma was given as its path",
        details={"plugins": broken} if broken else None,
    )
