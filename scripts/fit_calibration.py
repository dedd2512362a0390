"""Fits the calibration of a retrieval profile: what a score means, and below which nothing matches.

    python scripts/fit_calibration.py --cache DIR --profile hybrid --fit SET... --check SET...

Each set is a folder as `octavo eval` takes them, with `:qrels=FILE` behind it for another of its splits. Its own
questions are answerable; the questions of the other sets are not. Coefficients come from every other question of the
sets of `--fit` by logistic regression; the floor and then the tail are the highest at which in no set more than one
answerable question in a hundred loses its first relevant hit. The error of a set is that of the questions which took no
part in the fit, and once more with the whole set left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, chain
from pathlib import Path

import numpy as np

from octavo.algorithms.calibration import AnswerEvidence, Calibration
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.preparing import recipe_of
from octavo.evaluation.dataset import Dataset, Files, read_dataset
from octavo.evaluation.evaluate import PROJECT, grouped, names_of, place_of
from octavo.model.query import Query
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles import PROFILES
from octavo.retrieval.relevance import evidence, is_kin
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.exact_match import EXACT
from octavo.retrieval.stages.steps import shares

SHOWN = 10
MOST_LOST = 0.01
RIDGE = 1e-3


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its first hits: the share each has of the best score, and whether it is right."""

    found_in: str
    own: bool
    evidence: AnswerEvidence
    shares: tuple[float, ...]
    kin: tuple[bool, ...]
    right: tuple[bool, ...]
    exact: bool


def answers(
    engine: Engine, name: str, dataset: Dataset, others: Sequence[Dataset], profile: str, most: int
) -> Iterator[Asked]:
    documents = names_of(grouped(dataset, None)).documents
    for source in (dataset, *others):
        for question in source.sample(most if source is dataset else max(10, most // len(others))).questions:
            library, parsed = engine.reader.searched(), engine.reader.parsed(Query(question.text, limit=SHOWN))
            with engine.store.reading():
                candidates, _ = run(PROFILES[profile], parsed, library)
                first = candidates[:SHOWN]
                found = evidence(Search(parsed, library), candidates)
            judged = dataset.qrels.get(question.id, {}) if source is dataset else {}
            right = tuple(any(judged.get(documents[place], 0) > 0 for place in hit.places) for hit in first)
            exact = any(step.stage == EXACT for hit in first for step in hit.steps)
            kin = tuple(place > 0 and is_kin(hit, first[0]) for place, hit in enumerate(first))
            yield Asked(name, source is dataset, found, tuple(shares(candidates)[:SHOWN]), kin, right, exact)


def fitted(asked: Sequence[Asked]) -> Calibration:
    """Logistic regression by Newton's method; every set counts the same."""
    rows = [
        (1.0, share, *query.evidence, float(kin), float(right), query.found_in)
        for query in asked
        if not query.exact  # what holds the query whole is no matter of likelihood
        for share, kin, right in zip(query.shares, query.kin, query.right, strict=True)
    ]
    x = np.array([row[:-2] for row in rows])
    y = np.array([row[-2] for row in rows])
    sizes = Counter(row[-1] for row in rows)
    weights = np.array([len(rows) / len(sizes) / sizes[row[-1]] for row in rows])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-x @ beta))
        gradient = x.T @ (weights * (y - p)) - RIDGE * beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if abs(step).max() < 1e-9:
            break
    bias, share, cosine, words, lead, kin = map(float, beta.round(3))
    return Calibration(bias, share, cosine, words, lead=lead, kin=kin)


def relevances(query: Asked, calibration: Calibration) -> list[float]:
    """Never rising, as hits are shown."""
    hits = zip(query.shares, query.kin, strict=True)
    return list(accumulate((calibration.relevance(share, query.evidence, kin=kin) for share, kin in hits), min))


def error(asked: Sequence[Asked], calibration: Calibration) -> float:
    """The mean distance of scores from how often hits of a score are right, by fifths of the scale."""
    hits = [
        hit
        for query in asked
        if not query.exact
        for hit in zip(relevances(query, calibration), query.right, strict=True)
    ]
    fifths = [[hit for hit in hits if min(int(hit[0] * 5), 4) == fifth] for fifth in range(5)]
    return sum(abs(sum(score - right for score, right in some)) for some in fifths) / max(1, len(hits))


def figures(asked: Sequence[Asked], calibration: Calibration) -> tuple[float, float, float]:
    """Shares of answerable questions that lose their first relevant hit and of unanswerable ones with no hit; hits."""
    lost = answerable = empty = unanswerable = shown = 0
    for query in asked:
        values = relevances(query, calibration)
        found = query.evidence
        is_answer = found.words == 1.0 or calibration.relevance(1.0, found._replace(lead=0.0)) >= calibration.floor
        kept = sum(value >= calibration.tail * values[0] ** 2 for value in values) if is_answer else 0
        kept = len(values) if query.exact else kept
        if not query.own:
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

    steps = np.round(np.arange(0.0, 0.2, 0.002), 3)
    floor = max((step for step in steps if bearable(replace(calibration, floor=float(step)))), default=0.0)
    calibration = replace(calibration, floor=float(floor))
    tail = max((step for step in steps if bearable(replace(calibration, tail=float(step)))), default=0.0)
    return replace(calibration, tail=float(tail))


def read(given: str) -> Dataset:
    folder, _, qrels = given.partition(":qrels=")
    return read_dataset(Path(folder), Files(qrels=Path(folder) / qrels) if qrels else Files())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="where `octavo eval` keeps the libraries of its sets")
    parser.add_argument("--profile", default="hybrid")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--fit", nargs="+", required=True)
    parser.add_argument("--check", nargs="*", default=[], help="sets to measure the outcome on")
    parser.add_argument("--ask", nargs="*", default=[], help="sets of which only the questions are used")
    options = parser.parse_args()
    datasets = {given: read(given) for given in (*options.fit, *options.check)}
    strangers = [read(given) for given in options.ask]
    config, asked = Config(), dict[str, list[Asked]]()
    for given, dataset in datasets.items():
        folder, _ = place_of(options.cache, dataset, None, recipe_of(config))
        newest = max(folder.glob("*.db"), key=lambda path: path.stat().st_mtime)
        others = {other.name: other for other in (*datasets.values(), *strangers) if other.name != dataset.name}
        with open_engine(replace(config, library=newest, project=PROJECT)) as engine:
            found = answers(engine, given, dataset, [*others.values()], options.profile, options.questions)
            asked[given] = list(found)
    used = {given: asked[given][::2] for given in options.fit}
    calibration = chosen([query for some in asked.values() for query in some], fitted([*chain(*used.values())]))
    rows = []
    for given, dataset in datasets.items():
        held_back = asked[given][1::2] if given in used else asked[given]
        elsewhere = [some for other, some in used.items() if datasets[other].name != dataset.name]
        lost, empty, shown = figures(asked[given], calibration)
        row = {"set": given, "lost": lost, "empty": empty, "shown": shown, "error": error(held_back, calibration)}
        rows.append(row | {"error, set left out": error(asked[given], fitted([*chain(*elsewhere)]))})
    json.dump({"profile": options.profile, "calibration": asdict(calibration), "sets": rows}, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
