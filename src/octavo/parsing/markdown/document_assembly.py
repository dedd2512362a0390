"""Markdown document: front matter, sections, blocks, links and tags assembled from the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from octavo.algorithms.markdown.heading_attributes import attributes, given_anchor
from octavo.lazy_regex import regex
from octavo.model.converted_file import ConvertedHeading
from octavo.model.document import Block, BlockKind, Document, Kind, Section, Source
from octavo.model.ids import DocumentId, section_id, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.parsing.markdown.block_grammar import MarkdownHeading, Structure
from octavo.parsing.markdown.block_scanner import scan
from octavo.parsing.markdown.front_matter_parsing import front_matter
from octavo.parsing.markdown.heading_anchors import Anchors
from octavo.parsing.markdown.inline_to_plain_text import LONGEST, plain_text
from octavo.parsing.markdown.link_and_tag_extraction import links_and_tags
from octavo.parsing.plaintext import stem

_BOLD = regex(r"[ ]{0,3}(?:\*\*(?P<stars>[^*\n]+)\*\*|__(?P<bars>[^_\n]+)__)[ \t]*:?[ \t]*(?:\n|\Z)")
_HTML = regex(r"[ ]{0,3}<h(?P<level>[1-6])\b[^>\n]*>(?P<title>[^\n]*?)</h(?P=level)>[ \t]*(?:\n|\Z)", re.I)
_TAG = regex(r"<[^>\n]*>")


def add_loose_headings(text: str, structure: Structure) -> None:
    """Lines in bold are one level below the last heading of another kind."""
    levels = {heading.start: heading.level for heading in structure.headings}
    blocks: list[Block] = []
    level = 0
    for block in structure.blocks:
        level = levels.get(block.start, level)
        found = _heading_in_line(text, block, level)
        if found is None:
            blocks.append(block)
            continue
        structure.headings.append(found)
        level = level if block.kind is BlockKind.PARAGRAPH else found.level
        blocks.append(Block(BlockKind.HEADING, block.start, found.end))
        if rest := text[found.end : block.end].strip():
            blocks.append(Block(block.kind, found.end + text[found.end :].index(rest[0]), block.end))
    structure.blocks[:] = blocks
    structure.headings.sort(key=lambda heading: heading.start)


def _heading_in_line(text: str, block: Block, level: int) -> MarkdownHeading | None:
    if block.kind is BlockKind.PARAGRAPH and (bold := _BOLD.match(text, block.start, block.end)):
        title = (bold["stars"] or bold["bars"]).strip().rstrip(":")
        return MarkdownHeading(min(6, level + 1), block.start, bold.end(), title) if title else None
    if block.kind is BlockKind.HTML and (html := _HTML.match(text, block.start, block.end)):
        return MarkdownHeading(int(html["level"]), block.start, html.end(), _TAG.sub("", html["title"]).strip())
    return None


_CALLOUT = regex(r"[ ]{0,3}>[ \t]?[ ]{0,3}\[!([^\]\n]+)\][+-]?[ \t]*([^\n]*)")
_BLOCK_REF = regex(r"\^(?<![^\s\]]\^)([A-Za-z0-9-]+)[ \t]*(?=\n|\Z)")
_TAG_SEPARATORS = regex(r"[,\s]+")


def read_note(source: Source, *, loose: bool = False) -> Document:
    """The document of a Markdown text. Total: irregularities become warnings."""
    text = source.text
    front = front_matter(text)
    structure = scan(text, front.end)
    if loose:
        add_loose_headings(text, structure)
    sections = _sections(source.id, text, structure.headings)
    links, inline_tags = links_and_tags(text, front.end, structure)
    blocks = structure.blocks
    if front.end:
        blocks = [Block(BlockKind.FRONT_MATTER, 0, front.end), *blocks]
    fields = dict(front.data)
    given_title = _text(fields.pop("title", None))
    aliases = _list(fields.pop("aliases", None), fields.pop("alias", None))
    tags = [tag.strip("#").strip("/") for tag in _list(fields.pop("tags", None), fields.pop("tag", None), spaced=True)]
    description = _text(fields.pop("description", None)) or _text(fields.pop("summary", None))
    keywords = _list(fields.pop("keywords", None))
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


def _sections(document: DocumentId, text: str, headings: list[MarkdownHeading]) -> tuple[Section, ...]:
    size = len(text)
    first = headings[0].start if headings else size
    sections = [Section(section_id(document, (), 0), (), 0, "", Span(0, first))]
    new = tuple.__new__  # like the constructors, in half of their time
    ends = section_ends(headings, size)
    anchors = Anchors()
    occurrences: dict[tuple[str, ...], int] = {}
    above: list[tuple[int, tuple[str, ...]]] = [(0, ())]
    for (level, start, _, content), end in zip(headings, ends, strict=True):
        while above[-1][0] >= level:
            above.pop()
        title, anchor = _heading(content[:LONGEST])
        path = (*above[-1][1], title)
        above.append((level, path))
        occurrence = occurrences.get(path, 0)
        occurrences[path] = occurrence + 1
        name = section_id(document, path, occurrence)
        sections.append(new(Section, (name, path, level, anchors.take(title, anchor), new(Span, (start, end)))))
    return tuple(sections)


@lru_cache(maxsize=2048)
def _heading(content: str) -> tuple[str, str]:
    """Its title, and the anchor that it gives itself. Cached, because the documents of a collection share many."""
    around = attributes(content)
    return plain_text(content.removesuffix(around)), given_anchor(around)


def section_ends(headings: Sequence[MarkdownHeading | ConvertedHeading], size: int) -> list[int]:
    """Where each heading's section ends: at the next heading of the same or a higher rank."""
    ends = [size] * len(headings)
    running: list[int] = []
    for number, heading in enumerate(headings):
        while running and headings[running[-1]].level >= heading.level:
            ends[running.pop()] = heading.start
        running.append(number)
    return ends


def _title(sections: tuple[Section, ...]) -> str:
    """The first heading of the highest rank. One of a lower rank names a part: the file's own name says more."""
    return next((section.title for section in sections if section.level == 1 and section.title), "")


def _text(value: Any) -> str:
    """A field with a single text."""
    if isinstance(value, str):
        return " ".join(value.split())
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _list(*values: Any, spaced: bool = False) -> tuple[str, ...]:
    """A field with a list, or a text with commas (and, if `spaced`, spaces) between its items."""
    items: list[str] = []
    for value in values:
        if value is None:
            continue
        if isinstance(value, list):
            items += (_text(item) for item in value)
        elif isinstance(value, str):
            items += _TAG_SEPARATORS.split(value) if spaced else (item.strip() for item in value.split(","))
        else:
            items.append(_text(value))
    return _distinct(items) if items else ()


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Each name once, as first written; names that differ only in case are equal."""
    first: dict[str, str] = {}
    for name in names:
        if name:
            first.setdefault(name.casefold(), name)
    return tuple(first.values())


def _callouts(text: str, blocks: list[Block]) -> list[dict[str, Any]]:
    callouts = []
    for block in blocks:
        if block.kind is BlockKind.QUOTE and (m := _CALLOUT.match(text, block.start)):
            callouts.append(
                {
                    "type": m[1].partition("|")[0].strip().lower(),
                    "title": plain_text(m[2].strip()),
                    "start": block.start,
                }
            )
    return callouts


def _block_refs(text: str, structure: Structure) -> dict[str, list[int]]:
    """Obsidian's `^id` at the end of a line, with the block it names; alone in a block, it names the previous one."""
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
