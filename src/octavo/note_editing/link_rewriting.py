"""Rewrites the links to a heading or file that is renamed or moved, so that they lead to it again.

Two worlds are compared: the notes as they are, and as they will be. A link that leads to another place in the second
one is written anew, in the way it was written; a link that still leads there is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from octavo.algorithms.text.document_name_normalisation import folded, folder, last, without_ending
from octavo.fast_dataclass import dataclass
from octavo.graph.edge_extraction import references_of
from octavo.lazy_regex import regex
from octavo.model.document import Link, Section
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.note_link_resolution import LinkedNotes, NoteLink
from octavo.parsing.markdown.link_reference_definitions import label_key

_WIKILINK = regex(r"(!?\[\[)([^\]|]*?)(\\?\|[^\]]*)?(\]\])\Z")
_INLINE = regex(r"(.*\]\(\s*)(<[^<>\n]*>|\S*?)(\s+[\"'(].*)?(\s*\))\Z", re.DOTALL)
_DEFINITION = regex(r"^([ ]{0,3}\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*\n?[ \t]*)(<[^<>\n]*>|\S+)", re.MULTILINE)
_IN_ADDRESS = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", '"': "%22", "%": "%25"})
_NOT_IN_WIKILINK = regex(r"[\[\]|#^]+")


@dataclass(frozen=True, slots=True)
class LinkChange:
    """A link as it is written and as it is to be written; None where it cannot be written otherwise."""

    uri: str
    line: int
    before: str
    after: str | None


@dataclass(frozen=True, slots=True)
class Followed:
    """The new text of each note whose links follow, and what changes in them."""

    texts: Mapping[str, str]
    changes: tuple[LinkChange, ...]


def follow(
    before: LinkedNotes,
    after: LinkedNotes,
    *,
    renamed: Mapping[str, str] | None = None,
    sections: Mapping[str, Mapping[int, int]] | None = None,
) -> Followed:
    """`renamed` are uris that change; `sections` say, for an edited note, where each of its sections begins then."""
    world = _Worlds(before, after, renamed or {}, sections or {})
    texts: dict[str, str] = {}
    changes: list[LinkChange] = []
    for uri in list(after.parsed):
        text, changed = world.followed(uri)
        changes += changed
        if text != after.texts[uri]:
            texts[uri] = text
    return Followed(texts, tuple(changes))


def same_sections(document: NoteOutline, moved: tuple[int, int, int] | None = None) -> list[int]:
    """The numbers of a note's headings in their new order; `moved` is the first of a section, the first behind it, and
    the first behind its new place."""
    numbers = list(range(len(document.headings)))
    if moved is None:
        return numbers
    first, behind, place = moved
    others = [number for number in numbers if not first <= number < behind]
    own = numbers[first:behind]
    return [*(n for n in others if n < place), *own, *(n for n in others if n >= place)]


class _Worlds:
    def __init__(
        self,
        before: LinkedNotes,
        after: LinkedNotes,
        renamed: Mapping[str, str],
        sections: Mapping[str, Mapping[int, int]],
    ) -> None:
        self.before, self.after, self.renamed, self.sections = before, after, renamed, sections
        self.former = {new: old for old, new in renamed.items()}

    def followed(self, uri: str) -> tuple[str, list[LinkChange]]:
        """A note's text with its links as they are to be, and those that differ."""
        text = self.after.texts[uri]
        edits: dict[tuple[int, int], str] = {}
        changes: list[LinkChange] = []
        for link in self.after.links(uri):
            target = self._wanted(uri, link)
            if target is None:
                continue
            start, end = link.link.span
            written = self._written(uri, link, *target)
            edit = _edited(text, start, end, written) if written else None
            if edit is not None:
                edits[edit[:2]] = edit[2]
            line = text.count("\n", 0, start) + 1
            changes.append(LinkChange(uri, line, text[start:end], None if edit is None else edit[2]))
        for (start, end), new in sorted(edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return text, changes

    def _wanted(self, uri: str, link: NoteLink) -> tuple[str, int | None] | None:
        """Where a link led that now leads elsewhere: the file's new uri, and where its section begins now."""
        source = self.former.get(uri, uri)
        if source not in self.before.texts:
            return None
        old = self.before.resolved(references_of(self.before.document(source), link.link))
        if old is None:
            return None
        target = self.renamed.get(old, old)
        section = self._section(old, link.link.anchor)
        leads = self._leads(target, section, link.target, link.link.anchor)
        # Here a path may be found by its end alone; other programs need it exact where it was.
        exact = link.wiki or not _exact(source, link.link, old) or _exact(uri, link.link, target)
        return None if leads and exact else (target, section)

    def _section(self, old: str, anchor: str | None) -> int | None:
        """Where the section that an anchor names begins in the edited note; None if no section is at stake."""
        if not anchor or anchor.startswith("^") or old not in self.sections:
            return None
        begun = self.before.section(old, anchor)
        return None if begun is None else self.sections[old].get(begun)

    def _leads(self, target: str, section: int | None, there: str | None, anchor: str | None) -> bool:
        if there != target:
            return False
        return section is None or (anchor is not None and self.after.section(target, anchor) == section)

    def _written(self, uri: str, note_link: NoteLink, target: str, section: int | None) -> tuple[str, ...] | None:
        """The target and the anchor of a link that leads there, the likest to what was written first."""
        document, link = self.after.document(uri), note_link.link
        names = [*(_wiki_names(link, target) if note_link.wiki else _addresses(link, uri, target))]
        if note_link.target == target and (note_link.wiki or _exact(uri, link, target)):
            names.insert(0, link.target)
        anchors: Sequence[str | None] = (link.anchor,)
        if section is not None:
            at = next(
                part for part in self.after.document(target).sections if part.level and part.span.start == section
            )
            anchors = (link.anchor, *(_wiki_anchors(link, at) if note_link.wiki else _fragments(link, at)))
        for name in dict.fromkeys(names):
            for anchor in dict.fromkeys(anchors):
                there = self.after.resolved(references_of(document, link._replace(target=name, anchor=anchor)))
                if self._leads(target, section, there, anchor):
                    return (name,) if anchor is None else (name, anchor)
        return None


def _exact(source: str, link: Link, target: str) -> bool:
    """Whether a Markdown link is the path of its target from the folder of its source."""
    if not link.target:
        return source == target
    path = posixpath.normpath(posixpath.join(folder(source), link.target))
    return path in (target, without_ending(target))


def _wiki_names(link: Link, target: str) -> Iterator[str]:
    ending = target if link.target != without_ending(link.target) else without_ending(target)
    yield from (ending, last(ending)) if "/" in link.target else (last(ending), ending)


def _addresses(link: Link, source: str, target: str) -> Iterator[str]:
    ending = target if link.target != without_ending(link.target) else without_ending(target)
    if link.target.startswith("/"):
        yield "/" + ending
    relative = posixpath.relpath(ending, folder(source) or ".")
    yield f"./{relative}" if link.target.startswith("./") and not relative.startswith("../") else relative
    yield posixpath.relpath(target, folder(source) or ".")


def _wiki_anchors(link: Link, section: Section) -> Iterator[str]:
    path = [" ".join(_NOT_IN_WIKILINK.sub(" ", title).split()) for title in section.path]
    parts = (link.anchor or "").count("#") + 1
    yield "#".join(path[-parts:])
    yield path[-1]
    yield "#".join(path)


def _fragments(link: Link, section: Section) -> Iterator[str]:
    slug = folded(link.anchor or "") == (link.anchor or "") and " " not in (link.anchor or "")
    yield from (section.anchor, section.title) if slug else (section.title, section.anchor)


def _edited(text: str, start: int, end: int, written: tuple[str, ...]) -> tuple[int, int, str] | None:
    """What to put where: in the link itself, or in the definition it refers to."""
    raw = text[start:end]
    if wiki := _WIKILINK.match(raw):
        return start, end, f"{wiki[1]}{'#'.join(written)}{wiki[3] or ''}{wiki[4]}"
    if inline := _INLINE.match(raw):
        return start, end, f"{inline[1]}{_address(written, inline[2])}{inline[3] or ''}{inline[4]}"
    label = label_key(raw.rstrip("]").rpartition("[")[2] or raw.partition("[")[2].partition("]")[0])
    for definition in _DEFINITION.finditer(text):
        if label_key(definition[2]) == label:
            return definition.start(3), definition.end(3), _address(written, definition[3])
    return None


def _address(written: tuple[str, ...], old: str) -> str:
    name, *anchor = written
    if old.startswith("<"):
        return f"<{'#'.join(written)}>"
    path = name.translate(_IN_ADDRESS).replace("#", "%23").replace("?", "%3F")
    return "#".join((path, *(part.translate(_IN_ADDRESS) for part in anchor)))
