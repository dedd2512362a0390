"""The past of a file: the commits that changed it, through its renames, and its stored versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import replace
from octavo.model.document import Kind
from octavo.model.git_commit import is_commit
from octavo.model.ids import CollectionId, DocumentId, document_id
from octavo.model.indexed_commit import FoundCommit
from octavo.model.normalised_text_and_spans import short
from octavo.model.stored_rows import DocumentVersion
from octavo.operations.history.requests import HistoryRequest
from octavo.operations.history.results import HistoryAnswer, Stored, Touched, Written, history_lines, touched_line
from octavo.operations.same_named_fields import filled
from octavo.operations.styled_answer_lines import columns, lines, written
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, json_size, size
from octavo.operations.token_counts_and_page_cursor import within as fitting
from octavo.retrieval.reference_resolution import located, not_called

_RENAMES = 20  # names a file is followed through


def history(engine: Engine, request: HistoryRequest) -> HistoryAnswer:
    """What the library knows of a file's past; a renamed file is followed to what it was called before."""
    within = engine.collection(request.collection).id if request.collection else None
    store, project = engine.store, engine.project.id
    if request.reference is None:
        newest = store.history.touching(project, None, within, request.limit + 1)
        return past(None, (), (), newest, request)
    document = located(engine, request.reference, request.collection)
    if document is not None and is_commit(document.uri):
        raise NotFound(f"{request.reference} is a commit", hint="`octavo get` shows it; give a file for its history")
    if document is not None and document.kind is Kind.MEMORY and document.uri != request.reference:
        raise NotFound(f"{request.reference} is a memory", hint="`octavo memory history` shows its versions")
    uri, within = (document.uri, document.collection_id) if document else (request.reference, within)
    names, commits = _followed(engine, uri, within, request.limit + 1)
    versions = store.documents.versions(project, document.id if document else _gone(engine, uri, within))
    if document is None and not commits and not versions:
        otherwise = "give a path inside a collection; `octavo list --documents` shows them"
        raise not_called(engine, request.reference, otherwise)
    answer = past(uri, names, versions, commits, request)
    return replace(answer, writes=_writes(engine, uri, within, request.limit)) if within else answer


def _writes(engine: Engine, uri: str, within: CollectionId, limit: int) -> tuple[Written, ...]:
    writes = engine.store.note_writes.of(engine.project.id, within, uri)[-limit:]
    return tuple(filled(Written, write) for write in writes)


def past(
    uri: str | None,
    names: tuple[str, ...],
    versions: Sequence[DocumentVersion],
    commits: Sequence[FoundCommit],
    request: HistoryRequest,
) -> HistoryAnswer:
    """What is known, with as many of the commits as were asked for and fit."""
    stored = tuple(map(_stored, versions[-request.limit :]))
    answer = HistoryAnswer(names, stored, (), len(commits) > request.limit, uri)
    room = request.max_tokens * BYTES_PER_TOKEN - max(json_size(answer), size(written(history_lines(answer))))
    touched = [_touched(commit) for commit in commits[: request.limit]]
    shown = tuple(fitting(touched, room, _size))
    return replace(answer, commits=shown, more=answer.more or len(shown) < len(touched))


def _stored(version: DocumentVersion) -> Stored:
    return filled(Stored, version)


def _size(commit: Touched) -> int:
    return max(json_size(commit), size("".join(lines(columns([touched_line(commit)]))))) + 2


def _followed(
    engine: Engine, uri: str, within: CollectionId | None, limit: int
) -> tuple[tuple[str, ...], tuple[FoundCommit, ...]]:
    names = {uri: None}
    commits: tuple[FoundCommit, ...] = ()
    for _ in range(_RENAMES):
        commits = engine.store.history.touching(engine.project.id, list(names), within, limit)
        before = dict.fromkeys(old for commit in commits for new, old in _renames(commit) if new in names)
        if before.keys() <= names.keys():
            break
        names |= before
    return tuple(names), commits


def _renames(commit: FoundCommit) -> Iterator[tuple[str, str]]:
    renamed = commit.metadata.get("renamed")
    return iter(renamed.items()) if isinstance(renamed, dict) else iter(())


def _gone(engine: Engine, uri: str, within: CollectionId | None) -> DocumentId:
    """The id of a document that is no longer there: it follows from where it was."""
    for collection in engine.collections():
        if within in (None, collection.id):
            gone = document_id(engine.project.id, collection.id, uri)
            if engine.store.documents.versions(engine.project.id, gone):
                return gone
    return DocumentId("")


def _touched(commit: FoundCommit) -> Touched:
    metadata = commit.metadata
    author, count = str(metadata.get("author", "")), int(metadata.get("file_count", 0))
    return filled(Touched, commit, title=short(commit.title), author=author, file_count=count)
