"""Read a document, some of its lines, a section or a chunk, exactly as stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from recto.engine.engine import Engine
from recto.errors import InvalidArgument, NotFound
from recto.model.document import HEADING_SEPARATOR, Section, shown_path
from recto.model.graph import EdgeType
from recto.model.ids import ChunkId, DocumentId
from recto.model.limits import Field
from recto.model.stored import StoredDocument
from recto.model.text import LineIndex, Lines, Span
from recto.operations import fields
from recto.operations.budget import BYTES_PER_TOKEN, cursor, json_size, offset_of, size
from recto.operations.hits import short, when
from recto.operations.quoting import DATA, one_line, quoted

_LINES = re.compile(r"^(?P<uri>.+?):(?P<first>\d+)(?:-(?P<last>\d+))?$", re.DOTALL)
_HASH = re.compile(r"^[0-9a-fA-F]{6,64}$")
_LINKS, _LINKS_BYTES = 10, 400
_POINTING = tuple(one for one in EdgeType if one is not EdgeType.CHANGES)  # of commits `history` tells
_SHOWN = 20  # tags and aliases: a document that has more is making a point


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one document with its exact place."""

    document: StoredDocument
    heading_path: tuple[str, ...]
    span: Span
    lines: Lines
    text: str


@dataclass(frozen=True, slots=True)
class GetRequest:
    """`reference` is a uri, `uri:from-to` lines, `uri#anchor`, `uri#Heading → Sub`, a chunk id or a document id."""

    reference: fields.Reference
    collection: fields.InCollection | None = None
    before: Annotated[fields.LinesAround, Field(description="So many lines before it as well.")] = 0
    after: Annotated[fields.LinesAround, Field(description="So many lines after it as well.")] = 0
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """The exact text and its place; `next_cursor` is there when the rest did not fit."""

    collection: str
    uri: str
    kind: str
    title: str
    document_id: str
    version: int
    modified_at: str
    tags: tuple[str, ...]
    aliases: tuple[str, ...]
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    backlinks: tuple[str, ...] = ()
    """Documents that point at this one, the first few, as collection/uri; with the first page only."""
    next_cursor: str | None = None


def get(engine: Engine, request: GetRequest) -> GetAnswer:
    """As much of the passage as fits, from the cursor on, cut between lines where that is possible."""
    with engine.store.reading():
        passage = read(engine, request)
        asked = (replace(request, cursor=None, max_tokens=fields.DEFAULT_TOKENS), passage.document.text_hash)
        offset = offset_of(request.cursor, asked)
        pointing = () if offset else backlinks_of(engine, passage.document)
    first = passage.lines.first + passage.text.count("\n", 0, offset)
    answer = _answer(passage, offset, first, "", cursor(len(passage.text), asked), pointing)
    room = request.max_tokens * BYTES_PER_TOKEN - max(json_size(asdict(answer)), size(text(answer)))
    shown = _fitting(passage.text[offset:], first, room)
    reached = offset + len(shown)
    more = cursor(reached, asked) if reached < len(passage.text) else None
    return _answer(passage, offset, first, shown, more, pointing)


def text(answer: GetAnswer) -> str:
    where = one_line(f"{answer.collection}/{answer.uri}:{answer.start_line}-{answer.end_line}")
    path = f", {shown_path(answer.heading_path)}" if answer.heading_path else ""
    about = f"{answer.kind}, version {answer.version}, modified {answer.modified_at[:10]}, {answer.document_id}"
    tags = "\n" + one_line(f"Tags: {', '.join(answer.tags)}") if answer.tags else ""
    aliases = "\n" + one_line(f"Also called: {', '.join(answer.aliases)}") if answer.aliases else ""
    links = "\n" + one_line(f"Linked from: {', '.join(answer.backlinks)}") if answer.backlinks else ""
    place = f"{where} ({about}, characters {answer.start}-{answer.end})"
    head = f"{one_line(answer.title + path)}\n{place}{tags}{aliases}{links}"
    more = f"\n\nThere is more: repeat the request with cursor {answer.next_cursor}" if answer.next_cursor else ""
    return f"{head}\n{DATA}\n\n{quoted(answer.text, answer.start_line)}{more}"


