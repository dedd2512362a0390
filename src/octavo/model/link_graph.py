"""The link graph: links as written, the names they are resolved by, and the resulting edges.

Names, references and links are created by the hundred thousand; tuples cost a quarter of a dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from octavo.fast_dataclass import Value
from octavo.model.ids import CollectionId, DocumentId
from octavo.model.normalised_text_and_spans import Span


class EdgeType(StrEnum):
    """`contains` and tag `mentions` are derived from document structure; a job computes `thematic_link` and those
    of entities: `mentioned_in`, `same_author`, `references`."""

    LINKS_TO = "links_to"
    EMBEDS = "embeds"
    IMPLEMENTS = "implements"
    TESTS = "tests"
    RELATED = "related"
    MENTIONS = "mentions"
    CONTAINS = "contains"
    CHANGES = "changes"
    THEMATIC_LINK = "thematic_link"
    MENTIONED_IN = "mentioned_in"
    SAME_AUTHOR = "same_author"
    REFERENCES = "references"


ENTITY_EDGES = (EdgeType.MENTIONED_IN, EdgeType.SAME_AUTHOR, EdgeType.REFERENCES)
"""Those that are there once somebody has looked for entities."""

WEIGHTS: Mapping[EdgeType, float] = {
    EdgeType.LINKS_TO: 1.0,
    EdgeType.EMBEDS: 1.0,
    EdgeType.IMPLEMENTS: 1.0,
    EdgeType.TESTS: 0.8,
    EdgeType.RELATED: 1.0,
    EdgeType.MENTIONS: 0.6,
    EdgeType.CONTAINS: 1.0,
    EdgeType.CHANGES: 0.3,
    EdgeType.MENTIONED_IN: 0.3,
    EdgeType.SAME_AUTHOR: 0.2,
    EdgeType.REFERENCES: 0.6,
}
"""The share of a score an edge passes on. A commit that changes forty files says little about any of them."""

RESOLUTION, SEED = 1.0, 0
"""How communities are found unless said: the resolution of modularity, and the seed of the search."""
THRESHOLD, NEIGHBOURS = 0.63, 5
"""Which documents get a thematic link unless said: the least cosine, and how many links from one document at most."""


class NameKind(StrEnum):
    """How a document can be named in a link. `former` names are those it had before it was moved: people
    may still call it so, and no link does."""

    FILE = "file"
    PATH = "path"
    MODULE = "module"
    FOLDER = "folder"
    ALIAS = "alias"
    SLUG = "slug"
    LABEL = "label"
    FORMER = "former"


class DocumentName(NamedTuple):
    """`name` is the folded lookup key; `path` is what a link's path must match, empty where the uri already says it."""

    name: str
    kind: NameKind
    path: str = ""


class Lookup(StrEnum):
    """How a reference is resolved.

    `label`: by the label of a place in a document. `wiki`: as Obsidian does. `markdown`: the same, but the folder of
    the source comes first. `path`: at exactly that path. `changed`: by the path a commit names. For code: `source`, at
    exactly that path; `include`, as `markdown`; `module`, in the folder of the source or above it; `package`, by the
    end of its path.
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


OUT, IN, BOTH = "out", "in", "both"
"""Which way an edge is followed."""

WRITTEN_BY_PEOPLE = (Lookup.LABEL, Lookup.WIKI, Lookup.MARKDOWN, Lookup.PATH)
"""Lookups whose broken links are worth reporting. Code imports much that lies outside the library."""


class Reference(NamedTuple):
    """The target of a link. Equal references from the same folder resolve to the same document."""

    lookup: Lookup
    scope: str
    path: str
    name: str
    """The folded name that the target document must have."""


class OutLink(NamedTuple):
    """One link of a document, with about a hundred characters of surrounding text."""

    reference: Reference
    type: EdgeType
    weight: float
    anchor: str | None
    context: str
    span: Span


class DocumentLinks(NamedTuple):
    """What one document adds to the graph: the names it goes by and the links it contains."""

    document: DocumentId
    names: tuple[DocumentName, ...]
    links: tuple[OutLink, ...]


class NameMatch(NamedTuple):
    """A document that one of its names makes a possible target of a reference."""

    document: int
    collection: CollectionId
    uri: str
    kind: NameKind
    path: str


class Edge(NamedTuple):
    """A link after resolution. Without a target it is a ghost: `path` says what is missing."""

    source: DocumentId
    target: DocumentId | None
    type: EdgeType
    weight: float
    path: str
    anchor: str | None
    context: str
    span: Span
    lookup: Lookup


class Node(NamedTuple):
    """A document as a node of the graph."""

    document: DocumentId
    collection: str
    uri: str
    title: str
    kind: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def place(self) -> str:
        return f"{self.collection}/{self.uri}"


class Reached(NamedTuple):
    """A document found by following edges: its distance, and the share of the start's score that reaches it."""

    document: DocumentId
    score: float
    hops: int


class Ghost(NamedTuple):
    """A link target that does not exist."""

    path: str
    links: int
    source: str
    """The uri of a document that links to it."""


class Walk(NamedTuple):
    """How far to follow edges: at most `hops`, each passing on `decay` of the score times the edge's weight.

    `fanout` bounds the edges followed from one document in each direction, `most` the documents visited in all, so a
    note that a hundred thousand others link to costs no more than any other.
    """

    hops: int = 2
    decay: float = 0.5
    fanout: int = 50
    most: int = 2_000
    types: tuple[EdgeType, ...] = ()


class ThematicLink(NamedTuple):
    """Two documents on the same topic, by their vectors. `source` comes before `target`."""

    source: DocumentId
    target: DocumentId
    weight: float


class Drift(NamedTuple):
    """How far a graph is out of date since a moment. Commits do not count: they change by the thousand."""

    documents: int
    changed: int
    """How many of these are new or have new content."""
    grouped: int
    """How many still have the community they were assigned to."""
    links: int
    """Resolved links, counted up to a hundred: whether there is a graph at all."""


class GraphRun(Value):
    """A computation over the graph (communities, or thematic links): when it ran, on which generation."""

    kind: str
    at: float
    generation: int
    facts: Mapping[str, float] = field(default_factory=dict)


COMMUNITIES, THEMATIC_LINKS, ENTITIES = "communities", "thematic_links", "entities"


class SectionLink(NamedTuple):
    """Two sections of different documents on the same topic, by the mean vector of each; by document and anchor."""

    source: DocumentId
    source_anchor: str
    source_title: str
    target: DocumentId
    target_anchor: str
    target_title: str
    weight: float
