"""Records of another program written into a collection: page by page, existing ones passed over, then compared.

A record becomes a document whose name is the record's id. Where its vector is known, the vector is kept as well.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.errors import LibraryError
from octavo.fast_dataclass import Value
from octavo.model.document import Source
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import RecipeId, document_id, text_hash
from octavo.model.indexing_ledger import FileOutcome, FileStamp, LedgerEntry
from octavo.model.normalised_text_and_spans import normalise
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.model.stored_rows import VectorRow
from octavo.observability.progress import Progress
from octavo.operations.database.results import ImportedCollection
from octavo.sql_repositories.store import Store

PAGE = 500
_LARGEST = 65504.0  # what half precision can hold


class ImportedRecord(Value):
    """`text` is None where only a vector was kept."""

    id: str
    text: str | None
    metadata: Mapping[str, Any]
    created_at: float

    @property
    def current(self) -> bool:
        """Not so where a program keeps earlier versions of its files beside the last, and says of each which it is."""
        return str(self.metadata.get("is_current", True)).lower() not in ("false", "0")


Pages = Callable[[], Iterable[Sequence[ImportedRecord]]]
"""Every record of a collection, as often as asked."""


def write_records(
    store: Store,
    collection: Collection,
    made_by: RecipeId,
    prepare: Callable[[Source], PreparedDocument],
    pages: Pages,
    progress: Progress,
) -> ImportedCollection:
    """Writes what the collection does not hold yet, a transaction for each page."""
    done = ImportedCollection(collection.name)
    for page in pages():
        sources, earlier = {}, []
        for record in page:
            done.records += 1
            if not record.current:
                earlier.append(record.id)
            elif (source := _source(collection, record)) is None:
                done.without_text.append(record.id)
            else:
                sources[record.id] = source
        with store.reading():
            known = store.ledger.at(collection.project_id, collection.id, [*sources, *earlier])
        done.earlier_versions += len(earlier)
        remove_documents(store, collection, [uri for uri in earlier if uri in known])
        entries = {uri: _entry(source, made_by) for uri, source in sources.items()}
        fresh = [source for uri, source in sources.items() if known.get(uri) != entries[uri]]
        if fresh:
            write_documents(
                store, collection, [prepare(source) for source in fresh], [entries[source.uri] for source in fresh]
            )
        done.added += len(fresh)
        done.unchanged += len(sources) - len(fresh)
        progress.advance(len(page), page[-1].id)
    return done


def write_documents(
    store: Store, collection: Collection, documents: Sequence[PreparedDocument], entries: Sequence[LedgerEntry]
) -> None:
    project = collection.project_id
    with store.transaction():
        keys = store.documents.put_all(project, collection.id, documents)
        chunks = [pair for of, made in zip(keys, documents, strict=True) for pair in zip(of, made.chunks, strict=True)]
        store.lexical.put(project, [(key, chunk.lexical) for key, chunk in chunks])
        store.embeddings.expect(project, [(key, chunk.inputs) for key, chunk in chunks])
        store.graph.put(project, collection.id, [made.linked for made in documents if made.linked is not None])
        store.ledger.record(project, collection.id, entries)


def remove_documents(store: Store, collection: Collection, uris: Sequence[str]) -> None:
    """Of records that were current when they were taken in."""
    if not uris:
        return
    project = collection.project_id
    with store.transaction():
        for uri in uris:
            store.documents.remove(project, document_id(project, collection.id, uri))
        store.ledger.forget(project, collection.id, uris)


def keep_vectors(
    store: Store,
    collection: Collection,
    profile: EmbeddingProfile,
    pages: Pages,
    vector_of: Callable[[str], NDArray[np.float32] | None],
) -> int:
    """Gives the documents' inputs the vectors of their records under a profile; how many got one just now.

    A record that was cut into several chunks gives its vector to each of them.
    """
    owners: dict[str, str] = {}
    for page in pages():
        owners |= {text_hash(normalise(record.text)): record.id for record in page if record.text}
    project, kept = collection.project_id, 0
    pending = store.embeddings.pending(project, profile)
    for start in range(0, len(pending), PAGE):
        described = store.embeddings.describe(project, pending[start : start + PAGE])
        rows = []
        for chunk in described:
            vector = vector_of(owners[chunk.text_hash]) if chunk.text_hash in owners else None
            if vector is not None and (data := _halves(vector, profile.dimensions)) is not None:
                rows.append(VectorRow(chunk.input_key, data))
        if rows:
            with store.transaction():
                store.embeddings.put(project, profile, rows)
            kept += len(rows)
    return kept


def compared(store: Store, collection: Collection, pages: Pages) -> str:
    """Reads both again: the checksum that both sides have."""
    ours, theirs, count = hashlib.sha256(), hashlib.sha256(), 0
    for page in pages():
        for record in page:
            if (source := _source(collection, record)) is None:
                continue
            count += 1
            ours.update(_line(source.uri, text_hash(source.text), source.metadata))
            theirs.update(_held(store, collection, source))
            if ours.digest() != theirs.digest():
                raise LibraryError(
                    f"{record.id} in {collection.name} is not what was copied",
                    hint="give the same command again; if that does not help, `octavo remove` the collection first",
                )
    ledger = store.ledger.entries(collection.project_id, collection.id)
    stored = sum(entry.document_id is not None for entry in ledger.values())
    if stored != count:
        raise LibraryError(
            f"{collection.name} holds {stored} documents, its source {count} records with a text",
            hint="`octavo remove` the collection and give the same command again; the source is as it was",
        )
    return ours.hexdigest()


def _held(store: Store, collection: Collection, source: Source) -> bytes:
    documents = store.documents.find(collection.project_id, source.uri, collection.id)
    if not documents:
        return b"nothing"
    # A text may say more of itself, in front of it, than its record does.
    metadata = {name: documents[0].metadata.get(name) for name in source.metadata}
    return _line(documents[0].uri, documents[0].text_hash, metadata)


def _line(uri: str, hash_of_text: str, metadata: Mapping[str, Any]) -> bytes:
    return json.dumps([uri, hash_of_text, metadata], sort_keys=True).encode()


def _source(collection: Collection, record: ImportedRecord) -> Source | None:
    if record.text is None or not record.text.strip() or not record.current:
        return None
    title, tags = record.metadata.get("title") or record.metadata.get("heading"), record.metadata.get("tags")
    modified = record.metadata.get("mtime_ns")
    return Source(
        id=document_id(collection.project_id, collection.id, record.id),
        uri=record.id,
        text=normalise(record.text),
        modified_at=modified / 1e9 if isinstance(modified, int) and modified > 0 else record.created_at,
        kind=collection.settings.kind,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        title=title.strip() if isinstance(title, str) else "",
        metadata=record.metadata,
    )


def _entry(source: Source, made_by: RecipeId) -> LedgerEntry:
    # Records have no inode. What tells their metadata from others' stands there: a change of these is a change too.
    checksum = zlib.crc32(json.dumps(source.metadata, sort_keys=True).encode())
    stamp = FileStamp(len(source.text), int(source.modified_at * 1e9), checksum)
    return LedgerEntry(source.uri, FileOutcome.INDEXED, stamp, text_hash(source.text), made_by, source.id)


def _halves(vector: NDArray[np.float32], dimensions: int) -> bytes | None:
    """Of length one; None for what cannot be that."""
    length = float(np.linalg.norm(vector))
    if vector.shape != (dimensions,) or not 0 < length < _LARGEST:
        return None
    return (vector / length).astype("<f2").tobytes()
