"""Documents, sections, chunks, versions and texts, in memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recto.model.document import Document, Section, shown_path
from recto.model.ids import ChunkId, ChunkKey, CollectionId, DocumentId, ProjectId
from recto.model.index import Prepared
from recto.model.query import ANY_LANGUAGE, Filters
from recto.model.result import Candidate
from recto.model.stored import DocumentVersion, Neighbour, StoredDocument
from recto.stores.shared.clock import Clock
from recto.testing.memory_tables import HeldChunk, HeldDocument, Session, Tables, known_collection, known_project


class MemoryDocuments:
    """Fits `ports.Documents`."""

    def __init__(self, session: Session, clock: Clock) -> None:
        self._session = session
        self._clock = clock

    def put(self, project: ProjectId, collection: CollectionId, prepared: Prepared) -> tuple[ChunkKey, ...]:
        tables = self._session.write()
        known_collection(tables, project, collection)
        document = _checked(prepared.document)
        held = tables.documents.get((project, document.id))
        lineage, before = _history(tables, project, document.id)
        changed = not before or before[-1].text_hash != document.content_hash
        if held:
            _remove_chunks(tables, held)
        elif before and not changed:
            before = (*before[:-1], replace(before[-1], removed_at=None))
        if changed:
            number = before[-1].version + 1 if before else 1  # earlier ones may have been let go
            before = (*before, _version(number, document, self._clock()))
        tables.lineages[project, document.id] = lineage
        tables.versions[lineage] = before
        tables.texts[project, document.content_hash] = document.text
        keys = tuple(ChunkKey(tables.last_chunk + 1 + offset) for offset in range(len(prepared.chunks)))
        tables.last_chunk += len(keys)
        _hold(tables, project, HeldDocument(collection, document, before[-1].version, lineage, keys), prepared)
        return keys

    def put_all(
        self, project: ProjectId, collection: CollectionId, several: Sequence[Prepared]
    ) -> tuple[tuple[ChunkKey, ...], ...]:
        return tuple(self.put(project, collection, prepared) for prepared in several)

    def move(
        self, project: ProjectId, collection: CollectionId, old_uri: str, prepared: Prepared
    ) -> tuple[ChunkKey, ...]:
        tables = self._session.write()
        known_collection(tables, project, collection)
        document = _checked(prepared.document)
        held = next((held for held in tables.documents.values() if _at(held, collection, old_uri)), None)
        if held is None:
            return self.put(project, collection, prepared)
        old = (project, held.document.id)
        same = [tables.chunks[key].chunk.text_hash for key in held.chunks] == [
            indexed.chunk.text_hash for indexed in prepared.chunks
        ]
        occupied = tables.lineages.get((project, document.id), held.lineage) != held.lineage
        if held.document.content_hash != document.content_hash or not same or occupied:
            self.remove(project, old[1])
            return self.put(project, collection, prepared)
        del tables.documents[old], tables.lineages[old]
        tables.lineages[project, document.id] = held.lineage
        _hold(tables, project, replace(held, document=document), prepared)
        return held.chunks

    def remove(self, project: ProjectId, document: DocumentId) -> None:
        tables = self._session.write()
        held = tables.documents.pop((known_project(tables, project), document), None)
        if held:
            _remove_chunks(tables, held)
            *earlier, last = tables.versions[held.lineage]
            tables.versions[held.lineage] = (*earlier, replace(last, removed_at=self._clock()))

    def get(self, project: ProjectId, document: DocumentId) -> StoredDocument | None:
        tables = self._session.read()
        held = tables.documents.get((known_project(tables, project), document))
        return _stored(tables, project, held) if held else None

    def find(self, project: ProjectId, uri: str, collection: CollectionId | None = None) -> tuple[StoredDocument, ...]:
        tables = self._session.read()
        known_project(tables, project)
        found = [
            _stored(tables, project, held)
            for (owner, _), held in tables.documents.items()
            if owner == project and held.document.uri == uri and collection in (None, held.collection)
        ]
        return tuple(sorted(found, key=lambda stored: stored.collection))

    def sections(self, project: ProjectId, document: DocumentId) -> tuple[Section, ...]:
        tables = self._session.read()
        held = tables.documents.get((known_project(tables, project), document))
        return held.document.sections if held else ()

    def versions(self, project: ProjectId, document: DocumentId) -> tuple[DocumentVersion, ...]:
        tables = self._session.read()
        lineage = tables.lineages.get((known_project(tables, project), document))
        return tables.versions[lineage] if lineage else ()

    def texts(self, project: ProjectId, hashes: Iterable[str]) -> Mapping[str, str]:
        tables = self._session.read()
        known_project(tables, project)
        return {one: tables.texts[project, one] for one in hashes if (project, one) in tables.texts}

    def candidates(self, project: ProjectId, keys: Sequence[ChunkKey]) -> Mapping[ChunkKey, Candidate]:
        tables = self._session.read()
        known_project(tables, project)
        held = {key: tables.chunks[key] for key in keys if key in tables.chunks}
        return {key: _candidate(tables, key, one) for key, one in held.items() if one.project == project}

    def neighbours(self, project: ProjectId, keys: Sequence[ChunkKey], reach: int) -> tuple[Neighbour, ...]:
        tables = self._session.read()
        known_project(tables, project)
        found: list[Neighbour] = []
        for key in keys:
            chunk = tables.chunks.get(key)
            if chunk is None or chunk.project != project:
                continue
            held = tables.documents[project, chunk.document]
            place = held.chunks.index(key)
            for other, near in enumerate(held.chunks):
                if near != key and abs(other - place) <= reach:
                    found.append(Neighbour(key, near, other - place, len(held.chunks)))
            if len(held.chunks) == 1:
                found += _beside(tables, project, key, held, reach)
        return tuple(sorted(found))

    def chunk_key(self, project: ProjectId, chunk: ChunkId) -> ChunkKey | None:
        tables = self._session.read()
        known_project(tables, project)
        return next(
            (key for key, held in tables.chunks.items() if (held.project, held.chunk.id) == (project, chunk)), None
        )

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        tables = self._session.read()
        known_project(tables, project)
        return sorted(key for key, held in tables.chunks.items() if admits(tables, project, filters, held))

    def more_than(self, project: ProjectId, count: int) -> bool:
        tables = self._session.read()
        known_project(tables, project)
        return sum(held.project == project for held in tables.chunks.values()) > count


def admits(tables: Tables, project: ProjectId, filters: Filters, held: HeldChunk) -> bool:
    """Whether a chunk belongs to the project and everything the filters say holds of it."""
    if held.project != project:
        return False
    owner = tables.documents[project, held.document]
    document = owner.document
    tags = [tag.lower() for tag in document.tags]
    return (
        (not filters.collections or tables.collections[project, owner.collection].name in filters.collections)
        and document.uri.startswith(filters.path_prefix or "")
        and (not filters.uris or document.uri in filters.uris)
        and document.uri not in filters.not_uris
        and (not filters.kinds or document.kind in filters.kinds)
        and (not filters.languages or _in_language(document.language, held.chunk.signature, filters.languages))
        and (filters.modified_after is None or document.modified_at >= filters.modified_after)
        and (filters.modified_before is None or document.modified_at < filters.modified_before)
        and (filters.title_contains or "").lower() in document.title.lower()
        and (filters.heading_contains or "").lower() in shown_path(held.section.path).lower()
        and all(_tagged(tags, wanted) for wanted in filters.tags_all)
        and (not filters.tags_any or any(_tagged(tags, wanted) for wanted in filters.tags_any))
    )


def _in_language(language: str | None, signature: str, wanted: Sequence[str]) -> bool:
    """A document's own language, or else those of the code in a chunk of prose."""
    languages = [language] if language else signature.split()
    return any(one in wanted for one in languages) or (ANY_LANGUAGE in wanted and bool(languages))


