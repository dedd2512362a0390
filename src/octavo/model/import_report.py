"""What an import of another program's records did."""

from __future__ import annotations

from dataclasses import field

from octavo.fast_dataclass import dataclass


@dataclass(slots=True)
class ImportedCollection:
    """What became of a collection's records. Those `without_text` have nothing to search, and those of
    `earlier_versions` say of themselves that they are not current. `left_out` names others, each with the reason."""

    name: str
    records: int = 0
    added: int = 0
    unchanged: int = 0
    without_text: list[str] = field(default_factory=list)
    earlier_versions: int = 0
    left_out: list[str] = field(default_factory=list)
    vectors: int = 0
    profile: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """`embedded` inputs were given vectors by the library's own model."""

    collections: tuple[ImportedCollection, ...]
    embedded: int
