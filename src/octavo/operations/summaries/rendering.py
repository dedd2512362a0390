"""Answers about summaries as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.algorithms.model_inputs.prompt_quotations import QUOTED_TITLES
from octavo.jobs.summary_making import SummariesBuilt
from octavo.operations.styled_answer_lines import Block, Line, Part, Quote, count
from octavo.operations.summaries.build_show_and_clear_summaries import SummariesAnswer


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
