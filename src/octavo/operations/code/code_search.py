"""Find code by name, place, trace, message, pattern or meaning, and put what matters in front of a task."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_LINES, one_line, with_line_numbers
from octavo.engine.engine import Engine
from octavo.fast_dataclass import Value, replace
from octavo.model.chunk import CODE_TYPES
from octavo.model.document import shown_path
from octavo.model.query import ANY_LANGUAGE, Query
from octavo.model.search_result import Hit, Result
from octavo.operations.answer_conversion import filled
from octavo.operations.code.requests import AugmentRequest, SearchCodeRequest
from octavo.operations.filter_parsing import filters_of, languages_named
from octavo.operations.search.hits_within_token_limit import fitting
from octavo.operations.search.results import SearchAnswer
from octavo.operations.search.search_execution import BY_NAME, found_in
from octavo.operations.styled_answer_lines import Line, Part, degraded_lines
from octavo.operations.token_counts_and_page_cursor import BYTES_PER_TOKEN, size, tokens
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


class Quotation(Value):
    """Where a piece of the context comes from. `shown` lines of it are there, counted from `start_line`."""

    uri: str
    collection: str
    start_line: int
    end_line: int
    shown: int


class AugmentAnswer(Value):
    """`text` is the context with the task below it, ready for a model; `context` is the part above."""

    text: str
    context: str
    tokens: int
    quotations: tuple[Quotation, ...]
    degraded: tuple[str, ...] | None = None


_FEWEST_LINES = 3  # of a hit that are worth showing


def augment_lines(answer: AugmentAnswer) -> Iterator[Line]:
    yield from ((Part(line),) for line in answer.text.split("\n"))
    yield from degraded_lines(answer.degraded)


def augment(engine: Engine, request: AugmentRequest) -> AugmentAnswer:
    """The best passages of code for a task, cut to fit, in front of the task. Without any, the task alone."""
    hits = find_code(engine, filled(SearchCodeRequest, request, query=request.task))
    context, quotations = _context(hits.hits, request.max_context_tokens)
    text = f"{context}\n\n{request.task}" if context else request.task
    return AugmentAnswer(text, context, tokens(context), tuple(quotations), hits.degraded or None)


def _context(hits: tuple[Hit, ...], most: int) -> tuple[str, list[Quotation]]:
    """Whole hits while they fit, then as many lines of the next as do."""
    room = most * BYTES_PER_TOKEN - size(QUOTED_LINES)
    parts: list[str] = []
    quotations: list[Quotation] = []
    for hit in hits:
        part, shown = _quotation(hit, room - 2)
        if not part:
            break
        parts.append(part)
        room -= size(part) + 2
        lines = hit.citation.lines
        quotations.append(Quotation(hit.citation.uri, hit.collection, lines.first, lines.last, shown))
    return ("\n\n".join([QUOTED_LINES, *parts]) if parts else ""), quotations


def _quotation(hit: Hit, room: int) -> tuple[str, int]:
    """Where a hit is, and as many of its lines as there is room for; nothing if that would be too few."""
    cited = hit.citation
    path = shown_path(cited.heading_path)
    head = one_line(f"{cited.uri}:{cited.lines.first}-{cited.lines.last}{f' ({path})' if path else ''}")
    lines = hit.excerpt.removesuffix("\n").split("\n")
    shown = len(lines)
    while shown >= min(_FEWEST_LINES, len(lines)):
        part = f"{head}\n{with_line_numbers(chr(10).join(lines[:shown]), cited.lines.first)}"
        over = size(part) - room
        if over <= 0:
            return part, shown
        # Lines differ in length: a step by the average of those shown, one at least.
        shown -= max(1, over * shown // max(1, size(part)))
    return "", 0
