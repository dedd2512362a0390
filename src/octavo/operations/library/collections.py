"""Which folders belong to a library: add one, change its settings, remove it, list what there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.errors import Conflict, InvalidArgument, NotIndexed
from octavo.fast_dataclass import replace
from octavo.model.document import Kind
from octavo.model.git_commit import is_repository
from octavo.model.indexing_ledger import FileOutcome, LedgerEntry
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.model.search_result import Freshness
from octavo.note_editing.note_redaction import key_in
from octavo.operations.answer_conversion import filled
from octavo.operations.library.excluded_file_counts import excluded_files, excluded_files_text, merged
from octavo.operations.library.filtered_documents_and_properties import documents_below, property_keys
from octavo.operations.library.requests import AddRequest, CollectionsListRequest, RemoveRequest
from octavo.operations.library.results import (
    AddAnswer,
    CollectionState,
    LedgerProblem,
    ListAnswer,
    ListedDocument,
    OverlappingCollection,
    RemoveAnswer,
    RemovedCollection,
)
from octavo.path_resolution_and_private_folders import expand_user, real_path

_SETTINGS = (
    *("include", "ignore", "max_heading_depth", "intelligent_heading_depth"),
    *("history", "max_commits", "outside_git", "archives"),
)
_PERMISSIONS = ("writable", "allow_secrets")


def add(engine: Engine, request: AddRequest) -> AddAnswer:
    """Nothing is read before the next indexing run."""
    root = real_path(expand_user(request.folder))
    name = request.name if request.name is not None else collection_name(root)
    file = str(root) if root.is_file() else None
    if file:
        # A collection of one: its folder, and nothing in it but this file.
        request = replace(request, include=(f"/{_literal(root.name)}",))
        root = root.parent
    if not root.is_dir():
        missing = f"{root} is not a folder" if root.exists() else f"there is nothing at {root}"
        raise InvalidArgument(missing, hint="give the folder that holds the documents")
    known = {collection.name: collection for collection in engine.collections()}.get(name)
    if known is not None and known.root != root and not request.replace:
        raise Conflict(
            f"the collection {name} is the folder {known.root} already",
            hint="give this one another --name, or pass --replace to point the collection here",
        )
    before = known.settings if known is not None and not request.reset else CollectionSettings()
    collection = engine.add_collection(name, root, _settings(before, request))
    changed = known is not None and (known.root, known.settings) != (collection.root, collection.settings)
    overlaps = tuple(_overlaps(engine, collection))
    return AddAnswer(collection_state(engine, collection), changed, known is not None, file, overlaps or None)


def holding(engine: Engine, folder: Path) -> str | None:
    """The collection that a folder or file is in, with everything that is below it."""
    root = real_path(folder)
    whole = [each for each in engine.collections() if each.on_disk and not each.settings.include]
    return next((collection.name for collection in whole if root.is_relative_to(collection.root)), None)


def _overlaps(engine: Engine, added: Collection) -> Iterator[OverlappingCollection]:
    """Other collections of which files are found once more by this one."""
    place = _file_or_folder(added)
    for other in engine.collections():
        if other.name == added.name or not other.on_disk:
            continue
        if other.settings.include and added.settings.include:
            continue  # each takes its own part of a folder
        there = _file_or_folder(other)
        inside, within = place.is_relative_to(there), there.is_relative_to(place)
        if inside or within:
            relation = "same" if inside and within else "inside" if inside else "within"
            yield OverlappingCollection(other.name, str(there), relation)


def _file_or_folder(collection: Collection) -> Path:
    """What was added: a collection of one file is that file."""
    patterns = collection.settings.include
    file = collection.root / re.sub(r"\\(.)", r"\1", "".join(patterns)[1:])
    return file if len(patterns) == 1 and file.is_file() else collection.root


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
        documents = documents_below(engine, request)
        if request.keys:
            return ListAnswer(keys=property_keys(documents, every_value=request.all_values))
        return ListAnswer(
            documents=tuple(ListedDocument(document.collection, document.uri, document.id) for document in documents)
        )
    if not request.documents:
        return ListAnswer(collections=tuple(collection_state(engine, collection) for collection in chosen))
    listed = (_documents(engine, collection) for collection in chosen)
    return ListAnswer(documents=tuple(chain.from_iterable(listed)))


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
    return filled(
        CollectionState,
        *(collection, settings),
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
        allow_secrets=settings.allow_secrets or None,
        writable=engine.library.is_writable(collection) or None,
        left_out=excluded_files(
            (entry.uri, entry.reason)
            for entry in entries
            if entry.outcome is not FileOutcome.INDEXED and not is_repository(entry.uri)
        )
        or None,
    )


def refuse_empty_library(engine: Engine, freshness: Freshness) -> None:
    """Says what stands in the way of a search; a folder that was read and held nothing gives an empty result."""
    unread = merged(
        group for collection in engine.collections() for group in collection_state(engine, collection).left_out or ()
    )
    if unread:
        raise NotIndexed(
            f"nothing could be read: {excluded_files_text(unread)}",
            hint=next(filter(None, (group.install_hint for group in unread)), None)
            or "`octavo status --problems` gives the reason for each file",
        )
    if engine.watched and engine.watcher.reads_first_time():
        raise NotIndexed("the folders are being read for the first time", hint="ask again in a few seconds")
    if freshness.age_seconds is None:
        added = any(collection.on_disk for collection in engine.collections())
        first = "" if added else "`octavo add FOLDER --name NAME`, then "
        raise NotIndexed("nothing is indexed yet", hint=f"run {first}`octavo index`")


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
    named = {name: value for name in (*_SETTINGS, *_PERMISSIONS) if (value := getattr(request, name)) is not None}
    if kind := key_in(request.tags):
        raise InvalidArgument(f"a tag seems to contain a secret ({kind})", hint="give tags without it")
    if request.tags is not None:
        named["tags"] = tuple(tag.lstrip("#") for tag in request.tags)
    if request.kind is not None:
        named["kind"] = Kind(request.kind.removesuffix("s"))
    return replace(before, **named)
