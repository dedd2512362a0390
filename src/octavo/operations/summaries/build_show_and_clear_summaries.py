"""Summaries of sections and files: make them, show them, remove them."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_TITLES
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import Value
from octavo.jobs.summary_making import SummariesBuilt, estimate, make_summaries, nothing_to_summarise
from octavo.model.document import shown_path
from octavo.model.job import JobKind
from octavo.model.summary import SUMMARIES, SummarySettings
from octavo.observability.progress import Progress
from octavo.operations.styled_answer_lines import Block, Line, Part, Quote, count
from octavo.operations.summaries.requests import (
    MODEL,
    SummariesBuildRequest,
    SummariesClearRequest,
    SummariesShowRequest,
)
from octavo.retrieval.reference_resolution import read_passage


class FoundSummary(Value):
    """`node` is `file_summary` or `section_summary`, `lines` where it stands, `maker` who made it."""

    node: str
    heading: str
    first_line: int
    last_line: int
    text: str
    maker: str


class SummariesAnswer(Value):
    collection: str
    uri: str
    title: str
    summaries: tuple[FoundSummary, ...] = ()


class SummariesCleared(Value):
    summaries: int


def summaries_build(engine: Engine, request: SummariesBuildRequest, progress: Progress) -> SummariesBuilt:
    """Asks a model only within a budget, and after saying what it would take."""
    settings = SummarySettings(request.by == MODEL, request.sections, request.budget)
    engine.follow_active_profile()
    if request.dry_run or (settings.by_model and not request.budget):
        would = estimate(engine, settings)
        if not request.dry_run:
            raise InvalidArgument(
                f"a model would be called {would.calls:,} times for about {would.tokens:,} tokens, which costs about"
                f" {would.cost:.2f}",
                hint="say with --budget how many tokens it may take; --dry-run only says this",
                details={"calls": would.calls, "tokens": would.tokens, "cost": would.cost},
            )
        return would
    if not request.wait:
        with engine.store.transaction():
            job = engine.store.outbox.enqueue(engine.project.id, JobKind.SUMMARIES, SUMMARIES, settings.facts())
        return SummariesBuilt(jobs=(job,))
    if not settings.by_model and not engine.library.adapters.constrained():
        counts = engine.store.counts(engine.project.id)
        if problem := nothing_to_summarise(counts.chunks, engine.freshness().full_vectors):
            raise problem
    counted = engine.store.summaries.summarised(engine.project.id, engine.embedder.profile)
    progress.start("summaries", counted.of - counted.documents, "documents")
    try:
        return make_summaries(engine, settings, advance=progress.advance)
    finally:
        progress.finish()


def summaries_show(engine: Engine, request: SummariesShowRequest) -> SummariesAnswer:
    document = read_passage(engine, request.reference, request.collection).document
    with engine.store.reading():
        summaries = engine.store.summaries.of_document(engine.project.id, document.id)
        text = engine.store.documents.texts(engine.project.id, [document.text_hash]).get(document.text_hash, "")
    return SummariesAnswer(
        document.collection,
        document.uri,
        document.title,
        tuple(
            FoundSummary(
                summary.node.value,
                shown_path(summary.heading_path),
                text.count("\n", 0, summary.span.start) + 1,
                text.count("\n", 0, max(summary.span.start, summary.span.end - 1)) + 1,
                summary.text,
                maker,
            )
            for maker, summary in summaries
        ),
    )


def summaries_clear(engine: Engine, request: SummariesClearRequest) -> SummariesCleared:
    """Nothing makes them again by itself."""
    with engine.store.transaction():
        engine.store.graph.forget_run(engine.project.id, SUMMARIES)
        return SummariesCleared(engine.store.summaries.clear(engine.project.id))


def summaries_built_lines(answer: SummariesBuilt) -> Iterator[Line]:
    if answer.jobs:
        yield (Part(f"Queued as job {', '.join(map(str, answer.jobs))}. A worker does it."),)
        return
    of = f"{count(answer.documents, 'document')} and {count(answer.sections, 'section')}"
    took = f"{count(answer.calls, 'call')} of the model, {answer.tokens:,} tokens"
    cost = f", costs {answer.cost:.2f}" if answer.cost else ""
    if answer.dry_run:
        summary = f"Would summarise {of}"
        yield (Part(f"{summary}: about {took}{cost}." if answer.calls else f"{summary}, without asking a model."),)
        return
    yield (Part(f"Summarised {of}" + (f": {took}{cost}." if answer.calls else ".")),)
    if answer.stopped:
        yield (Part(f"{count(answer.left, 'document')} left: {answer.stopped}.", "warn"),)


def summaries_lines(answer: SummariesAnswer) -> Iterator[Block]:
    place = f"{answer.collection}/{answer.uri}"
    yield Part(answer.title, "title"), Part("  "), Part(place, "place", place)
    for summary in answer.summaries:
        heading = summary.heading or (
            "the whole file" if summary.node == "file_summary" else "before the first heading"
        )
        yield (
            Part(heading, "heading"),
            Part(f"  lines {summary.first_line}-{summary.last_line}, by {summary.maker}", "dim"),
        )
        yield Quote(summary.text, numbered=False, uncut=True)
    if not answer.summaries:
        yield (Part("It has no summaries: run `octavo summaries build`."),)
    else:
        yield (Part(QUOTED_TITLES, "detail"),)
