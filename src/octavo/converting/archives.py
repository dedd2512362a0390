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
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, Any, NamedTuple

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import one_line
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, Member, RefusedFile
from octavo.model.file_formats import ending

CONVERTER = "archive-2"
_RATIO, _RATIO_FROM = 200, 10_000_000  # text shrinks to a tenth; a bomb to a thousandth
_COMPRESSED: dict[str, Callable[[IO[bytes]], Any]] = {
    **dict.fromkeys((".gz", ".tgz"), lambda source: gzip.GzipFile(fileobj=source)),
    **dict.fromkeys((".bz2", ".tbz2"), bz2.BZ2File),
    **dict.fromkeys((".xz", ".txz"), lzma.LZMAFile),
}
_TARRED = regex(r"\.(?:tar|tgz|tbz2|txz|tar\.[a-z0-9]+)$", re.IGNORECASE)
_ERRORS = (
    *(zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError),
    *(EOFError, OSError, ValueError, NotImplementedError),
)
_LONGEST_PATH = 1_000
_NAMED = 3  # files that a reason names one by one


class _Entry(NamedTuple):
    """A file of an archive. `size` is how large it becomes and `packed` how large it is, where the archive says so and
    unpacking holds it to that."""

    name: str
    open: Callable[[], IO[bytes]]
    size: int | None = None
    packed: int | None = None


class _Full(Exception):
    """A limit was met after which nothing else can be taken from this archive."""


def read_archive(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """What was unpacked before a limit or damage was met stays, with a warning."""
    unpacking = _Unpacking(len(data), settings)
    try:
        for entry in _entries(name, data):
            unpacking.take(entry)
    except _Full:
        pass
    except RuntimeError:
        if not unpacking.members:
            return RefusedFile("encrypted: it needs a password")
        unpacking.warnings.append("a part of it is encrypted")
    except _ERRORS:
        if not unpacking.members:
            return RefusedFile("damaged: it is no archive that can be opened")
        unpacking.warnings.append("only a part of it was read: it is damaged")
    left_out = unpacking.left_out
    if not unpacking.members:
        return RefusedFile(
            f"too large: {_listed(left_out)}; nothing of it was read" if left_out else "an empty archive"
        )
    warnings = [f"only a part of it was read: {_listed(left_out)}"] if left_out else []
    warnings += unpacking.warnings
    return Converted("", CONVERTER, warnings=tuple(warnings), members=tuple(unpacking.members))


def _listed(reasons: Sequence[str]) -> str:
    more = f"; and {len(reasons) - _NAMED:,} others" if len(reasons) > _NAMED else ""
    return "; ".join(reasons[:_NAMED]) + more


class _Unpacking:
    def __init__(self, size: int, settings: ConversionSettings) -> None:
        self.members: list[Member] = []
        self.warnings: list[str] = []
        self.left_out: list[str] = []
        self._names: set[str] = set()
        self._most_files, self._most_bytes = settings.archive_files, settings.archive_bytes
        self._size = size
        self._unpacked = 0

    def take(self, entry: _Entry) -> None:
        path = member_path(entry.name)
        if not path or path.startswith("__MACOSX/"):
            return
        if len(self.members) >= self._most_files:
            self.left_out.append(f"it holds more than {self._most_files:,} files")
            raise _Full
        left = self._most_bytes - self._unpacked
        if entry.size is not None and entry.packed is not None:
            if entry.size > max(_RATIO_FROM, _RATIO * entry.packed):
                self.left_out.append(f"{path} unpacks to {entry.size:,} bytes, more than {_RATIO} times its size")
                return
            if entry.size > left:
                self.left_out.append(f"with {path} it unpacks to more than {self._most_bytes:,} bytes")
                return
        # What else an archive says of its sizes need not be true: reading stops at the limit itself.
        ratio_left = max(_RATIO_FROM, _RATIO * self._size) - self._unpacked
        with entry.open() as stream:
            data = stream.read(min(left, ratio_left) + 1)
        if len(data) > min(left, ratio_left):
            limit = f"{_RATIO} times its size" if ratio_left < left else f"{self._most_bytes:,} bytes"
            self.left_out.append(f"with {path} it unpacks to more than {limit}")
            raise _Full
        self._unpacked += len(data)
        self.members.append(Member(unused(path, self._names), data))


def _entries(name: str, data: bytes) -> Iterator[_Entry]:
    """The files of an archive; folders, links and devices are none."""
    source: IO[bytes] = io.BytesIO(data)
    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    yield _Entry(entry.filename, partial(archive.open, entry), entry.file_size, entry.compress_size)
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
                    yield _Entry(item.name, partial(_given, content))
        return
    yield _Entry(name.rpartition("/")[2].rpartition(".")[0], partial(_given, source))


def _given(stream: IO[bytes]) -> IO[bytes]:
    return stream


def member_path(name: str) -> str:
    """A path inside of what holds it: no root, no way up, nothing that a terminal would act upon."""
    parts = (one_line(part).strip() for part in name.replace("\\", "/").split("/"))
    path = "/".join(part for part in parts if part not in ("", ".", ".."))
    return path.encode("utf-8", "replace").decode("utf-8")[:_LONGEST_PATH]


def unused(path: str, taken: set[str]) -> str:
    """The path, with a number before its extension where something else has it already; no half of a character."""
    path = path.encode("utf-8", "replace").decode()
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
