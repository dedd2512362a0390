"""The history of what was indexed: find commits, and list those that touched a file beside its stored versions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import count
from typing import Annotated, Any

from recto.engine.engine import Engine
from recto.errors import NotFound
from recto.model.commit import is_commit
from recto.model.document import Kind
from recto.model.history import FoundCommit
from recto.model.ids import CollectionId, DocumentId, document_id
from recto.model.limits import Field
from recto.model.query import Filters, Query
from recto.model.result import Hit
from recto.model.stored import DocumentVersion, StoredDocument
from recto.operations import fields
from recto.operations.budget import BYTES_PER_TOKEN, cursor, json_size, offset_of, size
from recto.operations.finding import moment
from recto.operations.get import located
from recto.operations.hits import short, when
from recto.operations.quoting import DATA, one_line, quoted
from recto.retrieval.profiles import profile_named
from recto.retrieval.stages.floor import ConfidenceFloor
from recto.retrieval.stages.refine import CapPerDocument

_SHOWN_FILES = 20
_LOOKED_AT = 1_000  # commits at first, for those that filters let through
_RENAMES = 20  # names a file is followed through
_STAMP = re.compile(r"^\d{9,11}$")  # seconds since 1970
_NONE = "The library holds no commits: `recto status --problems` says why a repository was not read."

FilePattern = Annotated[
    str, Field(min_length=1, max_length=1_000, description="Only commits that touched such a file: src/*.py, docs/.")
]
Author = Annotated[str, Field(min_length=1, max_length=200, description="Only by an author whose name contains this.")]
Moment = Annotated[
    str, Field(pattern=f"{fields.TIME}|{_STAMP.pattern}", description="A date, an age, or Unix seconds.")
]


@dataclass(frozen=True, slots=True)
class GitHistoryRequest:
    """What to look for in commits, and which of them to look at."""

    query: fields.QueryText
    top_n: Annotated[int, Field(ge=1, le=100, description="How many commits at most.")] = 5
    min_score: Annotated[
        float, Field(ge=0.0, le=1.0, description="Only commits whose meaning is as near as this cosine.")
    ] = 0.0
    file_pattern: FilePattern | None = None
    author: Author | None = None
    after: Moment | None = None
    before: Moment | None = None
    collections: fields.Collections = ()
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class CommitHit:
    """A commit, and the passage of it that was found: read the rest with get and its hash."""

    rank: int
    score: float
    hash: str
    title: str
    author: str
    committed_at: str
    files: tuple[str, ...]
    file_count: int
    collection: str
    uri: str
    start_line: int
    end_line: int
    excerpt: str
    excerpt_truncated: bool
    chunk_id: str
    document_id: str


@dataclass(frozen=True, slots=True)
class GitHistoryAnswer:
    """`note` says why there is nothing, where that is known."""

    profile: str
    took_ms: float
    commits: tuple[CommitHit, ...]
    note: str | None = None
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """A file's uri, whether or not it is still there. Without one, the newest commits."""

    reference: (
        Annotated[str, Field(min_length=1, max_length=4_096, description="The file's uri or document id.")] | None
    ) = None
    collection: fields.InCollection | None = None
    limit: Annotated[int, Field(ge=1, le=1_000, description="How many commits at most.")] = 20
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS


@dataclass(frozen=True, slots=True)
class Touched:
    """A commit that changed the file."""

    hash: str
    title: str
    author: str
    committed_at: str
    collection: str
    uri: str
    file_count: int


@dataclass(frozen=True, slots=True)
class Stored:
    """A text that the file had when it was indexed."""

    version: int
    indexed_at: str
    modified_at: str
    removed_at: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """`names` are what the file was called, the last name first; `more` if there are commits beyond the limit."""

    names: tuple[str, ...]
    versions: tuple[Stored, ...]
    commits: tuple[Touched, ...]
    more: bool = False
    uri: str | None = None


def search_git_history(engine: Engine, request: GitHistoryRequest) -> GitHistoryAnswer:
    now = datetime.now(UTC)
    collections = tuple(engine.collection(name).name for name in request.collections)
    profile = profile_named(engine.defaults.profile)
    uris: tuple[str, ...] = ()
    if request.author or request.file_pattern:
        touches = _matching(request.file_pattern) if request.file_pattern else None
        uris = engine.store.history.admitted(engine.project.id, request.author, touches)
        if not uris:
            return GitHistoryAnswer(profile.name, 0.0, (), _why_nothing(engine))
    filters = Filters(
        collections=collections,
        uris=uris,
        kinds=(Kind.COMMIT,),
        modified_after=_moment(request.after, now),
        modified_before=_moment(request.before, now),
    )
    floor = (ConfidenceFloor(least=request.min_score, channel="dense"),) if request.min_score else ()
    # A commit is one answer, however many of its passages match.
    profile = replace(profile, refine=(*profile.refine, *floor, CapPerDocument(limit=1)))
    excerpt = engine.defaults.max_excerpt_chars
    result = engine.search(Query(request.query, request.top_n, filters, max_excerpt_chars=excerpt), profile)
    asked = replace(request, cursor=None, max_tokens=fields.DEFAULT_TOKENS)
    return _fitting(engine, result.hits, result.profile, result.took_ms, request, asked)


