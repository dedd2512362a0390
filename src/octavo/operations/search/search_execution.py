"""Turns a search request into a query and a retrieval profile, and runs them to the whole result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.errors import Stale
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.document import Kind
from octavo.model.query import Query, Terms
from octavo.model.search_result import Result
from octavo.operations.filter_parsing import filters_of
from octavo.operations.search.requests import SearchRequest, refuse_empty_query
from octavo.plugins import OURS, REFERENCES
from octavo.retrieval.profiles_by_name import hypothesised, reranked
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.match_kind_filter import MatchedBy

if TYPE_CHECKING:
    from octavo.engine.engine import Engine
    from octavo.retrieval.search_replay import Recording

BY_MEANING = "dense_only"
BY_NAME = "code"
_FIRST_READ_SECONDS = 8.0  # that a search waits for the first documents of a folder that is just being read
_ALIKE = 0.85  # the cosine from which two passages say the same, in a compressed answer
_FEW_WORDS = 3  # of a query in which one may be misspelt although the others find good hits
_WEAK = 0.3  # the relevance of the best hit below which a word may be misspelt
_PAPERS = tuple(f".{extension}" for extension in OURS[REFERENCES])
_FETCHED = regex(r"(?:^|/)\d{4}-\d\d-\d\d/[^/]+\.(?:md|txt)$")  # below the day, as `octavo fetch` writes pages
_CODE = frozenset({Kind.CODE.value, Kind.CONFIG.value})


def find(
    engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None, *, judged_in_full: bool = False
) -> Result:
    """Everything a profile finds, with its trace. An empty result is a result; an empty library is an error.

    `profile` stands in for the one the request names. `judged_in_full` as of `Query`.
    """
    query, chosen = query_and_profile(engine, request, profile)
    query = replace(query, judged_in_full=judged_in_full)
    searched = engine.search if engine.traces is None else _traced(engine)
    result = searched(query, chosen)
    if not result.freshness.documents and engine.watched and engine.watcher.await_documents(_FIRST_READ_SECONDS):
        result = searched(query, chosen)
    result = found_in(engine, result)
    if query.filters.as_of is not None:
        result = _with_past(engine, query, chosen, result)
    weak, few = _is_weak(result), 0 < query.text.count(" ") < _FEW_WORDS
    if (weak or few) and result.freshness.documents and request.query and not judged_in_full:
        meant = import_module("octavo.operations.search.reasons_for_no_hit").respelt
        result = replace(result, did_you_mean=meant(engine, query, well_found=not weak))
    if not result.hits and (":" in query.text or not query.filters.empty):
        excluding_filter = import_module("octavo.operations.search.reasons_for_no_hit").excluding_filter
        result = replace(result, excluding=excluding_filter(engine, query))
    if engine.logs_queries:
        import_module("octavo.operations.query_log.query_logging_and_listing").log_query(engine, result)
    return _fresh(result, request)


def _is_weak(result: Result) -> bool:
    """Whether there is no hit, or no good one, so that the query may have meant something else."""
    return all(hit.score is not None and hit.score < _WEAK for hit in result.hits)


def find_everywhere(engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None) -> Result:
    """The same in this library and in those that the configuration names beside it."""
    result: Result
    if engine.others is None:
        result = find(engine, request, profile)
    else:
        together = import_module("octavo.operations.search.federated_search")
        search = partial(find, request=request, profile=profile)
        result = together.find_in_group(engine.others, search, engine, limit=request.limit or engine.defaults.limit)
    return with_publications(engine.roots, result)


def with_publications(roots: Callable[[], Mapping[str, Path]], result: Result) -> Result:
    """Hits in papers and fetched pages, with their citation keys. Imported on use: few libraries have any."""
    uris = [hit.citation.uri for hit in result.hits]
    if any(uri.lower().endswith(_PAPERS) or _FETCHED.search(uri) for uri in uris):
        lookup = import_module("octavo.operations.search.bibliography_lookup")
        result = replace(result, hits=lookup.with_works(roots(), result.hits))
    return result


def record(engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None) -> tuple[Result, Recording]:
    """The same as `find`, with what it takes to answer it again."""
    result, recording = engine.record(*query_and_profile(engine, request, profile))
    return _fresh(found_in(engine, result), request), recording


def _traced(engine: Engine) -> Callable[[Query, RetrievalProfile], Result]:
    """Imported on use: few keep the traces of their searches."""
    traced: Callable[[Query, RetrievalProfile], Result]
    traced = partial(import_module("octavo.operations.search.search_trace_files").search_traced, engine)
    return traced


def _with_past(engine: Engine, query: Query, profile: RetrievalProfile, result: Result) -> Result:
    """Imported on use: it indexes past texts, and most searches are about the present."""
    with_past: Result = import_module("octavo.operations.search.search_as_of").with_past(engine, query, profile, result)
    return with_past


def query_and_profile(
    engine: Engine, request: SearchRequest, profile: RetrievalProfile | None = None
) -> tuple[Query, RetrievalProfile]:
    """The query a request stands for, and the profile that answers it."""
    refuse_empty_query(request)
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
        floor=not request.show_all,
        min_score=request.min_score or 0.0,
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
    """The profile with the channels that were asked for, and without repetitions."""
    if request.matched:
        profile = replace(profile, refine=(*profile.refine, MatchedBy(request.matched)))
    if request.similarity_threshold is None and request.mode != "compressed":
        return profile
    from octavo.retrieval.stages.semantic_duplicate_removal import SemanticDuplicates  # with numpy

    alike = SemanticDuplicates(_ALIKE if request.similarity_threshold is None else request.similarity_threshold)
    return replace(profile, refine=(*profile.refine, alike))


def found_in(engine: Engine, result: Result) -> Result:
    """The result, unless nothing was read yet: a folder without anything to read gives an empty result."""
    if not result.freshness.documents:
        # Imported on use: most libraries have something to search.
        import_module("octavo.operations.library.collections").refuse_empty_library(engine, result.freshness)
    return result


def _fresh(result: Result, request: SearchRequest) -> Result:
    if request.require_fresh and result.freshness.full_vectors < 1.0:
        raise Stale(
            f"{result.freshness.pending} chunks have no vector yet", hint="run `octavo index` to bring it up to date"
        )
    return result
