"""Find passages: by word and meaning, in documents only, by a hypothesis, or by likeness to a snippet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from recto.engine.engine import Engine
from recto.model.document import Kind
from recto.model.limits import Field
from recto.model.query import Filters, Query, Terms
from recto.model.result import Result
from recto.operations import fields
from recto.operations.finding import (
    SearchRequest,
    answered,
    bounded,
    collections_named,
    find,
    kinds_named,
    languages_named,
)
from recto.operations.hits import SearchAnswer, answer
from recto.operations.places import placed

_DOCUMENTS = (Kind.NOTE.value, Kind.DOC.value)
_BY_MEANING = "dense_only"


@dataclass(frozen=True, slots=True)
class SearchDocsRequest:
    """A search of notes and documentation alone."""

    query: fields.QueryText
    limit: fields.Limit | None = None
    collections: fields.Collections = ()
    path_prefix: fields.PathPrefix | None = None
    tags_all: fields.AllTags = ()
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class HypothesisRequest:
    """`hypothesis` is looked for by meaning, `query`, when given, by word."""

    hypothesis: Annotated[
        str, Field(min_length=1, max_length=20_000, description="What the passage you hope for might say.")
    ]
    query: (
        Annotated[
            str, Field(min_length=1, max_length=20_000, description="Words to look for as well; the syntax of search.")
        ]
        | None
    ) = None
    limit: fields.Limit | None = None
    collections: fields.Collections = ()
    path_prefix: fields.PathPrefix | None = None
    kinds: fields.Kinds = ()
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class SimilarRequest:
    """`exclude_file` is mostly the file the snippet comes from."""

    snippet: Annotated[str, Field(min_length=1, max_length=50_000, description="Code or prose, taken literally.")]
    limit: fields.Limit | None = None
    exclude_file: (
        Annotated[str, Field(min_length=1, max_length=4_096, description="Leave out the document with this uri.")]
        | None
    ) = None
    language: fields.Language | None = None
    kinds: fields.Kinds = ()
    collections: fields.Collections = ()
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


def search(engine: Engine, request: SearchRequest) -> SearchAnswer:
    result = find(engine, request)
    return answer(result, _asked(request), request.max_tokens, request.cursor, explain=request.explain)


def search_docs(engine: Engine, request: SearchDocsRequest) -> SearchAnswer:
    wider = SearchRequest(
        query=request.query,
        limit=request.limit,
        collections=request.collections,
        path_prefix=request.path_prefix,
        tags_all=request.tags_all,
        kinds=_DOCUMENTS,
    )
    return answer(find(engine, wider), _asked(request), request.max_tokens, request.cursor, explain=False)


def search_with_hypothesis(engine: Engine, request: HypothesisRequest) -> SearchAnswer:
    filters = Filters(
        collections=collections_named(engine, request.collections),
        path_prefix=request.path_prefix,
        kinds=kinds_named(request.kinds),
    )
    query = Query(
        request.query or request.hypothesis,
        limit=request.limit or engine.defaults.limit,
        filters=placed(engine, filters),
        # Without a query of its own, the hypothesis is not searched for quotes and minus signs either.
        terms=Terms("") if request.query else Terms(request.hypothesis),
        max_excerpt_chars=engine.defaults.max_excerpt_chars,
        hypothesis=request.hypothesis,
    )
    result = _run(engine, query, None if request.query else _BY_MEANING)
    return answer(result, _asked(request), request.max_tokens, request.cursor, explain=False)


def find_similar(engine: Engine, request: SimilarRequest) -> SearchAnswer:
    filters = Filters(
        collections=collections_named(engine, request.collections),
        not_uris=(request.exclude_file,) if request.exclude_file else (),
        languages=languages_named(request.language),
        kinds=kinds_named(request.kinds),
    )
    query = Query(
        request.snippet,
        limit=request.limit or engine.defaults.limit,
        filters=placed(engine, filters),
        terms=Terms(request.snippet),
        max_excerpt_chars=engine.defaults.max_excerpt_chars,
        hypothesis=request.snippet,
    )
    result = _run(engine, query, _BY_MEANING)
    return answer(result, _asked(request), request.max_tokens, request.cursor, explain=False)


def _run(engine: Engine, query: Query, profile: str | None) -> Result:
    return answered(engine.search(bounded(query), engine.profile(profile or engine.defaults.profile)))


def _asked(request: SearchRequest | SearchDocsRequest | HypothesisRequest | SimilarRequest) -> object:
    """What a cursor is tied to: the question, not how much of the answer is read at a time."""
    return replace(request, cursor=None, max_tokens=fields.DEFAULT_TOKENS)
