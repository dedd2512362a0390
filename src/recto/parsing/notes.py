"""A note put together: front matter, sections, blocks, links and tags become one document."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from recto.model.document import Block, BlockKind, Document, Kind, Section, Source
from recto.model.ids import DocumentId, section_id, text_hash
from recto.model.text import Span
from recto.parsing.anchors import Anchors
from recto.parsing.blocks import scan
from recto.parsing.frontmatter import front_matter
from recto.parsing.links import pointers
from recto.parsing.names import stem
from recto.parsing.readable import LONGEST, readable
from recto.parsing.structure import Heading, Structure

_CALLOUT = re.compile(r"[ ]{0,3}>[ \t]?[ ]{0,3}\[!([^\]\n]+)\][+-]?[ \t]*([^\n]*)")
_BLOCK_REF = re.compile(r"\^(?<![^\s\]]\^)([A-Za-z0-9-]+)[ \t]*(?=\n|\Z)")
_TAG_SEPARATORS = re.compile(r"[,\s]+")


def read_note(source: Source) -> Document:
    """The document a Markdown text is. Total: what is odd about it becomes a warning."""
    text = source.text
    front = front_matter(text)
    structure = scan(text, front.end)
    sections = _sections(source.id, text, structure.headings)
    links, inline_tags = pointers(text, front.end, structure)
    blocks = structure.blocks
    if front.end:
        blocks = [Block(BlockKind.FRONT_MATTER, 0, front.end), *blocks]
    fields = dict(front.data)
    given_title = _one(fields.pop("title", None))
    aliases = _many(fields.pop("aliases", None), fields.pop("alias", None))
    tags = [tag.strip("#").strip("/") for tag in _many(fields.pop("tags", None), fields.pop("tag", None), spaced=True)]
    description = _one(fields.pop("description", None)) or _one(fields.pop("summary", None))
    keywords = _many(fields.pop("keywords", None))
    if "^" in text and (refs := _block_refs(text, structure)):
        fields["block_refs"] = refs
    if "[!" in text and (callouts := _callouts(text, blocks)):
        fields["callouts"] = callouts
    return Document(
        id=source.id,
        uri=source.uri,
        kind=source.kind or Kind.NOTE,
        title=given_title or _title(sections) or stem(source.uri),
        text=text,
        content_hash=text_hash(text),
        modified_at=source.modified_at,
        description=description,
        keywords=keywords,
        sections=sections,
        blocks=tuple(blocks),
        links=links,
        tags=_distinct((*source.tags, *tags, *inline_tags)),
        aliases=aliases,
        metadata=fields,
        warnings=front.warnings,
    )


def _sections(document: DocumentId, text: str, headings: list[Heading]) -> tuple[Section, ...]:
    size = len(text)
    first = headings[0].start if headings else size
    sections = [Section(section_id(document, (), 0), (), 0, "", Span(0, first))]
    new = tuple.__new__  # what the classes' own constructors give, in half of their time
    ends = _section_ends(headings, size)
    anchors = Anchors()
    occurrences: dict[tuple[str, ...], int] = {}
    above: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for (level, start, _, content), end in zip(headings, ends, strict=True):
        while above[-1][0] >= level:
            above.pop()
        title = _heading_title(content[:LONGEST])
        path = (*above[-1][1], title)
        above.append((level, path))
        occurrence = occurrences.get(path, 0)
        occurrences[path] = occurrence + 1
        name = section_id(document, path, occurrence)
        sections.append(new(Section, (name, path, level, anchors.take(title), new(Span, (start, end)))))
    return tuple(sections)


@lru_cache(maxsize=2048)
def _heading_title(content: str) -> str:
    """Kept, because the documents of a collection share many of their headings."""
    return readable(content)


def _section_ends(headings: list[Heading], size: int) -> list[int]:
    """Where each heading's section ends: at the next heading of the same or a higher rank."""
    ends = [size] * len(headings)
    running: list[int] = []
    for number, heading in enumerate(headings):
        while running and headings[running[-1]].level >= heading.level:
            ends[running.pop()] = heading.start
        running.append(number)
    return ends


def _title(sections: tuple[Section, ...]) -> str:
    titled = [section for section in sections if section.title]
    return next((section.title for section in titled if section.level == 1), titled[0].title if titled else "")


def _one(value: Any) -> str:
    """A field that is one text."""
    if isinstance(value, str):
        return " ".join(value.split())
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _many(*values: Any, spaced: bool = False) -> tuple[str, ...]:
    """A field that is a list, or a text with commas (and, if `spaced`, spaces) between its parts."""
    parts: list[str] = []
    for value in values:
        if value is None:
            continue
        if isinstance(value, list):
            parts += (_one(item) for item in value)
        elif isinstance(value, str):
            parts += _TAG_SEPARATORS.split(value) if spaced else (part.strip() for part in value.split(","))
        else:
            parts.append(_one(value))
    return _distinct(parts) if parts else ()


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, as first written; names that differ in case alone are the same."""
    first: dict[str, str] = {}
    for name in names:
        if name:
            first.setdefault(name.casefold(), name)
    return tuple(first.values())


def _callouts(text: str, blocks: list[Block]) -> list[dict[str, Any]]:
    found = []
    for block in blocks:
        if block.kind is BlockKind.QUOTE and (m := _CALLOUT.match(text, block.start)):
            found.append(
                {"type": m[1].partition("|")[0].strip().lower(), "title": readable(m[2].strip()), "start": block.start}
            )
    return found


def _block_refs(text: str, structure: Structure) -> dict[str, list[int]]:
    """Obsidian's `^id` at the end of a line, with the block it names; alone in a block, it names the one before."""
    blocks = [block for block in structure.blocks if block.kind is not BlockKind.RULE]
    starts = [block.start for block in blocks]
    hole_starts = [start for start, _ in structure.holes]
    refs: dict[str, list[int]] = {}
    for m in _BLOCK_REF.finditer(text):
        hole = bisect_right(hole_starts, m.start()) - 1
        number = bisect_right(starts, m.start()) - 1
        if number < 0 or (hole >= 0 and m.start() < structure.holes[hole][1]):
            continue
        block = blocks[number]
        alone = m.end() + 1 >= block.end and m.start() - block.start < 4 and text[block.start] in " ^"
        if alone and number:
            block = blocks[number - 1]
        refs.setdefault(m[1], [block.start, block.end])
    return refs
