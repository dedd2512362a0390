"""Results of the operations on history: commits, and the past of a file; and how they are told in lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.fast_dataclass import Value
from octavo.operations.styled_answer_lines import (
    DETAIL,
    Block,
    Line,
    Part,
    Quote,
    columns,
    count,
    degraded_lines,
    more,
)


class CommitHit(Value):
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


class LogAnswer(Value):
    """`note` says why there is nothing, where that is known. `more` counts the commits found beyond the limit; `weak`
    says that others were left out because they are hardly relevant."""

    profile: str
    took_ms: float
    commits: tuple[CommitHit, ...]
    note: str | None = None
    next_cursor: str | None = None
    degraded: tuple[str, ...] | None = None
    more: int = 0
    weak: bool = False


class Touched(Value):
    """A commit that changed the file."""

    hash: str
    title: str
    author: str
    committed_at: str
    collection: str
    uri: str
    file_count: int


class Stored(Value):
    """A text that the file had when it was indexed."""

    version: int
    indexed_at: str
    modified_at: str
    removed_at: str | None = None


class Written(Value):
    """A change of the file through Octavo: `octavo doc restore` takes back the last."""

    number: int
    written_at: str
    operation: str
    author: str
    reason: str
    hash: str


class HistoryAnswer(Value):
    """`names` are what the file was called, the last name first; `more` if there are commits beyond the limit.

    `note` says why there is nothing, where that is known.
    """

    names: tuple[str, ...]
    versions: tuple[Stored, ...]
    commits: tuple[Touched, ...]
    more: bool = False
    uri: str | None = None
    note: str | None = None
    writes: tuple[Written, ...] = ()


NO_COMMITS = "The library holds no commits."
_INDENT = "   "
_SHORT = 10  # digits of a hash, enough to be read and to be asked with


def log_lines(answer: LogAnswer) -> Iterator[Block]:
    for commit in answer.commits:
        yield from commit_lines(commit)
        yield ()
    if not answer.commits:
        yield (Part("No commit matches."),)
    if answer.note:
        yield (Part(answer.note, "dim"),)
    notes = [f"{answer.more} more: raise the limit"] if answer.more else []
    notes += ["what is hardly relevant is left out: --all shows it"] if answer.weak else []
    if notes:
        yield (Part(" · ".join([count(len(answer.commits), "commit"), *notes]), "dim"),)
    yield from degraded_lines(answer.degraded)
    yield from more(answer.next_cursor)


def commit_lines(commit: CommitHit) -> Iterator[Block]:
    yield Part(f"{commit.rank}. ", "dim"), Part(commit.title, "title")
    about = f"{commit.committed_at[:10]} · {_name(commit.author)} · {count(commit.file_count, 'file')}"
    place = f"{commit.collection}/{commit.uri}:{commit.start_line}-{commit.end_line}"
    yield (
        Part(_INDENT),
        Part(commit.hash[:_SHORT], "place"),
        Part(f"  {about}", "dim"),
        Part(f" ({place}, score {commit.score:g})", DETAIL),
    )
    if not all(path in commit.excerpt for path in commit.files):  # most passages begin with their list
        rest = commit.file_count - len(commit.files)
        also = f" and {rest} more" if rest > 0 else ""
        yield (Part(f"{_INDENT}{', '.join(commit.files)}{also}", DETAIL),)
    yield Quote(commit.excerpt, commit.start_line, truncated=commit.excerpt_truncated, verbatim=True)


def history_lines(answer: HistoryAnswer) -> Iterator[Block]:
    if answer.uri:
        stored = f"  {count(len(answer.versions), 'stored version')}" if answer.versions else ""
        yield Part(answer.uri, "title"), Part(stored, "dim")
    if len(answer.names) > 1:
        yield (Part(f"earlier {', '.join(answer.names[1:])}", "dim"),)
    if len(answer.versions) > 1:
        yield from map(_version, answer.versions)
    yield from map(_written, answer.writes)
    yield from columns([touched_line(commit) for commit in answer.commits])
    if not answer.commits:
        yield (Part("No commit in the library touched it." if answer.uri else answer.note or NO_COMMITS),)
    if answer.more:
        yield (Part("There are more: raise the limit to see them.", "dim"),)


def touched_line(commit: Touched) -> Line:
    return (
        Part(commit.hash[:_SHORT], "place"),
        Part(commit.committed_at[:10], "dim"),
        Part(commit.title),
        Part(_name(commit.author), "dim"),
    )


def _version(stored: Stored) -> Line:
    removed = f", removed {stored.removed_at}" if stored.removed_at else ""
    return (Part(f"version {stored.version}", "place"), Part(f"  indexed {stored.indexed_at}{removed}", "dim"))


def _written(write: Written) -> Line:
    who = f" by {write.author}" if write.author else ""
    why = f": {write.reason}" if write.reason else ""
    return (
        Part(f"write {write.number}", "place"),
        Part(f"  {write.written_at}  ", "dim"),
        Part(write.operation + who + why),
    )


def _name(author: str) -> str:
    """Without the address."""
    return author.partition(" <")[0]
