"""What a document can be called: by its file, its path, its module, its folder, its aliases and its address."""

from __future__ import annotations

import zlib
from collections.abc import Collection

from octavo.algorithms.links.sphinx_label_and_role_extraction import labels
from octavo.algorithms.text.document_name_normalisation import folded, folder, last, module_stem, without_ending
from octavo.model.document import Document, Kind
from octavo.model.link_graph import DocumentName, NameKind, Node

FOR_THEIR_FOLDER = frozenset({"index", "readme", "__init__", "mod", "_index", "lib", "package-info"})
"""Files that speak for the folder they are in. There are many of each, so a link to one names its path."""

ROOT = "/"
"""The scope of a link that starts at the top; the folder of its source comes after it."""

_PLAIN = ".txt"
_ADDRESSES = ("permalink", "slug", "url")
_LONGEST = 500
_MOST_ALIASES = 100


def at_path(path: str) -> str:
    """What a whole path is looked up by: short, and by its slash distinguished from the name of a file.

    Paths that share a checksum are distinguished when they are compared.
    """
    return f"/{zlib.crc32(folded(path).encode('utf-8', 'surrogatepass')):x}"


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


def label(node: Node) -> str:
    """What a document is called in a drawing: by its title; a file of code, and what has none, as its file."""
    return node.title if node.title and node.kind != _CODE else called(node.uri)


# Asked for once: Python 3.11 takes a fifth of a microsecond to find a member of an enumeration.
_CODE, _COMMIT, _FILE, _PATH = Kind.CODE, Kind.COMMIT, NameKind.FILE, NameKind.PATH
_FOLDER = NameKind.FOLDER


def names_of(document: Document) -> tuple[DocumentName, ...]:
    """Every name once, in order."""
    uri, coded = document.uri, document.kind is _CODE
    path = without_ending(uri)
    above, slash, name = path.rpartition("/")
    names = [DocumentName(folded(name), _FILE)]
    if document.kind is _COMMIT:
        return tuple(names)
    names.append(DocumentName(at_path(path), _PATH, path))
    stem = folded(last(module_stem(uri)))
    if coded and module_stem(uri) != path:
        names += (DocumentName(stem, NameKind.MODULE), DocumentName(at_path(module_stem(uri)), NameKind.MODULE))
    if slash and (stem in FOR_THEIR_FOLDER or document.language == "go"):
        names += (DocumentName(folded(last(above)), _FOLDER), DocumentName(at_path(above), _FOLDER))
    if uri.lower().endswith(_PLAIN) and not coded:
        # Documentation may be written so (Django's is), and is referred to without the ending.
        bare = uri[: -len(_PLAIN)]
        names += (
            DocumentName(folded(last(bare)), NameKind.ALIAS, bare),
            DocumentName(at_path(bare), NameKind.ALIAS, bare),
        )
    for alias in document.aliases[:_MOST_ALIASES]:
        if len(alias) <= _LONGEST and last(alias):
            names.append(DocumentName(folded(last(alias)), NameKind.ALIAS, alias))
    if not coded:
        for field in _ADDRESSES:
            address = document.metadata.get(field)
            if isinstance(address, str) and len(address) <= _LONGEST and "://" not in address and address.strip("/"):
                names.append(DocumentName(folded(last(address.strip("/"))), NameKind.SLUG, address.strip("/")))
        names += (DocumentName(label, NameKind.LABEL, label) for label in labels(document.text))
    return tuple(dict.fromkeys(names))


def former_names(before: Collection[DocumentName], now: Collection[DocumentName]) -> tuple[DocumentName, ...]:
    """The names a document keeps from before it moved, so that who remembers one of them still finds it."""
    old = [name for name in before if name.kind is NameKind.FORMER]
    paths = {name.path for name in now if name.kind is _PATH}
    for path in (name.path for name in before if name.kind is _PATH and name.path not in paths):
        for name in before:
            if name.kind in (_FILE, _PATH):
                old.append(DocumentName(name.name, NameKind.FORMER, path))
            elif name.kind is NameKind.MODULE:
                old.append(DocumentName(name.name, NameKind.FORMER, module_stem(path)))
    return tuple(dict.fromkeys(old))
