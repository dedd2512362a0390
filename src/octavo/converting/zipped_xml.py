"""Files that are zip archives of XML: opened with limits on count, size and ratio, parsed without entities."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, fromstring, iterparse

from octavo.model.converted_file import Damaged

_MOST_ENTRIES = 20_000
_MOST_BYTES = 500_000_000
_MOST_ENTRY_BYTES = 200_000_000
_RATIO, _RATIO_FROM = 200, 10_000_000  # XML shrinks to a tenth; a bomb to a thousandth
_ENTITIES = tuple("<!ENTITY".encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))


class Package:
    """The parts of one archive by name. Nothing is ever written to disk."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(b"\xd0\xcf\x11\xe0"):
            raise Damaged("encrypted: it needs a password")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise Damaged("damaged: it is no archive that can be opened") from error
        entries = self._archive.infolist()
        if len(entries) > _MOST_ENTRIES or sum(entry.file_size for entry in entries) > _MOST_BYTES:
            raise Damaged(f"too large: unpacked it has {len(entries):,} parts or more than {_MOST_BYTES:,} bytes")
        self._entries = {entry.filename: entry for entry in entries}

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def read(self, name: str) -> bytes | None:
        """A part, or None if there is none of that name."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        if entry.flag_bits & 1:
            raise Damaged("encrypted: it needs a password")
        size = entry.file_size
        if size > _MOST_ENTRY_BYTES or (size > _RATIO_FROM and size > _RATIO * max(1, entry.compress_size)):
            raise Damaged(f"too large: {name} unpacks to {size:,} bytes")
        try:
            with self._archive.open(entry) as part:
                data = part.read(size + 1)  # what the archive says of its size need not be true
        except (zipfile.BadZipFile, EOFError, NotImplementedError, OSError, ValueError) as error:
            raise Damaged(f"damaged: {name} cannot be unpacked") from error
        except Exception as error:  # zlib and lzma have errors of their own
            raise Damaged(f"damaged: {name} cannot be unpacked") from error
        if len(data) > size:
            raise Damaged(f"damaged: {name} is longer than the archive says")
        return data

    def xml(self, name: str) -> Element | None:
        data = self.read(name)
        return None if data is None else parsed(data, name)

    def each(self, name: str, tag: str) -> Iterator[Element]:
        """The elements of one name in a part, each emptied when the next one comes: sheets are larger as trees than
        memory allows."""
        data = self.read(name)
        if data is None:
            return
        _refuse_entities(data, name)
        try:
            for _, node in iterparse(io.BytesIO(data)):
                if node.tag.endswith(tag) and local(node) == tag:
                    yield node
                    node.clear()
        except (ParseError, ValueError, LookupError) as error:
            raise Damaged(f"damaged: {name} is not XML") from error

    def related(self, name: str) -> dict[str, tuple[str, str]]:
        """The relationships of a part: id → (kind, name of the other part)."""
        folder, _, own = name.rpartition("/")
        root = self.xml(f"{folder}/_rels/{own}.rels" if folder else f"_rels/{own}.rels")
        relations: dict[str, tuple[str, str]] = {}
        for node in root if root is not None else ():
            target = node.get("Target", "")
            if node.get("TargetMode") != "External":
                target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            relations[node.get("Id", "")] = (node.get("Type", "").rpartition("/")[2], target)
        return relations


def _refuse_entities(data: bytes, name: str) -> None:
    if any(mark in data for mark in _ENTITIES):
        raise Damaged(f"damaged: {name} declares entities of its own")


def parsed(data: bytes, name: str) -> Element:
    _refuse_entities(data, name)
    try:
        return fromstring(data)
    except (ParseError, ValueError, LookupError) as error:
        raise Damaged(f"damaged: {name} is not XML") from error


def local(node: Element) -> str:
    """A tag without its namespace."""
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def attribute(node: Element, name: str) -> str:
    """An attribute by its name, in whatever namespace."""
    for key, value in node.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def below(node: Element, *names: str) -> Iterator[Element]:
    """All elements below of these names, in order."""
    return (child for child in node.iter() if local(child) in names)


def child(node: Element | None, name: str) -> Element | None:
    return None if node is None else next((element for element in node if local(element) == name), None)


def core_facts(package: Package, name: str = "docProps/core.xml") -> dict[str, str]:
    """Title, author, subject, keywords and date, as office programs store them."""
    try:
        root = package.xml(name)
    except Damaged:
        return {}
    names = {"title": "title", "creator": "author", "subject": "subject", "keywords": "keywords", "created": "date"}
    names |= {"initial-creator": "author", "creation-date": "date", "description": "description"}
    facts: dict[str, str] = {}
    for node in root.iter() if root is not None else ():
        field, value = names.get(local(node)), " ".join((node.text or "").split())
        if field and value:
            facts.setdefault(field, value[:10] if field == "date" else value[:500])
    return facts
