"""Compares the rows of a library with what they were made from: spans with texts, lines, hashes, checksums."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import zstandard

from octavo.model.chunk import contextual_hash
from octavo.model.document import shown_path
from octavo.model.ids import CollectionId, ProjectId, document_id, text_hash
from octavo.model.library_damage import Damage, LibraryPart
from octavo.model.normalised_text_and_spans import LineIndex
from octavo.observability.progress import Progress
from octavo.sql_repositories.database_port import Database, Row
from octavo.sql_repositories.filter_parameters import folded, unaccented

QUICK = 200
"""About how many documents, vectors and blocks a quick check looks at."""
_DOCUMENTS, _VECTORS = 200, 2_000  # read at once
_NAMED = 3  # documents that a sentence names


class Tally:
    """Counts what is wrong in one way, and remembers where that was."""

    def __init__(self, part: LibraryPart, singular: str, plural: str) -> None:
        self.part, self._singular, self._plural = part, singular, plural
        self._count = 0
        self._places: dict[str, None] = {}

    def add(self, place: str = "") -> None:
        self._count += 1
        if place:
            self._places[place] = None

    def damage(self) -> Iterator[Damage]:
        if self._count:
            named = ", ".join(list(self._places)[:_NAMED]) + (", …" if len(self._places) > _NAMED else "")
            message = f"1 {self._singular}" if self._count == 1 else f"{self._count} {self._plural}"
            yield Damage(self.part, message + (f" ({named})" if named else ""))


def stride(total: int, *, quick: bool) -> int:
    """One row in so many is looked at."""
    return max(1, total // QUICK) if quick else 1


def _looked_at(database: Database, query: str, largest: int, step: int, at_once: int) -> Iterator[Sequence[Row]]:
    """The rows whose keys are multiples of `step`. They are asked for by their keys: a sample costs what it holds."""
    for start in range(step, largest + 1, step * at_once):
        keys = range(start, min(start + step * at_once, largest + 1), step)
        yield database.rows(query, {"keys": json.dumps(list(keys))})


def document_damage(database: Database, *, quick: bool, progress: Progress) -> Iterator[Damage]:
    """Documents, sections, chunks and embedding inputs that do not match the document's text."""
    total, largest = map(int, database.rows("check_documents_count")[0])
    step = stride(total, quick=quick)
    tallies = _DocumentTallies()
    progress.start("documents", total // step, "documents")
    for rows in _looked_at(database, "checked_documents", largest, step, _DOCUMENTS):
        _compare(database, rows, tallies)
        progress.advance(len(rows))
    progress.finish()
    for tally in tallies.every():
        yield from tally.damage()


def vector_damage(
    database: Database, raw: Callable[[Any], bytes], *, quick: bool, progress: Progress
) -> Iterator[Damage]:
    """Vectors whose bytes are not those that were written, or not as many as their profile has."""
    changed = Tally(
        LibraryPart.VECTORS, "vector has changed since it was written", "vectors have changed since written"
    )
    for _ in damaged_vectors(database, raw, quick=quick, progress=progress):
        changed.add()
    yield from changed.damage()


def damaged_vectors(
    database: Database, raw: Callable[[Any], bytes], *, quick: bool, progress: Progress
) -> Iterator[int]:
    """The keys of such vectors."""
    total, largest = map(int, database.rows("check_vectors_count")[0])
    step = stride(total, quick=quick)
    sizes: dict[str, int] = {}
    progress.start("vectors", total // step, "vectors")
    for rows in _looked_at(database, "checked_vectors", largest, step, _VECTORS):
        for key, data, checksum, body in rows:
            if body not in sizes:
                sizes[body] = 2 * int(json.loads(body)["dimensions"])
            written = raw(data)
            if len(written) != sizes[body] or (checksum is not None and zlib.crc32(written) != checksum):
                yield int(key)
        progress.advance(len(rows))
    progress.finish()


class _DocumentTallies:
    def __init__(self) -> None:
        def tally(singular: str, plural: str) -> Tally:
            return Tally(LibraryPart.DOCUMENTS, singular, plural)

        self.documents = tally("document is not as it was written", "documents are not as they were written")
        self.chunks = tally("chunk does not match its text", "chunks do not match their texts")
        self.lines = tally("chunk has wrong line numbers", "chunks have wrong line numbers")
        self.sections = tally("section does not match its text", "sections do not match their texts")
        self.inputs = tally("embedding input does not match its text", "embedding inputs do not match their texts")

    def every(self) -> Sequence[Tally]:
        return (self.documents, self.chunks, self.lines, self.sections, self.inputs)


def _compare(database: Database, rows: Sequence[Row], tallies: _DocumentTallies) -> None:
    texts: dict[int, tuple[str, str, LineIndex]] = {}
    names = {int(row[0]): str(row[2]) for row in rows}
    for row in rows:
        key, uri = int(row[0]), str(row[1])
        if not _is_as_written(row):
            tallies.documents.add(uri)
        text = _text(row[10], row[11])
        if text is not None:  # a text that is missing or damaged is reported as such
            texts[key] = (uri, text, LineIndex(text))
    where = {"documents": json.dumps(list(texts))}
    for document, chunk, start, end, first, last, digest, section in database.rows("checked_chunks", where):
        uri, text, lines = texts[document]
        if not 0 <= start <= end <= len(text) or bytes.fromhex(text_hash(text[start:end])) != digest or not chunk:
            tallies.chunks.add(uri)
        elif (first, last) != tuple(lines.lines(start, end)):
            tallies.lines.add(uri)
        if section is None:
            tallies.sections.add(uri)
    for document, path, path_folded, start, end in database.rows("checked_sections", where):
        uri, text, _ = texts[document]
        if not 0 <= start <= end <= len(text) or not _is_path(path, path_folded):
            tallies.sections.add(uri)
    for document, start, end, context, digest in database.rows("checked_inputs", where):
        uri, text, _ = texts[document]
        stored, expected = digest.hex(), text_hash(f"{context}\n{text[start:end]}" if context else text[start:end])
        same = stored == expected or stored == contextual_hash(names[document], text_hash(text), start, expected)
        if not 0 <= start <= end <= len(text) or not same:
            tallies.inputs.add(uri)


def _is_as_written(row: Row) -> bool:
    """Whether a document's id is that of its place, and its columns can be read."""
    _, uri, name, project, collection, title, title_folded, tags, aliases, metadata, _, _ = row
    try:
        readable = isinstance(json.loads(tags), list) and isinstance(json.loads(aliases), list)
        readable = readable and isinstance(json.loads(metadata), dict)
    except (ValueError, TypeError):
        return False
    expected = document_id(ProjectId(project), CollectionId(collection), uri)
    return readable and name == expected and _is_folded(title, title_folded)


def _is_path(path: str, path_folded: str) -> bool:
    try:
        return _is_folded(shown_path(tuple(json.loads(path))), path_folded)
    except (ValueError, TypeError):
        return False


def _is_folded(text: str, stored: str) -> bool:
    """Whether this is how a text is compared; what earlier versions wrote has kept its accents."""
    return stored in (unaccented(text), folded(text))


def _text(digest: bytes, data: bytes | None) -> str | None:
    try:
        raw = zstandard.decompress(data or b"")
    except zstandard.ZstdError:
        return None
    return raw.decode("utf-8") if hashlib.sha256(raw).digest() == digest else None
