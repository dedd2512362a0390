"""What an indexing run did: totals, figures for each collection, and the files with problems."""

from __future__ import annotations

from dataclasses import field, fields

from octavo.fast_dataclass import dataclass
from octavo.observability.logs import logger

_LOG = logger("ingest")
_LOGGED = ("added", "changed", "moved", "removed", "commits", "commits_removed")


@dataclass(frozen=True, slots=True)
class Problem:
    uri: str
    reason: str


@dataclass(slots=True)
class CollectionReport:
    """What a run did to one collection."""

    name: str
    added: int = 0
    changed: int = 0
    moved: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    bytes: int = 0
    fast_vectors: int = 0
    skipped: list[Problem] = field(default_factory=list)
    failed: list[Problem] = field(default_factory=list)
    warned: list[Problem] = field(default_factory=list)
    unreadable: list[Problem] = field(default_factory=list)
    unread_repositories: list[Problem] = field(default_factory=list)
    doubtful: int = 0
    commits: int = 0
    commits_removed: int = 0

    def log(self) -> None:
        """A line for the operator where something came, changed or went, or could not be read."""
        counts = {name: getattr(self, name) for name in _LOGGED if getattr(self, name)}
        counts |= {"failed": len(self.failed)} if self.failed else {}
        if counts:
            message = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
            _LOG.info("%(collection)s: %(said)s", {"collection": self.name, "said": message, **counts})

    def include(self, other: CollectionReport) -> None:
        """Takes up what another report says of the same collection."""
        for name in (field_.name for field_ in fields(self) if field_.name != "name"):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a run of the writing flow did: `embedded` inputs have full vectors now, `fast` ones fast vectors."""

    collections: tuple[CollectionReport, ...]
    missing: tuple[Problem, ...]
    embedded: int
    seconds: float
    fast: int = 0
