"""Find commits by what they say, list the newest, and follow a file through its commits, renames and versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import count
from typing import Any

from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.algorithms.text.time_parsing_and_formatting import moment, when
from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.git_commit import is_commit
from octavo.model.ids import CollectionId, DocumentId, document_id
from octavo.model.indexed_commit import FoundCommit
from octavo.model.normalised_text_and_spans import short
from octavo.model.query import Filters, Query
from octavo.model.search_result import Hit, Result
from octavo.model.stored_rows import DocumentVersion, StoredDocument
from octavo.operations import argument_types
from octavo.operations.answer_conversion import filled
from octavo.operations.history.requests import STAMP, HistoryRequest, LogRequest
from octavo.operations.history.results import (
    CommitHit,
    HistoryAnswer,
    LogAnswer,
    Stored,
    Touched,
    Written,
    commit_lines,
    history_lines,
    touched_line,
)
from octavo.operations.styled_answer_lines import columns, lines, written
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, cursor, data_size, offset_of, size, within
from octavo.retrieval.profiles_by_name import profile_named
from octavo.retrieval.reference_resolution import located, not_called
from octavo.retrieval.stages.document_cap_and_span_merging import CapPerDocument

_SHOWN_FILES = 20
_RANKED = 200  # commits, of which as many are shown as were asked for
_RENAMES = 20  # names a file is followed through
_LOOKED_AT = 1_000  # commits at first, for those that filters let through
_STAMP = regex(STAMP)
_AROUND = 600  # bytes of an answer that are no commit
_NO_COMMITS = (
    "The library holds no commits: none of its folders is a git repository, or `octavo status --problems` says why one "
    "was not read."
)


def log(engine: Engine, request: LogRequest) -> LogAnswer:
    now = datetime.now(UTC)
    collections = tuple(engine.collection(name).name for name in request.collections)
    profile = profile_named(engine.defaults.profile)
    uris: tuple[str, ...] = ()
    if request.author or request.file_pattern:
        touches = _matching(request.file_pattern) if request.file_pattern else None
        uris = engine.store.history.admitted(engine.project.id, request.author, touches)
        if not uris:
            return LogAnswer(profile.name, 0.0, (), _why_nothing(engine))
    filters = Filters(
        collections=collections,
        uris=uris,
        kinds=(Kind.COMMIT,),
        modified_after=_moment(request.after, now),
        modified_before=_moment(request.before, now),
    )
    # A commit is one answer, however many of its passages match.
    profile = replace(profile, refine=(*profile.refine, CapPerDocument(limit=1)))
    excerpt = engine.defaults.max_excerpt_chars
    query = Query(request.query, _RANKED, filters, max_excerpt_chars=excerpt, min_score=request.min_score or 0.0)
    every = engine.search(replace(query, floor=False), profile)
    relevant = every if request.show_all else _relevant(engine, every, engine.search(query, profile))
    hits = sorted(relevant.hits, key=lambda hit: not (hit.commit and hit.commit.files))  # merges that change nothing
    ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1))
    answer = _fitting(engine, replace(relevant, hits=ranked[: request.top_n]), request)
    return replace(answer, more=len(ranked[request.top_n :]), weak=len(ranked) < len(every.hits))


def _relevant(engine: Engine, every: Result, relevant: Result) -> Result:
    """The hits above the floor, and those whose subject has all words of the query: a subject is too short a text for
    its words to weigh much, and says what the commit is about."""
    analyzer = shared_analyzer()
    words = set(analyzer.subject(analyzer.tokens(every.query)))
    above = {hit.document_id for hit in relevant.hits}
    hits = (hit for hit in every.hits if hit.document_id in above or _holds(words, analyzer.tokens(hit.title)))
    return replace(every, hits=tuple(hits))


def _holds(words: Set[str], tokens: Sequence[str]) -> bool:
    return bool(words) and words <= set(tokens)


def _fitting(engine: Engine, result: Result, request: LogRequest) -> LogAnswer:
    """As many commits as fit, and a cursor to the rest."""
    question = replace(request, cursor=None, max_tokens=argument_types.DEFAULT_TOKENS)
    names = [hit.chunk_id for hit in result.hits]
    offset = offset_of(request.cursor, question, names=names)
    room = request.max_tokens * BYTES_PER_TOKEN - _AROUND
    commits = (_commit(engine, hit) for hit in result.hits[offset:])
    shown = tuple(
        within((commit if number else _cut(commit, room) for number, commit in enumerate(commits)), room, _size)
    )
    reached = offset + len(shown)
    more = cursor(reached, question, last=names[reached - 1]) if reached < len(names) else None
    note = None if result.hits else _why_nothing(engine)
    return LogAnswer(result.profile, round(result.took_ms, 3), shown, note, more, result.degraded or None)


def _cut(commit: CommitHit, room: int) -> CommitHit:
    while commit.excerpt and _size(commit) > room:
        length = len(commit.excerpt) * 2 // 3
        commit = replace(commit, excerpt=commit.excerpt[:length], excerpt_truncated=True)
    return commit


def newest(engine: Engine, request: LogRequest) -> HistoryAnswer:
    """The newest commits that a request lets through, whatever they say."""
    now, store, project = datetime.now(UTC), engine.store, engine.project.id
    collections = {engine.collection(name).name for name in request.collections}
    after, before = _moment(request.after, now) or 0.0, _moment(request.before, now) or float("inf")
    touches = _matching(request.file_pattern) if request.file_pattern else None
    admitted = set(store.history.admitted(project, request.author, touches)) if request.author or touches else None
    for looked_at in (_LOOKED_AT * 8**more for more in count()):
        commits = store.history.touching(project, None, None, looked_at)
        changes = [
            commit
            for commit in commits
            if (admitted is None or commit.uri in admitted)
            and (not collections or commit.collection in collections)
            and after <= commit.committed_at < before
        ]
        if len(changes) > request.top_n or len(commits) < looked_at:
            break
    narrowed = request.author or touches or collections or request.after or request.before
    note = "No commit matches." if narrowed else _why_nothing(engine)
    listed = past(None, (), (), changes, HistoryRequest(limit=request.top_n, max_tokens=request.max_tokens))
    return replace(listed, note=note if not changes else None)


def changed_files(engine: Engine, commit: CommitHit | Touched) -> tuple[str, ...]:
    """Every file that the commit changed, as `collection/path`."""
    documents = engine.store.documents.find(engine.project.id, commit.uri)
    here = (_metadata(document) for document in documents if document.collection == commit.collection)
    return tuple(f"{commit.collection}/{path}" for metadata in here for path in metadata.get("files", ()))


def _commit(engine: Engine, hit: Hit) -> CommitHit:
    stored = engine.store.documents.get(engine.project.id, hit.document_id)
    metadata = _metadata(stored)
    lines = hit.citation.lines
    return filled(
        CommitHit,
        hit,
        score=round(hit.score, 6),
        hash=str(metadata.get("hash") or hit.citation.uri.rpartition("/")[2]),
        title=short(hit.title),
        author=str(metadata.get("author", "")),
        committed_at=when(hit.modified_at),
        files=tuple(str(path) for path in metadata.get("files", ()))[:_SHOWN_FILES],
        file_count=int(metadata.get("file_count", 0)),
        uri=hit.citation.uri,
        start_line=lines.first,
        end_line=lines.last,
    )


def _metadata(stored: StoredDocument | None) -> dict[str, Any]:
    return dict(stored.metadata) if stored else {}


def _size(commit: CommitHit) -> int:
    return max(data_size(commit), size("\n".join(lines(commit_lines(commit))))) + 2


def _matching(pattern: str) -> Callable[[str], bool]:
    """`docs/` is everything below it; `*.py` and `src/*.py` reach into folders; a bare name is found anywhere."""
    if pattern.endswith("/"):
        return lambda path: path.startswith(pattern) or f"/{pattern}" in path
    pattern = pattern.replace("**/", "")  # any folders or none, which a star is here
    inner = f"*/{pattern}"
    return lambda path: fnmatchcase(path, pattern) or fnmatchcase(path, inner)


def _moment(text: str | None, now: datetime) -> float | None:
    return float(text) if text and _STAMP.match(text) else moment(text, now)


def _why_nothing(engine: Engine) -> str | None:
    return None if engine.store.history.any(engine.project.id) else _NO_COMMITS


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
    stored = tuple(filled(Stored, version) for version in versions[-request.limit :])
    answer = HistoryAnswer(names, stored, (), len(commits) > request.limit, uri)
    room = request.max_tokens * BYTES_PER_TOKEN - max(data_size(answer), size(written(history_lines(answer))))
    touched = [_touched(commit) for commit in commits[: request.limit]]
    shown = tuple(within(touched, room, _touched_size))
    return replace(answer, commits=shown, more=answer.more or len(shown) < len(touched))


def _touched_size(commit: Touched) -> int:
    return max(data_size(commit), size("".join(lines(columns([touched_line(commit)]))))) + 2


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
