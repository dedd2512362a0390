"""From a request to a query, and to its whole result with the trace."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from octavo.dataclass import replace
from octavo.errors import Stale
from octavo.model.document import Kind
from octavo.model.query import Query, Terms
from octavo.operations.narrowing import filters_of
from octavo.retrieval.profiles import hypothesised, reranked
from octavo.retrieval.stages.match_kinds import MatchedBy

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.model.result import Result
    from octavo.operations.search.requests import SearchRequest
    from octavo.retrieval.replay import Recording
    from octavo.retrieval.stage import RetrievalProfile

BY_MEANING = "dense_only"
BY_NAME = "code"
_CODE = frozenset({Kind.CODE.value, Kind.CONFIG.value})


def find(engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None) -> Result:
    """Everything a profile finds, with its trace. An empty result is a result; an empty library is an error.

    `profile` stands in for the one the request names.
    """
    query, chosen = asked(engine, request, profile)
    result = found_in(engine, engine.search(query, chosen))
    if query.filters.as_of is not None:
        result = _with_past(engine, query, chosen, result)
    if engine.logs_queries:
        import_module("octavo.operations.queries.queries").log_query(engine, result)
    return _fresh(result, request)


def record(engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None) -> tuple[Result, Recording]:
    """The same as `find`, with what it takes to answer it again."""
    result, recording = engine.record(*asked(engine, request, profile))
    return _fresh(found_in(engine, result), request), recording


def _with_past(engine: Engine, query: Query, profile: RetrievalProfile, result: Result) -> Result:
    """Imported on use: it indexes past texts, and most searches are about the present."""
    found: Result = import_module("octavo.operations.search.as_of").with_past(engine, query, profile, result)
    return found


def asked(
    engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None
) -> tuple[Query, RetrievalProfile]:
    """The query a request stands for, and the profile that answers it."""
    limit = request.limit if request.limit is not None else engine.defaults.limit
    excerpt = request.max_excerpt_chars or engine.defaults.max_excerpt_chars
    query = Query(
        request.query or request.hypothesis or "",
        limit,
        filters_of(engine, request),
        # Without a query of its own, the hypothesis is not searched for quotes and minus signs either.
        terms=Terms(request.hypothesis) if request.hypothesis and not request.query else Terms(""),
        max_excerpt_chars=excerpt,
        hypothesis=request.hypothesis,
        floor=not request.no_floor,
    )
    usual = BY_MEANING if request.hypothesis and not request.query else _usual(engine, request, query)
    profile = profile or engine.retrieval_profile(request.profile or usual)
    profile = reranked(profile, by_model=engine.reranks_by_model) if request.rerank else profile
    return query, _narrowed(hypothesised(profile) if request.hyde else profile, request)


def _usual(engine: Engine, request: SearchRequest, query: Query) -> str:
    """Code alone, asked for by an option or in the query, is searched by what code has: names, places, declarations."""
    kinds = {*request.kinds}
    if not kinds and "kind:" in query.text:
        kinds = {kind.value for kind in engine.reader.parsed(query).filters.kinds}
    only_code = bool(kinds) and kinds <= _CODE
    return BY_NAME if only_code else engine.defaults.profile


def _narrowed(profile: RetrievalProfile, request: SearchRequest) -> RetrievalProfile:
    """The profile with a floor and without repetitions, where these are asked for."""
    shorter = request.mode == "compressed"
    if request.matched:
        profile = replace(profile, refine=(*profile.refine, MatchedBy(request.matched)))
    if not shorter and request.min_score is None and request.similarity_threshold is None:
        return profile
    from octavo.retrieval.stages.compressed import MIN_SCORE, SIMILARITY_THRESHOLD, compressed

    least, likeness = request.min_score, request.similarity_threshold
    if shorter:
        least = MIN_SCORE if least is None else least
        likeness = SIMILARITY_THRESHOLD if likeness is None else likeness
    return compressed(profile, least, likeness)


def found_in(engine: Engine, result: Result) -> Result:
    """The result, unless nothing was read yet: a folder without anything to read gives an empty result."""
    if not result.freshness.documents:
        # Imported on use: most libraries have something to search.
        import_module("octavo.operations.search.empty_library").refuse_empty_library(engine, result.freshness)
    return result


def _fresh(result: Result, request: SearchRequest) -> Result:
    if request.require_fresh and result.freshness.full_vectors < 1.0:
        raise Stale(
            f"{result.freshness.pending} chunks have no vector yet", hint="run `octavo index` to bring it up to date"
        )
    return result