def _fitting(
    engine: Engine, hits: Sequence[Hit], profile: str, took_ms: float, request: GitHistoryRequest, asked: object
) -> GitHistoryAnswer:
    names = [hit.chunk_id for hit in hits]
    offset = offset_of(request.cursor, asked, names=names)
    room = request.max_tokens * BYTES_PER_TOKEN - 600  # what stands around the commits
    shown: list[CommitHit] = []
    for hit in hits[offset:]:
        commit = _commit(engine, hit)
        needed = _size(commit)
        while needed > room and not shown and commit.excerpt:
            kept = len(commit.excerpt) * 2 // 3
            commit = replace(commit, excerpt=commit.excerpt[:kept], excerpt_truncated=True)
            needed = _size(commit)
        if needed > room and shown:
            break
        shown.append(commit)
        room -= needed
    reached = offset + len(shown)
    more = cursor(reached, asked, last=names[reached - 1]) if reached < len(hits) else None
    note = None if hits else _why_nothing(engine)
    return GitHistoryAnswer(profile, round(took_ms, 3), tuple(shown), note, more)


def git_history_text(answer: GitHistoryAnswer) -> str:
    number = len(answer.commits)
    head = f"{number} {'commit' if number == 1 else 'commits'}. {DATA}" if number else "No commit matched."
    parts = [head, *map(_commit_text, answer.commits)]
    parts += [answer.note] if answer.note else []
    if answer.next_cursor:
        parts.append(f"There is more: repeat the request with cursor {answer.next_cursor}")
    return "\n\n".join(parts)


def history(engine: Engine, request: HistoryRequest) -> HistoryAnswer:
    """What the library knows of a file's past; a renamed file is followed to what it was called before."""
    within = engine.collection(request.collection).id if request.collection else None
    store, project = engine.store, engine.project.id
    if request.reference is None:
        newest = store.history.touching(project, None, within, request.limit + 1)
        return _answer(None, (), (), newest, request)
    document = located(engine, request.reference, request.collection)
    if document is not None and is_commit(document.uri):
        raise NotFound(f"{request.reference} is a commit", hint="`recto get` shows it; give a file for its history")
    uri, within = (document.uri, document.collection_id) if document else (request.reference, within)
    names, commits = _followed(engine, uri, within, request.limit + 1)
    versions = store.documents.versions(project, document.id if document else _gone(engine, uri, within))
    if document is None and not commits and not versions:
        raise NotFound(
            f"nothing in the library is called {request.reference}",
            hint="give a path inside a collection; `recto list --documents` shows them",
        )
    return _answer(uri, names, versions, commits, request)


def newest(engine: Engine, request: GitHistoryRequest) -> HistoryAnswer:
    """The newest commits that a request lets through, whatever they say."""
    now, store, project = datetime.now(UTC), engine.store, engine.project.id
    collections = {engine.collection(name).name for name in request.collections}
    after, before = _moment(request.after, now) or 0.0, _moment(request.before, now) or float("inf")
    touches = _matching(request.file_pattern) if request.file_pattern else None
    admitted = set(store.history.admitted(project, request.author, touches)) if request.author or touches else None
    for looked_at in (_LOOKED_AT * 8**more for more in count()):
        commits = store.history.touching(project, None, None, looked_at)
        found = [
            one
            for one in commits
            if (admitted is None or one.uri in admitted)
            and (not collections or one.collection in collections)
            and after <= one.committed_at < before
        ]
        if len(found) > request.top_n or len(commits) < looked_at:
            break
    return _answer(None, (), (), found, HistoryRequest(limit=request.top_n, max_tokens=request.max_tokens))


def _answer(
    uri: str | None,
    names: tuple[str, ...],
    versions: Sequence[DocumentVersion],
    commits: Sequence[FoundCommit],
    request: HistoryRequest,
) -> HistoryAnswer:
    stored = tuple(
        Stored(
            one.version, when(one.indexed_at), when(one.modified_at), when(one.removed_at) if one.removed_at else None
        )
        for one in versions[-request.limit :]
    )
    answer = HistoryAnswer(names, stored, (), len(commits) > request.limit, uri)
    room = request.max_tokens * BYTES_PER_TOKEN - max(json_size(asdict(answer)), size(history_text(answer)))
    shown: list[Touched] = []
    for one in commits[: request.limit]:
        touched = _touched(one)
        room -= max(json_size(asdict(touched)), size(_touched_text(touched))) + 2
        if room < 0 and shown:
            return replace(answer, commits=tuple(shown), more=True)
        shown.append(touched)
    return replace(answer, commits=tuple(shown))


