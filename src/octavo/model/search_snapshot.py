"""A snapshot: an immutable, checksummed search index derived from the database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import TYPE_CHECKING, Any

from octavo.fast_dataclass import Value
from octavo.model.ids import SnapshotId

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 2
"""Version of the manifest and its files. 1: lexical segments, vector shards, outline, tombstones. 2: the manifest has a
digest of itself, which 1 had not; their other files are the same."""


class Watermark(Value):
    """The database state a snapshot covers: every row with a higher number was written after it."""

    generation: int = 0
    block: int = 0
    change: int = 0
    vector: int = 0


class FileEntry(Value):
    size: int
    sha256: str
    carried: bool = False
    """Whether it is the previous snapshot's file, unchanged byte for byte."""


class Manifest(Value):
    """The contents of a snapshot, the database state it covers, and the versions that built it."""

    id: SnapshotId
    project: str
    created_at: float
    seconds: float
    previous: SnapshotId | None
    analyzer: str
    profiles: tuple[str, ...]
    """Canonical embedding profiles, best first: a vector's tier is its position in this list."""
    dimensions: int
    shards: int
    mark: Watermark
    chunks: int
    vectors: int
    files: Mapping[str, FileEntry] = field(default_factory=dict)
    format: int = FORMAT

    @property
    def bytes(self) -> int:
        return sum(entry.size for entry in self.files.values())

    def to_json(self) -> str:
        body = asdict(self)
        return json.dumps(body if self.format == 1 else {**body, "digest": _digest(body)}, indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Raises ValueError, TypeError or KeyError for what is not a manifest, or not as it was written."""
        body: dict[str, Any] = json.loads(text)
        if body["format"] not in (1, FORMAT):
            raise ValueError(f"the manifest has format {body['format']}, this version reads 1 and {FORMAT}")
        digest = body.pop("digest", None)
        if digest != (None if body["format"] == 1 else _digest(body)):
            raise ValueError("the manifest has changed since it was written")
        body["mark"] = Watermark(**body["mark"])
        body["files"] = {name: FileEntry(**entry) for name, entry in body["files"].items()}
        body["profiles"] = tuple(body["profiles"])
        return cls(**body)


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


class WindowVectors(Value):
    """Vectors of chunks, ascending by chunk: row i is a window of `chunks[i]`; windows without a vector are absent.

    `tiers` is the position of a vector's profile in the manifest's list, 0 being the best.
    """

    chunks: NDArray[np.int64]
    inputs: NDArray[np.int64]
    tiers: NDArray[np.uint8]
    matrix: NDArray[np.float16]

    def __len__(self) -> int:
        return len(self.chunks)
