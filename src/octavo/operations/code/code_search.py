"""Find code by name, place, trace, message, pattern or meaning."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.model.chunk import CODE_TYPES
from octavo.model.query import ANY_LANGUAGE, Query
from octavo.model.search_result import Result
from octavo.operations.code.requests import SearchCodeRequest
from octavo.operations.filter_parsing import filters_of, languages_named
from octavo.operations.search.hits_within_token_limit import fitting
from octavo.operations.search.results import SearchAnswer
from octavo.operations.search.search_execution import BY_NAME, found_in
from octavo.retrieval.profiles_by_name import hypothesised
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.language_model_stages import ModelRerank
from octavo.retrieval.stages.reranking import Rerank


def search_code(engine: Engine, request: SearchCodeRequest) -> SearchAnswer:
    return fitting(find_code(engine, request), request, explain=request.explain)


def find_code(engine: Engine, request: SearchCodeRequest) -> Result:
    """Everything that is found, with its trace."""
    languages = languages_named(request.language) or (ANY_LANGUAGE,)
    filters = filters_of(engine, request, languages=languages, content_types=CODE_TYPES)
    excerpt = engine.defaults.max_excerpt_chars
    query = Query(
        request.query,
        request.max_results,
        filters,
        max_excerpt_chars=excerpt,
        declarations=request.expand == "declaration",
        min_score=request.min_score or 0.0,
    )
    profile = engine.retrieval_profile(BY_NAME)
    if request.use_reranker:
        profile = _reranked(profile, by_model=engine.reranks_by_model)
    return found_in(engine, engine.search(query, hypothesised(profile) if request.hyde else profile))


def _reranked(profile: RetrievalProfile, *, by_model: bool) -> RetrievalProfile:
    """With the reranker just before the list is shaped."""
    if any(isinstance(stage, Rerank | ModelRerank) for stage in profile.refine):
        return profile
    *before, last = profile.refine
    return replace(profile, refine=(*before, ModelRerank() if by_model else Rerank(most=10, share=0.5), last))
