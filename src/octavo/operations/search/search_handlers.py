"""The searches as operations: as many hits as fit the length that was asked for, and a cursor to the rest."""

from __future__ import annotations

from typing import Any

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_LINES
from octavo.algorithms.queries.code_query_parsing import is_code
from octavo.engine.engine import Engine
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import replace
from octavo.model.chunk import CODE_TYPES, PROSE_TYPES
from octavo.model.document import Kind
from octavo.model.query import ANY_LANGUAGE, Filters, Query, Terms
from octavo.model.search_result import Result, StageTrace
from octavo.operations.answer_conversion import filled
from octavo.operations.argument_types import DEFAULT_TOKENS
from octavo.operations.filter_parsing import filters_of
from octavo.operations.search.rendering import hit_lines, search_lines
from octavo.operations.search.requests import (
    FindSimilarRequest,
    SearchDocsRequest,
    SearchRequest,
    SearchWithHypothesisRequest,
)
from octavo.operations.search.results import FoundHit, SearchAnswer, found_hit, without_hits
from octavo.operations.search.search_execution import BY_MEANING, find_everywhere, found_in
from octavo.operations.styled_answer_lines import lines, written
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, cursor, json_size, offset_of, size, within

_QUERY_SHARE = 8  # of an answer's length, the most that repeating the query may take


def fitting(result: Result, request: Any, *, explain: bool = False) -> SearchAnswer:
    """The hits from the request's cursor on that fit its `max_tokens` both as JSON and as text; at least one, cut if
    it must be."""
    # A cursor is tied to the question, not to how much of the answer is read at a time.
    question = replace(request, cursor=None, max_tokens=DEFAULT_TOKENS)
    names = [hit.chunk_id for hit in result.hits]
    offset = offset_of(request.cursor, question, names=names)
    empty = replace(
        without_hits(result, explain=explain),
        next_cursor=cursor(len(names), question, last=max(names, key=len, default="")),
    )
    available = request.max_tokens * BYTES_PER_TOKEN
    if size(result.query) > available // _QUERY_SHARE:
        empty = replace(empty, query=None)  # its caller has it
    empty = replace(empty, trace=_within_half(empty.trace, available))
    room = available - max(json_size(empty), _text_size(empty))
    hits = (found_hit(hit, result, explain=explain) for hit in result.hits[offset:])
    shown = tuple(within(hits, room, _size, _cut))
    reached = offset + len(shown)
    more = cursor(reached, question, last=names[reached - 1]) if reached < len(names) else None
    return replace(empty, hits=shown, next_cursor=more)


def _within_half(trace: tuple[StageTrace, ...] | None, available: int) -> tuple[StageTrace, ...] | None:
    """The trace without stages that did nothing where it takes more than half of the answer, then without details."""
    if trace is None or _trace_size(trace) * 2 <= available:
        return trace
    ran = tuple(stage for stage in trace if stage.skipped is None)
    return ran if _trace_size(ran) * 2 <= available else tuple(replace(stage, detail={}) for stage in ran)


def _trace_size(trace: tuple[StageTrace, ...]) -> int:
    return sum(json_size(stage) for stage in trace)


def _text_size(empty: SearchAnswer) -> int:
    """Of everything but the hits; that there are some takes no longer to say than that there are none."""
    return size(written(search_lines(empty))) + size(QUOTED_LINES) + 1


def _size(hit: FoundHit) -> int:
    """In JSON a comma follows, in text an empty line."""
    return max(json_size(hit), size("\n".join(lines(hit_lines(hit, explain=True))))) + 2


def _cut(hit: FoundHit, room: int) -> FoundHit:
    """With as much of its excerpt as there is room for. Its span stays: it says where to read on."""
    length = len(hit.excerpt)
    while length and _size(hit) > room:
        length = max(0, min(length - 1, length * room // max(1, _size(hit))))
        hit = replace(hit, excerpt=hit.excerpt[:length], excerpt_truncated=True)
    return hit


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
