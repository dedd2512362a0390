"""Read a passage, as much of it as fits; a document's headings; and what changed between two of its versions."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.engine.library_federation import QUALIFIES, library_names, qualified, split_reference
from octavo.engine.search.index_freshness import stale_files
from octavo.errors import NotFound
from octavo.fast_dataclass import replace
from octavo.model.converted_file import position
from octavo.model.document import Section
from octavo.model.ids import DocumentId
from octavo.model.link_graph import EdgeType, Node
from octavo.model.normalised_text_and_spans import LineIndex, Span, short
from octavo.model.stored_rows import StoredDocument
from octavo.operations import argument_types
from octavo.operations.answer_conversion import filled
from octavo.operations.reading.requests import DiffRequest, GetRequest, OutlineRequest
from octavo.operations.reading.results import (
    DiffAnswer,
    GetAnswer,
    OutlineAnswer,
    OutlineSection,
    get_lines,
    outline_lines,
    section_line,
)
from octavo.operations.styled_answer_lines import lines, written
from octavo.operations.token_counts_and_page_cursor import (
    BYTES_PER_TOKEN,
    cursor,
    data_size,
    json_size,
    offset_of,
    size,
    within,
)
from octavo.retrieval.reference_resolution import Passage, read_passage, version_numbers

_LINKS, _LINKS_BYTES = 10, 400
_POINTING = tuple(kind for kind in EdgeType if kind is not EdgeType.CHANGES)  # of commits `history` tells
_SHOWN = 20  # tags and aliases: a document that has more is making a point


def get(engine: Engine, request: GetRequest) -> GetAnswer:
    """From the library that the reference or the collection names, where that is another one."""
    if QUALIFIES not in (request.collection or request.reference):
        return _get(engine, request)
    group = engine.others
    names = library_names((engine.location,)) if group is None else group.names
    library, reference = split_reference(request.reference, names)
    elsewhere, collection = split_reference(request.collection or "", names)
    there = replace(request, reference=reference, collection=collection or None)
    name = elsewhere or library
    if name is None or group is None:
        return _get(engine, there)
    answer = _get(engine, there) if name == group.own else group.ask_one(name, partial(_get, request=there))
    return replace(answer, collection=qualified(name, answer.collection))


def _get(engine: Engine, request: GetRequest) -> GetAnswer:
    """As much of the passage as fits, from the cursor on, cut between lines where that is possible."""
    with engine.store.reading():
        passage = read_passage(
            engine,
            request.reference,
            request.collection,
            version=request.version,
            page=request.page,
            before=request.before,
            after=request.after,
        )
        cursor_key = (
            replace(request, cursor=None, max_tokens=argument_types.DEFAULT_TOKENS),
            passage.document.text_hash,
        )
        offset = offset_of(request.cursor, cursor_key)
        pointing = () if offset else backlinks_of(engine, passage.document)
        file = (passage.document.collection, passage.document.uri)
        stale = stale_files(engine.library, [file]).get(file) if request.version is None else None
    if engine.logs_queries:
        import_module("octavo.operations.query_log.query_logging_and_listing").log_opened(engine, passage.document.id)
    first = passage.lines.first + passage.text.count("\n", 0, offset)
    answer = _answer(passage, offset, first, "", cursor(len(passage.text), cursor_key), pointing, stale)
    room = request.max_tokens * BYTES_PER_TOKEN - max(data_size(answer), size(written(get_lines(answer))))
    shown = _fitting(passage.text[offset:], first, room)
    reached = offset + len(shown)
    more = cursor(reached, cursor_key) if reached < len(passage.text) else None
    return _answer(passage, offset, first, shown, more, pointing, stale)


def linking_documents(engine: Engine, document: DocumentId, most: int = _LINKS) -> tuple[Node, ...]:
    """Documents that point at this one, the first few."""
    graph = engine.store.graph
    edges = graph.back(engine.project.id, document, _POINTING, most * 10)
    sources = list(dict.fromkeys(edge.source for edge in edges))[:most]
    nodes = {node.document: node for node in graph.nodes(engine.project.id, sources)} if sources else {}
    return tuple(nodes[source] for source in sources)


def backlinks_of(engine: Engine, document: StoredDocument) -> tuple[str, ...]:
    """Documents that point at this one: as many as leave room for the text, however long their names are."""
    places = (f"{node.collection}/{node.uri}" for node in linking_documents(engine, document.id))
    return tuple(within(places, _LINKS_BYTES, lambda place: json_size(place) + 1))


def whole(passage: Passage) -> GetAnswer:
    """All of a passage, however long."""
    return _answer(passage, 0, passage.lines.first, passage.text, None)


def _answer(
    passage: Passage,
    offset: int,
    first: int,
    shown: str,
    more: str | None,
    backlinks: tuple[str, ...] = (),
    stale: str | None = None,
) -> GetAnswer:
    document, start = passage.document, passage.span.start + offset
    at = position(document.metadata, Span(start, start + max(1, len(shown))))
    return filled(
        GetAnswer,
        *(document, at),
        title=short(document.title),
        document_id=document.id,
        tags=document.tags[:_SHOWN],
        aliases=document.aliases[:_SHOWN],
        heading_path=tuple(short(title) for title in passage.heading_path),
        start=start,
        end=start + len(shown),
        start_line=first,
        end_line=first + shown.removesuffix("\n").count("\n"),
        text=shown,
        backlinks=backlinks,
        next_cursor=more,
        stale=stale,
    )


_MARGIN = 6
"""Bytes between a line and its number, which is as wide as the last line's."""


