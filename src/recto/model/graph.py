"""What points at what: links as written, the names they are looked up by, and the edges that come of it.

Names, references and links are made by the hundred thousand, so they are tuples, which cost a quarter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from recto.model.ids import CollectionId, DocumentId
from recto.model.text import Span


class EdgeType(StrEnum):
    """`contains` and the tags behind `mentions` are read from the structure; `thematic_link` is computed by a job."""

    LINKS_TO = "links_to"
    EMBEDS = "embeds"
    IMPLEMENTS = "implements"
    TESTS = "tests"
    RELATED = "related"
    MENTIONS = "mentions"
    CONTAINS = "contains"
    CHANGES = "changes"
    THEMATIC_LINK = "thematic_link"


WEIGHTS: Mapping[EdgeType, float] = {
    EdgeType.LINKS_TO: 1.0,
    EdgeType.EMBEDS: 1.0,
    EdgeType.IMPLEMENTS: 1.0,
    EdgeType.TESTS: 0.8,
    EdgeType.RELATED: 1.0,
    EdgeType.MENTIONS: 0.6,
    EdgeType.CONTAINS: 1.0,
    EdgeType.CHANGES: 0.3,
}
"""How much of a score an edge passes on. A commit that changes forty files says little of any of them."""


class NameKind(StrEnum):
    """How a document can be called. `former` names are those it had before it was moved."""

    FILE = "file"
    PATH = "path"
    MODULE = "module"
    FOLDER = "folder"
    ALIAS = "alias"
    SLUG = "slug"
    LABEL = "label"
    FORMER = "former"


class Name(NamedTuple):
    """`name` is what it is looked up by, folded; `path` is what has to fit, or empty where the uri says it already."""

    name: str
    kind: NameKind
    path: str = ""


class Lookup(StrEnum):
    """How a reference is looked for.

    `label` by what a place in a document is called; `wiki` as Obsidian does; `markdown` the same, but first beside the
    source; `path` exactly there; `changed` by the path a commit names. What code asks for is `source`, exactly there;
    `include`, as `markdown`; `module`, beside the source or above it; `package`, by the end of its path.
    """

    LABEL = "label"
    WIKI = "wiki"
    MARKDOWN = "markdown"
    PATH = "path"
    CHANGED = "changed"
    SOURCE = "source"
    INCLUDE = "include"
    MODULE = "module"
    PACKAGE = "package"


WRITTEN = (Lookup.LABEL, Lookup.WIKI, Lookup.MARKDOWN, Lookup.PATH)
"""What people write: a link of these that means nothing is worth telling. Code asks for much that is elsewhere."""


class Reference(NamedTuple):
    """What a link asks for: the same question from the same folder has the same answer, however often it is asked."""

    lookup: Lookup
    scope: str
    path: str
    name: str
    """What the name of the wanted document has to be, folded."""


class OutLink(NamedTuple):
    """One link of a document, with about a hundred characters of what stands around it."""

    reference: Reference
    type: EdgeType
    weight: float
    anchor: str | None
    context: str
    span: Span


@dataclass(frozen=True, slots=True)
class Linked:
    """What one document adds to the graph."""

    document: DocumentId
    names: tuple[Name, ...]
    links: tuple[OutLink, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A document that a reference may mean, by one of its names."""

    document: int
    collection: CollectionId
    uri: str
    kind: NameKind
    path: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A link as it stands now. Without a target it is a ghost: `path` says what is missing."""

    source: DocumentId
    target: DocumentId | None
    type: EdgeType
    weight: float
    path: str
    anchor: str | None
    context: str
    span: Span
    lookup: Lookup


@dataclass(frozen=True, slots=True)
class Node:
    """A document as the graph shows it."""

    document: DocumentId
    collection: str
    uri: str
    title: str
    kind: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reached:
    """A document found by following edges: how far it is, and how much of the start's score is left there."""

    document: DocumentId
    score: float
    hops: int


@dataclass(frozen=True, slots=True)
class Ghost:
    """Something that is pointed at and not there."""

    path: str
    links: int
    source: str
    """The uri of a document that points there."""


@dataclass(frozen=True, slots=True)
class Walk:
    """How far to follow edges: at most `hops`, each passing on `decay` of the score times the edge's weight.

    `fanout` bounds what is followed from one document in each direction, `most` what is looked at in all, so that a
    note that a hundred thousand others link to costs no more than any other.
    """

    hops: int = 2
    decay: float = 0.5
    fanout: int = 50
    most: int = 2_000
    types: tuple[EdgeType, ...] = ()


@dataclass(frozen=True, slots=True)
class ThematicLink:
    """Two documents that are about the same, by their vectors. `source` comes before `target`."""

    source: DocumentId
    target: DocumentId
    weight: float


@dataclass(frozen=True, slots=True)
class Drift:
    """What a graph is made of now and has become since a moment. Commits do not count: they change by the thousand."""

    documents: int
    changed: int
    """Of these, how many are new or say something else."""
    grouped: int
    """How many still have the community they were found in."""
    links: int
    """That lead somewhere, up to a hundred: whether there is a graph at all."""


@dataclass(frozen=True, slots=True)
class GraphRun:
    """What a computation over the graph was made from, and when: communities, or thematic links."""

    kind: str
    at: float
    generation: int
    facts: Mapping[str, float] = field(default_factory=dict)


COMMUNITIES, THEMATIC_LINKS = "communities", "thematic_links"
