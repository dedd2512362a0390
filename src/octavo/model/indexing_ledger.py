"""The ledger: per file, what was seen, what was done with it, and why."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from octavo.model.ids import DocumentId, RecipeId

REDACTED = "redacted: "
"""How a warning about a key or token begins that was blacked out."""


class FileOutcome(StrEnum):
    INDEXED = "indexed"
    SKIPPED = "skipped"
    FAILED = "failed"


class FileStamp(NamedTuple):
    """What `stat` says of a file: enough to assume that it did not change."""

    size: int
    mtime_ns: int
    inode: int


class LedgerEntry(NamedTuple):
    """One file of a collection. `warnings` are problems that did not prevent indexing."""

    uri: str
    outcome: FileOutcome
    stamp: FileStamp
    content_hash: str = ""
    recipe_id: RecipeId | None = None
    document_id: DocumentId | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
