"""What the operations on canonical documents take."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.model.memory import CANONICAL_KEY
from octavo.operations import argument_types
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
        "The document's key, such as spec/app or implementation/plan.",
        min_length=1,
        max_length=500,
        pattern=CANONICAL_KEY,
        metavar="KEY",
    ),
]
Key = Annotated[CanonicalKey, Field(argument="KEY")]
DocClass = Annotated[
    str,
    Field(
        "Its class: app_spec, feature_spec, implementation_plan, or any other.",
        max_length=100,
        option="--class",
        metavar="CLASS",
    ),
]
DocClasses = Annotated[tuple[DocClass, ...], Field("Only of these classes.", max_length=50)]
Anchor = Annotated[str, Field("A section's anchor, or its title.", min_length=1, max_length=1_000, argument="ANCHOR")]

ExpectedVersion = Annotated[
    Version, Field("Fail unless the document is at this version.", option="--expected-version/--expect")
]


class CanonicalUpsertRequest(ChangeRequest):
    """What is left out stays as it was."""

    key: Key
    text: Annotated[
        str, Field("The document, in Markdown.", min_length=1, max_length=1_000_000, argument="FILE", reads="file")
    ]
    doc_class: DocClass = ""
    title: Annotated[str, Field("A title, instead of its first heading.", max_length=500)] = ""
    kind: KindName | None = None
    tags: Tags = ()
    links: Links = ()
    pin: Pin = False
    expected_version: ExpectedVersion | None = None
    force: Force = False


class CanonicalGetRequest(Value):
    key: Key
    version: Version | None = None
    as_of: AsOf | None = None
    project: ProjectName | None = None


class CanonicalGetSectionRequest(Value):
    key: Key
    anchor: Anchor
    version: Version | None = None
    project: ProjectName | None = None


class CanonicalContextPackRequest(Value):
    query: Annotated[str, Field("What the reader is about to do or ask.", max_length=20_000, argument="QUERY...")] = ""
    max_tokens: Annotated[
        int, Field("The pack is never longer.", ge=50, le=100_000, option="--max-tokens/--tokens", metavar="N")
    ] = argument_types.DEFAULT_TOKENS
    keys: Annotated[tuple[CanonicalKey, ...], Field("Only these documents.", max_length=100, option="--only")] = ()
    doc_classes: DocClasses = ()
    project: ProjectName | None = None


class CanonicalListRequest(Value):
    doc_classes: DocClasses = ()
    project: ProjectName | None = None


CanonicalOutlineRequest = CanonicalGetRequest
