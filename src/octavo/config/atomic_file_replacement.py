"""Replaces a configuration file atomically: a reader sees the old text or the new."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from octavo.errors import ConfigurationError, system_message
from octavo.path_resolution_and_private_folders import make_folder, real_path


def replace_file(file: Path, text: str) -> None:
    """A symbolic link stays one: people keep such files in a repository. A new file is its owner's alone."""
    file = real_path(file)
    try:
        make_folder(file.parent)
        temporary = file.with_name(f".{file.name}.{os.urandom(4).hex()}.new")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            if file.exists():
                temporary.chmod(file.stat().st_mode & 0o777)
            temporary.replace(file)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be written: {system_message(error)}") from error
