"""BM25 over boosted fields, and its exact top rows without scoring them all (MaxScore).

A term's frequency is the sum of its counts in the fields, each times the field's boost; the length is that of all
fields together (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, with one length for all fields):

    score = sum over terms of idf · f · (k1 + 1) / (f + k1 · (1 - b + b · length / average length))
    idf   = ln((N - n + 0.5) / (n + 0.5)), and 1e-6 for a term that more than half of all rows hold

k1 = 1.2 and b = 0.75. This is what FTS5's `bm25()` computes, operation by operation, so that a row scores the same
wherever it is scored. Frequencies are kept in half units, because boosts are multiples of one half.

MaxScore (Turtle and Flood, Query Evaluation, 1995): terms are taken rarest first; once the best rows found so far are
out of reach of all the terms still to come, no new row can enter, and those terms are only looked up for the rows left.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.fast_dataclass import dataclass

K1, B = 1.2, 0.75
_LEAST_IDF = 1e-6
_SLACK = 1e-4  # of a score: more than single precision loses while scores add up
_PROBE_COST = 12  # looking one row up costs about as much as reading so many postings


@dataclass(frozen=True, slots=True)
class Postings:
    """The rows that hold a term, ascending, and how often: boosted frequencies in half units."""

    rows: NDArray[np.int32]
    halves: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Lengths:
    """Of all rows of a segment: how long each is, and what that makes of k1 in half units."""

    tokens: NDArray[np.int32]
    average: float
    damping: NDArray[np.float32]

    @classmethod
    def of(cls, tokens: NDArray[np.int32], average: float) -> Lengths:
        damping = (2 * K1 * (1 - B) + (2 * K1 * B / average) * tokens).astype(np.float32)
        return cls(tokens, average, damping)


def damping(tokens: NDArray[Any], average: float) -> NDArray[np.float64]:
    """How much the length of each row damps its frequencies."""
    damped: NDArray[np.float64] = K1 * (1.0 - B + B * tokens / average)
    return damped


def saturated(frequencies: NDArray[np.float64], damping: NDArray[np.float64]) -> NDArray[np.float64]:
    """Frequencies between 0 and k1 + 1: the more occurrences, the less one more counts."""
    return (frequencies * (K1 + 1.0)) / (frequencies + damping)


def idf(rows: int, holding: int) -> float:
    """How much a term tells that `holding` of all `rows` hold."""
    value = log((rows - holding + 0.5) / (holding + 0.5))
    return value if value > 0.0 else _LEAST_IDF


def smoothed_idf(rows: int, holding: int) -> float:
    """The same where there are few rows: a term that most of them hold still counts for something (as in Lucene)."""
    return log(1.0 + (rows - holding + 0.5) / (holding + 0.5))


def best(
    terms: Sequence[tuple[float, Postings]],
    lengths: Lengths,
    limit: int,
    admitted: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rows with the highest scores, not yet in order, and at least `limit` of them where so many match.

    `terms` are weights with postings, in the order in which their scores are to be added.
    """
    found_terms = [(weight, postings) for weight, postings in terms if len(postings)]
    if not found_terms or limit < 1:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    rows = _candidates(sorted(found_terms, key=lambda term: -term[0]), lengths, limit, admitted)
    return rows, _exact(found_terms, lengths, rows)


def _candidates(
    terms: Sequence[tuple[float, Postings]], lengths: Lengths, limit: int, admitted: NDArray[np.bool_] | None
) -> NDArray[np.int64]:
    bounds = [weight * (K1 + 1) for weight, _ in terms]
    total = np.zeros(len(lengths.tokens), dtype=np.float32)
    floor, taken = 0.0, 0
    for (_, postings), bound in zip(terms, bounds, strict=True):
        if sum(bounds[taken:]) < floor * (1 - _SLACK):
            break
        rows = postings.rows.astype(np.intp)
        reached = _gain(bound, rows, postings.halves, lengths)
        if taken:
            reached += total[rows]
        total[rows] = reached
        taken += 1
        floor = max(floor, _at(reached if admitted is None else reached[admitted[rows]], limit))
    if admitted is not None:
        total[~admitted] = 0.0
    least = floor * (1 - _SLACK) - sum(bounds[taken:])
    left = np.flatnonzero(total >= least if least > 0.0 else total > 0.0)
    scores = total[left]
    for number in range(taken, len(terms)):
        postings = terms[number][1]
        if len(left) * _PROBE_COST < len(postings):
            hits, at = _looked_up(postings, left)
            scores[hits] += _gain(bounds[number], left[hits], postings.halves[at], lengths)
        else:
            rows = postings.rows.astype(np.intp)
            total[rows] += _gain(bounds[number], rows, postings.halves, lengths)
            scores = total[left]
        floor = max(floor, _at(scores, limit))
        kept = np.flatnonzero(scores >= floor * (1 - _SLACK) - sum(bounds[number + 1 :]))
        if len(kept) < len(left):
            left, scores = left[kept], scores[kept]
        total[left] = scores
    return left.astype(np.int64)


def _gain(bound: float, rows: NDArray[np.intp], halves: NDArray[np.uint16], lengths: Lengths) -> NDArray[np.float32]:
    """`rows` are as wide as an address: by narrower ones numpy gathers at half of the speed."""
    often = halves.astype(np.float32)
    gain: NDArray[np.float32] = lengths.damping[rows]
    gain += often
    np.divide(often, gain, out=gain)
    gain *= np.float32(bound)
    return gain


def _at(scores: NDArray[np.float32], limit: int) -> float:
    """The score of the last of the best `limit`; 0 while there are fewer."""
    if len(scores) < limit:
        return 0.0
    return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])


def _looked_up(postings: Postings, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of these rows hold the term, and where each stands among its postings."""
    at = np.searchsorted(postings.rows, rows.astype(np.int32))
    at[at == len(postings)] = 0
    hits = np.flatnonzero(postings.rows[at] == rows)
    return hits, at[hits]


def _exact(terms: Sequence[tuple[float, Postings]], lengths: Lengths, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """In double precision and in the order of the query: the same bits as from any other engine."""
    scores = np.zeros(len(rows))
    damped = damping(lengths.tokens[rows], lengths.average)
    for weight, postings in terms:
        hits, at = _looked_up(postings, rows)
        scores[hits] += weight * saturated(postings.halves[at] / 2.0, damped[hits])
    return scores
