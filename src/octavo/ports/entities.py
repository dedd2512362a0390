"""Port of the entities in a library: which documents mention them, and the links between sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from octavo.model.entity import (
        CountedEntity,
        DocumentMention,
        EntityKind,
        NamedDocument,
        ReadDocument,
        SharedEntity,
        Unread,
    )
    from octavo.model.ids import ChunkKey, DocumentId, ProjectId, SectionId
    from octavo.model.link_graph import SectionLink


class Entities(Protocol):
    """What documents name. Mentions go with the text they were found in, an entity with its last mention."""

    def unread(self, project: ProjectId, maker: str, most: int | None = None) -> tuple[Unread, ...]:
        """Documents that this maker has not read as they are now, oldest first. Commits are not read."""

    def unread_count(self, project: ProjectId, maker: str) -> int: ...

    def sources(
        self, project: ProjectId, documents: Iterable[DocumentId] | None = None
    ) -> Mapping[DocumentId, NamedDocument]:
        """What documents are called and tagged, and what their front matter says. Commits are left out."""

    def put(self, project: ProjectId, maker: str, read: Sequence[ReadDocument]) -> int:
        """Replaces what these documents mention; those whose text is another one by now are left. Inside a transaction.

        The number of documents that were written.
        """

    def listed(
        self,
        project: ProjectId,
        kinds: Sequence[EntityKind] = (),
        contains: str = "",
        documents: Iterable[DocumentId] | None = None,
        least: int = 1,
        limit: int = 50,
    ) -> tuple[CountedEntity, ...]:
        """Those that most documents name first; only what these documents say, and at least so many of them."""

    def count(self, project: ProjectId) -> int: ...

    def mentions(
        self, project: ProjectId, name: str, kind: EntityKind | None = None, limit: int = 1_000
    ) -> tuple[DocumentMention, ...]:
        """Where an entity is named, most often first."""

    def of_document(self, project: ProjectId, document: DocumentId) -> tuple[DocumentMention, ...]: ...

    def everywhere(self, project: ProjectId) -> tuple[DocumentMention, ...]:
        """Every mention, without counting who else names the same."""

    def shared(self, project: ProjectId, document: DocumentId, most: int) -> tuple[SharedEntity, ...]:
        """Other documents by the entities they share with this one, rarest first; not those in more than `most`."""

    def clear(self, project: ProjectId) -> int:
        """Removes all of them; how many there were. Inside a transaction."""

    def section_chunks(self, project: ProjectId) -> tuple[tuple[ChunkKey, DocumentId, SectionId, int], ...]:
        """Every chunk of prose with its document, its section and that section's level."""

    def put_section_links(
        self, project: ProjectId, links: Sequence[tuple[DocumentId, SectionId, DocumentId, SectionId, float]]
    ) -> None:
        """Replaces the links between sections. Inside a transaction."""

    def section_links(self, project: ProjectId, document: DocumentId | None = None) -> tuple[SectionLink, ...]:
        """Links between sections that are still there, nearest first; of all documents, or of one."""
