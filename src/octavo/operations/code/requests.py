"""Requests to search code, and to put code from the library in front of a task."""

from __future__ import annotations

from typing import Annotated

from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types
from octavo.operations.search.requests import HYDE

Expand = Annotated[
    str,
    Field(
        "Show the whole declaration that a passage lies in, where it is not too long, or the passage.",
        choices=("declaration", "passage"),
    ),
]
MaxResults = Annotated[int, Field("How many hits at most.", ge=1, le=1_000, option="-n/--limit")]


class SearchCodeRequest(Value):
    query: Annotated[
        str,
        Field(
            "A name, a path with a line, a stack trace, an error message, a pattern, or a question.",
            min_length=1,
            max_length=20_000,
            argument="QUERY...",
        ),
    ]
    language: argument_types.Language | None = None
    max_results: MaxResults = 5
    use_reranker: Annotated[bool, Field("Let the reranker have the last word.")] = False
    hyde: Annotated[bool, Field(HYDE)] = False
    path_prefix: argument_types.PathPrefix | None = None
    exclude_file: argument_types.ExcludedFile | None = None
    collections: argument_types.Collections = ()
    where: argument_types.Where = ()
    min_score: argument_types.MinScore | None = None
    expand: Expand = "declaration"
    explain: Annotated[bool, Field("Add each stage's scores and the trace.")] = False
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class AugmentRequest(Value):
    task: Annotated[str, Field("What is to be done, or asked.", min_length=1, max_length=20_000, argument="TASK...")]
    language: argument_types.Language | None = None
    max_results: MaxResults = 3
    max_context_tokens: Annotated[int, Field("How long the context may be, without the task.", ge=50, le=100_000)] = (
        1_000
    )
    path_prefix: argument_types.PathPrefix | None = None
    collections: argument_types.Collections = ()
    where: argument_types.Where = ()
    expand: Expand = "declaration"
