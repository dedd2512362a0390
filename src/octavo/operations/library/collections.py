"""Which folders belong to a library: add one, change its settings, remove it, list what there is."""

from __future__ import annotations

import re
from pathlib import Path

from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument
from octavo.model.collection import Collection, CollectionSettings
from octavo.model.commit import is_repository
from octavo.model.document import Kind
from octavo.model.ledger import FileOutcome, LedgerEntry
from octavo.model.location import expand_user, real_path
from octavo.operations.library.answers import (
    AddAnswer,
    CollectionState,
    LedgerProblem,
    ListAnswer,
    ListedDocument,
    RemoveAnswer,
    RemovedCollection,
)
from octavo.operations.library.documents import documents_below, property_keys
from octavo.operations.library.excluded_files import excluded_files
from octavo.operations.library.requests import AddRequest, CollectionsListRequest, RemoveRequest
from octavo.writing.redacted_notes import key_in

_SETTINGS = (
    *("include", "ignore", "max_heading_depth", "intelligent_heading_depth"),
    *("history", "max_commits", "outside_git", "archives", "writable", "allow_secrets"),
)


def add(engine: Engine, request: AddRequest) -> AddAnswer:
    """Nothing is read before the next indexing run."""
    root = real_path(expand_user(request.folder))
    name = request.name if request.name is not None else collection_name(root)
    if root.is_file():
        # A collection of one: its folder, and nothing in it but this file.
        request = replace(request, include=(f"/{_literal(root.name)}",))
        root = root.parent
    if not root.is_dir():
        raise InvalidArgument(f"{root} is not a folder", hint="give the folder that holds the documents")
    known = {collection.name: collection for collection in engine.collections()}.get(name)
    if known is not None and known.root != root and not request.replace:
        raise Conflict(
            f"the collection {name} is the folder {known.root} already",
            hint="give this one another --name, or pass --replace to point the collection here",
        )
    before = known.settings if known is not None and not request.reset else CollectionSettings()
    collection = engine.add_collection(name, root, _settings(before, request))
    return AddAnswer(collection_state(engine, collection), known is not None)


def remove(engine: Engine, request: RemoveRequest) -> RemoveAnswer:
    """All of them or, where one is unknown, none. Their folders are not touched."""
    names = [engine.collection(name).name for name in dict.fromkeys(request.names)]
    for name in names:
        engine.remove_collection(name)
    return RemoveAnswer(tuple(RemovedCollection(name) for name in names))


def collections_list(engine: Engine, request: CollectionsListRequest) -> ListAnswer:
    chosen = tuple(engine.collection(name) for name in request.collections) or engine.collections()
    narrowed = request.path_prefix is not None or bool(request.where)
    if request.keys or narrowed:
        found = documents_below(engine, request)
        if request.keys:
            return ListAnswer(keys=property_keys(found))
        return ListAnswer(
            documents=tuple(ListedDocument(document.collection, document.uri, document.id) for document in found)
        )
    if not request.documents:
        return ListAnswer(collections=tuple(collection_state(engine, collection) for collection in chosen))
    return ListAnswer(documents=tuple(found for collection in chosen for found in _documents(engine, collection)))


def _literal(name: str) -> str:
    """A file's name as a pattern that matches it alone."""
    return re.sub(r"([\\*?\[\]!#{}])", r"\\\1", name)


def collection_name(root: Path) -> str:
    """A folder's own name, without what a collection's name may not hold."""
    allowed = "".join("-" if letter in "/\\:" or not letter.isprintable() else letter for letter in root.name)
    return allowed.strip() or "files"


def collection_state(engine: Engine, collection: Collection) -> CollectionState:
    settings = collection.settings
    entries = _entries(engine, collection)
    outcomes = [entry.outcome for entry in entries if not is_repository(entry.uri)]
    return CollectionState(
        name=collection.name,
        root=collection.place,
        present=not collection.on_disk or collection.root.is_dir(),
        indexed=sum(
            entry.outcome is FileOutcome.INDEXED and entry.document_id is not None
            for entry in entries
            if not is_repository(entry.uri)
        ),
        skipped=outcomes.count(FileOutcome.SKIPPED),
        failed=outcomes.count(FileOutcome.FAILED),
        commits=sum(entry.stamp.size for entry in entries if is_repository(entry.uri)),
        include=settings.include,
        ignore=settings.ignore,
        tags=settings.tags,
        kind=settings.kind.value if settings.kind else None,
        history=settings.history,
        max_commits=settings.max_commits,
        outside_git=settings.outside_git,
        archives=settings.archives,
        allow_secrets=settings.allow_secrets or None,
        max_heading_depth=settings.max_heading_depth,
        intelligent_heading_depth=settings.intelligent_heading_depth,
        writable=engine.library.is_writable(collection) or None,
        left_out=excluded_files(
            (entry.uri, entry.reason)
            for entry in entries
            if entry.outcome is not FileOutcome.INDEXED and not is_repository(entry.uri)
        )
        or None,
    )


def collection_problems(engine: Engine, collection: Collection) -> tuple[LedgerProblem, ...]:
    """Files that failed, were skipped, or were indexed with a warning, by uri."""
    return tuple(
        LedgerProblem(collection.name, entry.uri, entry.outcome.value, entry.reason, entry.warnings)
        for entry in sorted(_entries(engine, collection), key=lambda entry: entry.uri)
        if entry.outcome is not FileOutcome.INDEXED or entry.warnings
    )


def _entries(engine: Engine, collection: Collection) -> tuple[LedgerEntry, ...]:
    return tuple(engine.store.ledger.entries(engine.project.id, collection.id).values())


def _documents(engine: Engine, collection: Collection) -> list[ListedDocument]:
    documents = {entry.uri: entry.document_id for entry in _entries(engine, collection) if entry.document_id}
    return [ListedDocument(collection.name, uri, documents[uri]) for uri in sorted(documents)]


def _settings(before: CollectionSettings, request: AddRequest) -> CollectionSettings:
    """What the request names takes the place of what was set before; the rest stays."""
    named = {name: value for name in _SETTINGS if (value := getattr(request, name)) is not None}
    if kind := key_in(request.tags):
        raise InvalidArgument(f"a tag seems to contain a secret ({kind})", hint="give tags without it")
    if request.tags is not None:
        named["tags"] = tuple(tag.lstrip("#") for tag in request.tags)
    if request.kind is not None:
        named["kind"] = Kind(request.kind)
    return replace(before, **named)
