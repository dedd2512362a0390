"""What looking after a library asks of it: earlier versions, and what nothing refers to any more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from recto.model.ids import ProjectId
    from recto.model.stored import EarlierVersion, Unused


class Attic(Protocol):
    """Earlier versions and leftovers. What is current, and what was remembered, is out of its reach."""

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        """Oldest first."""
        ...

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None: ...

    def unused(self, project: ProjectId) -> Unused:
        """Texts of no document, version or memory, and vectors of no chunk."""
        ...

    def remove_unused(self, project: ProjectId) -> None: ...
