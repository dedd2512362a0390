"""What a run that synchronises a folder with the memories did with each file."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SkippedNote:
    """A file that was skipped, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SyncReport:
    """Paths in the folder by what happened to them. `conflicts` changed on both sides: both texts are versions now."""

    folder: str
    created: tuple[str, ...]
    revised: tuple[str, ...]
    written: tuple[str, ...]
    archived: tuple[str, ...]
    trashed: tuple[str, ...]
    conflicts: tuple[str, ...]
    problems: tuple[SkippedNote, ...]
    unchanged: int

    @property
    def changed(self) -> bool:
        return any((self.created, self.revised, self.written, self.archived, self.trashed))

    @property
    def complete(self) -> bool:
        """Whether no file was skipped."""
        return not self.problems
