"""Find code, and put what was found into as few words as a small model can take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from recto.algorithms.language_names import language_named
from recto.engine.engine import Engine
from recto.errors import NotIndexed
from recto.model.document import shown_path
from recto.model.query import ANY_LANGUAGE, Filters, Query
from recto.model.result import Hit, Result
from recto.operations import fields
from recto.operations.budget import BYTES_PER_TOKEN, size, tokens
from recto.operations.hits import SearchAnswer, answer
from recto.operations.places import placed
from recto.operations.quoting import DATA, one_line, quoted
from recto.retrieval.stage import Profile
from recto.retrieval.stages.rerank import Rerank

_PROFILE = "code"
_FEWEST_LINES = 3  # of a hit that are worth showing

MaxResults = Annotated[int, Field(ge=1, le=1_000, description="How many hits at most.")]
Exclude = Annotated[str, Field(min_length=1, max_length=4_096, description="Leave out the document with this uri.")]
UseReranker = Annotated[bool, Field(description="Let a configured reranker have the last word.")]


@dataclass(frozen=True, slots=True)
class SearchCodeRequest:
    """Code, configuration and the code blocks of notes; `language` narrows it to one language."""

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=20_000,
            description="A name, a path with a line, a stack trace, an error message, a pattern, or a question.",
        ),
    ]
    language: fields.Language | None = None
    max_results: MaxResults = 5
    use_reranker: UseReranker = True
    path_prefix: fields.PathPrefix | None = None
    exclude_file: Exclude | None = None
    collections: fields.Collections = ()
    explain: Annotated[bool, Field(description="Add each stage's scores and the trace.")] = False
    max_tokens: fields.MaxTokens = fields.DEFAULT_TOKENS
    cursor: fields.Cursor | None = None


@dataclass(frozen=True, slots=True)
class AugmentRequest:
    """A task to be done, and how much room there is for what the library knows of it."""

    task: Annotated[str, Field(min_length=1, max_length=20_000, description="What is to be done, or asked.")]
    language: fields.Language | None = None
    max_results: MaxResults = 3
    max_context_tokens: Annotated[
        int, Field(ge=50, le=100_000, description="How long the context may be, without the task.")
    ] = 1_000
    path_prefix: fields.PathPrefix | None = None
    collections: fields.Collections = ()


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where a piece of the context comes from. `shown` lines of it are there, counted from `start_line`."""

    uri: str
    collection: str
    start_line: int
    end_line: int
    shown: int


@dataclass(frozen=True, slots=True)
class AugmentAnswer:
    """`text` is the context with the task below it, ready for a model; `context` is the part above."""

    text: str
    context: str
    tokens: int
    quotations: tuple[Quotation, ...]


def search_code(engine: Engine, request: SearchCodeRequest) -> SearchAnswer:
    result = _found(engine, request)
    asked = replace(request, cursor=None, max_tokens=fields.DEFAULT_TOKENS)
    return answer(result, asked, request.max_tokens, request.cursor, explain=request.explain)


def find_code(engine: Engine, request: SearchCodeRequest) -> Result:
    """The same hits as they are, for an interface that lays them out itself."""
    return _found(engine, request)


def augment(engine: Engine, request: AugmentRequest) -> AugmentAnswer:
    """The best passages of code for a task, cut to fit, in front of the task. Without any, the task alone."""
    wanted = SearchCodeRequest(
        query=request.task,
        language=request.language,
        max_results=request.max_results,
        path_prefix=request.path_prefix,
        collections=request.collections,
    )
    context, quotations = _context(_found(engine, wanted).hits, request.max_context_tokens)
    text = f"{context}\n\n{request.task}" if context else request.task
    return AugmentAnswer(text, context, tokens(context), tuple(quotations))


def augment_text(answer: AugmentAnswer) -> str:
    return answer.text


def _found(engine: Engine, request: SearchCodeRequest) -> Result:
    filters = Filters(
        collections=tuple(engine.collection(name).name for name in request.collections),
        path_prefix=request.path_prefix,
        not_uris=(request.exclude_file,) if request.exclude_file else (),
        # What stands for no language is nobody's.
        languages=(ANY_LANGUAGE if request.language is None else language_named(request.language) or request.language,),
    )
    excerpt = engine.defaults.max_excerpt_chars
    query = Query(request.query, request.max_results, placed(engine, filters), max_excerpt_chars=excerpt)
    result = engine.search(query, _profile(engine.profile(_PROFILE), reranked=request.use_reranker))
    if not result.freshness.documents:
        raise NotIndexed("nothing is indexed yet", hint="run `recto add FOLDER --name NAME`, then `recto index`")
    return result


def _profile(profile: Profile, *, reranked: bool) -> Profile:
    """With a reranker just before the list is shaped; the stage is skipped where none is configured."""
    if not reranked or any(isinstance(stage, Rerank) for stage in profile.refine):
        return profile
    *before, last = profile.refine
    return replace(profile, refine=(*before, Rerank(most=10, share=0.5), last))


def _context(hits: tuple[Hit, ...], most: int) -> tuple[str, list[Quotation]]:
    """Whole hits while they fit, then as many lines of the next as do."""
    room = most * BYTES_PER_TOKEN - size(DATA)
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
    return ("\n\n".join([DATA, *parts]) if parts else ""), quotations


def _quotation(hit: Hit, room: int) -> tuple[str, int]:
    """Where a hit is, and as many of its lines as there is room for; nothing if that would be too few."""
    cited = hit.citation
    path = shown_path(cited.heading_path)
    head = one_line(f"{cited.uri}:{cited.lines.first}-{cited.lines.last}{f' ({path})' if path else ''}")
    lines = hit.excerpt.removesuffix("\n").split("\n")
    shown = len(lines)
    while shown >= min(_FEWEST_LINES, len(lines)):
        part = f"{head}\n{quoted(chr(10).join(lines[:shown]), cited.lines.first)}"
        over = size(part) - room
        if over <= 0:
            return part, shown
        # Lines differ in length: a step by the average of those shown, one at least.
        shown -= max(1, over * shown // max(1, size(part)))
    return "", 0
