"""What was read, as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.model.document import shown_path
from octavo.model.position import Position
from octavo.operations.lines import DETAIL, Block, Line, Part, Quote, count, more
from octavo.operations.reading.answers import GetAnswer, OutlineAnswer, OutlineSection


def get_lines(answer: GetAnswer) -> Iterator[Block]:
    place = f"{answer.collection}/{answer.uri}:{answer.start_line}-{answer.end_line}"
    at = Position(answer.page, answer.pages, answer.slide, answer.sheet, answer.time).shown
    place += f"  {at}" if at else ""
    path = f"  {shown_path(answer.heading_path)}" if answer.heading_path else ""
    about = f"{answer.kind}, version {answer.version}, modified {answer.modified_at[:10]}, {answer.document_id}"
    yield (Part(answer.title, DETAIL),)
    yield (
        Part(place, "place"),
        Part(path, "heading"),
        Part(f" ({about}, characters {answer.start}-{answer.end})", DETAIL),
    )
    if answer.tags:
        yield (Part(f"tagged {', '.join(answer.tags)}", DETAIL),)
    if answer.aliases:
        yield (Part(f"also called {', '.join(answer.aliases)}", DETAIL),)
    if answer.backlinks:
        yield (Part(f"linked from {', '.join(answer.backlinks)}", "dim"),)
    yield Quote(answer.text, answer.start_line, whole=True)
    yield from more(answer.next_cursor)


def outline_lines(answer: OutlineAnswer) -> Iterator[Block]:
    place = f"{answer.collection}/{answer.uri}"
    yield (
        Part(answer.title, "title"),
        Part(f"  {place}", "place", place),
        Part(f"  {count(answer.lines, 'line')}", "dim"),
        Part(f" ({answer.document_id})", DETAIL),
    )
    yield from map(section_line, answer.sections)
    if not answer.sections:
        yield (Part("It has no headings."),)
    yield from more(answer.next_cursor)


def section_line(section: OutlineSection) -> Line:
    anchor = f"  #{section.anchor}, lines {section.start_line}-{section.end_line}"
    return Part(f"{'  ' * (section.level - 1)}- "), Part(section.title, "heading"), Part(anchor, "dim")
