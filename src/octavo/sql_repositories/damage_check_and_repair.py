"""Finds what is wrong with a library part by part, and removes what cannot be trusted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Protocol

import zstandard

from octavo.errors import LibraryError, StorageError
from octavo.model.library_damage import Damage, LibraryPart
from octavo.observability.progress import NoProgress, Progress
from octavo.sql_repositories.database_port import Database
from octavo.sql_repositories.embeddings import EmbeddingRepository
from octavo.sql_repositories.row_integrity_checks import damaged_vectors, document_damage, vector_damage

_QUERIES: Sequence[tuple[LibraryPart, str]] = (
    (LibraryPart.WORDS, "check_lexical"),
    (LibraryPart.DOCUMENTS, "check_versions"),
    (LibraryPart.DOCUMENTS, "check_texts"),
    (LibraryPart.MEMORIES, "check_memories"),
    (LibraryPart.DOCUMENTS, "check_ledger"),
)

_TEXT_BATCH = 500  # texts of a few kilobytes each, checked at a time

PartChecks = Iterator[tuple[LibraryPart, Iterator[Damage]]]


class Repositories(Protocol):
    """What a check reads. A store is one."""

    shared: Database
    embeddings: EmbeddingRepository


class LibraryUpkeep:
    """A dialect adds what the database itself reports, and what only it has."""

    def __init__(self, store: Repositories) -> None:
        self._database = store.shared
        self._vector_bytes = store.embeddings.format.raw

    def damage(self, *, quick: bool = False, progress: Progress | None = None) -> tuple[Damage, ...]:
        """One part that cannot be read leaves the others to be checked."""
        damages = self._found(quick, progress or NoProgress())
        if any(damage.part is LibraryPart.WORDS for damage in damages):
            # Words are sorted on disk, which cannot be asked for within a transaction: what another process wrote
            # between two queries looks damaged once, and not again.
            again = set(self._found(quick, NoProgress(), only=LibraryPart.WORDS))
            damages = [damage for damage in damages if damage.part is not LibraryPart.WORDS or damage in again]
        return tuple(damages)

    def _found(self, quick: bool, progress: Progress, only: LibraryPart | None = None) -> list[Damage]:
        damages: dict[Damage, None] = {}
        for part, check in self._checks(quick, progress):
            if only is not None and part is not only:
                continue
            try:
                # Of one state: rows that another process writes between two queries would look damaged.
                with nullcontext() if part is LibraryPart.WORDS else self._database.reading():
                    for damage in check:
                        damages[damage] = None
            except (LibraryError, StorageError) as error:
                damages[Damage(part, error.message)] = None
            except Exception as error:  # rows that are not what every other module may rely on
                damages[Damage(part, f"the {part.value} cannot be read: {type(error).__name__}: {error}")] = None
        return list(damages)

    def repair(self) -> bool:
        """Rebuilds what can be derived from rows alone; False if there is nothing to rebuild."""
        return False

    def unreadable_versions(self) -> tuple[tuple[str, str], ...]:
        """Versions of documents whose texts are gone or damaged: the hash of each text, and whose it is."""
        hashes = json.dumps([digest.hex() for digest in self._unreadable_texts()])
        rows = self._database.rows("versions_unreadable", {"hashes": hashes})
        return tuple((bytes(digest).hex(), text) for digest, text in rows)

    def remove_damaged(self, *, texts_too: bool = True) -> int:
        """Inside a transaction: removes vectors and texts whose bytes changed, which indexing makes again; how many."""
        vectors = list(damaged_vectors(self._database, self._vector_bytes, quick=False, progress=NoProgress()))
        texts = tuple(self._unreadable_texts()) if texts_too else ()
        if vectors:
            self._database.run("vectors_remove_keys", {"keys": json.dumps(vectors)})
            self._database.run("embedded_upto_forget_all")
        self._database.run_many("text_remove", [{"hash": digest} for digest in texts])
        if texts_too:
            # Nobody can read what an earlier version said without its text; a current one is that of its document.
            self._database.run("documents_without_text_remove")
            self._database.run("ledger_without_document_remove")
            self._database.run("versions_without_text_remove")
            self._database.run("versions_of_current_put")
        return len(vectors) + len(texts)

    def _checks(self, quick: bool, progress: Progress) -> PartChecks:
        yield from self._dialect_checks(quick, progress)
        for part, name in _QUERIES:
            yield part, self._queried(part, name)
        if not quick:
            yield LibraryPart.DOCUMENTS, map(_damaged_text, self._unreadable_texts())
        yield LibraryPart.DOCUMENTS, document_damage(self._database, quick=quick, progress=progress)
        yield LibraryPart.VECTORS, vector_damage(self._database, self._vector_bytes, quick=quick, progress=progress)

    def _unreadable_texts(self) -> Iterator[bytes]:
        """The hashes of texts, of any project, whose content does not match them."""
        unpack, after = zstandard.ZstdDecompressor().decompress, 0
        while rows := self._database.rows("texts_after", {"after": after, "limit": _TEXT_BATCH}):
            after = rows[-1][0]
            for _, digest, data in rows:
                try:
                    same = hashlib.sha256(unpack(data)).digest() == digest
                except zstandard.ZstdError:
                    same = False
                if not same:
                    yield digest

    def _queried(self, part: LibraryPart, name: str) -> Iterator[Damage]:
        for row in self._database.rows(name):
            yield Damage(part, str(row[0]))

    def _dialect_checks(self, quick: bool, progress: Progress) -> PartChecks:
        return iter(())


def _damaged_text(digest: bytes) -> Damage:
    return Damage(LibraryPart.DOCUMENTS, f"the text {digest.hex()[:12]} is damaged")