def _fitting(remaining: str, first: int, room: int) -> str:
    """Whole lines while there is room; of a line too long for any answer, as many characters as fit."""
    lines = enumerate(remaining.splitlines(keepends=True), first)
    shown = "".join(line for _, line in within(lines, room, lambda numbered: _needed(*numbered)))
    length = len(shown)
    while length > 1 and "\n" not in shown[: length - 1] and _needed(first, shown[:length]) > room:
        length = min(max(1, room), length * 3 // 4)
    return shown[:length]


def _needed(number: int, line: str) -> int:
    """In JSON, or in text with its number in front; some readers end a line where others do not."""
    return max(data_size(line) - 2, size(line) + len(str(number)) + _MARGIN)


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
    room = request.max_tokens * BYTES_PER_TOKEN - max(data_size(answer), size(written(outline_lines(answer))))
    shown = tuple(within(listed, room, _size))
    more = cursor(offset + len(shown), question) if len(shown) < len(listed) else None
    return replace(answer, sections=shown, next_cursor=more)


def _size(section: OutlineSection) -> int:
    return max(data_size(section), size("".join(lines([section_line(section)])))) + 1


def _section(section: Section, index: LineIndex) -> OutlineSection:
    lines = index.lines(section.span.start, section.span.end)
    return OutlineSection(short(section.title), section.level, section.anchor, lines.first, lines.last)


def diff(engine: Engine, request: DiffRequest) -> DiffAnswer:
    with engine.store.reading():
        numbers = version_numbers(engine, request.reference, request.collection)
        if not numbers:
            raise NotFound(
                f"nothing in the library is called {request.reference}", hint="`octavo list --documents` shows them"
            )
        newer = request.to_version or numbers[-1]
        older = request.from_version or max((number for number in numbers if number < newer), default=newer)
        before, after = _version(engine, request, older), _version(engine, request, newer)
    lines: list[str] = list(
        import_module("difflib").unified_diff(  # reading a passage does without
            before.text.splitlines(keepends=True),
            after.text.splitlines(keepends=True),
            f"{before.document.uri} (version {older})",
            f"{after.document.uri} (version {newer})",
        )
    )
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    shown = _within(text, request.max_tokens * BYTES_PER_TOKEN)
    return DiffAnswer(
        collection=after.document.collection,
        uri=after.document.uri,
        document_id=after.document.id,
        from_version=older,
        to_version=newer,
        from_modified_at=when(before.document.modified_at),
        to_modified_at=when(after.document.modified_at),
        added=sum(line.startswith("+") for line in lines[2:]),
        removed=sum(line.startswith("-") for line in lines[2:]),
        diff=shown,
        truncated=len(shown) < len(text),
    )


def _version(engine: Engine, request: DiffRequest, number: int) -> Passage:
    return read_passage(engine, request.reference, request.collection, version=number)


def _within(text: str, room: int) -> str:
    if size(text) <= room:
        return text
    kept = text.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore")
    return kept[: kept.rfind("\n") + 1]
