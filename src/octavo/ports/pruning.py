"""Pruning: earlier versions and content that nothing refers to any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import ProjectId
    from octavo.model.stored import EarlierVersion, UnusedContent


class Pruning(Protocol):
    """Earlier versions and unreferenced content. Current documents and memories are out of its reach."""

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        """Oldest first."""
        ...

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None: ...

    def unused(self, project: ProjectId) -> UnusedContent:
        """Texts of no document, version or memory, and vectors of no chunk."""
        ...

    def remove_unused(self, project: ProjectId) -> None: ...
