"""Arithmetic of spans: ranges of characters in one text."""

from __future__ import annotations

from collections.abc import Iterable

from recto.model.text import Span


def merge_spans(spans: Iterable[Span], gap: int = 0) -> list[Span]:
    """The fewest spans that cover the given ones, in order; those at most `gap` characters apart become one.

    >>> merge_spans([Span(10, 20), Span(0, 5), Span(22, 30)], gap=2)
    [Span(start=0, end=5), Span(start=10, end=30)]
    """
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start - merged[-1].end <= gap:
            merged[-1] = merged[-1].union(span)
        else:
            merged.append(span)
    return merged
