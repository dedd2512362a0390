"""Libraries that live in a folder of their own (`recto init --here`), and how one is found again from inside it.

A `.recto/library.db` found upward from the working directory is used when neither a flag nor the environment names a
library, but only if this user made it here. Without that condition a cloned repository could bring a library whose
collections point at any folder, and the next `recto index` would read it. So `init --here` writes the path down in
the user's data folder, and a library that is not on that list is left alone. The price: a folder that is moved or
copied must be told once more with `recto init --here`.
"""

from __future__ import annotations

import json
from pathlib import Path

from platformdirs import user_data_path

from recto.errors import ConfigurationError

LIBRARY_HERE = Path(".recto") / "library.db"
ORIGIN = "recto init --here"


def found_here(directory: Path) -> Path | None:
    """The nearest folder's own library, known or not."""
    for folder in (directory, *directory.parents):
        if (folder / LIBRARY_HERE).is_file():
            return folder / LIBRARY_HERE
    return None


def known_here(directory: Path) -> Path | None:
    """The nearest folder's own library, if this user made it."""
    found = found_here(directory)
    return found if found is not None and str(found.resolve()) in _listed() else None


def make_known(library: Path) -> None:
    path = _list_file()
    known = sorted({*_listed(), str(library.resolve())})
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".new")
        aside.write_text(json.dumps(known, indent=2) + "\n", "utf-8")
        aside.replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error}") from error


def _listed() -> list[str]:
    try:
        listed = json.loads(_list_file().read_text("utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{_list_file()} cannot be read: {error}", hint="remove the file") from error
    return [str(one) for one in listed] if isinstance(listed, list) else []


def _list_file() -> Path:
    return user_data_path("recto") / "libraries-here.json"
