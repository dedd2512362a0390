"""Archives: the files in them, with limits on how many, how large, and how much larger than the archive itself."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from octavo.converting.child import Settings
from octavo.converting.text_builder import one_line
from octavo.model.converted import Converted, Member, Refused
from octavo.model.formats import ending

CONVERTER = "archive-1"
_RATIO, _RATIO_FROM = 200, 10_000_000  # text shrinks to a tenth; a bomb to a thousandth
_COMPRESSED: dict[str, Callable[[IO[bytes]], Any]] = {
    **dict.fromkeys((".gz", ".tgz"), lambda source: gzip.GzipFile(fileobj=source)),
    **dict.fromkeys((".bz2", ".tbz2"), bz2.BZ2File),
    **dict.fromkeys((".xz", ".txz"), lzma.LZMAFile),
}
_TARRED = re.compile(r"\.(?:tar|tgz|tbz2|txz|tar\.[a-z0-9]+)$", re.IGNORECASE)
_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(EOFError, OSError, ValueError, NotImplementedError),
)
_LONGEST_PATH = 1_000


class _TooMuch(Exception):
    """The archive holds more than may be unpacked, and how much that is."""


def read_archive(name: str, data: bytes, settings: Settings) -> Converted | Refused:
    """What was unpacked before a limit or damage was met stays, with a warning."""
    unpacking = _Unpacking(len(data), settings)
    try:
        for inner, stream in _entries(name, data):
            unpacking.take(inner, stream)
    except _TooMuch as limit:
        if "times" in str(limit):
            return Refused(f"too large: {limit}")
        unpacking.warnings.append(f"only a part of it was read: {limit}")
    except RuntimeError:
        if not unpacking.members:
            return Refused("encrypted: it needs a password")
        unpacking.warnings.append("a part of it is encrypted")
    except _ERRORS:
        if not unpacking.members:
            return Refused("damaged: it is no archive that can be opened")
        unpacking.warnings.append("only a part of it was read: it is damaged")
    if not unpacking.members:
        return Refused("an empty archive")
    return Converted("", CONVERTER, warnings=tuple(unpacking.warnings), members=tuple(unpacking.members))


class _Unpacking:
    def __init__(self, size: int, settings: Settings) -> None:
        self.members: list[Member] = []
        self.warnings: list[str] = []
        self._names: set[str] = set()
        self._most_files, self._most_bytes = settings.archive_files, settings.archive_bytes
        self._ratio_bytes = max(_RATIO_FROM, _RATIO * size)
        self._unpacked = 0

    def take(self, name: str, stream: IO[bytes]) -> None:
        path = member_path(name)
        if not path or path.startswith("__MACOSX/"):
            return
        if len(self.members) >= self._most_files:
            raise _TooMuch(f"it holds more than {self._most_files:,} files")
        # What an archive says of its sizes need not be true: reading stops at the limit itself.
        left = min(self._most_bytes, self._ratio_bytes) - self._unpacked
        data = stream.read(left + 1)
        if len(data) > left:
            if self._ratio_bytes < self._most_bytes:
                raise _TooMuch(f"it unpacks to more than {_RATIO} times its size")
            raise _TooMuch(f"it unpacks to more than {self._most_bytes:,} bytes")
        self._unpacked += len(data)
        self.members.append(Member(unused(path, self._names), data))


def _entries(name: str, data: bytes) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an archive by name, each open to be read; folders, links and devices are none."""
    source: IO[bytes] = io.BytesIO(data)
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    with archive.open(entry) as part:
                        yield entry.filename, part
        return
    source.seek(0)
    opener = _COMPRESSED.get(ending(name))
    if opener is not None:
        source = opener(source)
    elif not _TARRED.search(name):
        raise zipfile.BadZipFile
    if _TARRED.search(name):
        with tarfile.open(fileobj=source, mode="r|") as tar:
            for item in tar:
                if item.isfile() and (content := tar.extractfile(item)) is not None:
                    yield item.name, content
        return
    yield name.rpartition("/")[2].rpartition(".")[0], source


def member_path(name: str) -> str:
    """A path inside of what holds it: no root, no way up, nothing that a terminal would act upon."""
    parts = (one_line(part).strip() for part in name.replace("\\", "/").split("/"))
    path = "/".join(part for part in parts if part not in ("", ".", ".."))
    return path.encode("utf-8", "replace").decode("utf-8")[:_LONGEST_PATH]


def unused(path: str, taken: set[str]) -> str:
    """The path, with a number before its extension where something else has it already."""
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    if not stem:
        stem, dot, extension = name, "", ""
    number, free = 1, path
    while free in taken:
        number += 1
        free = f"{folder}{slash}{stem}-{number}{dot}{extension}"
    taken.add(free)
    return free
