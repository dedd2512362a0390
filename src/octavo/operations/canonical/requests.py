"""What the operations on canonical documents take."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.model.memory import CANONICAL_KEY
from octavo.operations import fields
from octavo.operations.memory.requests import (
    AsOf,
    ChangeRequest,
    Force,
    KindName,
    Links,
    Pin,
    ProjectName,
    Tags,
    Version,
)

CanonicalKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        pattern=CANONICAL_KEY,
        metavar="KEY",
        description="The document's key, such as spec/app or implementation/plan.",
    ),
]
Key = Annotated[CanonicalKey, Field(argument="KEY")]
DocClass = Annotated[
    str,
    Field(
        max_length=100,
        option="--class",
        metavar="CLASS",
        description="Its class: app_spec, feature_spec, implementation_plan, or any other.",
    ),
]
DocClasses = Annotated[tuple[DocClass, ...], Field(max_length=50, description="Only of these classes.")]
Anchor = Annotated[
    str, Field(min_length=1, max_length=1_000, argument="ANCHOR", description="A section's anchor, or its title.")
]

ExpectedVersion = Annotated[
    Version, Field(option="--expected-version/--expect", description="Fail unless the document is at this version.")
]


@dataclass(frozen=True, slots=True)
class CanonicalUpsertRequest(ChangeRequest):
    """What is left out stays as it was."""

    key: Key
    text: Annotated[
        str,
        Field(
            min_length=1, max_length=1_000_000, argument="FILE", reads="file", description="The document, in Markdown."
        ),
    ]
    doc_class: DocClass = ""
    title: Annotated[str, Field(max_length=500, description="A title, instead of its first heading.")] = ""
    kind: KindName | None = None
    tags: Tags = ()
    links: Links = ()
    pin: Pin = False
    expected_version: ExpectedVersion | None = None
    force: Force = False


@dataclass(frozen=True, slots=True)
class CanonicalGetRequest:
    key: Key
    version: Version | None = None
    as_of: AsOf | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class CanonicalGetSectionRequest:
    key: Key
    anchor: Anchor
    version: Version | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class CanonicalContextPackRequest:
    """With a query, the passages that answer it best; without one, the documents from their beginnings, by key."""

    query: Annotated[
        str, Field(max_length=20_000, argument="QUERY...", description="What the reader is about to do or ask.")
    ] = ""
    max_tokens: Annotated[
        int,
        Field(ge=50, le=100_000, option="--max-tokens/--tokens", metavar="N", description="The pack is never longer."),
    ] = fields.DEFAULT_TOKENS
    keys: Annotated[
        tuple[CanonicalKey, ...], Field(max_length=100, option="--only", description="Only these documents.")
    ] = ()
    doc_classes: DocClasses = ()
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class CanonicalListRequest:
    doc_classes: DocClasses = ()
    project: ProjectName | None = None


CanonicalOutlineRequest = CanonicalGetRequest
