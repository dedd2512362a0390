"""Reads and writes documents with their sections, chunks and versions, and their compressed texts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, islice, repeat
from operator import attrgetter
from typing import Any, NamedTuple

import zstandard

from octavo.errors import LibraryError
from octavo.model.document import Document, Kind, Section, shown_path
from octavo.model.ids import ChunkId, ChunkKey, CollectionId, DocumentId, ProjectId, SectionId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.prepared_document import PreparedDocument
from octavo.model.query import Filters
from octavo.model.search_result import Candidate
from octavo.model.stored_rows import DocumentVersion, Neighbour, PastDocument, StoredDocument
from octavo.sql_repositories.database_port import Clock, Database, Row, first, reserve
from octavo.sql_repositories.filter_parameters import filter_parameters, folded, unaccented
from octavo.sql_repositories.projects_and_collections import KeyCache, ProjectRepository

# Bound once: creating an encoder costs more than most of what it encodes.
_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True).encode
_quoted = json.encoder.encode_basestring
_value = attrgetter("_value_")  # of an enum member: `value` is a property implemented in Python


class _DocumentSlot(NamedTuple):
    """The row a document is written to: over the `current` one, or a new one; `changed` if that makes a new version."""

    key: int
    version: int
    changed: bool = True
    current: bool = False

    def row(self, project: int) -> dict[str, int]:
        return {"project": project, "document": self.key}


class DocumentRepository(ProjectRepository):
    """Current documents with their sections and chunks, their earlier versions, and the texts behind them."""

    def __init__(self, database: Database, keys: KeyCache, clock: Clock) -> None:
        super().__init__(database, keys, clock)
        # Created once, because that costs more than compressing a note; used only under the write lock.
        self._compressor = zstandard.ZstdCompressor(level=1)

    def put(self, project: ProjectId, collection: CollectionId, prepared: PreparedDocument) -> tuple[ChunkKey, ...]:
        """Replaces what the document's uri held; the earlier text stays reachable as a version.

        Returns the new chunks' keys in order. A key is never used twice.
        """
        return self.put_all(project, collection, (prepared,))[0]

    def put_all(
        self, project: ProjectId, collection: CollectionId, several: Sequence[PreparedDocument]
    ) -> tuple[tuple[ChunkKey, ...], ...]:
        """`put` for documents of different uris, in a few statements for all of them."""
        where = self._in(project, collection=self._keys.collection(project, collection))
        owner = where["project"]
        slots = self._slots(where, [prepared.document for prepared in several])
        self._database.run_many("document_chunks_remove", (slot.row(owner) for slot in slots if slot.current))
        self._database.run_many("document_sections_remove", (slot.row(owner) for slot in slots if slot.current))
        self._database.run_many("document_tags_remove", (slot.row(owner) for slot in slots if slot.current))
        restored = (slot.row(owner) for slot in slots if not slot.current and not slot.changed)
        self._database.run_many("version_restore", restored)
        self._put_texts(owner, [prepared.document for prepared in several])
        now = self._clock()
        pairs = list(zip(slots, several, strict=True))
        self._database.run_many("document_put", (_row(where, slot, prepared.document) for slot, prepared in pairs))
        changed = (_version_row(owner, slot, prepared.document, now) for slot, prepared in pairs if slot.changed)
        self._database.run_many("version_put", changed)
        self._put_sections(owner, [(slot.key, prepared.document) for slot, prepared in pairs])
        keys = count(reserve(self._database, "chunk_key", sum(len(prepared.chunks) for prepared in several)))
        chunk_keys = tuple(tuple(map(ChunkKey, islice(keys, len(prepared.chunks)))) for prepared in several)
        rows = (
            _chunk_rows(owner, slot.key, prepared, keys_of)
            for (slot, prepared), keys_of in zip(pairs, chunk_keys, strict=True)
        )
        self._database.run_many("chunk_add", chain.from_iterable(rows))
        return chunk_keys

    def move(
        self, project: ProjectId, collection: CollectionId, old_uri: str, prepared: PreparedDocument
    ) -> tuple[ChunkKey, ...]:
        """Same content under a new uri: chunks keep their keys and the document its versions."""
        document = prepared.document
        where = self._in(project, collection=self._keys.collection(project, collection))
        current = first(self._database, "document_at", where | {"uri": old_uri})
        if current is None:
            return self.put(project, collection, prepared)
        key = current[0]
        chunks = self._database.rows("document_chunks", {"document": key})
        hashes = [bytes.fromhex(indexed.chunk.text_hash) for indexed in prepared.chunks]
        same = current[2] == bytes.fromhex(document.content_hash) and [row[1] for row in chunks] == hashes
        before = self._last_versions(where["project"], [document]).get(document.id)
        if not same or (before is not None and before[0] != key):
            # If the new uri has a history of its own, this is a change there: both histories stay complete.
            self.remove(project, DocumentId(current[3]))
            return self.put(project, collection, prepared)
        chunk_keys = tuple(ChunkKey(row[0]) for row in chunks)
        self._database.run("document_put", _row(where, _DocumentSlot(key, current[1]), document))
        self._database.run("versions_rename", {"project": where["project"], "document": key, "id": document.id})
        self._database.run("document_sections_remove", {"project": where["project"], "document": key})
        self._database.run("document_tags_remove", {"project": where["project"], "document": key})
        self._put_sections(where["project"], [(key, document)])
        self._database.run_many("chunk_put", _chunk_rows(where["project"], key, prepared, chunk_keys))
        return chunk_keys

    def touch(self, project: ProjectId, modified: Sequence[tuple[DocumentId, float]]) -> None:
        owner = self._keys.project(project)
        rows = ({"project": owner, "id": id_, "modified_at": modified_at} for id_, modified_at in modified)
        self._database.run_many("document_touch", rows)

    def remove(self, project: ProjectId, document: DocumentId) -> None:
        removed = self._in(project, id=document, now=self._clock())
        self._database.run("version_mark_removed", removed)
        self._database.run("document_remove", removed)

    def get(self, project: ProjectId, document: DocumentId) -> StoredDocument | None:
        row = self._first("document_get", project, id=document)
        return _stored(row) if row else None

    def find(self, project: ProjectId, uri: str, collection: CollectionId | None = None) -> tuple[StoredDocument, ...]:
        """Documents at exactly this uri, in every collection unless one is named."""
        return tuple(_stored(row) for row in self._rows("documents_find", project, uri=uri, collection=collection))

    def sections(self, project: ProjectId, document: DocumentId) -> tuple[Section, ...]:
        return tuple(_section(row) for row in self._rows("document_sections", project, id=document))

    def sections_touching(
        self, project: ProjectId, places: Sequence[tuple[DocumentId, Span]]
    ) -> tuple[tuple[Section, ...], ...]:
        """For each place of a document the sections that share a character with it, in their order."""
        numbered = json.dumps([(number, document, *span) for number, (document, span) in enumerate(places)])
        sections: list[list[Section]] = [[] for _ in places]
        where = self._in(project, places=numbered)
        rows = self._database.rows("sections_touching", where) if places else []
        for (number, name, _, level, anchor, start, end), path in zip(rows, _paths(rows, 2), strict=True):
            sections[number].append(Section(SectionId(name), path, level, anchor, Span(start, end)))
        return tuple(map(tuple, sections))

    def versions(self, project: ProjectId, document: DocumentId) -> tuple[DocumentVersion, ...]:
        rows = self._rows("versions", project, id=document)
        return tuple(DocumentVersion(row[0], row[1], row[2], row[3].hex(), *row[4:]) for row in rows)

    def past(self, project: ProjectId, at: float) -> tuple[PastDocument, ...]:
        """What documents said at a time and no longer say, because they changed since or are gone; by id."""
        rows = self._rows("past_versions", project, as_of=at)
        return tuple(
            PastDocument(DocumentId(name), DocumentVersion(number, uri, title, digest.hex(), *times))
            for name, number, uri, title, digest, *times in rows
        )

    def texts(self, project: ProjectId, hashes: Iterable[str]) -> Mapping[str, str]:
        distinct = json.dumps(sorted(set(hashes)))
        rows = self._rows("texts", project, hashes=distinct)
        unpack = zstandard.ZstdDecompressor().decompress
        try:
            return {row[0].hex(): unpack(row[1]).decode("utf-8") for row in rows}
        except (zstandard.ZstdError, UnicodeDecodeError) as error:
            raise LibraryError(
                f"a stored text is damaged: {error}", hint="run `octavo db repair`, or restore a backup"
            ) from error

    def candidates(self, project: ProjectId, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, Candidate]:
        where = self._in(project, keys=json.dumps([int(key) for key in keys]))
        rows = self._database.rows("candidates", where) if len(keys) else []
        return {candidate.key: candidate for candidate in _candidates(rows)} if rows else {}

    def lengths(self, project: ProjectId, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, int]:
        """How many chunks the document of each chunk has."""
        return {
            ChunkKey(key): length
            for key, length in self._rows("document_lengths", project, keys=json.dumps([int(key) for key in keys]))
        }

    def neighbours(self, project: ProjectId, keys: Sequence[ChunkKey], reach: int) -> tuple[Neighbour, ...]:
        """What stands up to `reach` places before and after each chunk, in order."""
        rows = self._rows("chunk_neighbours", project, keys=json.dumps([int(key) for key in keys]), reach=reach)
        return tuple(map(Neighbour._make, sorted(rows)))

    def chunk_key(self, project: ProjectId, chunk: ChunkId) -> ChunkKey | None:
        row = self._first("chunk_key", project, id=chunk)
        return ChunkKey(row[0]) if row else None

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        """Keys of all chunks that the filters let through, ascending."""
        key = self._keys.project(project)
        where = {"project": key} | filter_parameters(filters, self._database, key)
        return [ChunkKey(row[0]) for row in self._database.rows("chunks_admitted", where)]

    def listed(self, project: ProjectId, filters: Filters) -> tuple[StoredDocument, ...]:
        """The documents that filters let through, commits left out; by collection and uri. What filters say of chunks
        admits none."""
        key = self._keys.project(project)
        where = {"project": key} | filter_parameters(filters, self._database, key)
        return tuple(_stored(row) for row in self._database.rows("documents_listed", where))

    def recent(self, project: ProjectId, count: int) -> tuple[StoredDocument, ...]:
        """The documents whose files were changed last, the newest first."""
        return tuple(_stored(row) for row in self._rows("documents_recent", project, count=count))

    def more_than(self, project: ProjectId, count: int) -> bool:
        """Whether there are more chunks than that; costs no more the more there are."""
        return bool(self._rows("chunks_more_than", project, count=count))

    def any_of(self, project: ProjectId, kind: Kind) -> bool:
        return bool(self._rows("documents_of_kind", project, kind=kind.value))

    def _slots(self, where: Mapping[str, int], documents: Sequence[Document]) -> list[_DocumentSlot]:
        """A row for each document: that of its uri, else the one it had before it was removed, else a new one."""
        uris = _json([document.uri for document in documents])
        current = {row[0]: row[1:] for row in self._database.rows("documents_at", {**where, "uris": uris})}
        fresh = [document for document in documents if document.uri not in current]
        before = self._last_versions(where["project"], fresh) if fresh else {}
        new = count(reserve(self._database, "document_key", len(fresh) - len(before))) if fresh else count()
        slots = []
        for document in documents:
            known = current.get(document.uri) or before.get(document.id)
            if known is None:
                slots.append(_DocumentSlot(next(new), 1))
                continue
            changed = known[2] != bytes.fromhex(document.content_hash)
            slots.append(_DocumentSlot(known[0], known[1] + changed, changed=changed, current=document.uri in current))
        return slots

    def _last_versions(self, project: int, documents: Sequence[Document]) -> dict[str, tuple[Any, ...]]:
        """Key, version and hash of removed documents, by id. A document that comes back continues its versions."""
        where = {"project": project, "ids": _json([document.id for document in documents])}
        return {row[0]: row[1:] for row in self._database.rows("last_versions", where)}

    def _put_texts(self, project: int, documents: Sequence[Document]) -> None:
        missing = {document.content_hash: document for document in documents}
        rows = self._database.rows("texts_known", {"project": project, "hashes": _json(list(missing))})
        for row in rows:
            del missing[row[0].hex()]
        compress = self._compressor.compress
        texts = ((digest, document.text.encode("utf-8")) for digest, document in missing.items())
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
            "document_tag_put", ((project, key, folded(tag)) for key, document in several for tag in document.tags)
        )


@lru_cache(maxsize=4096)
def _path(path: tuple[str, ...]) -> tuple[str, str]:
    """As `_json` writes it, and as it is compared. Cached, because a collection shares most of its heading paths."""
    return f"[{', '.join(map(_quoted, path))}]", unaccented(shown_path(path))


def _chunk_rows(
    project: int, document: int, prepared: PreparedDocument, chunk_keys: Sequence[ChunkKey]
) -> Iterator[Row]:
    """Column by column, so that no Python code runs per chunk."""
    if not prepared.chunks:
        return iter(())
    ordinals = {section.id: ordinal for ordinal, section in enumerate(prepared.document.sections)}
    chunks, _, _ = zip(*prepared.chunks, strict=True)
    ids, _, sections, _, ordinals_in_document, spans, lines, _, hashes, tokens, types, signatures = zip(
        *chunks, strict=True
    )
    return zip(
        chunk_keys,
        repeat(project),
        repeat(document),
        map(ordinals.__getitem__, sections),
        ordinals_in_document,
        ids,
        *zip(*spans, strict=True),
        *zip(*lines, strict=True),
        map(bytes.fromhex, hashes),
        tokens,
        map(_value, types),
        signatures,
    )


def _row(where: Mapping[str, int], slot: _DocumentSlot, document: Document) -> dict[str, Any]:
    return {
        **where,
        "key": slot.key,
        "id": document.id,
        "uri": document.uri,
        "kind": document.kind.value,
        "title": document.title,
        "title_folded": unaccented(document.title),
        "language": document.language,
        "description": document.description,
        "tags": _json(document.tags) if document.tags else "[]",
        "aliases": _json(document.aliases) if document.aliases else "[]",
        "metadata": _json(document.metadata),
        "text_hash": bytes.fromhex(document.content_hash),
        "modified_at": document.modified_at,
        "version": slot.version,
    }


def _version_row(project: int, slot: _DocumentSlot, document: Document, now: float) -> dict[str, Any]:
    return {
        "project": project,
        "document": slot.key,
        "version": slot.version,
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


def _section(row: Sequence[Any]) -> Section:
    name, path, level, anchor, start, end = row
    return Section(SectionId(name), tuple(json.loads(path)), level, anchor, Span(start, end))


def _paths(rows: Sequence[Sequence[Any]], column: int) -> Iterator[tuple[str, ...]]:
    """The heading paths in a column. Parsed together: calling the parser for each takes longer than parsing."""
    return map(tuple, json.loads(f"[{','.join([row[column] for row in rows])}]"))


def _candidates(rows: Sequence[Row]) -> Iterator[Candidate]:
    """Column by column, because every search makes a hundred and more of these."""
    columns: Any = [*zip(*rows, strict=True)]
    new: Any = tuple.__new__
    fields = zip(
        *columns[:5],
        map(_KINDS.__getitem__, columns[5]),
        columns[6],
        _paths(rows, 7),
        map(new, repeat(Span), zip(*columns[8:10], strict=True)),
        map(new, repeat(Lines), zip(*columns[10:12], strict=True)),
        [digest.hex() for digest in columns[12]],
        columns[13],
        map(bool, columns[14]),
        *columns[15:],
        *map(repeat, ((), 0.0, ())),  # copies, score and steps, which a search adds
        strict=False,
    )
    return map(new, repeat(Candidate), fields)


_KINDS = {kind.value: kind for kind in Kind}
