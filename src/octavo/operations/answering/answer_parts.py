"""Sentences and passages of an answer in the names that clients get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from octavo.answering.citable_passages import CitedSpan, NumberedPassage
from octavo.answering.extractive_answer import Statement
from octavo.answering.model_usage import MeteredModel
from octavo.answering.written_answer import WrittenSentence
from octavo.model.text import short
from octavo.operations.answering.results import AnswerSentence, ModelUsage, ReadPassage, SentenceCitation


def read(passage: NumberedPassage, *, calibrated: bool) -> ReadPassage:
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
        score=round(hit.score, 6) if calibrated else None,
        text=hit.excerpt,
    )


def quoted(statement: Statement, passages: Sequence[NumberedPassage]) -> AnswerSentence:
    """A sentence of the library."""
    return AnswerSentence(statement.text, "quoted", round(statement.score, 4), (_cited(statement.cited, passages),))


def written(sentence: WrittenSentence, passages: Sequence[NumberedPassage]) -> AnswerSentence:
    """A sentence of a model."""
    checked = sentence.checked
    return AnswerSentence(
        text=sentence.text,
        support=checked.support.value,
        score=round(checked.score, 4),
        citations=tuple(_cited(span, passages) for span in checked.cited),
        inferred=sentence.inferred,
        attributed=sentence.attributed,
        differences=checked.evidence.problems or None,
    )


def usage_of(model: MeteredModel) -> ModelUsage:
    return ModelUsage(
        model=model.name,
        prompt_tokens=model.usage.prompt_tokens,
        completion_tokens=model.usage.completion_tokens,
        seconds=round(model.usage.seconds, 3),
        cost=round(model.usage.cost, 6),
        calls=model.calls,
        cached=model.cached,
    )


def _cited(span: CitedSpan, passages: Sequence[NumberedPassage]) -> SentenceCitation:
    passage = passages[span.passage - 1]
    work = passage.hit.work
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
        citation_key=work.key if work else None,
        reference=work.reference if work else None,
    )
