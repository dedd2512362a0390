"""What each kind of search takes."""

from __future__ import annotations

from typing import Annotated

from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value
from octavo.model.field_constraints_and_cli_options import Field
from octavo.operations import argument_types
from octavo.operations.filter_field_names import narrowing

_RERANK = "Read the best passages again with the reranker, which takes longer."
HYDE = "Look for what the configured model thinks an answer says."
_PASSAGE = "What the passage you hope for might say."


class SearchRequest(Value):
    query: argument_types.QueryOrNothing
    limit: argument_types.Limit | None = None
    profile: argument_types.ProfileName | None = None
    collections: argument_types.Collections = ()
    path_prefix: argument_types.PathPrefix | None = None
    uris: argument_types.Uris = ()
    heading_contains: argument_types.Heading | None = None
    tags_all: argument_types.AllTags = ()
    tags_any: argument_types.AnyTags = ()
    kinds: argument_types.Kinds = ()
    language: argument_types.Language | None = None
    where: argument_types.Where = ()
    content_types: argument_types.ContentTypes = ()
    matched: argument_types.Matched = ()
    modified_after: argument_types.Since | None = None
    modified_before: argument_types.Before | None = None
    as_of: argument_types.AsOf | None = None
    max_excerpt_chars: argument_types.ExcerptChars | None = None
    mode: Annotated[
        str,
        Field(
            "With compressed, what is said twice is left out.",
            choices=("full", "compressed"),
            option="--compressed",
            flag="compressed",
        ),
    ] = "full"
    min_score: argument_types.MinScore | None = None
    similarity_threshold: Annotated[
        float | None,
        Field(
            "Cosine from which two say the same; 0.85 when compressed.",
            ge=0.5,
            le=1,
            option="--similarity",
            metavar="COSINE",
        ),
    ] = None
    show_all: Annotated[bool, Field("Also show what is hardly relevant.", option="--all")] = False
    rerank: Annotated[bool, Field(_RERANK)] = False
    hyde: Annotated[bool, Field(HYDE)] = False
    hypothesis: Annotated[str | None, Field(_PASSAGE, min_length=1, max_length=20_000)] = None
    require_fresh: Annotated[bool, Field("Fail unless every chunk has its vector.")] = False
    explain: Annotated[bool, Field("Add each stage's scores and the trace.")] = False
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


def refuse_empty_query(request: SearchRequest) -> None:
    """Filters alone list what they let through; nothing at all asks for nothing."""
    if not (request.query.strip() or request.hypothesis or any(narrowing(request).values())):
        raise InvalidArgument("the query is empty", hint="say what to look for, or narrow by a path, a tag or a kind")


class SearchDocsRequest(Value):
    query: argument_types.QueryText
    limit: argument_types.Limit = 5
    collections: argument_types.Collections = ()
    path_prefix: argument_types.PathPrefix | None = None
    tags_all: argument_types.AllTags = ()
    where: argument_types.Where = ()
    min_score: argument_types.MinScore | None = None
    rerank: Annotated[bool, Field(_RERANK)] = False
    hyde: Annotated[bool, Field(HYDE)] = False
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class SearchWithHypothesisRequest(Value):
    hypothesis: Annotated[str, Field(_PASSAGE, min_length=1, max_length=20_000)]
    query: Annotated[
        str | None, Field("Words to look for as well; the syntax of search.", min_length=1, max_length=20_000)
    ] = None
    limit: argument_types.Limit | None = None
    collections: argument_types.Collections = ()
    path_prefix: argument_types.PathPrefix | None = None
    kinds: argument_types.Kinds = ()
    where: argument_types.Where = ()
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None


class FindSimilarRequest(Value):
    snippet: Annotated[
        str,
        Field("Code or prose, taken literally.", min_length=1, max_length=50_000, argument="SNIPPET...", reads="text"),
    ]
    limit: argument_types.Limit = 5
    exclude_file: argument_types.ExcludedFile | None = None
    language: argument_types.Language | None = None
    kinds: argument_types.Kinds = ()
    collections: argument_types.Collections = ()
    path_prefix: argument_types.PathPrefix | None = None
    where: argument_types.Where = ()
    min_score: argument_types.MinScore | None = None
    max_tokens: argument_types.MaxTokens = argument_types.DEFAULT_TOKENS
    cursor: argument_types.Cursor | None = None
