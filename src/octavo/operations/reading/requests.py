"""What reading takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from octavo.model.limits import Field
from octavo.operations import fields


@dataclass(frozen=True, slots=True)
class GetRequest:
    """`reference` is a uri, `uri:from-to` lines, `uri#anchor`, `uri#Heading → Sub`, `uri#page=7`, a chunk id or a
    document id."""

    reference: fields.Reference
    collection: fields.InCollection | None = None
    before: Annotated[
        fields.LinesAround, Field(option="-B/--before", metavar="N", description="So many lines before it as well.")
    ] = 0
    after: Annotated[
        fields.LinesAround, Field(option="-A/--after", metavar="N", description="So many lines after it as well.")
    ] = 0
    page: (
        Annotated[int, Field(ge=1, metavar="N", description="Only this page or slide of a document that has them.")]
        | None
    ) = None
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class OutlineRequest:
    """The document whose headings are wanted."""

    reference: fields.DocumentReference
    collection: fields.InCollection | None = None
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None
