"""What is wrong with a library, and which part of it: what a check finds and a repair goes by."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class LibraryPart(StrEnum):
    """`file` and `memories` cannot be computed again; the other parts can, from texts, folders and models."""

    FILE = "file"
    DOCUMENTS = "documents"
    WORDS = "words"
    VECTORS = "vectors"
    MEMORIES = "memories"
    SNAPSHOTS = "snapshots"


class Damage(NamedTuple):
    part: LibraryPart
    message: str
