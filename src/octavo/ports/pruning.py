"""Pruning: earlier versions and content that nothing refers to any more."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.ids import CollectionId, ProjectId
    from octavo.model.memory import MemoryId
    from octavo.model.stored_rows import EarlierVersion, UnusedContent


class Pruning(Protocol):
    """Earlier versions and unreferenced content. Current documents and memories are out of its reach."""

    def earlier(self, project: ProjectId) -> tuple[EarlierVersion, ...]:
        """Oldest first."""

    def remove(self, project: ProjectId, versions: Iterable[EarlierVersion]) -> None: ...

    def unused(self, project: ProjectId) -> UnusedContent:
        """Texts of no document, version or memory, and vectors of no chunk."""

    def remove_unused(self, project: ProjectId) -> None: ...

    def stored_texts(self, project: ProjectId, only: Container[str] | None = None) -> Iterator[tuple[str, str]]:
        """Every text with its hash, of documents, of their earlier versions and of memories."""

    def texts_of(self, project: ProjectId, collection: CollectionId) -> frozenset[str]:
        """The hashes of what a collection's documents say and said."""

    def retitle(self, project: ProjectId, retitled: Callable[[str], str], kept: Container[str]) -> int:
        """Inside a transaction: changes titles of versions of documents, not of texts with these hashes; how many."""

    def replace_text(
        self, project: ProjectId, before: str, text: str, retitled: Callable[[str], str]
    ) -> tuple[MemoryId, ...]:
        """Puts a text in the place of another in every version of documents and memories; the memories that say it now.

        What a current document says is left to whoever indexes it.
        """
