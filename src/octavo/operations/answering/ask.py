"""Answer a question from the library: find passages, and say what they say with exact citations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace

from octavo.answering.context import Mode, context
from octavo.answering.extractive import Statement, statements
from octavo.answering.passages import CitedSpan, Passage, passages_of
from octavo.engine.engine import Engine
from octavo.model.result import Result
from octavo.operations.answering.answers import AnswerSentence, AskAnswer, ReadPassage, SentenceCitation
from octavo.operations.answering.fitting import fitting
from octavo.operations.answering.requests import AskRequest
from octavo.operations.lines import short
from octavo.operations.search.answers import stage
from octavo.operations.search.finding import find
from octavo.operations.search.requests import SearchRequest

_SENTENCES = 5  # of an extractive answer: more are a page, not an answer
NO_MATCH = "Nothing in the library answers this."
EXTRACTIVE_HINT = (
    "these sentences stand so in your files; to have an answer written from them, name a model for the role answer "
    "in your configuration: docs/answers.md"
)


def ask(engine: Engine, request: AskRequest) -> AskAnswer:
    """What the passages say, in their own sentences."""
    started = time.perf_counter()
    result = find(engine, _search(request))
    with engine.store.reading():
        passages = passages_of(engine.store, engine.project.id, result.hits)
    answer = replace(_without_sentences(request, result, passages), took_ms=_since(started))
    if request.show_context:
        prompt = context(Mode(request.mode), request.question, passages, request.budget).prompt
        return fitting(replace(answer, mode=request.mode, context=prompt), request.max_tokens)
    if not passages:
        return fitting(answer, request.max_tokens)
    found = statements(
        request.question,
        passages,
        lambda: engine.embedder,
        engine.library.adapters.analyzer.query_tokens,
        _SENTENCES,
    )
    sentences = tuple(_quoted(statement, passages) for statement in found)
    answer = replace(
        answer,
        answered=bool(found),
        answer=" ".join(sentence.marked for sentence in sentences),
        sentences=sentences,
        took_ms=_since(started),
        hint=EXTRACTIVE_HINT,
    )
    return fitting(answer, request.max_tokens)


def _search(request: AskRequest) -> SearchRequest:
    return SearchRequest(
        query=request.question,
        limit=request.limit,
        profile=request.profile,
        collections=request.collections,
        path_prefix=request.path_prefix,
        uris=request.uris,
        heading_contains=request.heading_contains,
        tags_all=request.tags_all,
        tags_any=request.tags_any,
        kinds=request.kinds,
        language=request.language,
        modified_after=request.modified_after,
        modified_before=request.modified_before,
    )


def _without_sentences(request: AskRequest, result: Result, passages: Sequence[Passage]) -> AskAnswer:
    return AskAnswer(
        question=request.question,
        mode="extractive",
        answered=False,
        answer=NO_MATCH if not passages else "",
        sentences=(),
        passages=tuple(_read(passage, result) for passage in passages),
        took_ms=0.0,
        freshness=replace(result.freshness, full_vectors=round(result.freshness.full_vectors, 4)),
        trace=tuple(stage(traced) for traced in result.trace) if request.explain else None,
        degraded=result.degraded or None,
    )


def _read(passage: Passage, result: Result) -> ReadPassage:
    hit = passage.hit
    return ReadPassage(
        number=passage.number,
        collection=hit.collection,
        uri=hit.citation.uri,
        version=passage.version,
        kind=hit.kind.value,
        title=short(hit.title),
        heading_path=tuple(short(title) for title in hit.citation.heading_path),
        start_line=hit.citation.lines.first,
        end_line=hit.citation.lines.last,
        chunk_id=hit.chunk_id,
        score=round(hit.score, 6) if result.calibrated else None,
        text=hit.excerpt,
    )


def _quoted(statement: Statement, passages: Sequence[Passage]) -> AnswerSentence:
    return AnswerSentence(statement.text, "quoted", round(statement.score, 4), (cited(statement.cited, passages),))


def cited(span: CitedSpan, passages: Sequence[Passage]) -> SentenceCitation:
    """The citation of a part of one of the passages."""
    passage = passages[span.passage - 1]
    return SentenceCitation(
        passage=span.passage,
        collection=passage.hit.collection,
        uri=passage.hit.citation.uri,
        version=passage.version,
        heading_path=tuple(short(title) for title in span.heading_path),
        start=span.span.start,
        end=span.span.end,
        start_line=span.lines.first,
        end_line=span.lines.last,
        quote=span.quote,
        **asdict(span.position),
    )


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1e3, 3)
