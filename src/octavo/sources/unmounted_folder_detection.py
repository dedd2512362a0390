"""Finds folders whose files lay on another disk and are gone, perhaps because that disk is not mounted.

A file's stamp tells it by a negative inode, so that a library remembers which of its files lay on a disk of their own.
Folders are asked, not files: on layered file systems a file may name the device of a layer.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Set

OTHER_DISK = "is not on the disk that its files were on, which may not be mounted"


def device_above(root: str) -> int:
    """The device on which the collection's folder stands: another one than its own where it is a mount point."""
    try:
        return os.stat(os.path.dirname(root.rstrip(os.sep)) or os.sep).st_dev  # noqa: PTH116, PTH120
    except OSError:
        return os.stat(root).st_dev  # noqa: PTH116


def unmounted(gone: Iterable[str], seen: Container[str], listed: Set[str], elsewhere: Set[str]) -> Iterator[str]:
    """The folders of files of another disk that are `gone`, where nothing lies `elsewhere` now.

    Of those inside of each other the outermost; a mount point that was removed with its disk is one of them too.
    `listed` are the folders that were read.
    """
    folders: set[str] = set()
    for uri in gone:
        missing, folder = uri, uri.rpartition("/")[0]
        while folder and folder not in listed:
            missing, folder = folder, folder.rpartition("/")[0]
        if folder in listed and folder not in elsewhere and missing not in seen:
            folders.add(folder if missing == uri else missing)
    yield from (folder for folder in sorted(folders) if folders.isdisjoint(_above(folder)))


def _above(folder: str) -> Iterator[str]:
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder
