"""Normalises document names for comparison: case, Unicode form, and the file extension of a note."""

from __future__ import annotations

import unicodedata

from octavo.model.ids import CollectionId
from octavo.model.link_graph import NameKind, NameMatch

NOTE_ENDINGS = (".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rst", ".adoc", ".org")


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


def module_stem(path: str) -> str:
    """A file of code without its ending: `a/util.py` is the module `a/util`."""
    dot = path.rfind(".")
    return path[:dot] if dot > path.rfind("/") + 1 else path


def name_match(document: int, collection: CollectionId, uri: str, kind: NameKind, path: str) -> NameMatch:
    """A document under one of its names, with the path that this name stands for."""
    match kind:
        case NameKind.FILE | NameKind.PATH:
            path = without_ending(uri)
        case NameKind.MODULE:
            path = module_stem(uri)
        case NameKind.FOLDER:
            path = folder(uri)
    return NameMatch(document, collection, uri, kind, path)
