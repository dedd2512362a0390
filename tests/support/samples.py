"""Small values for tests, built from plain strings: every offset, id and hash is right, and nothing is random."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from octavo.model.chunk import Chunk, EmbeddingInput
from octavo.model.document import Document, Kind, Section, shown_path
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import (
    ChunkKey,
    DocumentId,
    ProjectId,
    chunk_id,
    collection_id,
    document_id,
    project_id,
    section_id,
    text_hash,
)
from octavo.model.index_recipe import ChunkSizes, Recipe
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.normalised_text_and_spans import LineIndex, Span
from octavo.model.prepared_document import IndexedChunk, LexicalRow, PreparedDocument
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.model.query import Terms
from octavo.model.stored_rows import VectorRow

if TYPE_CHECKING:
    from octavo.sql_repositories.store import Store

MODIFIED = 1_700_000_000.0
_HEADING = re.compile(r"(#{1,6}) (.+)")
_WORD = re.compile(r"\w+")


def tokens(text: str) -> str:
    """Lower-cased words joined with blanks: enough of an analysis for a sample."""
    return " ".join(_WORD.findall(text.lower()))


def terms(text: str) -> Terms:
    """A query of plain words."""
    return Terms(text, words=tuple(tokens(text).split()))


def collection(name: str = "notes", project: str = "sample", **settings: Any) -> Collection:
    owner = project_id(project)
    return Collection(collection_id(owner, name), owner, name, Path("/samples") / name, CollectionSettings(**settings))


def prepared(
    within: Collection,
    uri: str,
    *paragraphs: str,
    title: str | None = None,
    kind: Kind = Kind.NOTE,
    modified_at: float = MODIFIED,
    language: str | None = None,
    description: str = "",
    keywords: Sequence[str] = (),
    tags: Sequence[str] = (),
    aliases: Sequence[str] = (),
    metadata: Mapping[str, Any] | None = None,
    windows: int = 1,
) -> PreparedDocument:
    """One chunk for each paragraph. A paragraph whose first line is a Markdown heading opens a section.

    The title is the first heading, or else the uri. Each chunk is embedded in `windows` equal slices.
    """
    name = document_id(within.project_id, within.id, uri)
    text = "".join(f"{paragraph}\n\n" for paragraph in paragraphs).removesuffix("\n")
    pieces = list(_pieces(paragraphs))
    sections = _sections(name, text, pieces)
    headed = next((piece.heading for piece in pieces if piece.heading), "")
    document = Document(
        id=name,
        uri=uri,
        kind=kind,
        title=title if title is not None else headed or uri,
        text=text,
        content_hash=text_hash(text),
        modified_at=modified_at,
        language=language,
        description=description,
        keywords=tuple(keywords),
        sections=tuple(sections),
        tags=tuple(tags),
        aliases=tuple(aliases),
        metadata=dict(metadata or {}),
    )
    chunks = _chunks(document, pieces, sections)
    return PreparedDocument(
        document,
        tuple(IndexedChunk(chunk, _lexical(document, chunk), _inputs(document, chunk, windows)) for chunk in chunks),
    )


def put(store: Store, within: Collection, sample: PreparedDocument) -> tuple[ChunkKey, ...]:
    """What the writing flow does with a prepared document, inside the caller's transaction."""
    return _follow(store, within, sample, store.documents.put(within.project_id, within.id, sample))


def move(store: Store, within: Collection, old_uri: str, sample: PreparedDocument) -> tuple[ChunkKey, ...]:
    return _follow(store, within, sample, store.documents.move(within.project_id, within.id, old_uri, sample))


def ensure(store: Store, name: str = "notes", project: str = "sample", **settings: Any) -> Collection:
    """A collection that is there, with its project, put in a transaction of its own."""
    within = collection(name, project, **settings)
    with store.transaction():
        store.catalog.ensure_project(project)
        store.catalog.put_collection(within)
    return within


def embedding_profile(name: str = "sample", dimensions: int = 4, revision: str = "1") -> EmbeddingProfile:
    return EmbeddingProfile(name=name, model="sample/hash", revision=revision, dimensions=dimensions, window=128)


def recipe(parser: str = "sample-1", embedding: EmbeddingProfile | None = None) -> Recipe:
    return Recipe(
        parser=parser,
        chunker="sample-1",
        analyzer="sample-1",
        sizes=ChunkSizes(target_min=60, target_max=100, hard_max=120, min_preferred=20, overlap=10),
        embedding=embedding or embedding_profile(),
    )