def history_text(answer: HistoryAnswer) -> str:
    lines = [one_line(f"History of {answer.uri}" if answer.uri else "The newest commits")]
    if len(answer.names) > 1:
        lines.append(one_line(f"Earlier called {', '.join(answer.names[1:])}"))
    for one in answer.versions:
        removed = f", removed {one.removed_at}" if one.removed_at else ""
        lines.append(f"- version {one.version}, indexed {one.indexed_at}{removed}")
    lines += [_touched_text(one) for one in answer.commits]
    lines += [] if answer.commits else ["No commit in the library touched it." if answer.uri else _NONE]
    lines += ["There are more commits: ask with a higher limit."] if answer.more else []
    return "\n".join(lines)


def _followed(
    engine: Engine, uri: str, within: CollectionId | None, limit: int
) -> tuple[tuple[str, ...], tuple[FoundCommit, ...]]:
    names = {uri: None}
    commits: tuple[FoundCommit, ...] = ()
    for _ in range(_RENAMES):
        commits = engine.store.history.touching(engine.project.id, list(names), within, limit)
        before = dict.fromkeys(old for one in commits for new, old in _renames(one) if new in names)
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


def changed_files(engine: Engine, commits: Sequence[CommitHit | Touched]) -> tuple[str, ...]:
    """Every file that one of the commits changed, once, as `collection/path`: those of the first commit first."""
    found: dict[str, None] = {}
    for one in commits:
        for document in engine.store.documents.find(engine.project.id, one.uri):
            if document.collection == one.collection:
                found |= dict.fromkeys(f"{one.collection}/{path}" for path in _said(document).get("files", ()))
    return tuple(found)


def _commit(engine: Engine, hit: Hit) -> CommitHit:
    stored = engine.store.documents.get(engine.project.id, hit.document_id)
    said = _said(stored)
    lines = hit.citation.lines
    return CommitHit(
        rank=hit.rank,
        score=round(hit.score, 6),
        hash=str(said.get("hash") or hit.citation.uri.rpartition("/")[2]),
        title=short(hit.title),
        author=str(said.get("author", "")),
        committed_at=when(hit.modified_at),
        files=tuple(str(one) for one in said.get("files", ()))[:_SHOWN_FILES],
        file_count=int(said.get("file_count", 0)),
        collection=hit.collection,
        uri=hit.citation.uri,
        start_line=lines.first,
        end_line=lines.last,
        excerpt=hit.excerpt,
        excerpt_truncated=hit.excerpt_truncated,
        chunk_id=hit.chunk_id,
        document_id=hit.document_id,
    )


def _said(stored: StoredDocument | None) -> dict[str, Any]:
    return dict(stored.metadata) if stored else {}


def _touched(one: FoundCommit) -> Touched:
    said = one.metadata
    return Touched(
        hash=one.hash,
        title=short(one.title),
        author=str(said.get("author", "")),
        committed_at=when(one.committed_at),
        collection=one.collection,
        uri=one.uri,
        file_count=int(said.get("file_count", 0)),
    )


def _touched_text(one: Touched) -> str:
    return one_line(f"- {one.hash[:12]} {one.committed_at[:10]} {one.title} ({one.author}; {_files(one.file_count)})")


def _commit_text(one: CommitHit) -> str:
    where = one_line(f"{one.collection}/{one.uri}:{one.start_line}-{one.end_line}")
    about = one_line(f"{one.hash[:12]}, {one.committed_at[:10]}, {one.author}, score {one.score:g}")
    more = f" and {one.file_count - len(one.files)} more" if one.file_count > len(one.files) else ""
    files = one_line(f"Files: {', '.join(one.files)}{more}") if one.files else "No files"
    cut = "\n   (the excerpt is cut here)" if one.excerpt_truncated else ""
    head = f"{one.rank}. {one_line(one.title)}\n   {about}\n   {where}\n   {files}"
    return f"{head}\n{quoted(one.excerpt, one.start_line)}{cut}"


def _files(number: int) -> str:
    return f"{number} {'file' if number == 1 else 'files'}"


def _size(commit: CommitHit) -> int:
    return max(json_size(asdict(commit)), size(_commit_text(commit))) + 2


def _matching(pattern: str) -> Callable[[str], bool]:
    """`docs/` is everything below it; `*.py` and `src/*.py` reach into folders; a bare name is found anywhere."""
    if pattern.endswith("/"):
        return lambda path: path.startswith(pattern) or f"/{pattern}" in path
    inner = f"*/{pattern}"
    return lambda path: fnmatchcase(path, pattern) or fnmatchcase(path, inner)


def _moment(text: str | None, now: datetime) -> float | None:
    return float(text) if text and _STAMP.match(text) else moment(text, now)


def _why_nothing(engine: Engine) -> str | None:
    return None if engine.store.history.any(engine.project.id) else _NONE
