"""Results of the operations on history: commits found, and the commits, versions and writes of a file."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass


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
class LogAnswer:
    """`note` says why there is nothing, where that is known."""

    profile: str
    took_ms: float
    commits: tuple[CommitHit, ...]
    note: str | None = None
    next_cursor: str | None = None
    degraded: tuple[str, ...] | None = None


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
class Written:
    """A change of the file through Octavo: `octavo doc restore` takes back the last."""

    number: int
    written_at: str
    operation: str
    author: str
    reason: str
    hash: str


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
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