def _tagged(tags: Sequence[str], wanted: str) -> bool:
    """`a` is carried by what is tagged `a` or anything below it, such as `a/b`."""
    return any(tag == wanted.lower() or tag.startswith(wanted.lower() + "/") for tag in tags)


def _at(held: HeldDocument, collection: CollectionId, uri: str) -> bool:
    return (held.collection, held.document.uri) == (collection, uri)


def _checked(document: Document) -> Document:
    """The document as a database would give it back: encodable, its metadata the values JSON has."""
    for text in (document.uri, document.title, document.text):
        text.encode("utf-8")
    return replace(document, metadata=json.loads(json.dumps(document.metadata, sort_keys=True)))


def _history(tables: Tables, project: ProjectId, document: DocumentId) -> tuple[int, tuple[DocumentVersion, ...]]:
    """The lineage a document continues with the versions so far, or a new one with none."""
    lineage = tables.lineages.get((project, document))
    if lineage is None:
        tables.last_lineage += 1
        return tables.last_lineage, ()
    return lineage, tables.versions[lineage]


def _version(number: int, document: Document, now: float) -> DocumentVersion:
    return DocumentVersion(number, document.uri, document.title, document.content_hash, document.modified_at, now)


def _hold(tables: Tables, project: ProjectId, held: HeldDocument, prepared: Prepared) -> None:
    document = held.document
    sections = {section.id: section for section in document.sections}
    tables.documents[project, document.id] = held
    for key, indexed in zip(held.chunks, prepared.chunks, strict=True):
        tables.chunks[key] = HeldChunk(project, document.id, sections[indexed.chunk.section_id], indexed.chunk)


