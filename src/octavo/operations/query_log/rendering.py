"""Answers about the log of queries as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.query_log.query_logging_and_listing import QueriesAnswer
from octavo.operations.styled_answer_lines import Line, Part, columns


def queries_lines(answer: QueriesAnswer) -> Iterator[Line]:
    rows = [
        (Part(entry.at, "dim"), Part(entry.query), Part(f"{entry.shown} shown", "dim"), Part(", ".join(entry.opened)))
        for entry in answer.queries
    ]
    yield from columns(rows) if rows else ()
    if not answer.logging:
        yield (Part("Queries are not logged: `octavo config set log.queries true` turns that on.", "dim"),)
    elif not rows:
        yield (Part("Nothing was asked yet."),)
