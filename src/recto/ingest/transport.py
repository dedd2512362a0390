"""How a prepared document crosses from a worker process: plain tuples, no text twice.

Pickling the values themselves costs as much as preparing them. Slices are left out and cut again on arrival, and blocks
stay behind: nothing after the chunker asks for them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from recto.chunking.inputs import joined
from recto.ingest.prepare import Failure, Outcome
from recto.model.chunk import Chunk, ContentType, EmbeddingInput
from recto.model.document import Document, Kind, Link, LinkKind, Section
from recto.model.index import IndexedChunk, LexicalRow, Prepared
from recto.model.ledger import FileStamp
from recto.model.text import Lines, Span
from recto.sources.files import SeenFile

Packed = tuple[Any, ...]

_PLAIN = tuple(field.name for field in fields(Document) if field.name not in {"kind", "sections", "blocks", "links"})


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
            [
                (one.kind.value, one.target, one.anchor, one.shown, one.span.start, one.span.end)
                for one in document.links
            ],
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
        [(one.window, one.span.start, one.span.end, one.hash, one.context) for one in indexed.inputs],
    )


def unpack(packed: Packed) -> Outcome:
    (uri, location, size, mtime_ns, inode), head, tail = packed
    file = SeenFile(uri, location, FileStamp(size, mtime_ns, inode))
    if head is None:
        return Outcome(file, Failure(*tail))
    plain, kind, sections, links = head
    document = Document(
        **dict(zip(_PLAIN, plain, strict=True)),
        kind=Kind(kind),
        sections=tuple(
            Section(name, path, level, anchor, Span(start, end)) for name, path, level, anchor, start, end in sections
        ),
        links=tuple(Link(LinkKind(one[0]), one[1], one[2], one[3], Span(one[4], one[5])) for one in links),
    )
    return Outcome(file, Prepared(document, tuple(_unpack_chunk(document.text, one) for one in tail)))


def _unpack_chunk(text: str, packed: Packed) -> IndexedChunk:
    (name, document, section, path, ordinal), (start, end, first, last), facts, row, inputs = packed
    digest, tokens, kind, signature = facts
    chunk = Chunk(
        id=name,
        document_id=document,
        section_id=section,
        heading_path=path,
        ordinal=ordinal,
        span=Span(start, end),
        lines=Lines(first, last),
        text=text[start:end],
        text_hash=digest,
        tokens=tokens,
        content_type=ContentType(kind),
        signature=signature,
    )
    again = tuple(
        EmbeddingInput(window, Span(left, right), joined(context, text[left:right]), digest, context)
        for window, left, right, digest, context in inputs
    )
    return IndexedChunk(chunk, LexicalRow(*row), again)
