"""Answers about the log of queries as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.lines import Line, Part, columns
from octavo.operations.queries.answers import QueriesAnswer


def queries_lines(answer: QueriesAnswer) -> Iterator[Line]:
    rows = [
        (Part(asked.at, "dim"), Part(asked.query), Part(f"{asked.shown} shown", "dim"), Part(", ".join(asked.opened)))
        for asked in answer.queries
    ]
    yield from columns(rows) if rows else ()
    if not answer.logging:
        yield (Part("Queries are not logged: `octavo config set log.queries true` turns that on.", "dim"),)
    elif not rows:
        yield (Part("Nothing was asked yet."),)
