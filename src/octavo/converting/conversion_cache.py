"""Keeps converted documents on disk by a hash of the file's bytes, its converter and the settings."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from octavo.atomic_file_replacement import replace_file
from octavo.converting.conversion_settings import ConversionSettings
from octavo.model.converted_file import Converted, RefusedFile, from_plain, to_plain
from octavo.model.file_formats import CONVERTER_VERSION, FileFormat, ending, format_of
from octavo.path_resolution_and_private_folders import make_folder
from octavo.ports import Converter

_FULL = 0.9  # of the limit: what pruning leaves, so that it is not needed again at once


class CachedConverter:
    """Fits `ports.Converter`. What another one converts is kept, up to so many bytes; the longest unused go first.

    A refusal is not kept: it may be the machine's, and it is quick. Nor is what holds other files: those are kept. Nor
    is what `secret` finds something in: the cache is of files as they are, before anything is redacted.
    """

    def __init__(
        self,
        converter: Converter,
        folder: Path,
        most_bytes: int,
        settings: ConversionSettings,
        secret: Callable[[object], bool] = lambda told: False,
    ) -> None:
        self._converter = converter
        self._folder = folder
        self._most = most_bytes
        self._settings = json.dumps(asdict(settings), sort_keys=True)
        self._secret = secret
        self._unchecked = 0  # bytes written since the folder was last measured

    def reads(self, uri: str) -> bool:
        return self._converter.reads(uri)

    def is_text(self, uri: str) -> bool:
        return self._converter.is_text(uri)

    def claims(self, uri: str, data: bytes) -> bool:
        return self._converter.claims(uri, data)

    def convert(self, uri: str, data: bytes) -> Converted | RefusedFile:
        known = format_of(uri)
        if known is None or known.archive:
            return self._converter.convert(uri, data)
        place = self._place(uri, known, data)
        kept = _kept(place)
        if kept is not None:
            if self._secret(to_plain(kept)):
                place.unlink(missing_ok=True)  # kept by an earlier version, or by fewer rules
            return kept
        made = self._converter.convert(uri, data)
        if isinstance(made, Converted) and not made.members:
            self._keep(place, made)
        return made

    def close(self) -> None:
        self._converter.close()
        if self._unchecked:
            self._prune()

    def _place(self, uri: str, known: FileFormat, data: bytes) -> Path:
        made_by = [CONVERTER_VERSION, known.reader, _version(known.needs) + known.version, ending(uri), self._settings]
        digest = hashlib.sha256(json.dumps(made_by).encode())
        digest.update(data)
        name = digest.hexdigest()
        return self._folder / name[:2] / name

    def _keep(self, place: Path, made: Converted) -> None:
        """Whole or not at all, and for its owner alone. A disk that is full costs the next run its time."""
        plain = to_plain(made)
        if self._secret(plain):
            return
        body = zlib.compress(json.dumps(plain, separators=(",", ":")).encode(), 1)
        with suppress(OSError):
            make_folder(place.parent)
            replace_file(place, body, durable=False)
            self._unchecked += len(body)
        # A process that is only ever killed measures as it goes.
        if self._unchecked > self._most * (1 - _FULL):
            self._prune()

    def _prune(self) -> None:
        self._unchecked = 0
        entries = []
        for path in self._folder.glob("??/*"):
            with suppress(OSError):
                status = path.stat()
                entries.append((status.st_mtime_ns, status.st_size, path))
        size = sum(each for _, each, _ in entries)
        if size <= self._most:
            return
        for _, each, path in sorted(entries):
            if size <= self._most * _FULL:
                return
            with suppress(OSError):
                path.unlink(missing_ok=True)
                size -= each


def _kept(place: Path) -> Converted | None:
    """What was kept there; None for nothing, and for what cannot be read."""
    try:
        body = place.read_bytes()
        made = from_plain(json.loads(zlib.decompress(body)))
    except (OSError, ValueError, KeyError, TypeError, zlib.error):
        return None
    with suppress(OSError):
        os.utime(place)
    return made


@cache
def _version(module: str) -> str:
    try:
        return version(module) if module else ""
    except PackageNotFoundError:
        return ""