def vector_row(input_key: int, profile: EmbeddingProfile) -> VectorRow:
    """A unit vector along one axis, chosen by the key."""
    import numpy as np

    vector = np.zeros(profile.dimensions, dtype="<f2")
    vector[input_key % profile.dimensions] = 1.0
    return VectorRow(input_key, vector.tobytes())


def ledger_entry(uri: str, outcome: FileOutcome = FileOutcome.INDEXED, **values: Any) -> LedgerEntry:
    return LedgerEntry(uri, outcome, FileStamp(size=10, mtime_ns=1_700_000_000_000_000_000, inode=7), **values)


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    text: str
    level: int
    heading: str


def _pieces(paragraphs: Sequence[str]) -> Iterator[_Piece]:
    start = 0
    for paragraph in paragraphs:
        found = _HEADING.match(paragraph)
        yield _Piece(start, paragraph, len(found[1]) if found else 0, found[2] if found else "")
        start += len(paragraph) + 2


def _sections(document: DocumentId, text: str, pieces: Sequence[_Piece]) -> list[Section]:
    """The root section, then one for each heading, up to the next of its rank or above."""
    headed = [piece for piece in pieces if piece.level]
    before = headed[0].start if headed else len(text)
    found = [Section(section_id(document, (), 0), (), 0, "", Span(0, before))]
    open_: list[_Piece] = []
    seen: dict[tuple[str, ...], int] = {}
    for number, piece in enumerate(headed):
        while open_ and open_[-1].level >= piece.level:
            open_.pop()
        open_.append(piece)
        path = tuple(one.heading for one in open_)
        end = next((later.start for later in headed[number + 1 :] if later.level <= piece.level), len(text))
        occurrence = seen.get(path, 0)
        seen[path] = occurrence + 1
        anchor = "-".join(_WORD.findall(piece.heading.lower()))
        found.append(Section(section_id(document, path, occurrence), path, piece.level, anchor, Span(piece.start, end)))
    return found


def _chunks(document: Document, pieces: Sequence[_Piece], sections: Sequence[Section]) -> Iterator[Chunk]:
    lines = LineIndex(document.text)
    seen: dict[str, int] = {}
    for ordinal, piece in enumerate(pieces):
        digest = text_hash(piece.text)
        occurrence = seen.get(digest, 0)
        seen[digest] = occurrence + 1
        section = next(section for section in reversed(sections) if section.span.start <= piece.start)
        span = Span(piece.start, piece.start + len(piece.text))
        yield Chunk(
            id=chunk_id(document.id, digest, occurrence),
            document_id=document.id,
            section_id=section.id,
            heading_path=section.path,
            ordinal=ordinal,
            span=span,
            lines=lines.lines(span.start, span.end),
            text=piece.text,
            text_hash=digest,
            tokens=len(tokens(piece.text).split()),
        )


def _lexical(document: Document, chunk: Chunk) -> LexicalRow:
    return LexicalRow(
        title=tokens(document.title),
        headings=tokens(" ".join(chunk.heading_path)),
        keywords=tokens(" ".join(document.keywords)),
        description=tokens(document.description),
        tags=tokens(" ".join(document.tags)),
        aliases=tokens(" ".join(document.aliases)),
        body=tokens(chunk.text),
    )


def _inputs(document: Document, chunk: Chunk, windows: int) -> tuple[EmbeddingInput, ...]:
    context = shown_path((document.title, *chunk.heading_path))
    cuts = [chunk.span.start + chunk.span.length * number // windows for number in range(windows + 1)]
    spans = [Span(start, end) for start, end in pairwise(cuts)]
    texts = [f"{context}\n{span.of(document.text)}" for span in spans]
    return tuple(
        EmbeddingInput(window, span, text_hash(text), context)
        for window, (span, text) in enumerate(zip(spans, texts, strict=True))
    )


def _follow(
    store: Store, within: Collection, sample: PreparedDocument, keys: tuple[ChunkKey, ...]
) -> tuple[ChunkKey, ...]:
    project: ProjectId = within.project_id
    pairs = list(zip(keys, sample.chunks, strict=True))
    store.lexical.put(project, [(key, indexed.lexical) for key, indexed in pairs])
    store.embeddings.expect(project, [(key, indexed.inputs) for key, indexed in pairs])
    return keys
