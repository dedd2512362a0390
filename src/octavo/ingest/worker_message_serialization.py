"""Serialises prepared documents of worker processes as plain tuples, each text once.

Pickling the values themselves costs as much as preparing them. Slices are left out and cut again on arrival. Blocks and
links as written stay behind: nothing after the chunker asks for the ones, and the others go as what they ask for.

Values of a kind travel as columns: `zip` takes a list of them apart and puts it together again without a line of Python
for each, which halves the cost of the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import partial
from itertools import chain, islice, repeat
from operator import attrgetter
from typing import Any, TypeVar, cast

from octavo.ingest.prepared_file import PreparationFailure, PreparedFile, Unpacked
from octavo.model.chunk import Chunk, ContentType, EmbeddingInput
from octavo.model.document import Document, Kind, Section
from octavo.model.folder_scan import SeenFile
from octavo.model.ids import DocumentId
from octavo.model.indexing_ledger import FileStamp
from octavo.model.link_graph import DocumentLinks, DocumentName, EdgeType, Lookup, NameKind, OutLink, Reference
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.prepared_document import IndexedChunk, LexicalRow, PreparedDocument

Packed = tuple[Any, ...]
_Value = TypeVar("_Value")

_PLAIN = tuple(field.name for field in fields(Document) if field.name not in {"kind", "sections", "blocks", "links"})
_plain_fields = attrgetter(*_PLAIN)

# A look-up here: calling an enumeration for its member costs ten times as much. Its `value` is a property in Python.
_CONTENT_TYPES = {content_type.value: content_type for content_type in ContentType}
_EDGE_TYPES = {edge_type.value: edge_type for edge_type in EdgeType}
_LOOKUPS = {lookup.value: lookup for lookup in Lookup}
_NAME_KINDS = {name_kind.value: name_kind for name_kind in NameKind}
_value = attrgetter("_value_")


def _made(kind: type[_Value]) -> Callable[[tuple[Any, ...]], _Value]:
    """From a tuple of all fields, as `_make` does, without its line of Python."""
    return cast("Callable[[tuple[Any, ...]], _Value]", partial(tuple.__new__, kind))


_span, _lines, _section, _chunk = _made(Span), _made(Lines), _made(Section), _made(Chunk)
_input, _row, _indexed = _made(EmbeddingInput), _made(LexicalRow), _made(IndexedChunk)
_name, _reference, _link = _made(DocumentName), _made(Reference), _made(OutLink)


def pack(outcome: PreparedFile) -> Packed:
    file, result = outcome.file, outcome.result
    stamp = file.stamp
    head = (file.uri, file.location, stamp.size, stamp.mtime_ns, stamp.inode, outcome.members, outcome.inside)
    if isinstance(result, PreparationFailure):
        return head, None, (result.reason, result.refused, result.passing)
    if isinstance(result, Unpacked):
        return head, None, (result.warnings,)
    document = result.document
    ids, paths, levels, anchors, spans = _columns(document.sections, Section)
    return (
        head,
        (
            _plain_fields(document),
            document.kind.value,
            (ids, paths, levels, anchors, *_columns(spans, Span)),
            _pack_linked(result.linked),
        ),
        _pack_chunks(result.chunks),
    )


def unpack(packed: Packed) -> PreparedFile:
    (uri, location, size, mtime_ns, inode, *about), head, tail = packed
    file = SeenFile(uri, location, FileStamp(size, mtime_ns, inode))
    if head is None:
        return PreparedFile(file, Unpacked(*tail) if len(tail) == 1 else PreparationFailure(*tail), *about)
    plain, kind, (ids, paths, levels, anchors, *bounds), points = head
    document = Document(
        **dict(zip(_PLAIN, plain, strict=True)),
        kind=Kind(kind),
        sections=tuple(map(_section, zip(ids, paths, levels, anchors, _spans(bounds), strict=True))),
    )
    chunks = tuple(_unpack_chunks(document, tail))
    return PreparedFile(file, PreparedDocument(document, chunks, _unpack_linked(document.id, points)), *about)


def _columns(values: Sequence[tuple[Any, ...]], kind: Any) -> Sequence[Any]:
    """The first field of all values, then the second, and so on."""
    return tuple(zip(*values, strict=True)) if values else ((),) * len(kind._fields)


def _spans(bounds: Sequence[Sequence[int]]) -> Iterator[Span]:
    return map(_span, zip(*bounds, strict=True))


def _pack_chunks(indexed: Sequence[IndexedChunk]) -> Packed:
    chunks, rows, inputs = _columns(indexed, IndexedChunk)
    ids, _, sections, paths, ordinals, spans, lines, _, hashes, tokens, types, signatures = _columns(chunks, Chunk)
    windows, slices, digests, contexts, fast = _columns(list(chain.from_iterable(inputs)), EmbeddingInput)
    return (
        (ids, sections, paths, ordinals, hashes, tokens, tuple(map(_value, types)), signatures),
        (*_columns(spans, Span), *_columns(lines, Lines)),
        tuple(map(tuple, rows)),
        (tuple(map(len, inputs)), windows, digests, contexts, fast, *_columns(slices, Span)),
    )


def _unpack_chunks(document: Document, packed: Packed) -> Iterator[IndexedChunk]:
    (ids, sections, paths, ordinals, hashes, tokens, types, signatures), (starts, ends, *lines), rows, inputs = packed
    text = document.text
    counts, windows, digests, contexts, fast, *bounds = inputs
    every_input = map(_input, zip(windows, _spans(bounds), digests, contexts, fast, strict=True))
    chunks = zip(
        ids,
        repeat(document.id),
        sections,
        paths,
        ordinals,
        _spans((starts, ends)),
        map(_lines, zip(*lines, strict=True)),
        [text[start:end] for start, end in zip(starts, ends, strict=True)],
        hashes,
        tokens,
        map(_CONTENT_TYPES.__getitem__, types),
        signatures,
    )
    inputs_of_chunks: Iterable[tuple[EmbeddingInput, ...]] = (tuple(islice(every_input, count)) for count in counts)
    return map(_indexed, zip(map(_chunk, chunks), map(_row, rows), inputs_of_chunks, strict=True))


def _pack_linked(linked: DocumentLinks | None) -> Packed | None:
    """References once each, and links by their number: a document asks for the same thing many times."""
    if linked is None:
        return None
    targets, kinds, weights, anchors, contexts, spans = _columns(linked.links, OutLink)
    references = dict.fromkeys(targets)
    numbers = dict(zip(references, range(len(references)), strict=True))
    lookups, scopes, paths, names = _columns(tuple(references), Reference)
    called, name_kinds, name_paths = _columns(linked.names, DocumentName)
    return (
        (called, tuple(map(_value, name_kinds)), name_paths),
        (tuple(map(_value, lookups)), scopes, paths, names),
        (tuple(map(numbers.__getitem__, targets)), tuple(map(_value, kinds)), weights, anchors, contexts),
        _columns(spans, Span),
    )


def _unpack_linked(document: DocumentId, packed: Packed | None) -> DocumentLinks | None:
    if packed is None:
        return None
    (called, name_kinds, name_paths), (lookups, scopes, paths, names), links, bounds = packed
    numbers, kinds, weights, anchors, contexts = links
    targets = list(map(_reference, zip(map(_LOOKUPS.__getitem__, lookups), scopes, paths, names, strict=True)))
    types = map(_EDGE_TYPES.__getitem__, kinds)
    outward = zip(map(targets.__getitem__, numbers), types, weights, anchors, contexts, _spans(bounds), strict=True)
    known = zip(called, map(_NAME_KINDS.__getitem__, name_kinds), name_paths, strict=True)
    return DocumentLinks(document, tuple(map(_name, known)), tuple(map(_link, outward)))
