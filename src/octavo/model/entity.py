"""Entities: people, projects, places and identifiers that documents name, and where each is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, NamedTuple

from octavo.fast_dataclass import Value
from octavo.model.document import Kind
from octavo.model.ids import DocumentId
from octavo.model.normalised_text_and_spans import Span

RULES = "rules-3"
"""Who finds entities without a model."""


class EntityKind(StrEnum):
    PERSON = "person"
    PROJECT = "project"
    PLACE = "place"
    IDENTIFIER = "identifier"
    DOI = "doi"
    URL = "url"


CITED = (EntityKind.DOI, EntityKind.URL)
"""What a document refers to; the others it mentions."""


class MentionRole(StrEnum):
    """How a document names an entity: in passing, as its author, or as what it is itself, such as its own DOI."""

    MENTION = "mention"
    AUTHOR = "author"
    OWN = "own"


class Entity(NamedTuple):
    """`name` is the folded key that every spelling shares, `label` how it is written."""

    kind: EntityKind
    name: str
    label: str


class Mention(NamedTuple):
    """An entity in one document: how often, and where first. An empty span stands for the front matter."""

    entity: Entity
    role: MentionRole
    times: int
    span: Span


class Unread(NamedTuple):
    """A document whose entities were not looked for yet."""

    document_id: DocumentId
    text_hash: str


class NamedDocument(Value):
    """What entities are read from, beside the text."""

    uri: str
    kind: Kind
    title: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)


class ReadDocument(NamedTuple):
    """A document with the entities that were found in it."""

    document: Unread
    mentions: tuple[Mention, ...]


class CountedEntity(NamedTuple):
    """An entity, how many documents name it, and how often all together."""

    entity: Entity
    documents: int
    mentions: int


class DocumentMention(NamedTuple):
    """A mention and the document it is in; `documents` is how many name the same entity."""

    document: DocumentId
    mention: Mention
    documents: int


class SharedEntity(NamedTuple):
    """Another document that names the same entity, and in which roles the two do."""

    document: DocumentId
    entity: Entity
    role: MentionRole
    other_role: MentionRole
    documents: int
