"""Documents with their sections and chunks, and the texts behind them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, islice, repeat
from operator import attrgetter
from typing import Any, NamedTuple

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
from recto.stores.shared.database import Database, Row, first, reserve
from recto.stores.shared.filters import filter_parameters, folded
from recto.stores.shared.projects import Keys

# Kept: making an encoder costs more than most of what it encodes.
_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_quoted = json.encoder.encode_basestring
_value = attrgetter("_value_")  # of a member of an enumeration, whose `value` is a property in Python
_TEXTS_AT_ONCE = 500  # of a few kilobytes each: what the check holds in memory


class _Place(NamedTuple):
    """Where a document is written: over the one held there, or anew; `changed` if that makes another version."""

    key: int
    version: int
    changed: bool = True
    held: bool = False

    def row(self, project: int) -> dict[str, int]:
        return {"project": project, "document": self.key}


class DocumentRepository:
    """Fits `ports.Documents`."""

    def __init__(self, database: Database, keys: Keys, clock: Clock) -> None:
        self._database = database
        self._keys = keys
        self._clock = clock
        # Made once, because making it costs more than compressing a note; used only under the write lock.
        self._compressor = zstandard.ZstdCompressor(level=1)

    def put(self, project: ProjectId, collection: CollectionId, prepared: Prepared) -> tuple[ChunkKey, ...]:
        return self.put_all(project, collection, (prepared,))[0]

    def put_all(
        self, project: ProjectId, collection: CollectionId, several: Sequence[Prepared]
    ) -> tuple[tuple[ChunkKey, ...], ...]:
        where = {"project": self._keys.project(project), "collection": self._keys.collection(project, collection)}
        owner = where["project"]
        places = self._places(where, [prepared.document for prepared in several])
        self._database.run_many("document_parts_remove_chunks", (one.row(owner) for one in places if one.held))
        self._database.run_many("document_parts_remove_sections", (one.row(owner) for one in places if one.held))
        self._database.run_many("document_parts_remove_tags", (one.row(owner) for one in places if one.held))
        back = (one.row(owner) for one in places if not one.held and not one.changed)
        self._database.run_many("version_restore", back)
        self._put_texts(owner, [prepared.document for prepared in several])
        now = self._clock()
        pairs = list(zip(places, several, strict=True))
        self._database.run_many("document_put", (_row(where, at, one.document) for at, one in pairs))
        changed = (_version_row(owner, at, one.document, now) for at, one in pairs if at.changed)
        self._database.run_many("version_put", changed)
        self._put_sections(owner, [(at.key, one.document) for at, one in pairs])
        keys = count(reserve(self._database, "chunk_key", sum(len(prepared.chunks) for prepared in several)))
        chunk_keys = tuple(tuple(map(ChunkKey, islice(keys, len(prepared.chunks)))) for prepared in several)
        rows = (
            _chunk_rows(owner, at.key, prepared, those) for (at, prepared), those in zip(pairs, chunk_keys, strict=True)
        )
        self._database.run_many("chunk_add", chain.from_iterable(rows))
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
        before = self._last_versions(where["project"], [document]).get(document.id)
        if not same or (before is not None and before[0] != key):
            # Where the new uri has a history of its own, this is a change there: both histories stay whole.
            self.remove(project, DocumentId(held[3]))
            return self.put(project, collection, prepared)
        chunk_keys = tuple(ChunkKey(row[0]) for row in chunks)
        self._database.run("document_put", _row(where, _Place(key, held[1]), document))
        self._database.run("versions_rename", {"project": where["project"], "document": key, "id": document.id})
        self._database.run("document_parts_remove_sections", {"project": where["project"], "document": key})
        self._database.run("document_parts_remove_tags", {"project": where["project"], "document": key})
        self._put_sections(where["project"], [(key, document)])
        self._database.run_many("chunk_put", _chunk_rows(where["project"], key, prepared, chunk_keys))
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
                f"a stored text is damaged: {error}", hint="run `recto db repair`, or restore a backup"
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
        rows = self._database.rows("candidates", where)
        # All of them at once: a parser that is called for each takes longer to call than to parse.
        paths = json.loads(f"[{','.join([row[7] for row in rows])}]")
        return {row[0]: _candidate(row, tuple(path)) for row, path in zip(rows, paths, strict=True)}

    def neighbours(self, project: ProjectId, keys: Sequence[ChunkKey], reach: int) -> tuple[Neighbour, ...]:
        where = {
            "project": self._keys.project(project),
            "keys": json.dumps([int(key) for key in keys]),
            "reach": reach,
        }
        rows = self._database.rows("chunk_neighbours", where)
        return tuple(map(Neighbour._make, sorted(rows)))

    def chunk_key(self, project: ProjectId, chunk: ChunkId) -> ChunkKey | None:
        row = first(self._database, "chunk_key", {"project": self._keys.project(project), "id": chunk})
        return ChunkKey(row[0]) if row else None

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        where = {"project": self._keys.project(project)} | filter_parameters(filters)
        return [ChunkKey(row[0]) for row in self._database.rows("chunks_admitted", where)]

    def more_than(self, project: ProjectId, count: int) -> bool:
        return bool(self._database.rows("chunks_more_than", {"project": self._keys.project(project), "count": count}))

    def _places(self, where: Mapping[str, int], documents: Sequence[Document]) -> list[_Place]:
        """Where each document goes: where its uri is held, or where it was before it was removed, or a new place."""
        uris = _json([document.uri for document in documents])
        held = {row[0]: row[1:] for row in self._database.rows("documents_at", {**where, "uris": uris})}
        fresh = [document for document in documents if document.uri not in held]
        before = self._last_versions(where["project"], fresh) if fresh else {}
        new = count(reserve(self._database, "document_key", len(fresh) - len(before))) if fresh else count()
        places = []
        for document in documents:
            known = held.get(document.uri) or before.get(document.id)
            if known is None:
                places.append(_Place(next(new), 1))
                continue
            changed = known[2] != bytes.fromhex(document.content_hash)
            places.append(_Place(known[0], known[1] + changed, changed=changed, held=document.uri in held))
        return places

    def _last_versions(self, project: int, documents: Sequence[Document]) -> dict[str, tuple[Any, ...]]:
        """What is left of documents that were removed, by id: key, version, hash. Coming back continues them."""
        where = {"project": project, "ids": _json([document.id for document in documents])}
        return {row[0]: row[1:] for row in self._database.rows("last_versions", where)}

    def _put_texts(self, project: int, documents: Sequence[Document]) -> None:
        wanted = {document.content_hash: document for document in documents}
        rows = self._database.rows("texts_known", {"project": project, "hashes": _json(list(wanted))})
        for row in rows:
            del wanted[row[0].hex()]
        compress = self._compressor.compress
        texts = ((digest, document.text.encode("utf-8")) for digest, document in wanted.items())
        self._database.run_many(
            "text_put",
            (
                {"project": project, "hash": bytes.fromhex(digest), "size": len(raw), "data": compress(raw)}
                for digest, raw in texts
            ),
        )

    def _put_sections(self, project: int, several: Sequence[tuple[int, Document]]) -> None:
        self._database.run_many(
            "section_put",
            (
                (project, key, ordinal, name, *_path(path), level, anchor, *span)
                for key, document in several
                for ordinal, (name, path, level, anchor, span) in enumerate(document.sections)
            ),
        )
        self._database.run_many(
            "document_tag_put",
            ((project, key, folded(tag)) for key, document in several for tag in document.tags),
        )


@lru_cache(maxsize=4096)
def _path(path: tuple[str, ...]) -> tuple[str, str]:
    """As `_json` writes it, and as it is compared. Kept: a document has as many paths as sections, and shares most."""
    return f"[{', '.join(map(_quoted, path))}]", folded(shown_path(path))


def _chunk_rows(project: int, document: int, prepared: Prepared, chunk_keys: Sequence[ChunkKey]) -> Iterator[Row]:
    """By columns, so that no line of Python runs for each chunk."""
    if not prepared.chunks:
        return iter(())
    ordinals = {section.id: ordinal for ordinal, section in enumerate(prepared.document.sections)}
    chunks, _, _ = zip(*prepared.chunks, strict=True)
    ids, _, sections, _, places, spans, lines, _, hashes, tokens, types, signatures = zip(*chunks, strict=True)
    return zip(
        chunk_keys,
        repeat(project),
        repeat(document),
        map(ordinals.__getitem__, sections),
        places,
        ids,
        *zip(*spans, strict=True),
        *zip(*lines, strict=True),
        map(bytes.fromhex, hashes),
        tokens,
        map(_value, types),
        signatures,
    )


def _row(where: Mapping[str, int], place: _Place, document: Document) -> dict[str, Any]:
    return {
        **where,
        "key": place.key,
        "id": document.id,
        "uri": document.uri,
        "kind": document.kind.value,
        "title": document.title,
        "title_folded": folded(document.title),
        "language": document.language,
        "description": document.description,
        "tags": _json(document.tags) if document.tags else "[]",
        "aliases": _json(document.aliases) if document.aliases else "[]",
        "metadata": _json(document.metadata),
        "text_hash": bytes.fromhex(document.content_hash),
        "modified_at": document.modified_at,
        "version": place.version,
    }


def _version_row(project: int, place: _Place, document: Document, now: float) -> dict[str, Any]:
    return {
        "project": project,
        "document": place.key,
        "version": place.version,
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


def _candidate(row: tuple[Any, ...], path: tuple[str, ...]) -> Candidate:
    """By place: every search makes a few hundred of these."""
    return Candidate(
        row[0],
        row[1],
        row[2],
        row[3],
        row[4],
        _KINDS[row[5]],
        row[6],
        path,
        Span(row[8], row[9]),
        Lines(row[10], row[11]),
        row[12].hex(),
        row[13],
        bool(row[14]),
        row[15],
    )


_KINDS = {kind.value: kind for kind in Kind}