def backlinks_of(engine: Engine, document: StoredDocument) -> tuple[str, ...]:
    """Documents that point at this one: as many as leave room for the text, however long their names are."""
    graph, room, found = engine.store.graph, _LINKS_BYTES, []
    edges = graph.back(engine.project.id, document.id, _POINTING, _LINKS * 10)
    sources = list(dict.fromkeys(edge.source for edge in edges))[:_LINKS]
    nodes = {node.document: node for node in graph.nodes(engine.project.id, sources)} if sources else {}
    for node in (nodes[one] for one in sources):
        place = f"{node.collection}/{node.uri}"
        room -= json_size(place) + 1
        if room < 0:
            break
        found.append(place)
    return tuple(found)


def _answer(
    passage: Passage, offset: int, first: int, shown: str, more: str | None, backlinks: tuple[str, ...] = ()
) -> GetAnswer:
    document, start = passage.document, passage.span.start + offset
    return GetAnswer(
        collection=document.collection,
        uri=document.uri,
        kind=document.kind.value,
        title=short(document.title),
        document_id=document.id,
        version=document.version,
        modified_at=when(document.modified_at),
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
    )


def _fitting(remaining: str, first: int, room: int) -> str:
    """Whole lines while there is room; of a line too long for any answer, as many characters as fit."""
    taken = 0
    for number, line in enumerate(remaining.splitlines(keepends=True), first):
        needed = max(json_size(line) - 2, size(line) + len(str(number)) + 12)
        if needed > room:
            break
        room -= needed
        taken += len(line)
    if taken or not remaining:
        return remaining[:taken]
    kept = max(1, room)
    while kept > 1 and max(json_size(remaining[:kept]), size(remaining[:kept]) + 32) > room:
        kept = kept * 3 // 4
    return remaining[:kept]


def read(engine: Engine, request: GetRequest) -> Passage:
    """The whole passage that the reference names, its rows and its text of one state of the library."""
    if not request.reference.strip():
        raise InvalidArgument("the reference is blank", hint="give a uri, uri:from-to, uri#section, or a chunk id")
    with engine.store.reading():
        return _read(engine, request)


def _read(engine: Engine, request: GetRequest) -> Passage:
    reference = request.reference
    if reference.startswith("chk_"):
        return _widened(engine, _chunk(engine, ChunkId(reference)), request)
    if reference.startswith("doc_"):
        document = engine.store.documents.get(engine.project.id, DocumentId(reference))
        if document is not None:
            return _widened(engine, _whole(engine, document), request)
    exact = _find(engine, reference, request.collection) or _commit(engine, reference)
    if exact:
        return _widened(engine, _whole(engine, exact), request)
    lines = _LINES.match(reference)
    if lines and (document := _find(engine, lines["uri"], request.collection)):
        first, last = int(lines["first"]), int(lines["last"] or lines["first"])
        if first < 1 or last < first:
            raise InvalidArgument(f"lines {first}-{last} are not a range", hint="lines count from 1: uri:10-20")
        return _widened(engine, _lines(engine, document, first, last), request)
    for cut in range(len(reference)):
        if reference[cut] == "#" and (document := _find(engine, reference[:cut], request.collection)):
            return _widened(engine, _section(engine, document, reference[cut + 1 :]), request)
    raise NotFound(
        f"nothing in the library is called {reference}", hint="`recto search` finds passages; `recto list` collections"
    )


def as_json(passage: Passage) -> dict[str, Any]:
    document = passage.document
    return {
        "uri": document.uri,
        "collection": document.collection,
        "kind": document.kind.value,
        "title": document.title,
        "document_id": document.id,
        "version": document.version,
        "modified_at": when(document.modified_at),
        "tags": list(document.tags),
        "aliases": list(document.aliases),
        "heading_path": list(passage.heading_path),
        "start": passage.span.start,
        "end": passage.span.end,
        "start_line": passage.lines.first,
        "end_line": passage.lines.last,
        "text": passage.text,
    }


def _find(engine: Engine, uri: str, collection: str | None) -> StoredDocument | None:
    """By `uri`, or by `collection/uri` when that is what was written."""
    within = engine.collection(collection).id if collection else None
    found = engine.store.documents.find(engine.project.id, uri, within)
    if not found and collection is None and "/" in uri:
        name, rest = uri.split("/", 1)
        found = tuple(one for one in engine.store.documents.find(engine.project.id, rest) if one.collection == name)
    if len(found) > 1:
        names = ", ".join(one.collection for one in found)
        raise InvalidArgument(f"{uri} is in several collections: {names}", hint="choose one with --collection")
    return found[0] if found else None