def _remove_chunks(tables: Tables, held: HeldDocument) -> None:
    for key in held.chunks:
        del tables.chunks[key]
        tables.lexical.pop(key, None)
        tables.windows.pop(key, None)


def _stored(tables: Tables, project: ProjectId, held: HeldDocument) -> StoredDocument:
    document = held.document
    return StoredDocument(
        id=document.id,
        collection_id=held.collection,
        collection=tables.collections[project, held.collection].name,
        uri=document.uri,
        kind=document.kind,
        title=document.title,
        language=document.language,
        description=document.description,
        tags=document.tags,
        aliases=document.aliases,
        text_hash=document.content_hash,
        modified_at=document.modified_at,
        version=held.version,
        metadata=document.metadata,
    )


def _candidate(tables: Tables, key: ChunkKey, held: HeldChunk) -> Candidate:
    owner = tables.documents[held.project, held.document]
    document = owner.document
    return Candidate(
        key=key,
        chunk_id=held.chunk.id,
        document_id=document.id,
        collection=tables.collections[held.project, owner.collection].name,
        uri=document.uri,
        kind=document.kind,
        title=document.title,
        heading_path=held.section.path,
        span=held.chunk.span,
        lines=held.chunk.lines,
        text_hash=document.content_hash,
        modified_at=document.modified_at,
        in_series=document.metadata.get("sequence") is not None,
        ordinal=held.chunk.ordinal,
    )


def _beside(tables: Tables, project: ProjectId, key: ChunkKey, held: HeldDocument, reach: int) -> Iterable[Neighbour]:
    """Other documents of one chunk in the same sequence."""
    sequence, position = held.document.metadata.get("sequence"), held.document.metadata.get("position")
    for (owner, name), other in tables.documents.items():
        metadata = other.document.metadata
        if (
            sequence is not None
            and position is not None
            and owner == project
            and name != held.document.id
            and other.collection == held.collection
            and metadata.get("sequence") == sequence
            and len(other.chunks) == 1
            and abs(metadata.get("position", position + reach + 1) - position) <= reach
        ):
            yield Neighbour(key, other.chunks[0], metadata["position"] - position, 1)
