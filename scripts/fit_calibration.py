"""Fits the calibration of a retrieval profile: what a score means, and below which nothing matches.

    python scripts/fit_calibration.py --cache DIR --profile hybrid --fit SET... --check SET...

Each set is a folder as `octavo eval` takes them. Its own questions are answerable; the questions of the other sets are
not. Coefficients come from the sets of `--fit` by logistic regression, the floor is the highest at which in no set more
than one answerable question in a hundred loses its first relevant hit.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.calibration import Calibration, Evidence
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.preparing import recipe_of
from octavo.evaluation.dataset import Dataset, Files, read_dataset
from octavo.model.query import Query
from octavo.operations.evaluation.evaluate import PROJECT, grouped, names_of, place_of
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles import PROFILES
from octavo.retrieval.relevance import evidence
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.exact import EXACT
from octavo.retrieval.stages.steps import shares

SHOWN = 10
MOST_LOST = 0.01
RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its first hits: the share each has of the best score, and whether it is right."""

    found_in: str
    asked_of: str
    evidence: Evidence
    shares: tuple[float, ...]
    right: tuple[bool, ...]
    exact: bool


def answers(engine: Engine, dataset: Dataset, others: Sequence[Dataset], profile: str, most: int) -> Iterator[Asked]:
    documents = names_of(grouped(dataset, None)).documents
    for source in (dataset, *others):
        for question in source.sample(most if source is dataset else max(10, most // len(others))).questions:
            library, parsed = engine.reader.searched(), engine.reader.parsed(Query(question.text, limit=SHOWN))
            with engine.store.reading():
                candidates, _ = run(PROFILES[profile], parsed, library)
                first = candidates[:SHOWN]
                found = evidence(Search(parsed, library), candidates)
            judged = dataset.qrels.get(question.id, {}) if source is dataset else {}
            right = tuple(judged.get(documents[hit.collection, hit.uri], 0) > 0 for hit in first)
            exact = any(step.stage == EXACT for hit in first for step in hit.steps)
            yield Asked(dataset.name, source.name, found, tuple(shares(candidates)[:SHOWN]), right, exact)


def fitted(asked: Sequence[Asked]) -> NDArray[np.float64]:
    """Logistic regression by Newton's method; every set counts the same."""
    rows = [
        (1.0, share, query.evidence.cosine, query.evidence.words, float(right), query.found_in)
        for query in asked
        for share, right in zip(query.shares, query.right, strict=True)
    ]
    x = np.array([row[:4] for row in rows])
    y = np.array([row[4] for row in rows])
    sets = [row[5] for row in rows]
    weights = np.array([1.0 / sets.count(name) for name in sets])
    weights *= len(rows) / weights.sum()
    beta = np.zeros(4)
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-x @ beta))
        gradient = x.T @ (weights * (y - p)) - RIDGE * beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(4)
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if abs(step).max() < 1e-9:
            break
    return beta


def figures(asked: Sequence[Asked], calibration: Calibration) -> tuple[float, float, float]:
    """Shares of answerable questions that lose their first relevant hit and of unanswerable ones with no hit; hits."""
    lost = answerable = empty = unanswerable = shown = 0
    for query in asked:
        values = [calibration.relevance(share, query.evidence) for share in query.shares]
        best = max(values, default=0.0)
        kept = sum(value >= calibration.tail * best**2 for value in values) if best >= calibration.floor else 0
        kept = len(values) if query.exact else kept
        if query.found_in != query.asked_of:
            unanswerable += 1
            empty += kept == 0
        elif any(query.right):
            answerable += 1
            shown += kept
            lost += query.right.index(True) >= kept
    return lost / max(1, answerable), empty / max(1, unanswerable), shown / max(1, answerable)


def chosen(asked: Sequence[Asked], calibration: Calibration) -> Calibration:
    """The highest floor, then the highest tail, at which no set loses more than it may."""
    names = sorted({query.found_in for query in asked})

    def bearable(tried: Calibration) -> bool:
        return all(
            figures([query for query in asked if query.found_in == name], tried)[0] <= MOST_LOST for name in names
        )

    steps = np.round(np.arange(0.0, 0.6, 0.002), 3)
    floor = max((step for step in steps if bearable(replace(calibration, floor=float(step)))), default=0.0)
    calibration = replace(calibration, floor=float(floor))
    tail = max((step for step in steps if bearable(replace(calibration, tail=float(step)))), default=0.0)
    return replace(calibration, tail=float(tail))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="where `octavo eval` keeps the libraries of its sets")
    parser.add_argument("--profile", default="hybrid")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--fit", type=Path, nargs="+", required=True)
    parser.add_argument("--check", type=Path, nargs="*", default=[], help="sets to measure the outcome on")
    parser.add_argument("--ask", type=Path, nargs="*", default=[], help="sets of which only the questions are used")
    options = parser.parse_args()
    datasets = [read_dataset(path, Files()) for path in (*options.fit, *options.check)]
    strangers = [read_dataset(path, Files()) for path in options.ask]
    config, asked = Config(), list[Asked]()
    for dataset in datasets:
        folder, _ = place_of(options.cache, dataset, None, recipe_of(config))
        newest = max(folder.glob("*.db"), key=lambda path: path.stat().st_mtime)
        with open_engine(replace(config, library=newest, project=PROJECT)) as engine:
            others = [other for other in (*datasets, *strangers) if other is not dataset]
            asked += answers(engine, dataset, others, options.profile, options.questions)
    fit_on = {dataset.name for dataset in datasets[: len(options.fit)]}
    used = [query for query in asked if query.found_in in fit_on]
    bias, share, cosine, words = map(float, fitted(used).round(3))
    calibration = chosen(used, Calibration(bias, share, cosine, words, 0.0, 0.0))
    rows = []
    for dataset in datasets:
        lost, empty, shown = figures([query for query in asked if query.found_in == dataset.name], calibration)
        rows.append(
            {"set": dataset.name, "fitted": dataset.name in fit_on, "lost": lost, "empty": empty, "shown": shown}
        )
    json.dump({"profile": options.profile, "calibration": asdict(calibration), "sets": rows}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
