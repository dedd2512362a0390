"""Find passages: by word and meaning, in documents only, by a hypothesis, or by likeness to a snippet."""

from __future__ import annotations

from octavo.algorithms.queries.code_query_parsing import is_code
from octavo.engine.engine import Engine
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import replace
from octavo.model.chunk import CODE_TYPES, PROSE_TYPES
from octavo.model.document import Kind
from octavo.model.query import ANY_LANGUAGE, Filters, Query, Terms
from octavo.model.search_result import Result
from octavo.operations.answer_conversion import filled
from octavo.operations.filter_parsing import filters_of
from octavo.operations.search.hits_within_token_limit import fitting
from octavo.operations.search.requests import (
    FindSimilarRequest,
    SearchDocsRequest,
    SearchRequest,
    SearchWithHypothesisRequest,
)
from octavo.operations.search.results import SearchAnswer
from octavo.operations.search.search_execution import BY_MEANING, find_everywhere, found_in

_MOST_WORDS = 64  # of a snippet that are searched where its meaning cannot be
_DOCUMENTS = (Kind.NOTE.value, Kind.DOC.value)


def search(engine: Engine, request: SearchRequest) -> SearchAnswer:
    return fitting(find_everywhere(engine, request), request, explain=request.explain)


def search_docs(engine: Engine, request: SearchDocsRequest) -> SearchAnswer:
    return fitting(find_everywhere(engine, filled(SearchRequest, request, kinds=_DOCUMENTS)), request)


def search_with_hypothesis(engine: Engine, request: SearchWithHypothesisRequest) -> SearchAnswer:
    return fitting(find_everywhere(engine, filled(SearchRequest, request, query=request.query or "")), request)


def find_similar(engine: Engine, request: FindSimilarRequest) -> SearchAnswer:
    filters = filters_of(engine, request).narrowed_by(_alike(request))
    query = Query(
        request.snippet,
        limit=request.limit,
        filters=filters,
        terms=Terms(request.snippet),
        max_excerpt_chars=engine.defaults.max_excerpt_chars,
        hypothesis=request.snippet,
        min_score=request.min_score or 0.0,
    )
    return fitting(found_in(engine, _by_meaning_or_words(engine, query)), request)


def _alike(request: FindSimilarRequest) -> Filters:
    """Code finds code and prose finds prose, unless it is said what to find."""
    if request.kinds:
        return Filters()
    if request.language or is_code(request.snippet):
        return Filters(languages=() if request.language else (ANY_LANGUAGE,), content_types=CODE_TYPES)
    return Filters(content_types=PROSE_TYPES)


def _by_meaning_or_words(engine: Engine, query: Query) -> Result:
    """Where no vector can be had of the snippet, its words are searched, and the answer says so."""
    try:
        return engine.search(query, engine.retrieval_profile(BY_MEANING))
    except ProviderFailed as error:
        words = tuple(dict.fromkeys(engine.library.adapters.analyzer.query_tokens(query.text)))[:_MOST_WORDS]
        by_words = replace(query, hypothesis=None, terms=Terms(query.text, words=words))
        result = engine.search(by_words, engine.retrieval_profile("lexical_only"))
        return replace(result, repeatable=False, degraded=(f"dense: {error.message}", *result.degraded))
