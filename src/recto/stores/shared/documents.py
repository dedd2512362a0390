"""Documents with their sections and chunks, and the texts behind them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import zstandard

from recto.errors import LibraryError
from recto.model.document import Document, Kind, Section, shown_path
from recto.model.ids import ChunkId, ChunkKey, CollectionId, DocumentId, ProjectId, SectionId
from recto.model.index import Prepared
from recto.model.query import Filters
from recto.model.result import Candidate
from recto.model.stored import DocumentVersion, Neighbour, StoredDocument
from recto.model.text import Lines, Span
from recto.stores.shared.clock import Clock
from recto.stores.shared.database import Database, first, reserve
from recto.stores.shared.filters import filter_parameters, folded
from recto.stores.shared.projects import Keys

_TEXTS_AT_ONCE = 500  # of a few kilobytes each: what the check holds in memory


class DocumentRepository:
    """Fits `ports.Documents`."""

    def __init__(self, database: Database, keys: Keys, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock
        # Made once, because making it costs more than compressing a note; used only under the write lock.
        self._compressor = zstandard.ZstdCompressor(level=3)

    def put(self, project: ProjectId, collection: CollectionId, prepared: Prepared) -> tuple[ChunkKey, ...]:
        document = prepared.document
        where = {"project": self._keys.project(project), "collection": self._keys.collection(project, collection)}
        held = first(self._database, "document_at", where | {"uri": document.uri})
        text_hash = bytes.fromhex(document.content_hash)
        if held:
            key, version, changed = held[0], held[1], held[2] != text_hash
            self._remove_parts(where["project"], key)
        else:
            # A document that comes back continues the versions it had before it was removed.
            before = self._last_version(where["project"], document)
            key = before[0] if before else reserve(self._database, "document_key", 1)
            version, changed = (before[1], before[2] != text_hash) if before else (0, True)
            if not changed:
                self._database.run("version_restore", {"project": where["project"], "document": key})
        version += changed
        self._put_text(where["project"], document)
        self._put_row(where, key, version, document)
        if changed:
            self._database.run("version_put", _version_row(where["project"], key, version, document, self._clock()))
        self._put_sections(where["project"], key, document)
        start = reserve(self._database, "chunk_key", len(prepared.chunks))
        chunk_keys = tuple(ChunkKey(start + offset) for offset in range(len(prepared.chunks)))
        self._put_chunks(where["project"], key, prepared, chunk_keys)
        return chunk_keys

    def move(
        self, project: ProjectId, collection: CollectionId, old_uri: str, prepared: Prepared
    ) -> tuple[ChunkKey, ...]:
        document = prepared.document
        where = {"project": self._keys.project(project), "collection": self._keys.collection(project, collection)}
        held = first(self._database, "document_at", where | {"uri": old_uri})
        if held is None:
            return self.put(project, collection, prepared)
        key = held[0]
        chunks = self._database.rows("document_chunks", {"document": key})
        wanted = [bytes.fromhex(indexed.chunk.text_hash) for indexed in prepared.chunks]
        same = held[2] == bytes.fromhex(document.content_hash) and [row[1] for row in chunks] == wanted
        before = self._last_version(where["project"], document)
        if not same or (before is not None and before[0] != key):
            # Where the new uri has a history of its own, this is a change there: both histories stay whole.
            self.remove(project, DocumentId(held[3]))
            return self.put(project, collection, prepared)
        chunk_keys = tuple(ChunkKey(row[0]) for row in chunks)
        self._put_row(where, key, held[1], document)
        self._database.run("versions_rename", {"project": where["project"], "document": key, "id": document.id})
        self._database.run("document_parts_remove_sections", {"project": where["project"], "document": key})
        self._database.run("document_parts_remove_tags", {"project": where["project"], "document": key})
        self._put_sections(where["project"], key, document)
        self._put_chunks(where["project"], key, prepared, chunk_keys)
        return chunk_keys

    def remove(self, project: ProjectId, document: DocumentId) -> None:
        gone = {"project": self._keys.project(project), "id": document, "now": self._clock()}
        self._database.run("version_mark_removed", gone)
        self._database.run("document_remove", gone)

    def get(self, project: ProjectId, document: DocumentId) -> StoredDocument | None:
        row = first(self._database, "document_get", {"project": self._keys.project(project), "id": document})
        return _stored(row) if row else None

    def find(self, project: ProjectId, uri: str, collection: CollectionId | None = None) -> tuple[StoredDocument, ...]:
        where = {"project": self._keys.project(project), "uri": uri, "collection": collection}
        return tuple(_stored(row) for row in self._database.rows("documents_find", where))

    def sections(self, project: ProjectId, document: DocumentId) -> tuple[Section, ...]:
        rows = self._database.rows("document_sections", {"project": self._keys.project(project), "id": document})
        return tuple(
            Section(SectionId(row[0]), tuple(json.loads(row[1])), row[2], row[3], Span(row[4], row[5])) for row in rows
        )

    def versions(self, project: ProjectId, document: DocumentId) -> tuple[DocumentVersion, ...]:
        rows = self._database.rows("versions", {"project": self._keys.project(project), "id": document})
        return tuple(DocumentVersion(row[0], row[1], row[2], row[3].hex(), *row[4:]) for row in rows)

    def texts(self, project: ProjectId, hashes: Iterable[str]) -> Mapping[str, str]:
        wanted = json.dumps(sorted(set(hashes)))
        rows = self._database.rows("texts", {"project": self._keys.project(project), "hashes": wanted})
        unpack = zstandard.ZstdDecompressor().decompress
        try:
            return {row[0].hex(): unpack(row[1]).decode("utf-8") for row in rows}
        except (zstandard.ZstdError, UnicodeDecodeError) as error:
            raise LibraryError(
                f"a stored text is damaged: {error}", hint="run `recto doctor`; restore a backup or index again"
            ) from error

    def damaged_texts(self) -> Iterator[str]:
        """A sentence for each text, of any project, that does not read back as the bytes its hash was taken from."""
        unpack, after = zstandard.ZstdDecompressor().decompress, 0
        while rows := self._database.rows("texts_after", {"after": after, "limit": _TEXTS_AT_ONCE}):
            after = rows[-1][0]
            for _, digest, data in rows:
                try:
                    same = hashlib.sha256(unpack(data)).digest() == digest
                except zstandard.ZstdError:
                    same = False
                if not same:
                    yield f"the text {digest.hex()[:12]} is damaged"

    def candidates(self, project: ProjectId, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, Candidate]:
        where = {"project": self._keys.project(project), "keys": json.dumps([int(key) for key in keys])}
        return {ChunkKey(row[0]): _candidate(row) for row in self._database.rows("candidates", where)}

    def neighbours(self, project: ProjectId, keys: Sequence[ChunkKey], reach: int) -> tuple[Neighbour, ...]:
        where = {
            "project": self._keys.project(project),
            "keys": json.dumps([int(key) for key in keys]),
            "reach": reach,
        }
        rows = self._database.rows("chunk_neighbours", where)
        return tuple(sorted(Neighbour(ChunkKey(row[0]), ChunkKey(row[1]), row[2], row[3]) for row in rows))

    def chunk_key(self, project: ProjectId, chunk: ChunkId) -> ChunkKey | None:
        row = first(self._database, "chunk_key", {"project": self._keys.project(project), "id": chunk})
        return ChunkKey(row[0]) if row else None

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        where = {"project": self._keys.project(project)} | filter_parameters(filters)
        return [ChunkKey(row[0]) for row in self._database.rows("chunks_admitted", where)]

    def _last_version(self, project: int, document: Document) -> tuple[Any, ...] | None:
        return first(self._database, "last_version", {"project": project, "id": document.id})

    def _remove_parts(self, project: int, document: int) -> None:
        for name in ("chunks", "sections", "tags"):
            self._database.run(f"document_parts_remove_{name}", {"project": project, "document": document})

    def _put_text(self, project: int, document: Document) -> None:
        text_hash = bytes.fromhex(document.content_hash)
        if first(self._database, "text_known", {"project": project, "hash": text_hash}) is None:
            raw = document.text.encode("utf-8")
            data = self._compressor.compress(raw)
            self._database.run("text_put", {"project": project, "hash": text_hash, "size": len(raw), "data": data})

    def _put_row(self, where: Mapping[str, int], key: int, version: int, document: Document) -> None:
        self._database.run(
            "document_put",
            {
                **where,
                "key": key,
                "id": document.id,
                "uri": document.uri,
                "kind": document.kind.value,
                "title": document.title,
                "title_folded": folded(document.title),
                "language": document.language,
                "description": document.description,
                "tags": json.dumps(document.tags, ensure_ascii=False),
                "aliases": json.dumps(document.aliases, ensure_ascii=False),
                "metadata": json.dumps(document.metadata, ensure_ascii=False, sort_keys=True),
                "text_hash": bytes.fromhex(document.content_hash),
                "modified_at": document.modified_at,
                "version": version,
            },
        )

    def _put_sections(self, project: int, key: int, document: Document) -> None:
        self._database.run_many(
            "section_put",
            [
                {
                    "project": project,
                    "document": key,
                    "ordinal": ordinal,
                    "id": section.id,
                    "path": json.dumps(section.path, ensure_ascii=False),
                    "path_folded": folded(shown_path(section.path)),
                    "level": section.level,
                    "anchor": section.anchor,
                    "start": section.span.start,
                    "end": section.span.end,
                }
                for ordinal, section in enumerate(document.sections)
            ],
        )
        if document.tags:
            self._database.run_many(
                "document_tag_put",
                [{"project": project, "document": key, "tag": folded(tag)} for tag in document.tags],
            )

    def _put_chunks(self, project: int, key: int, prepared: Prepared, chunk_keys: Sequence[ChunkKey]) -> None:
        ordinals = {section.id: ordinal for ordinal, section in enumerate(prepared.document.sections)}
        self._database.run_many(
            "chunk_put",
            [
                {
                    "key": chunk_key,
                    "project": project,
                    "document": key,
                    "section": ordinals[chunk.section_id],
                    "ordinal": chunk.ordinal,
                    "id": chunk.id,
                    "start": chunk.span.start,
                    "end": chunk.span.end,
                    "first_line": chunk.lines.first,
                    "last_line": chunk.lines.last,
                    "text_hash": bytes.fromhex(chunk.text_hash),
                    "tokens": chunk.tokens,
                    "content_type": chunk.content_type.value,
                    "signature": chunk.signature,
                }
                for chunk_key, chunk in zip(chunk_keys, (one.chunk for one in prepared.chunks), strict=True)
            ],
        )


def _version_row(project: int, key: int, version: int, document: Document, now: float) -> dict[str, Any]:
    return {
        "project": project,
        "document": key,
        "version": version,
        "id": document.id,
        "uri": document.uri,
        "title": document.title,
        "text_hash": bytes.fromhex(document.content_hash),
        "modified_at": document.modified_at,
        "now": now,
    }


def _stored(row: tuple[Any, ...]) -> StoredDocument:
    return StoredDocument(
        id=DocumentId(row[0]),
        collection_id=CollectionId(row[1]),
        collection=row[2],
        uri=row[3],
        kind=Kind(row[4]),
        title=row[5],
        language=row[6],
        description=row[7],
        tags=tuple(json.loads(row[8])),
        aliases=tuple(json.loads(row[9])),
        text_hash=row[10].hex(),
        modified_at=row[11],
        version=row[12],
        metadata=json.loads(row[13]),
    )


def _candidate(row: tuple[Any, ...]) -> Candidate:
    return Candidate(
        key=ChunkKey(row[0]),
        chunk_id=ChunkId(row[1]),
        document_id=DocumentId(row[2]),
        collection=row[3],
        uri=row[4],
        kind=Kind(row[5]),
        title=row[6],
        heading_path=tuple(json.loads(row[7])),
        span=Span(row[8], row[9]),
        lines=Lines(row[10], row[11]),
        text_hash=row[12].hex(),
        modified_at=row[13],
    )
