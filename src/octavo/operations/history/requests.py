"""What looking into history takes."""

from __future__ import annotations

from typing import Annotated

from octavo.dataclass import dataclass
from octavo.model.limits import Field
from octavo.operations import fields

STAMP = r"^\d{9,11}$"
"""Seconds since 1970."""
FilePattern = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1_000,
        option="--file",
        metavar="GLOB",
        description="Only commits that touched such a file: src/*.py, docs/.",
    ),
]
Author = Annotated[
    str,
    Field(min_length=1, max_length=200, metavar="NAME", description="Only by an author whose name contains this."),
]
_PATTERN = f"{fields.TIME}|{STAMP}"


@dataclass(frozen=True, slots=True)
class LogRequest:
    """What to look for in commits, and which of them to look at."""

    query: fields.QueryText
    top_n: Annotated[int, Field(ge=1, le=100, option="-n/--limit", description="How many commits at most.")] = 10
    min_score: Annotated[
        float,
        Field(ge=0.0, le=1.0, metavar="COSINE", description="Only commits whose meaning is as near as this cosine."),
    ] = 0.0
    file_pattern: FilePattern | None = None
    author: Author | None = None
    after: (
        Annotated[
            str,
            Field(pattern=_PATTERN, metavar="TIME", description="Only since a date, an age ago, or Unix seconds."),
        ]
        | None
    ) = None
    before: (
        Annotated[
            str, Field(pattern=_PATTERN, metavar="TIME", description="Only before a date, an age ago, or Unix seconds.")
        ]
        | None
    ) = None
    collections: fields.Collections = ()
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """A file's uri, whether or not it is still there. Without one, the newest commits."""

    reference: (
        Annotated[
            str,
            Field(
                min_length=1,
                max_length=4_096,
                argument="FILE|MEMORY",
                complete="uris",
                description="The file's uri or document id.",
            ),
        ]
        | None
    ) = None
    collection: fields.InCollection | None = None
    limit: Annotated[int, Field(ge=1, le=1_000, option="-n/--limit", description="How many commits at most.")] = 20
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
