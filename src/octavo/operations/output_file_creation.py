"""Writes an operation's file where a person asked, and replaces an existing one only with `force`."""

from __future__ import annotations

from pathlib import Path

from octavo.errors import InvalidArgument, StorageError
from octavo.path_resolution_and_private_folders import expand_user


def write_new(path: str, text: str, *, force: bool) -> Path:
    """Writes a file; one that is there is replaced only with `force`."""
    place = expand_user(path)
    try:
        with place.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError as error:
        raise InvalidArgument(
            f"{place} is there already", hint="give --force to replace it, or another place"
        ) from error
    except OSError as error:
        raise StorageError(f"{place} cannot be written: {error.strerror}", hint="give another place") from error
    return place
