"""Disk + ledger + recipe → what there is to do. Nothing is removed without evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from recto.model.ids import RecipeId
from recto.model.ledger import LedgerEntry, Outcome
from recto.sources.files import Scan, SeenFile, Skipped


@dataclass(frozen=True, slots=True)
class Plan:
    """`read` must be looked at; `gone` left the disk for sure; `doubtful` cannot be seen, so nothing is concluded."""

    read: tuple[SeenFile, ...]
    unchanged: int
    refused: tuple[Skipped, ...]
    gone: tuple[str, ...]
    doubtful: tuple[str, ...]


def plan(scan: Scan, ledger: Mapping[str, LedgerEntry], recipe: RecipeId) -> Plan:
    read = tuple(file for file in scan.files if _moved_since(file, ledger.get(file.uri), recipe))
    present = {file.uri for file in scan.files} | {skipped.uri for skipped in scan.skipped}
    unseen = {skipped.uri for skipped in scan.unreadable}
    gone, doubtful = [], []
    for uri in sorted(ledger.keys() - present):
        (doubtful if _hidden(uri, unseen) else gone).append(uri)
    return Plan(
        read=read,
        unchanged=len(scan.files) - len(read),
        refused=scan.skipped,
        gone=tuple(gone),
        doubtful=tuple(doubtful),
    )


def _moved_since(file: SeenFile, entry: LedgerEntry | None, recipe: RecipeId) -> bool:
    """Whether a file must be read: it is new, its stat moved, or it was indexed another way.

    A file that failed is tried again only when it changes: its content is the reason.
    """
    if entry is None or entry.stamp != file.stamp:
        return True
    return entry.recipe_id != recipe if entry.outcome is not Outcome.SKIPPED else True


def _hidden(uri: str, unseen: set[str]) -> bool:
    """Whether some folder above could not be listed, so that absence proves nothing."""
    if "" in unseen:
        return True
    parts = uri.split("/")
    return any("/".join(parts[:depth]) in unseen for depth in range(1, len(parts) + 1))
