"""A document's headings, each with the anchor and the lines to read it by."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.model.document import Section
from octavo.model.normalised_text_and_spans import LineIndex, short
from octavo.operations import argument_types
from octavo.operations.reading.requests import OutlineRequest
from octavo.operations.reading.results import OutlineAnswer, OutlineSection, outline_lines, section_line
from octavo.operations.rendering_for_language_models import lines, written
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, cursor, json_size, offset_of, size, within
from octavo.retrieval.reference_resolution import read_passage


def outline(engine: Engine, request: OutlineRequest) -> OutlineAnswer:
    with engine.store.reading():  # headings and text of one state, whoever indexes meanwhile
        document = read_passage(engine, request.reference, request.collection).document
        text_of = engine.store.documents.texts(engine.project.id, [document.text_hash])
        sections = engine.store.documents.sections(engine.project.id, document.id)
    index = LineIndex(text_of[document.text_hash])
    question = (replace(request, cursor=None, max_tokens=argument_types.DEFAULT_TOKENS), document.text_hash)
    offset = offset_of(request.cursor, question)
    listed = [_section(section, index) for section in sections if section.level][offset:]
    answer = OutlineAnswer(
        collection=document.collection,
        uri=document.uri,
        title=short(document.title),
        document_id=document.id,
        lines=index.count,
        sections=(),
        next_cursor=cursor(len(sections), question),
    )
    room = request.max_tokens * BYTES_PER_TOKEN - max(json_size(answer), size(written(outline_lines(answer))))
    shown = tuple(within(listed, room, _size))
    more = cursor(offset + len(shown), question) if len(shown) < len(listed) else None
    return replace(answer, sections=shown, next_cursor=more)


def _size(section: OutlineSection) -> int:
    return max(json_size(section), size("".join(lines([section_line(section)])))) + 1


def _section(section: Section, index: LineIndex) -> OutlineSection:
    lines = index.lines(section.span.start, section.span.end)
    return OutlineSection(short(section.title), section.level, section.anchor, lines.first, lines.last)
