"""Libraries that live in a folder of their own (`octavo init --here`), and how one is found again from inside it.

A `.octavo/library.db` found upward from the working directory is used when neither a flag nor the environment names a
library, but only if this user made it here. Without that condition a cloned repository could bring a library whose
collections point at any folder, and the next `octavo index` would read it. So `init --here` records the path in the
user's data folder, and a library that is not on that list is left alone. The price: after a folder is moved or copied,
its library must be trusted again with `octavo init --here`.
"""

from __future__ import annotations

import json
from pathlib import Path

from platformdirs import user_data_path

from octavo.config.atomic_files import replace_file
from octavo.errors import ConfigurationError
from octavo.model.location import real_path

LIBRARY_HERE = Path(".octavo") / "library.db"
ORIGIN = "octavo init --here"


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
    replace_file(_list_file(), json.dumps(paths, indent=2) + "\n")


def _trusted_paths() -> list[str]:
    try:
        listed = json.loads(_list_file().read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{_list_file()} cannot be read: {error}", hint="remove the file") from error
    return [str(path) for path in listed] if isinstance(listed, list) else []


def _list_file() -> Path:
    return user_data_path("octavo") / "libraries-here.json"
