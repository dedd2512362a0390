"""Puts a new file in another's place at once: readers see the old bytes or the new, also after a power failure."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def replacing(file: Path, *, private: bool = True, durable: bool = True) -> Iterator[Path]:
    """An empty file beside `file` that takes its place once the block has written it, and is removed if that fails.

    It keeps the permissions of what it replaces; a new file is its owner's alone, if it is `private`. What replaces a
    symbolic link is no link: who wants to write where one leads gives the real path. Without `durable`, a power failure
    may cost the content, for what can be made again.
    """
    # Exclusively and by a name that nobody knows: what is there already may be a link to somebody else's file.
    temporary = file.with_name(f".octavo-{os.urandom(6).hex()}.new")
    os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
    try:
        yield temporary
        if durable:
            _sync(temporary, os.O_RDWR)
        with suppress(FileNotFoundError):
            temporary.chmod(file.stat().st_mode & 0o777)
        temporary.replace(file)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_folder(file.parent)


def replace_file(file: Path, content: bytes, *, private: bool = True, durable: bool = True) -> None:
    with replacing(file, private=private, durable=durable) as temporary:
        temporary.write_bytes(content)


def sync_folder(folder: Path) -> None:
    """Has a rename in the folder reach the disk, where a folder can be opened."""
    if os.name == "posix":
        with suppress(OSError):
            _sync(folder, os.O_RDONLY)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
