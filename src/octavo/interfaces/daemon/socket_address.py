"""Where a library's server listens: a socket in a folder that nobody else can look into."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from platformdirs import user_cache_path

from octavo.errors import StorageError
from octavo.model.library_location import DatabaseUrl
from octavo.path_resolution_and_private_folders import make_folder

if TYPE_CHECKING:
    from octavo.config.schema import Config

_LONGEST = 100  # bytes: systems take 103 to 107 for the name of a socket


class Address(NamedTuple):
    """Files of one library's server. `starting` is locked by who starts it, `alive` by the server while it lives."""

    folder: Path
    name: str

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.name}.sock"

    @property
    def http(self) -> Path:
        return self.folder / f"{self.name}.http"

    @property
    def starting(self) -> Path:
        return self.folder / f"{self.name}.start"

    @property
    def alive(self) -> Path:
        return self.folder / f"{self.name}.alive"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"


def available() -> bool:
    """Whether this system has what a shared server needs. Without it, all works in one process."""
    return sys.platform != "win32"


def address_of(library: str) -> Address:
    """A library has one address, however its path is written."""
    name = hashlib.sha256(library.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    for folder in _folders():
        address = Address(folder, name)
        if len(os.fsencode(address.socket)) <= _LONGEST:
            return address
    return Address(Path(tempfile.gettempdir()) / f"octavo-{os.getuid()}", name)


def place(config: Config) -> Address:
    """The address of the library that the configuration names."""
    from octavo.config.layered_config_loading import library_location

    library = library_location(config)
    if isinstance(library, DatabaseUrl):
        return address_of(library.secret)
    return address_of(os.path.realpath(library))


def listening(config: Config) -> bool:
    """Whether a server may be there for this library: without its socket, nobody need learn how to talk to it."""
    return available() and config.daemon.enabled and place(config).socket.exists()


def private_folder(folder: Path) -> None:
    """Makes the folder, or checks that it is ours and closed to everybody else: who can write there could listen in."""
    try:
        make_folder(folder)
        status = folder.lstat()
        if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and status.st_mode & 0o077:
            folder.chmod(0o700)
            status = folder.lstat()
    except OSError as error:
        raise StorageError(f"{folder} cannot be made: {error.strerror or error}") from error
    if not is_private(status):
        raise StorageError(
            f"{folder} is not a private folder of this user, so no server listens there",
            hint="remove it, or use --no-daemon",
        )


def is_private(status: os.stat_result) -> bool:
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _folders() -> list[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return [*([Path(runtime) / "octavo"] if runtime else []), user_cache_path("octavo") / "run"]
