"""Libraries that belong to a folder, and how one is found again from inside it.

A `.octavo/library.db` found upward from the working directory is used when neither a flag nor the environment names a
library, but only if this user made it here. Without that condition a cloned repository could bring a library whose
collections point at any folder, and the next `octavo index` would read it. So `init --here` records the path in the
user's data folder, and a library that is not on that list is left alone. The price: after a folder is moved or copied,
its library must be trusted again with `octavo init --here`.

The library that `octavo mcp` makes by itself for a repository lies in the user's data folder, under a name that follows
from the repository's path: nothing is written into the repository, and nothing in it can name a library.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from platformdirs import user_data_path

from octavo.atomic_file_replacement import replace_file
from octavo.errors import ConfigurationError, system_message
from octavo.path_resolution_and_private_folders import make_folder, real_path

LIBRARY_HERE = Path(".octavo") / "library.db"
ORIGIN = "octavo init --here"
BY_ITSELF = "octavo mcp"


def nearest(directory: Path) -> Path | None:
    """The library of the nearest folder that has one, trusted or not."""
    for folder in (directory, *directory.parents):
        if (folder / LIBRARY_HERE).is_file():
            return folder / LIBRARY_HERE
    return None


def trusted(directory: Path) -> Path | None:
    """The library of the nearest folder that has one, if this user made it."""
    library = nearest(directory)
    return library if library is not None and str(real_path(library)) in _trusted_paths() else None


def trust(library: Path) -> None:
    paths = sorted({*_trusted_paths(), str(real_path(library))})
    write_config(_list_file(), json.dumps(paths, indent=2) + "\n")


def write_config(file: Path, text: str) -> None:
    """A symbolic link stays one: people keep such files in a repository."""
    file = real_path(file)
    try:
        make_folder(file.parent)
        replace_file(file, text.encode("utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {system_message(error)}") from error


def repository(directory: Path) -> Path | None:
    """The git repository that a folder is in; a home directory kept in git is nobody's repository to index."""
    for folder in (directory, *directory.parents):
        if os.path.lexists(folder / ".git"):
            return None if folder in (Path.home(), Path(folder.anchor)) else folder
    return None


def repository_library(root: Path) -> Path:
    """Where the library is that `octavo mcp` makes for a repository, or would make."""
    digest = hashlib.sha256(os.fsencode(real_path(root))).hexdigest()[:12]
    return _repositories() / f"{root.name[:40]}-{digest}" / "library.db"


def made_for_repository(directory: Path) -> Path | None:
    """The library that `octavo mcp` has made for the repository a folder is in."""
    root = repository(directory) if _repositories().is_dir() else None
    library = repository_library(root) if root else None
    return library if library and library.is_file() else None


def is_made_by_itself(library: object) -> bool:
    return isinstance(library, Path) and library.is_relative_to(_repositories())


def _repositories() -> Path:
    return user_data_path("octavo") / "repositories"


def _trusted_paths() -> list[str]:
    try:
        listed = json.loads(_list_file().read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        message = f"{_list_file()} cannot be read: {system_message(error)}"
        raise ConfigurationError(message, hint="remove the file") from error
    return [str(path) for path in listed] if isinstance(listed, list) else []


def _list_file() -> Path:
    return user_data_path("octavo") / "libraries-here.json"
