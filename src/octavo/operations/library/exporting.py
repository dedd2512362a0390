"""A library, a search or the memories as files for other programs: Markdown, lines of JSON, or a site."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from octavo.algorithms.time_formats import when
from octavo.dataclass import dataclass
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, StorageError
from octavo.model.document import Kind
from octavo.model.library_location import expand_user
from octavo.model.query import Query
from octavo.model.stored_rows import StoredDocument
from octavo.operations.library.documents import documents_below
from octavo.operations.library.requests import ExportRequest
from octavo.operations.output_files import write_new
from octavo.operations.request_filters import filters_of
from octavo.plugins import EXPORTERS, load

EXPORTED = "document"
"""What a line says it is, by which `octavo_records` reads it again: `{"octavo": "document", …}`."""

_AT_ONCE = 200  # documents whose texts are in memory


@dataclass(frozen=True, slots=True)
class ExportAnswer:
    documents: int
    path: str


def export(engine: Engine, request: ExportRequest) -> ExportAnswer:
    """Texts as they are stored: what was redacted on the way in stays so."""
    with engine.store.reading():
        documents = documents_below(engine, request)
    if not request.kinds:  # a history stays in its repository, and is longer than its files
        documents = tuple(document for document in documents if document.kind is not Kind.COMMIT)
    if request.query:
        hits = engine.search(Query(request.query, limit=request.limit, filters=filters_of(engine, request))).hits
        ids = {hit.document_id for hit in hits}
        documents = tuple(document for document in documents if document.id in ids)
    if request.to == "site":
        folder = _new_folder(request)
        with _writing(folder):
            load(EXPORTERS, request.to)(engine, folder, documents, _texts(engine, documents))
        return ExportAnswer(len(documents), str(folder))
    if request.to == "jsonl" or (request.to is None and PurePosixPath(request.target).suffix in (".jsonl", ".ndjson")):
        lines = "".join(f"{_line(document, text)}\n" for document, text in _texts(engine, documents))
        return ExportAnswer(len(documents), str(write_new(request.target, lines, force=request.force)))
    return ExportAnswer(len(documents), str(_folder(engine, request, documents)))


def _texts(engine: Engine, documents: Sequence[StoredDocument]) -> Iterator[tuple[StoredDocument, str]]:
    for first in range(0, len(documents), _AT_ONCE):
        some = documents[first : first + _AT_ONCE]
        texts = engine.store.documents.texts(engine.project.id, {document.text_hash for document in some})
        yield from ((document, texts.get(document.text_hash, "")) for document in some)


def _line(document: StoredDocument, text: str) -> str:
    about = {name: getattr(document, name) for name in ("collection", "uri", "kind", "title", "language")}
    about |= {"tags": document.tags, "modified_at": when(document.modified_at), "metadata": dict(document.metadata)}
    return json.dumps({"octavo": EXPORTED, **about, "text": text}, ensure_ascii=False, default=str)


def _folder(engine: Engine, request: ExportRequest, documents: Sequence[StoredDocument]) -> Path:
    folder = _new_folder(request)
    with _writing(folder):
        for document, text in _texts(engine, documents):
            path = folder / _place(document)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_markdown(document, text), "utf-8", newline="\n")
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _new_folder(request: ExportRequest) -> Path:
    folder = expand_user(request.target)
    if folder.exists() and not request.force and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidArgument(f"{folder} is not empty", hint="give a new folder, or --force to write into this one")
    return folder


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}", hint="give another folder") from error


def _place(document: StoredDocument) -> PurePosixPath:
    """`notes/papers/bees.pdf.md`. Inside of the folder, whatever an imported document calls itself."""
    parts = [part.replace("\\", "_") for part in f"{document.collection}/{document.uri}".split("/")]
    inside = PurePosixPath(*(part for part in parts if part not in ("", ".", "..")))
    return inside if inside.suffix == ".md" else inside.with_name(f"{inside.name}.md")


def _markdown(document: StoredDocument, text: str) -> str:
    """A note as it is; else the text below what is known of it, code and configuration in a fence."""
    if PurePosixPath(document.uri).suffix == ".md" and document.kind is not Kind.MEMORY:
        return text
    facts: dict[str, Any] = {
        "title": document.title,
        "source": f"{document.collection}/{document.uri}",
        "kind": document.kind.value,
    }
    facts |= {"modified": when(document.modified_at)} | ({"tags": list(document.tags)} if document.tags else {})
    head = "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in facts.items())
    body = text
    if document.kind in (Kind.CODE, Kind.CONFIG):
        fence = "`" * max(3, 1 + max((len(run) for run in text.split() if set(run) == {"`"}), default=0))
        body = f"{fence}{document.language or ''}\n{text.rstrip()}\n{fence}\n"
    return f"---\n{head}---\n\n{body}"
