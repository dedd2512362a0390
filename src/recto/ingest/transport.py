"""How a prepared document crosses from a worker process: plain tuples, no text twice.

Pickling the values themselves costs as much as preparing them. Slices are left out and cut again on arrival. Blocks and
links as written stay behind: nothing after the chunker asks for the ones, and the others go as what they ask for.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from recto.ingest.prepare import Failure, Outcome
from recto.model.chunk import Chunk, ContentType, EmbeddingInput
from recto.model.document import Document, Kind, Section
from recto.model.graph import EdgeType, Linked, Lookup, Name, NameKind, OutLink, Reference
from recto.model.ids import DocumentId
from recto.model.index import IndexedChunk, LexicalRow, Prepared
from recto.model.ledger import FileStamp
from recto.model.text import Lines, Span
from recto.sources.files import SeenFile

Packed = tuple[Any, ...]

_PLAIN = tuple(field.name for field in fields(Document) if field.name not in {"kind", "sections", "blocks", "links"})


# A look-up here: calling an enumeration for its member costs ten times as much.
_CONTENT_TYPES = {one.value: one for one in ContentType}
_EDGE_TYPES = {one.value: one for one in EdgeType}
_LOOKUPS = {one.value: one for one in Lookup}
_NAME_KINDS = {one.value: one for one in NameKind}


def pack(outcome: Outcome) -> Packed:
    file, result = outcome.file, outcome.result
    stamp = file.stamp
    head = (file.uri, file.location, stamp.size, stamp.mtime_ns, stamp.inode)
    if isinstance(result, Failure):
        return head, None, (result.reason, result.refused, result.passing)
    document = result.document
    return (
        head,
        (
            tuple(getattr(document, name) for name in _PLAIN),
            document.kind.value,
            [(one.id, one.path, one.level, one.anchor, one.span.start, one.span.end) for one in document.sections],
            _pack_linked(result.linked),
        ),
        [_pack_chunk(one) for one in result.chunks],
    )


def _pack_chunk(indexed: IndexedChunk) -> Packed:
    chunk = indexed.chunk
    return (
        (chunk.id, chunk.document_id, chunk.section_id, chunk.heading_path, chunk.ordinal),
        (chunk.span.start, chunk.span.end, chunk.lines.first, chunk.lines.last),
        (chunk.text_hash, chunk.tokens, chunk.content_type.value, chunk.signature),
        tuple(indexed.lexical),
        [(one.window, one.span.start, one.span.end, one.hash, one.context, one.fast) for one in indexed.inputs],
    )


def unpack(packed: Packed) -> Outcome:
    (uri, location, size, mtime_ns, inode), head, tail = packed
    file = SeenFile(uri, location, FileStamp(size, mtime_ns, inode))
    if head is None:
        return Outcome(file, Failure(*tail))
    plain, kind, sections, points = head
    document = Document(
        **dict(zip(_PLAIN, plain, strict=True)),
        kind=Kind(kind),
        sections=tuple(
            Section(name, path, level, anchor, Span(start, end)) for name, path, level, anchor, start, end in sections
        ),
    )
    chunks = tuple(_unpack_chunk(document.text, one) for one in tail)
    return Outcome(file, Prepared(document, chunks, _unpack_linked(document.id, points)))


def _pack_linked(linked: Linked | None) -> Packed | None:
    """References once each, and links by their number: a document asks for the same thing many times."""
    if linked is None:
        return None
    numbers: dict[Reference, int] = {}
    links = [
        (numbers.setdefault(asked, len(numbers)), kind.value, weight, anchor, context, span.start, span.end)
        for asked, kind, weight, anchor, context, span in linked.links
    ]
    names = [(name, kind.value, path) for name, kind, path in linked.names]
    return names, [(lookup.value, scope, path, name) for lookup, scope, path, name in numbers], links


def _unpack_linked(document: DocumentId, packed: Packed | None) -> Linked | None:
    if packed is None:
        return None
    names, asked, links = packed
    references = [Reference(_LOOKUPS[lookup], scope, path, name) for lookup, scope, path, name in asked]
    return Linked(
        document,
        tuple(Name(name, _NAME_KINDS[kind], path) for name, kind, path in names),
        tuple(
            OutLink(references[number], _EDGE_TYPES[kind], weight, anchor, context, Span(start, end))
            for number, kind, weight, anchor, context, start, end in links
        ),
    )


def _unpack_chunk(text: str, packed: Packed) -> IndexedChunk:
    (name, document, section, path, ordinal), (start, end, first, last), facts, row, inputs = packed
    digest, tokens, kind, signature = facts
    chunk = Chunk(
        name,
        document,
        section,
        path,
        ordinal,
        Span(start, end),
        Lines(first, last),
        text[start:end],
        digest,
        tokens,
        _CONTENT_TYPES[kind],
        signature,
    )
    again = tuple(
        [
            EmbeddingInput(window, Span(left, right), digest, context, fast)
            for window, left, right, digest, context, fast in inputs
        ]
    )
    return IndexedChunk(chunk, LexicalRow._make(row), again)
