"""The ledger: per file, what was seen, what happened, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from recto.model.ids import DocumentId, RecipeId


class Outcome(StrEnum):
    INDEXED = "indexed"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What `stat` says of a file: enough to know that it probably did not change."""

    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One file of a collection. `warnings` are things worth knowing that did not stop it."""

    uri: str
    outcome: Outcome
    stamp: FileStamp
    content_hash: str = ""
    recipe_id: RecipeId | None = None
    document_id: DocumentId | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
