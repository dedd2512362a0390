"""Disk + ledger + recipe → what there is to do. Nothing is removed without evidence."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.fast_dataclass import dataclass
from octavo.model.folder_scan import Scan, SeenFile, SkippedFile, container
from octavo.model.git_commit import is_repository
from octavo.model.ids import RecipeId
from octavo.model.indexing_ledger import LedgerEntry


@dataclass(frozen=True, slots=True)
class Plan:
    """`read` must be looked at; `gone` left the disk for sure; `doubtful` cannot be seen, so nothing is concluded."""

    read: tuple[SeenFile, ...]
    unchanged: int
    refused: tuple[SkippedFile, ...]
    gone: tuple[str, ...]
    doubtful: tuple[str, ...]


def plan(scan: Scan, ledger: Mapping[str, LedgerEntry], recipe: RecipeId, *, reread: bool = False) -> Plan:
    """`reread` trusts no stamp: every file is looked at again."""
    read = tuple(file for file in scan.files if reread or _moved_since(file, ledger.get(file.uri), recipe))
    there = {file.uri for file in scan.files}
    present = there | {skipped.uri for skipped in scan.skipped}
    gone: list[str] = []
    doubtful: list[str] = []
    for uri in sorted(ledger.keys() - present):
        if is_repository(uri):
            continue  # a history's line: whether it goes is decided where histories are read
        if container(uri, there) is not None:
            continue  # inside of a file: whether it goes is decided where that file is read
        (gone if scan.gone(uri) else doubtful).append(uri)
    return Plan(
        read=read,
        unchanged=len(scan.files) - len(read),
        refused=scan.skipped,
        gone=tuple(gone),
        doubtful=tuple(doubtful),
    )


def _moved_since(file: SeenFile, entry: LedgerEntry | None, recipe: RecipeId) -> bool:
    """Whether a file must be read: it is new, its stat moved, or it was indexed another way.

    A file that failed or was refused is looked at again only when it changes: its content is the reason.
    """
    return entry is None or entry.stamp != file.stamp or entry.recipe_id != recipe
