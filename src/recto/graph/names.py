"""What a document can be called: by its file, its path, its module, its folder, its aliases and its address."""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Collection

from recto.graph.sphinx import labels
from recto.model.document import Document, Kind
from recto.model.graph import Candidate, Name, NameKind
from recto.model.ids import CollectionId

NOTE_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rst", ".adoc", ".org")
FOR_THEIR_FOLDER = frozenset({"index", "readme", "__init__", "mod", "_index", "lib", "package-info"})
"""Files that speak for the folder they are in. There are many of each, so a link to one names its path."""

ROOT = "/"
"""The scope of a link that starts at the top; the folder of its source comes after it."""

_PLAIN = ".txt"
_ADDRESSES = ("permalink", "slug", "url")
_LONGEST = 500
_MOST_ALIASES = 100


def folded(text: str) -> str:
    """Names are compared without regard to case, and to how an accent was typed."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text).casefold()


def without_ending(path: str) -> str:
    """A note's path without `.md`; any other file keeps its ending, which is part of its name."""
    dot = path.rfind(".")
    return path[:dot] if dot > 0 and path[dot:].lower() in NOTE_ENDINGS else path


def last(path: str) -> str:
    return path.rpartition("/")[2]


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def at_path(path: str) -> str:
    """What a whole path is looked up by: short, and by its slash told from the name of a file.

    Paths that share a checksum are told apart when they are compared.
    """
    return f"/{zlib.crc32(folded(path).encode('utf-8', 'surrogatepass')):x}"


def module_stem(path: str) -> str:
    """A file of code without its ending: `a/util.py` is the module `a/util`."""
    dot = path.rfind(".")
    return path[:dot] if dot > path.rfind("/") + 1 else path


def joined(base: str, path: str) -> str | None:
    """A relative path from a folder; None when it leads out of the collection, or to its root."""
    parts = base.split("/") if base else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None


def called(uri: str) -> str:
    """What a file is called by those who link to it; a folder's own page is called as the folder."""
    path = without_ending(uri)
    name = last(path)
    return last(folder(path)) or name if folded(last(module_stem(uri))) in FOR_THEIR_FOLDER else name


# Asked for once: Python 3.11 takes a fifth of a microsecond to find a member of an enumeration.
_CODE, _COMMIT, _FILE, _PATH = Kind.CODE, Kind.COMMIT, NameKind.FILE, NameKind.PATH
_FOLDER = NameKind.FOLDER


def names_of(document: Document) -> tuple[Name, ...]:
    """Every name once, in order."""
    uri, coded = document.uri, document.kind is _CODE
    path = without_ending(uri)
    above, slash, name = path.rpartition("/")
    found = [Name(folded(name), _FILE)]
    if document.kind is _COMMIT:
        return tuple(found)
    found.append(Name(at_path(path), _PATH, path))
    stem = folded(last(module_stem(uri)))
    if coded and module_stem(uri) != path:
        found += (Name(stem, NameKind.MODULE), Name(at_path(module_stem(uri)), NameKind.MODULE))
    if slash and (stem in FOR_THEIR_FOLDER or document.language == "go"):
        found += (Name(folded(last(above)), _FOLDER), Name(at_path(above), _FOLDER))
    if uri.lower().endswith(_PLAIN) and not coded:
        # Documentation may be written so (Django's is), and is referred to without the ending.
        bare = uri[: -len(_PLAIN)]
        found += (Name(folded(last(bare)), NameKind.ALIAS, bare), Name(at_path(bare), NameKind.ALIAS, bare))
    for alias in document.aliases[:_MOST_ALIASES]:
        if len(alias) <= _LONGEST and last(alias):
            found.append(Name(folded(last(alias)), NameKind.ALIAS, alias))
    if not coded:
        for field in _ADDRESSES:
            address = document.metadata.get(field)
            if isinstance(address, str) and len(address) <= _LONGEST and "://" not in address and address.strip("/"):
                found.append(Name(folded(last(address.strip("/"))), NameKind.SLUG, address.strip("/")))
        found += (Name(label, NameKind.LABEL, label) for label in labels(document.text))
    return tuple(dict.fromkeys(found))


def candidate(document: int, collection: CollectionId, uri: str, kind: NameKind, path: str) -> Candidate:
    """A document under one of its names, with the path that this name stands for."""
    match kind:
        case NameKind.FILE | NameKind.PATH:
            path = without_ending(uri)
        case NameKind.MODULE:
            path = module_stem(uri)
        case NameKind.FOLDER:
            path = folder(uri)
    return Candidate(document, collection, uri, kind, path)


def kept(before: Collection[Name], now: Collection[Name]) -> tuple[Name, ...]:
    """The names a document keeps from before it moved, so that links written then still find it."""
    old = [one for one in before if one.kind is NameKind.FORMER]
    paths = {one.path for one in now if one.kind is _PATH}
    for path in (one.path for one in before if one.kind is _PATH and one.path not in paths):
        for one in before:
            if one.kind in (_FILE, _PATH):
                old.append(Name(one.name, NameKind.FORMER, path))
            elif one.kind is NameKind.MODULE:
                old.append(Name(one.name, NameKind.FORMER, module_stem(path)))
    return tuple(dict.fromkeys(old))
