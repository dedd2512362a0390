"""Entries of the commit index: what is stored of a commit, and what a lookup finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from octavo.fast_dataclass import Value
from octavo.model.ids import DocumentId


class HistoryEntry(Value):
    """One commit of one repository. `files` are uris; a renamed file is listed under both names."""

    repository: str
    hash: str
    document_id: DocumentId
    author: str
    committed_at: float
    made_by: str
    files: tuple[str, ...] = ()


class FoundCommit(Value):
    """A commit in the library, with the metadata of its document."""

    hash: str
    collection: str
    uri: str
    title: str
    committed_at: float
    document_id: DocumentId
    metadata: Mapping[str, Any] = field(default_factory=dict)
