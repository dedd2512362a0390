"""What a document can be called: by its file, its path, its module, its folder, its aliases and its address."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator
from functools import lru_cache

from recto.model.document import Document, Kind
from recto.model.graph import Name, NameKind

NOTE_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd")
FOR_THEIR_FOLDER = frozenset({"index", "readme", "__init__", "mod", "_index", "lib", "package-info"})
"""Files that speak for the folder they are in. There are many of each, so a link to one names its path."""

ROOT = "/"
"""The scope of a link that starts at the top."""

_ADDRESSES = ("permalink", "slug", "url")
_LONGEST = 500
_MOST_ALIASES = 100


@lru_cache(maxsize=8192)
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
    """What a whole path is looked up by: the leading slash tells it from the name of a file."""
    return "/" + folded(path)


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


def names_of(document: Document) -> tuple[Name, ...]:
    """Every name once, in order."""
    return tuple(dict.fromkeys(_names(document)))


def _names(document: Document) -> Iterator[Name]:
    if document.kind is Kind.COMMIT:
        yield Name(folded(last(document.uri)), NameKind.FILE, document.uri)
        return
    path = without_ending(document.uri)
    yield Name(folded(last(path)), NameKind.FILE, path)
    yield Name(at_path(path), NameKind.PATH, path)
    stem = module_stem(document.uri)
    if document.kind is Kind.CODE and stem != path:
        yield Name(folded(last(stem)), NameKind.MODULE, stem)
        yield Name(at_path(stem), NameKind.MODULE, stem)
    above = folder(path)
    if above and (folded(last(stem)) in FOR_THEIR_FOLDER or document.language == "go"):
        yield Name(folded(last(above)), NameKind.FOLDER, above)
        yield Name(at_path(above), NameKind.FOLDER, above)
    for alias in document.aliases[:_MOST_ALIASES]:
        if len(alias) <= _LONGEST and last(alias):
            yield Name(folded(last(alias)), NameKind.ALIAS, alias)
    for field in _ADDRESSES:
        address = document.metadata.get(field)
        if isinstance(address, str) and len(address) <= _LONGEST and "://" not in address and address.strip("/"):
            yield Name(folded(last(address.strip("/"))), NameKind.SLUG, address.strip("/"))


def kept(before: Collection[Name], now: Collection[Name]) -> tuple[Name, ...]:
    """The names a document keeps from before it moved, so that links written then still find it."""
    old = tuple(one for one in before if one.kind is NameKind.FORMER)
    paths = {one.path for one in now if one.kind is NameKind.PATH}
    if not any(one.kind is NameKind.PATH and one.path not in paths for one in before):
        return old
    files = (one for one in before if one.kind in (NameKind.FILE, NameKind.PATH, NameKind.MODULE))
    return tuple(dict.fromkeys((*old, *(Name(one.name, NameKind.FORMER, one.path) for one in files))))
