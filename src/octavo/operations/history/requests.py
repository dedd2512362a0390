"""Requests of `log` (a query and limits on commits) and of `history` (a file and how many commits)."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types

STAMP = r"^\d{9,11}$"
"""Seconds since 1970."""
FilePattern = Annotated[
    str,
    Field(
        "Only commits that touched such a file: src/*.py, docs/.",
        min_length=1,
        max_length=1_000,
        option="--file",
        metavar="GLOB",
    ),
]
Author = Annotated[argument_types.Name, Field("Only by an author whose name contains this.", metavar="NAME")]
_PATTERN = f"{argument_types.TIME}|{STAMP}"


class LogRequest(Value):
    query: argument_types.QueryText
    top_n: Annotated[int, Field("How many commits at most.", ge=1, le=100, option="-n/--limit")] = 10
    min_score: argument_types.MinScore | None = None
    show_all: Annotated[bool, Field("Also show what is hardly relevant.", option="--all")] = False
    file_pattern: FilePattern | None = None
    author: Author | None = None
    after: Annotated[
        str | None, Field("Only since a date, an age ago, or Unix seconds.", pattern=_PATTERN, metavar="TIME")
    ] = None
    before: Annotated[
        str | None, Field("Only before a date, an age ago, or Unix seconds.", pattern=_PATTERN, metavar="TIME")
    ] = None
    collections: argument_types.Collections = ()
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class HistoryRequest(Value):
    reference: Annotated[
        argument_types.Place | None, Field("The file's uri or document id.", argument="FILE|MEMORY", complete="uris")
    ] = None
    collection: argument_types.InCollection | None = None
    limit: Annotated[int, Field("How many commits at most.", ge=1, le=1_000, option="-n/--limit")] = 20
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
