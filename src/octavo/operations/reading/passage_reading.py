"""Read a passage, as much of it as fits."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from octavo.engine.engine import Engine
from octavo.engine.library_federation import QUALIFIES, library_names, qualified, split_reference
from octavo.engine.search.index_freshness import stale_files
from octavo.fast_dataclass import replace
from octavo.model.ids import DocumentId
from octavo.model.link_graph import EdgeType, Node
from octavo.model.normalised_text_and_spans import Span, short
from octavo.model.position_in_original import position
from octavo.model.stored_rows import StoredDocument
from octavo.operations import argument_types
from octavo.operations.answer_fields import answer_from
from octavo.operations.reading.requests import GetRequest
from octavo.operations.reading.results import GetAnswer, get_lines
from octavo.operations.rendering_for_language_models import written
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, cursor, json_size, offset_of, size, within
from octavo.retrieval.reference_resolution import Passage, read_passage

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
    room = request.max_tokens * BYTES_PER_TOKEN - max(json_size(answer), size(written(get_lines(answer))))
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
    return answer_from(
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
    return max(json_size(line) - 2, size(line) + len(str(number)) + 12)
