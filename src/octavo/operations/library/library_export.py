"""A library, a search or the memories as files for other programs: Markdown, lines of JSON, or a site."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, StorageError
from octavo.fast_dataclass import Value, replace
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.ids import DocumentId
from octavo.model.query import Filters, Query
from octavo.model.stored_rows import StoredDocument
from octavo.operations.filter_parsing import filters_of
from octavo.operations.library.filtered_documents_and_properties import documents_below
from octavo.operations.library.requests import ExportRequest
from octavo.operations.output_file_creation import write_new
from octavo.path_resolution_and_private_folders import expand_user
from octavo.plugins import EXPORTERS, load

EXPORTED = "document"
"""What a line says it is, by which `octavo_records` reads it again: `{"octavo": "document", …}`."""

_AT_ONCE = 200  # documents whose texts are in memory
_UNSAFE = regex(r"[\\\x00-\x1f]")
_LONGEST_NAME = 200  # bytes; file systems take 255
_LONGEST_PATH = 1_000


class ExportAnswer(Value):
    """`memories_left_out` are in no export of everything: they are one of their own."""

    documents: int
    path: str
    memories_left_out: int = 0


def export(engine: Engine, request: ExportRequest) -> ExportAnswer:
    """Texts as they are stored: what was redacted on the way in stays so."""
    answer = _export(engine, request)
    if request.query or not filters_of(engine, request).empty:
        return answer
    memories = engine.store.documents.listed(engine.project.id, Filters(kinds=(Kind.MEMORY,)))
    return replace(answer, memories_left_out=len(memories))


def _export(engine: Engine, request: ExportRequest) -> ExportAnswer:
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
    paths = file_paths(documents, ".md")
    with _writing(folder):
        for document, text in _texts(engine, documents):
            path = folder / paths[document.id]
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


def file_paths(documents: Sequence[StoredDocument], ending: str) -> dict[DocumentId, str]:
    """`notes/papers/bees.pdf.md`: inside of the folder, whatever an imported document calls itself, of a length that
    file systems take, and each document's own, also where capitals are not told apart."""
    paths: dict[DocumentId, str] = {}
    taken: set[str] = set()
    for document in documents:
        *folders, name = safe_parts(f"{document.collection}/{document.uri}")
        # A document may lie in another one, as attachments do, but no file in a file.
        folders = [f"{folder}_" if folder.endswith(ending) else folder for folder in folders]
        path = "/".join((*folders, name.removesuffix(ending)))
        while f"{path}{ending}".lower() in taken:
            path += "_"
        taken.add(f"{path}{ending}".lower())
        paths[document.id] = f"{path}{ending}"
    return paths


def safe_parts(path: str) -> list[str]:
    parts = [_short(_UNSAFE.sub("_", part), _LONGEST_NAME) for part in path.split("/") if part not in ("", ".", "..")]
    if sum(map(len, parts)) <= _LONGEST_PATH:
        return parts
    return [parts[0], _short("/".join(parts[1:-1]), 0), parts[-1]]


def _short(name: str, most: int) -> str:
    """A name of at most so many bytes; of a longer one the beginning, and a digest that tells it from others."""
    written = name.encode("utf-8", "replace")
    if len(written) <= most:
        return name
    return f"{written[:most].decode('utf-8', 'ignore')}{hashlib.sha256(written).hexdigest()[:12]}"


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
