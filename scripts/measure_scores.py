"""Measures what a profile's scores are worth as it ships: who loses an answer by the floor, who gets none, reliability.

    python scripts/measure_scores.py --cache DIR --profile hybrid [--questions N] [--plot FILE.svg] SET...

Each set is a folder as `octavo eval` takes them, with `:qrels=FILE` behind it for another of its splits, its library in
DIR, where `octavo eval` keeps it. Its own questions are answerable; those of the other sets are not. Prints a row of a
table for each set and draws, for each, how often hits of a score are relevant.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.preparing import recipe_of
from octavo.evaluation.dataset import Dataset, Files, read_dataset
from octavo.evaluation.evaluate import PROJECT, grouped, names_of, place_of
from octavo.model.query import Query
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles import PROFILES
from octavo.retrieval.relevance import with_relevance
from octavo.retrieval.stage import Search

SHOWN = 10
BINS = 5
_SIDE, _GAP, _ACROSS = 120, 44, 4


@dataclass
class Measured:
    """Of one set: questions with a relevant hit, those that lost the first of them, and so on."""

    name: str
    answerable: int = 0
    lost: int = 0
    shown: int = 0
    unanswerable: int = 0
    empty: int = 0
    judged: list[tuple[float, bool]] = field(default_factory=list)

    @property
    def row(self) -> str:
        empty = self.empty / max(1, self.unanswerable)
        hits = self.shown / max(1, self.answerable)
        questions = f"{self.answerable} | {self.lost} | {self.unanswerable}"
        return f"| {self.name} | {questions} | {empty:.0%} | {hits:.1f} | {self.error:.3f} |"

    @property
    def bins(self) -> list[tuple[float, float, int]]:
        """Mean score, share of relevant hits and number of hits, for each fifth of the scale that has some."""
        found = []
        for at in range(BINS):
            some = [one for one in self.judged if min(int(one[0] * BINS), BINS - 1) == at]
            if some:
                size = len(some)
                found.append((sum(score for score, _ in some) / size, sum(right for _, right in some) / size, size))
        return found

    @property
    def error(self) -> float:
        """The expected calibration error: how far scores and shares are apart, by the hits."""
        return sum(abs(score - share) * size for score, share, size in self.bins) / max(1, len(self.judged))


def measured(engine: Engine, dataset: Dataset, others: Sequence[Dataset], profile: str, most: int) -> Measured:
    documents = names_of(grouped(dataset, None)).documents
    found = Measured(dataset.name)
    for question in dataset.sample(most).questions:
        judged = dataset.qrels.get(question.id, {})
        every, kept = answers(engine, question.text, profile)
        right = [any(judged.get(documents[place], 0) > 0 for place in hit[1]) for hit in every]
        found.judged += [(score, is_right) for (score, _), is_right in zip(every, right, strict=True)]
        if any(right):
            found.answerable += 1
            found.shown += kept
            found.lost += right.index(True) >= kept
    for text in strange(others, most):
        every, kept = answers(engine, text, profile)
        found.judged += [(score, False) for score, _ in every]
        found.unanswerable += 1
        found.empty += kept == 0
    return found


def strange(others: Sequence[Dataset], most: int) -> Iterator[str]:
    for other in others:
        yield from (question.text for question in other.sample(max(5, most // len(others))).questions)


def answers(engine: Engine, text: str, name: str) -> tuple[list[tuple[float, tuple[tuple[str, str], ...]]], int]:
    """Scores and places of the first hits as if there was no floor, and how many of them there are with it."""
    profile = PROFILES[name]
    if profile.calibration is None:
        raise SystemExit(f"{name} has no calibration")
    library, parsed = engine.reader.searched(), engine.reader.parsed(Query(text, limit=SHOWN))
    with engine.store.reading():
        candidates, _ = run(profile, parsed, library)
        search = Search(parsed, library)
        every = with_relevance(search, candidates, profile.calibration, floor=False)[:SHOWN]
        kept = with_relevance(search, candidates, profile.calibration)[:SHOWN]
    return [(hit.score, tuple(hit.places)) for hit in every], len(kept)


def drawn(sets: Sequence[Measured]) -> str:
    """One square for each set: the score across, the share of relevant hits upwards, the diagonal where both agree."""
    step = _SIDE + _GAP
    width, height = step * min(len(sets), _ACROSS), step * -(-len(sets) // _ACROSS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="10">',
        "<title>How often hits of a score are relevant, set by set</title>",
    ]
    for place, one in enumerate(sets):
        left, top = step * (place % _ACROSS) + _GAP // 2, step * (place // _ACROSS) + _GAP // 2
        parts.append(f'<g transform="translate({left} {top})"><text y="-5">{one.name}</text>')
        parts.append(f'<rect width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>')
        parts.append(f'<line x1="0" y1="{_SIDE}" x2="{_SIDE}" y2="0" stroke="#bbb" stroke-dasharray="3"/>')
        points = [(round(score * _SIDE, 1), round((1 - share) * _SIDE, 1), size) for score, share, size in one.bins]
        parts.append(f'<polyline points="{" ".join(f"{x},{y}" for x, y, _ in points)}" fill="none" stroke="#36c"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3"><title>{size} hits</title></circle>' for x, y, size in points]
        parts.append("</g>")
    return "\n".join((*parts, "</svg>", ""))


def read(given: str) -> Dataset:
    folder, _, qrels = given.partition(":qrels=")
    return read_dataset(Path(folder), Files(qrels=Path(folder) / qrels) if qrels else Files())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="where `octavo eval` keeps the libraries of its sets")
    parser.add_argument("--profile", default="hybrid")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--plot", type=Path, help="an SVG file to draw")
    parser.add_argument("sets", nargs="+")
    options = parser.parse_args()
    datasets = [read(given) for given in options.sets]
    config, found = Config(), list[Measured]()
    print("| set | answerable | lost | unanswerable | without a hit | hits shown | error |")
    print("|---|---|---|---|---|---|---|")
    for given, dataset in zip(options.sets, datasets, strict=True):
        folder, _ = place_of(options.cache, dataset, None, recipe_of(config))
        newest = max(folder.glob("*.db"), key=lambda path: path.stat().st_mtime)
        others = [*{other.name: other for other in datasets if other.name != dataset.name}.values()]
        with open_engine(replace(config, library=newest, project=PROJECT)) as engine:
            found.append(measured(engine, dataset, others, options.profile, options.questions))
            found[-1].name = given.rpartition("/")[2].replace(":qrels=qrels.", ", ").removesuffix(".tsv")
        print(found[-1].row, flush=True)
    if options.plot:
        options.plot.write_text(drawn(found), encoding="utf-8")


if __name__ == "__main__":
    main()
