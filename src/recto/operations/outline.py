"""A document's headings, each with the anchor and the lines to read it by."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from recto.engine.engine import Engine
from recto.model.document import Section
from recto.model.text import LineIndex
from recto.operations import fields
from recto.operations.budget import BYTES_PER_TOKEN, cursor, json_size, offset_of, size
from recto.operations.get import GetRequest, read
from recto.operations.hits import short
from recto.operations.quoting import TITLES, one_line


@dataclass(frozen=True, slots=True)
class OutlineRequest:
    reference: fields.DocumentReference
    collection: fields.InCollection | None = None
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class OutlineSection:
    title: str
    level: int
    anchor: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class OutlineAnswer:
    """Sections in document order; a section holds the deeper ones that follow it."""

    collection: str
    uri: str
    title: str
    document_id: str
    lines: int
    sections: tuple[OutlineSection, ...]
    next_cursor: str | None = None


def outline(engine: Engine, request: OutlineRequest) -> OutlineAnswer:
    with engine.store.reading():  # headings and text of one state, whoever indexes meanwhile
        document = read(engine, GetRequest(request.reference, request.collection)).document
        text_of = engine.store.documents.texts(engine.project.id, [document.text_hash])
        sections = engine.store.documents.sections(engine.project.id, document.id)
    index = LineIndex(text_of[document.text_hash])
    asked = (replace(request, cursor=None, max_tokens=fields.DEFAULT_TOKENS), document.text_hash)
    offset = offset_of(request.cursor, asked)
    listed = [_section(one, index) for one in sections if one.level][offset:]
    answer = OutlineAnswer(
        collection=document.collection,
        uri=document.uri,
        title=short(document.title),
        document_id=document.id,
        lines=index.count,
        sections=(),
        next_cursor=cursor(len(sections), asked),
    )
    room = request.max_tokens * BYTES_PER_TOKEN - max(json_size(asdict(answer)), size(text(answer)))
    shown: list[OutlineSection] = []
    for one in listed:
        room -= max(json_size(asdict(one)), size(_line(one))) + 1
        if room < 0 and shown:
            break
        shown.append(one)
    more = cursor(offset + len(shown), asked) if len(shown) < len(listed) else None
    return replace(answer, sections=tuple(shown), next_cursor=more)


def text(answer: OutlineAnswer) -> str:
    where = one_line(f"{answer.collection}/{answer.uri}")
    head = f"{one_line(answer.title)}\n{where} ({answer.lines} lines, {answer.document_id}). {TITLES}"
    lines = [_line(one) for one in answer.sections] or ["It has no headings."]
    more = [f"There is more: repeat the request with cursor {answer.next_cursor}"] if answer.next_cursor else []
    return "\n".join([head, "", *lines, *more])


def _line(one: OutlineSection) -> str:
    place = f"#{one_line(one.anchor)}, lines {one.start_line}-{one.end_line}"
    return f"{'  ' * (one.level - 1)}- {one_line(one.title)} ({place})"


def _section(one: Section, index: LineIndex) -> OutlineSection:
    lines = index.lines(one.span.start, one.span.end)
    return OutlineSection(
        title=short(one.title),
        level=one.level,
        anchor=one.anchor,
        start_line=lines.first,
        end_line=lines.last,
    )
