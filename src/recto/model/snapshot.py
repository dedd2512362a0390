"""A snapshot: an immutable, checksummed accelerator derived from the library, and what has changed since."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from recto.model.ids import SnapshotId

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
"""Of the manifest and the files it lists. 1: lexical segments, vector shards, the outline, hidden keys."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a snapshot has seen: everything with a higher number came after it."""

    generation: int = 0
    block: int = 0
    change: int = 0
    vector: int = 0


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a snapshot."""

    size: int
    sha256: str
    carried: bool = False
    """Whether it is the previous snapshot's file, byte for byte."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a snapshot holds, of which state of which library, made how."""

    id: SnapshotId
    project: str
    created_at: float
    seconds: float
    previous: SnapshotId | None
    analyzer: str
    profiles: tuple[str, ...]
    """Canonical embedding profiles, the better first: a vector's tier is its place in this list."""
    dimensions: int
    shards: int
    mark: Mark
    chunks: int
    vectors: int
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def bytes(self) -> int:
        return sum(entry.size for entry in self.files.values())

    def to_json(self) -> str:
        return json.dumps(asdict(self), indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Raises ValueError, TypeError or KeyError for what is not a manifest."""
        body: dict[str, Any] = json.loads(text)
        if body["format"] != FORMAT:
            raise ValueError(f"the manifest has format {body['format']}, this version reads {FORMAT}")
        body["mark"] = Mark(**body["mark"])
        body["files"] = {name: FileEntry(**entry) for name, entry in body["files"].items()}
        body["profiles"] = tuple(body["profiles"])
        return cls(**body)


@dataclass(frozen=True, slots=True)
class Windows:
    """Vectors of chunks, chunks ascending: row i is a window of `chunks[i]`; windows without a vector are left out.

    `tiers` says which of the profiles a vector is of, the better being 0.
    """

    chunks: NDArray[np.int64]
    inputs: NDArray[np.int64]
    tiers: NDArray[np.uint8]
    matrix: NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.chunks)
