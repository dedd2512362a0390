"""Entities, where documents name them, and sections on the same topic."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from octavo.algorithms.text.unicode_folding import entity_name
from octavo.model.document import Kind
from octavo.model.entity import (
    CountedEntity,
    DocumentMention,
    Entity,
    EntityKind,
    Mention,
    MentionRole,
    NamedDocument,
    ReadDocument,
    SharedEntity,
    Unread,
)
from octavo.model.ids import ChunkKey, DocumentId, ProjectId, SectionId
from octavo.model.link_graph import SectionLink
from octavo.model.normalised_text_and_spans import Span
from octavo.sql_repositories.database_port import first, listed
from octavo.sql_repositories.projects_and_collections import ProjectRepository

_ALL = 2**62  # more documents than any library has
_SHARED_AT_MOST = 5_000


class EntityRepository(ProjectRepository):
    """What documents name. Mentions go with the text they were found in, an entity with its last mention."""

    def unread(self, project: ProjectId, maker: str, most: int | None = None) -> tuple[Unread, ...]:
        """Documents that this maker has not read as they are now, oldest first. Commits are not read."""
        return tuple(
            Unread(DocumentId(row[0]), bytes(row[1]).hex())
            for row in self._rows("entities_unread", project, maker=maker, limit=_ALL if most is None else most)
        )

    def unread_count(self, project: ProjectId, maker: str) -> int:
        return int(self._value("entities_unread_count", project, maker=maker))

    def sources(
        self, project: ProjectId, documents: Iterable[DocumentId] | None = None
    ) -> Mapping[DocumentId, NamedDocument]:
        """What documents are called and tagged, and what their front matter says. Commits are left out."""
        ids = None if documents is None else json.dumps(sorted(documents))
        rows = self._rows("entity_sources", project, ids=ids)
        return {
            DocumentId(row[0]): NamedDocument(
                row[1], Kind(row[2]), row[3], tuple(json.loads(row[4])), tuple(json.loads(row[5])), json.loads(row[6])
            )
            for row in rows
        }

    def put(self, project: ProjectId, maker: str, read: Sequence[ReadDocument]) -> int:
        """Replaces what these documents mention; those whose text is another one by now are left. Inside a transaction.

        The number of documents that were written.
        """
        owner = self._in(project)
        written = 0
        for document, mentions in read:
            row = first(
                self._database,
                "entity_document",
                owner | {"id": document.document_id, "text_hash": bytes.fromhex(document.text_hash)},
            )
            if row is None:  # its text is another one by now: the next run reads it
                continue
            place = {"document": row[0]}
            self._database.run("entity_mentions_remove", place)
            named = [owner | mention.entity._asdict() | {"kind": mention.entity.kind.value} for mention in mentions]
            self._database.run_many("entity_put", named)
            self._database.run_many(
                "entity_mention_put",
                (
                    {
                        **owner,
                        **place,
                        "kind": mention.entity.kind.value,
                        "name": mention.entity.name,
                        "role": mention.role.value,
                        "mentions": mention.times,
                        "start": mention.span.start,
                        "end": mention.span.end,
                    }
                    for mention in mentions
                ),
            )
            self._database.run("entity_reading_put", owner | place | {"maker": maker})
            written += 1
        return written

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
        rows = self._rows(
            "entities_listed",
            project,
            kinds=listed(kinds),
            part=f"%{_literal(entity_name(contains))}%" if contains.strip() else None,
            ids=None if documents is None else json.dumps(sorted(documents)),
            least=least,
            limit=limit,
        )
        return tuple(CountedEntity(_entity(row[0:3]), int(row[3]), int(row[4])) for row in rows)

    def count(self, project: ProjectId) -> int:
        return int(self._value("entities_count", project))

    def mentions(
        self, project: ProjectId, name: str, kind: EntityKind | None = None, limit: int = 1_000
    ) -> tuple[DocumentMention, ...]:
        """Where an entity is named, most often first."""
        return tuple(
            map(
                _mention,
                self._rows(
                    "entity_mentions_of",
                    project,
                    name=entity_name(name),
                    kind=None if kind is None else kind.value,
                    limit=limit,
                ),
            )
        )

    def of_document(self, project: ProjectId, document: DocumentId) -> tuple[DocumentMention, ...]:
        return tuple(map(_mention, self._rows("entity_mentions_in", project, id=document)))

    def everywhere(self, project: ProjectId) -> tuple[DocumentMention, ...]:
        """Every mention, without counting who else names the same."""
        return tuple(map(_mention, self._rows("entity_mentions_all", project)))

    def shared(self, project: ProjectId, document: DocumentId, most: int) -> tuple[SharedEntity, ...]:
        """Other documents by the entities they share with this one, rarest first; not those in more than `most`."""
        return tuple(
            SharedEntity(DocumentId(row[0]), _entity(row[1:4]), MentionRole(row[4]), MentionRole(row[5]), int(row[6]))
            for row in self._rows("entities_shared", project, id=document, most=most, limit=_SHARED_AT_MOST)
        )

    def clear(self, project: ProjectId) -> int:
        """Removes all of them; how many there were. Inside a transaction."""
        count = self.count(project)
        self._run("entities_clear_mentions", project)
        self._run("entities_clear_readings", project)
        return count

    def section_chunks(self, project: ProjectId) -> tuple[tuple[ChunkKey, DocumentId, SectionId, int], ...]:
        """Every chunk of prose with its document, its section and that section's level."""
        rows = self._rows("section_chunks", project)
        return tuple((ChunkKey(row[0]), DocumentId(row[1]), SectionId(row[2]), int(row[3])) for row in rows)

    def put_section_links(
        self, project: ProjectId, links: Sequence[tuple[DocumentId, SectionId, DocumentId, SectionId, float]]
    ) -> None:
        """Replaces the links between sections. Inside a transaction."""
        owner = self._in(project)
        self._database.run("section_links_clear", owner)
        names = ("source", "source_section", "target", "target_section", "weight")
        self._database.run_many("section_link_put", [owner | dict(zip(names, link, strict=True)) for link in links])

    def section_links(self, project: ProjectId, document: DocumentId | None = None) -> tuple[SectionLink, ...]:
        """Links between sections that are still there, nearest first; of all documents, or of one."""
        rows = self._rows("section_links", project, id=document)
        return tuple(
            SectionLink(DocumentId(row[0]), row[1], _title(row[2]), DocumentId(row[3]), row[4], _title(row[5]), row[6])
            for row in rows
        )


def _title(path: str) -> str:
    titles = json.loads(path)
    return str(titles[-1]) if titles else ""


def _literal(text: str) -> str:
    """The text as a pattern that stands for itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _entity(row: Sequence[Any]) -> Entity:
    return Entity(EntityKind(row[0]), row[1], row[2])


def _mention(row: Sequence[Any]) -> DocumentMention:
    mention = Mention(_entity(row[1:4]), MentionRole(row[4]), int(row[5]), Span(row[6], row[7]))
    return DocumentMention(DocumentId(row[0]), mention, int(row[8]))
