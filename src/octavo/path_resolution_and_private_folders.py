"""Paths of this machine: where links lead, what `~` stands for, and folders that only their owner may read."""

from __future__ import annotations

import os
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Makes a folder, and those above it that are missing, for their owner alone.

    The mode of `Path.mkdir` is not that of the parents it makes.
    """
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def real_path(path: Path) -> Path:
    """Where a path leads. `Path.resolve` fails at links that lead in a circle, before Python 3.13."""
    return Path(os.path.realpath(path))


def expand_user(path: str | Path) -> Path:
    """With the home directory for `~`; `~name` stays as it is where nobody has that name, which `Path` fails at."""
    return Path(os.path.expanduser(path))  # noqa: PTH111