def located(engine: Engine, reference: str, collection: str | None) -> StoredDocument | None:
    """The document that a uri, `collection/uri`, a document id or the start of a commit's hash names."""
    if reference.startswith("doc_"):
        return engine.store.documents.get(engine.project.id, DocumentId(reference))
    return _find(engine, reference, collection) or _commit(engine, reference)


def _commit(engine: Engine, reference: str) -> StoredDocument | None:
    """By the start of its hash, as git takes it."""
    if not _HASH.match(reference):
        return None
    found = engine.store.history.find(engine.project.id, reference.lower())
    if len({one.hash for one in found}) > 1:
        some = ", ".join(one.hash[:12] for one in found[:5])
        raise InvalidArgument(f"{reference} is the start of several commits: {some}", hint="give more of the hash")
    return engine.store.documents.get(engine.project.id, found[0].document_id) if found else None


def _text(engine: Engine, document: StoredDocument) -> str:
    return engine.store.documents.texts(engine.project.id, [document.text_hash])[document.text_hash]


def _whole(engine: Engine, document: StoredDocument) -> Passage:
    text = _text(engine, document)
    return _slice(document, (), text, Span(0, len(text)))


def _lines(engine: Engine, document: StoredDocument, first: int, last: int) -> Passage:
    text = _text(engine, document)
    index = LineIndex(text)
    if first > index.count:
        raise NotFound(
            f"{document.uri} has {index.count} lines, not {first}",
            hint=f"ask for lines up to {index.count}: {document.uri}:1-{index.count}",
        )
    span = index.span(first, last)
    return _slice(document, _path_at(engine, document, span.start), text, span)


def _section(engine: Engine, document: StoredDocument, wanted: str) -> Passage:
    sections = engine.store.documents.sections(engine.project.id, document.id)
    section = _named(sections, wanted)
    if section is None:
        anchors = ", ".join(one.anchor for one in sections if one.anchor)
        raise NotFound(f"{document.uri} has no section {wanted}", hint=f"its sections: {anchors}" if anchors else None)
    return _slice(document, section.path, _text(engine, document), section.span)


def _named(sections: tuple[Section, ...], wanted: str) -> Section | None:
    """An anchor, a whole heading path, or a title; the first that fits, most exact first."""
    path = tuple(part.strip() for part in wanted.split(HEADING_SEPARATOR.strip()))
    folded = wanted.strip().casefold()
    tests: tuple[Callable[[Section], bool], ...] = (
        lambda one: one.anchor == wanted,
        lambda one: one.path == path,
        lambda one: one.path[-len(path) :] == path,
        lambda one: one.title.casefold() == folded,
    )
    for test in tests:
        for section in sections:
            if section.level and test(section):
                return section
    return None


def _chunk(engine: Engine, chunk: ChunkId) -> Passage:
    key = engine.store.documents.chunk_key(engine.project.id, chunk)
    candidate = engine.store.documents.candidates(engine.project.id, [key]).get(key) if key is not None else None
    document = engine.store.documents.get(engine.project.id, candidate.document_id) if candidate else None
    if candidate is None or document is None:
        raise NotFound(f"there is no chunk {chunk}", hint="its document may have changed: search again")
    return _slice(document, candidate.heading_path, _text(engine, document), candidate.span)


def _path_at(engine: Engine, document: StoredDocument, offset: int) -> tuple[str, ...]:
    """The deepest section that holds the character."""
    path: tuple[str, ...] = ()
    for section in engine.store.documents.sections(engine.project.id, document.id):
        if section.span.start <= offset < section.span.end:
            path = section.path
    return path


def _slice(document: StoredDocument, path: tuple[str, ...], text: str, span: Span) -> Passage:
    return Passage(document, path, span, LineIndex(text).lines(span.start, span.end), span.of(text))


def _widened(engine: Engine, passage: Passage, request: GetRequest) -> Passage:
    """With the asked-for lines around it."""
    if not request.before and not request.after:
        return passage
    text = _text(engine, passage.document)
    index = LineIndex(text)
    span = index.span(passage.lines.first - request.before, passage.lines.last + request.after)
    return _slice(passage.document, passage.heading_path, text, span)
