"""Asks every question, writes down the ranking and its quality, times a sample of the answers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Protocol

from octavo.algorithms.ranking.ranking_metrics import average_precision, ndcg_at, recall_at, reciprocal_rank_at
from octavo.errors import InvalidArgument, StorageError
from octavo.evaluation.beir_dataset import Dataset, Question
from octavo.fast_dataclass import Value, replace
from octavo.lazy_regex import regex

_RANKED: dict[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    "ndcg@10": partial(ndcg_at, k=10),
    "recall@10": partial(recall_at, k=10),
    "recall@100": partial(recall_at, k=100),
    "mrr@10": partial(reciprocal_rank_at, k=10),
    "map": average_precision,
}
RANKED = tuple(_RANKED)
"""The measures that every question has, in the order in which they are shown."""

DIVERSITY = "diversity@10"
LATENCY = ("latency_ms_p50", "latency_ms_p95")
MEASURES = (*RANKED, DIVERSITY, *LATENCY)

_WORD = regex(r"\w+")

Qrels = Mapping[str, Mapping[str, int]]
Scores = dict[str, dict[str, float]]
"""Measure → question → value."""


def score_rankings(qrels: Qrels, rankings: Mapping[str, Sequence[str]]) -> Scores:
    """Each question's value under each of `RANKED`. A question without a ranking counts as 0.

    Documents are best first, and their order alone counts. How grades, cut-offs and documents that nobody judged are
    taken is said in `algorithms.ranking.ranking_metrics`.
    """
    return {
        name: {question: measure(rankings.get(question, ()), grades) for question, grades in qrels.items()}
        for name, measure in _RANKED.items()
    }


def diversity(texts: Sequence[str], limit: int = 10) -> float | None:
    """How little the first hits repeat each other: 1 − the mean Jaccard similarity of their sets of words, all pairs.

    1 when no two share a word, 0 when all have the same, None with fewer than two hits. Worked example:
    "a b", "b c", "d" → similarities 1/3, 0, 0 → 1 − 1/9 = 0.889.
    """
    words = [frozenset(_WORD.findall(text.casefold())) for text in texts[:limit]]
    pairs = list(combinations(words, 2))
    if not pairs:
        return None
    similar = math.fsum(len(a & b) / len(a | b) if a or b else 1.0 for a, b in pairs)
    return 1.0 - similar / len(pairs)


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie, between neighbours by proportion (as numpy's default)."""
    ordered = sorted(values)
    if not ordered:
        return 0.0
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


DEPTH = 100
TIMED = 200
_STEP = 1e-6
_SINGLE_STEP = 2.0**-21
"""Of a score: several times what single precision can tell apart."""


class Ranked(Value):
    """A document of the data set with the score of its best chunk."""

    document: str
    score: float


class Contender(Protocol):
    """What is measured: something that ranks documents for a question, and answers it as a user would see it."""

    def rank(self, question: Question, depth: int) -> Sequence[Ranked]:
        """At least `depth` documents where there are as many, each once, best first."""

    def answer(self, question: Question) -> Sequence[str]:
        """The texts of the ten hits a user would be shown. This is the call whose time is taken."""


class EvaluationRun(Value):
    """One profile over one data set: every ranking, and what it is worth question by question."""

    dataset: str
    digest: str
    profile: str
    rankings: Mapping[str, tuple[Ranked, ...]]
    scores: Mapping[str, Mapping[str, float]]
    latencies_ms: tuple[float, ...]

    @property
    def questions(self) -> int:
        return len(self.rankings)

    @property
    def metrics(self) -> dict[str, float]:
        """Every measure that something was measured for."""
        means = {name: mean(list(values.values())) for name, values in self.scores.items() if values}
        if not self.latencies_ms:
            return means
        shares = zip(LATENCY, (0.5, 0.95), strict=True)
        return means | {name: percentile(self.latencies_ms, share) for name, share in shares}


def run_dataset(
    dataset: Dataset,
    profile: str,
    contender: Contender,
    *,
    depth: int = DEPTH,
    timed: int = TIMED,
    advance: Callable[[int], None] = lambda count: None,
    clock: Callable[[], float] = time.perf_counter,
) -> EvaluationRun:
    """The timed answer comes before the deep ranking, so that it cannot profit from a cached query vector."""
    chosen = _spread(dataset.questions, timed)
    if chosen:
        # The first search of a process loads the model and the vectors. In other words, lest its vector be remembered.
        contender.answer(replace(chosen[0], text=f"{chosen[0].text} again"))
    measured = {question.id for question in chosen}
    rankings: dict[str, tuple[Ranked, ...]] = {}
    latencies: list[float] = []
    variety: dict[str, float] = {}
    for question in dataset.questions:
        if question.id in measured:
            started = clock()
            hits = contender.answer(question)
            latencies.append((clock() - started) * 1e3)
            value = diversity(hits)
            if value is not None:
                variety[question.id] = value
        rankings[question.id] = tuple(contender.rank(question, depth))
        advance(1)
    documents = {question: [hit.document for hit in ranking] for question, ranking in rankings.items()}
    scores = score_rankings(dataset.qrels, documents)
    return EvaluationRun(
        dataset.name, dataset.digest, profile, rankings, scores | {DIVERSITY: variety}, tuple(latencies)
    )


def best_per_document(ranked: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Chunks in order → documents in order: each stands where its best chunk stood."""
    best: dict[str, Ranked] = {}
    for hit in ranked:
        best.setdefault(hit.document, hit)
    return tuple(best.values())


def write_trec(path: Path, run: EvaluationRun) -> None:
    """The run in TREC's six columns: query, Q0, document, rank, score, tag. Spaces in ids become `_`.

    trec_eval sorts by score again, in single precision, and breaks ties by id: written scores fall with every rank by
    more than it can overlook.
    """
    lines = []
    for question, ranking in run.rankings.items():
        score = math.inf
        for rank, ranked in enumerate(ranking, 1):
            score = min(ranked.score, score - max(_STEP, abs(ranked.score) * _SINGLE_STEP))
            row = (_word(question), "Q0", _word(ranked.document), str(rank), f"{score:.6f}", _word(run.profile))
            lines.append(" ".join(row) + "\n")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines), encoding="utf-8", newline="\n")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error


def scope_of(item: Mapping[str, Any], key: str, what: str) -> str:
    """The group a record or a question belongs to."""
    value = item.get(key)
    if value is None or isinstance(value, (dict, list)):
        raise InvalidArgument(f"{what} has no metadata field {key}", hint="--scope names a field of every document")
    return str(value)


def _spread(questions: Sequence[Question], count: int) -> Sequence[Question]:
    total = len(questions)
    return questions if count >= total else [questions[index * total // count] for index in range(count)]


def _word(text: str) -> str:
    return "_".join(text.split()) or "_"
