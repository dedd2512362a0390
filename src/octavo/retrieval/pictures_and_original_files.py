"""Files of a collection as they lie on the disk: pictures that notes show, and the originals of converted documents.

Only what the last run over the folder saw is read, so nothing that is ignored; and no links, which may lead out of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from posixpath import normpath
from types import MappingProxyType
from urllib.parse import unquote

from octavo.bounded_file_reading import read_small
from octavo.errors import NotFound
from octavo.fast_dataclass import dataclass
from octavo.model.file_formats import ending, format_of
from octavo.model.indexing_ledger import REDACTED, FileOutcome, LedgerEntry
from octavo.sources.secret_file_names import is_secret_name
from octavo.sql_repositories.project_of_open_library import ProjectLibrary

_LARGEST_PICTURE = 20_000_000  # bytes
_LARGEST_ORIGINAL = 100_000_000

PICTURES: Mapping[str, str] = MappingProxyType(
    {
        ".avif": "image/avif",
        ".bmp": "image/bmp",
        ".gif": "image/gif",
        ".ico": "image/x-icon",
        ".jpeg": "image/jpeg",
        ".jpg": "image/jpeg",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".webp": "image/webp",
    }
)
"""Extensions of pictures that browsers show → their media types."""

PDF = "application/pdf"
_ANY = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class CollectionFile:
    content: bytes
    media_type: str


def is_picture(name: str) -> bool:
    return ending(name.partition("#")[0]) in PICTURES


def collection_file(library: ProjectLibrary, collection: str, uri: str) -> CollectionFile:
    """A picture, or the original of a document that was converted; `NotFound` for any other file."""
    folder = library.collection(collection)
    entry = library.store.ledger.at(library.project.id, folder.id, [uri]).get(uri) if uri else None
    largest = _LARGEST_PICTURE if is_picture(uri) else _LARGEST_ORIGINAL
    if entry is None or not folder.on_disk or is_secret_name(uri) or not (is_picture(uri) or has_original(entry)):
        raise NotFound(
            f"{collection} has no picture and no document's original at {uri}",
            hint="`octavo index` reads what is new in the folder; the text of a document is at /document/",
        )
    root = Path(os.path.realpath(folder.root))
    path = root / uri
    if Path(os.path.realpath(path)) != path:
        raise NotFound(f"{uri} is behind a link, which is not followed", hint="put the file itself into the folder")
    try:
        content = read_small(path, largest)
    except OSError as error:
        raise NotFound(f"{uri} cannot be read: {error.strerror}", hint="open the file itself") from None
    if is_picture(uri):
        return CollectionFile(content, PICTURES[ending(uri)])
    return CollectionFile(content, PDF if content.startswith(b"%PDF-") else _ANY)


def has_original(entry: LedgerEntry) -> bool:
    """Whether a document was converted from a file that may be shown: not where a key in its text was redacted."""
    if entry.outcome is not FileOutcome.INDEXED or format_of(entry.uri) is None:
        return False
    return not any(warning.startswith(REDACTED) for warning in entry.warnings)


def pictures(library: ProjectLibrary, collection: str, uri: str, names: Iterable[str]) -> dict[str, str]:
    """The files that a note means by the names of its pictures: at the path from its folder or from the root, else the
    one of that name that is nearest, the shortest path first. Names without a file are left out."""
    targets = {name: unquote(name).partition("#")[0].strip() for name in names}
    targets = {name: path for name, path in targets.items() if is_picture(path) and "://" not in path}
    if not targets:
        return {}
    folder = library.collection(collection)
    known: dict[str, list[str]] = {}
    for path in library.store.ledger.ending(library.project.id, folder.id, tuple(PICTURES)):
        known.setdefault(PurePosixPath(path).name.lower(), []).append(path)
    here = uri.rpartition("/")[0]
    files = {
        name: _meant(path, here, known.get(PurePosixPath(path).name.lower(), ())) for name, path in targets.items()
    }
    return {name: path for name, path in files.items() if path is not None}


def _meant(path: str, here: str, candidates: Iterable[str]) -> str | None:
    beside, tail = normpath(f"{here}/{path}").lstrip("/"), f"/{path.lstrip('./').lower()}"
    fitting = [candidate for candidate in candidates if candidate == beside or f"/{candidate.lower()}".endswith(tail)]

    def distance(candidate: str) -> tuple[bool, bool, int, str]:
        inside = candidate.startswith(f"{here}/") if here else True
        return candidate != beside, not inside, candidate.count("/"), candidate

    return min(fitting, key=distance, default=None)
