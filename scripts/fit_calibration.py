"""Fits the calibration of a retrieval profile: what a score means, and when nothing matches.

    python scripts/fit_calibration.py SET... [--profile hybrid] [--questions N] [--shipped] [--plot FILE.svg]
        [--code QUERIES.jsonl=CHECKOUT]...

A SET is written as for `octavo eval table`, turns of conversations with their scope (`locomo:scope=conversation`),
without which they are notes of no series; its library is made where the cache has none. Its own questions are
answerable, those of the other sets are not. What people type is asked as well: rare words, names and phrases of its
documents, answered by the documents that hold them. Coefficients come from every other question by logistic regression;
the floor is the highest at which in no set more than one answerable question, or one in a hundred, has no hit left.
Prints a row for each set (the error once more with the whole set left out of the fit) and then the coefficients.
`--shipped` fits nothing; `--plot` draws how often hits of a score are relevant.

With `--code`, what is right where a declaration is the best hit is fitted too, by itself: tasks in a checkout with the
declarations that answer them, as `benchmarks/code_tasks.py` writes them; tasks of the other checkouts and questions of
the sets are strange there.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from octavo.algorithms.ranking.relevance_calibration import AnswerEvidence, Calibration, HitSigns
from octavo.config.layered_config_loading import load
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.evaluation.beir_dataset import Dataset, Question, read_dataset
from octavo.evaluation.dataset_evaluation import (
    PROJECT,
    EvaluateRequest,
    Names,
    cache_folder,
    evaluate_profiles,
    grouped,
    names_of,
    request_of,
)
from octavo.evaluation.measured_query_run import scope_of
from octavo.interfaces.cli.progress import progress
from octavo.model.document import Kind
from octavo.model.library_location import Location
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters, Query
from octavo.model.search_result import Candidate
from octavo.retrieval.hit_relevance import scale_of
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stage import Search

SHOWN = 10
MOST_LOST = 0.01
KEPT_OF_FLOOR = 0.5  # questions that share no word with their answer are in no set, and their best hit is less relevant
RIDGE = 1e-3
BINS = 5
_SIDE, _GAP, _ACROSS = 120, 44, 4
_FEW = 3  # documents that a typed string may stand in
_TYPED = (
    re.compile(r"(?<![\w.-])[^\W\d_]{5,20}(?![\w.-])"),
    re.compile(r"(?<![\w.-])(?:[a-z]+(?:[A-Z][a-z0-9]+)+|[a-z]+(?:_[a-z0-9]+)+|\d+(?:\.\d+){1,3})(?![\w.-])"),
    re.compile(r"(?<![\w.-])[^\W\d_]{3,} [^\W\d_]{3,} [^\W\d_]{3,}(?![\w.-])"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its first hits: what speaks for each, and whether it is right."""

    found_in: str
    kind: str  # own, strange or typed
    evidence: AnswerEvidence
    hits: tuple[tuple[HitSigns, bool], ...]

    def scored(self, calibration: Calibration) -> list[tuple[float, bool]]:
        """The relevance of each hit and whether it is right, in the order they are shown."""
        scores = ((calibration.relevance(self.evidence, signs), right) for signs, right in self.hits)
        return sorted(scores, key=lambda hit: -hit[0])

    def shown(self, calibration: Calibration) -> int:
        """How many of the hits are shown."""
        scores = [score for score, _ in self.scored(calibration)]
        exact = max((signs.exact for signs, _ in self.hits), default=0.0)
        if not scores or not calibration.is_answered(self.evidence, exact):
            return 0
        return sum(calibration.is_shown(score, scores[0]) for score in scores)


def library_of(text: str) -> tuple[EvaluateRequest, Dataset, Location]:
    """The data set that a text names, and its library."""
    request, _ = request_of(text, (), "ndcg@10")
    one = replace(request, limit_queries=1, timed_queries=0)
    made = evaluate_profiles(load({}).config, one, [PROFILES["lexical_only"]], cache_folder(), progress(quiet=False))
    return request, read_dataset(request.dataset, request.files), made.library


def asked_in(
    engine: Engine, name: str, request: EvaluateRequest, dataset: Dataset, strangers: Sequence[str], most: int, by: str
) -> Iterator[Asked]:
    """The set's own questions, those of other sets, and strings of its documents."""
    names = names_of(grouped(dataset, request.scope))
    own = dataset.sample(most).questions
    for question in own:
        judged = {document for document, grade in dataset.qrels.get(question.id, {}).items() if grade > 0}
        yield ask(engine, name, "own", question.text, _within(request, names, question), names, judged, by)
    for at, text in enumerate(strangers):
        yield ask(engine, name, "strange", text, _within(request, names, own[at % len(own)]), names, set(), by)
    if request.scope is None:
        for text, documents in typed(dataset, max(10, most // 3)).items():
            yield ask(engine, name, "typed", text, Filters(), names, documents, by)


def _within(request: EvaluateRequest, names: Names, question: Question) -> Filters:
    if request.scope is None:
        return Filters()
    group = scope_of(question.metadata, request.scope, question.id)
    return Filters(collections=(names.collections[group],))


def ask(
    engine: Engine, name: str, kind: str, text: str, filters: Filters, names: Names, judged: set[str], by: str
) -> Asked:
    def right(candidate: Candidate) -> bool:
        return any(names.documents[place] in judged for place in candidate.places)

    return _asked(engine, name, kind, text, filters, right, by)


def _asked(
    engine: Engine, name: str, kind: str, text: str, filters: Filters, right: Callable[[Candidate], bool], by: str
) -> Asked:
    profile, library = PROFILES[by], engine.reader.searched()
    query = engine.reader.parsed(Query(text, limit=SHOWN, filters=filters))
    with engine.store.reading():
        candidates, _ = run(profile, query, library)
        if not candidates:
            return Asked(name, kind, AnswerEvidence(0.0, 0.0), ())
        own = scale_of(Search(query, library), candidates, Calibration(0.0, 0.0, 0.0, 0.0))
        scale, known = own, {}
        if not filters.empty:
            everywhere = replace(query, filters=Filters())
            whole, _ = run(profile, everywhere, library)
            scale = scale_of(Search(everywhere, library), whole, own.calibration)
            known = {candidate.key: candidate for candidate in whole}
    shown = candidates[:SHOWN]
    signs = scale.signs(known.get(candidate.key, candidate) for candidate in shown)
    hits = [(each, right(candidate)) for each, candidate in zip(signs, shown, strict=True)]
    return Asked(name, kind, scale.evidence, tuple(hits))


def asked_of_code(queries: Path, checkout: Path, strangers: Sequence[str], most: int, by: str) -> Iterator[Asked]:
    """Tasks in a checkout, each with its declarations, and what nothing in it answers."""
    library = cache_folder() / f"code-{checkout.name}.db"
    library.parent.mkdir(parents=True, exist_ok=True)
    with closing(open_engine(replace(load({}).config, library=library, project=PROJECT), create=True)) as engine:
        if not engine.collections():
            engine.add_collection("code", checkout, CollectionSettings(history=False))
        engine.index(wait_full=True)
        for task in tasks_of(queries)[:most]:
            yield _ask_code(engine, checkout.name, "own", task["query"], task["gold"], by)
        for text in strangers:
            yield _ask_code(engine, checkout.name, "strange", text, (), by)


def tasks_of(queries: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in queries.read_text("utf-8").splitlines()]


def _ask_code(engine: Engine, name: str, kind: str, text: str, gold: Sequence[Mapping[str, Any]], by: str) -> Asked:
    def right(candidate: Candidate) -> bool:
        first, last = candidate.lines
        return any(
            candidate.uri == part["path"] and first <= part["end_line"] and part["start_line"] <= last for part in gold
        )

    asked = _asked(engine, name, kind, text, Filters(kinds=(Kind.CODE,)), right, by)
    # Where a note is the best hit of the whole library it has a title, which a declaration has not.
    return replace(asked, evidence=asked.evidence._replace(title=0.0))


def typed(dataset: Dataset, most: int) -> Mapping[str, set[str]]:
    """Strings that stand in few of the documents, with those documents."""
    chance, texts = random.Random(7), {record.id: f"{record.title}\n{record.text}" for record in dataset.records}
    drawn: dict[str, set[str]] = {}
    for pattern in _TYPED:
        holding: defaultdict[str, set[str]] = defaultdict(set)
        for document, text in texts.items():
            for string in {*pattern.findall(text)}:
                holding[string].add(document)
        few = sorted(string for string, documents in holding.items() if len(documents) <= _FEW)
        for string in chance.sample(few, min(most // len(_TYPED), len(few))):
            folded = string.casefold()
            drawn[string] = {document for document, text in texts.items() if folded in text.casefold()}
    return drawn


def fitted(asked: Sequence[Asked]) -> Calibration:
    """By questions, and what an exact match is worth by all that was asked: among questions alone it is rare, and typed
    words alone would credit it with what their cosines lack."""
    questions = _regression([query for query in asked if query.kind != "typed"])
    return replace(questions, exact=_regression(asked).exact)


def _regression(asked: Sequence[Asked]) -> Calibration:
    """Logistic regression by Newton's method; every set counts the same."""
    rows = [(query, signs, right) for query in asked for signs, right in query.hits]
    x = np.array([_columns(query.evidence, signs) for query, signs, _ in rows], dtype=float)
    y = np.array([right for *_, right in rows], dtype=float)
    sizes = Counter(query.found_in for query, *_ in rows)
    weights = np.array([len(rows) / len(sizes) / sizes[query.found_in] for query, *_ in rows])
    beta = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-x @ beta))
        gradient = x.T @ (weights * (y - p)) - RIDGE * beta
        hessian = (x * (weights * p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if abs(step).max() < 1e-9:
            break
    bias, cosine, words, title, share, exact, lead = map(float, beta.round(3))
    return Calibration(bias, share, cosine, words, lead=lead, title=title, exact=exact)


def _columns(evidence: AnswerEvidence, signs: HitSigns) -> tuple[float, ...]:
    """What each coefficient is multiplied by."""
    of_query = 1.0, evidence.cosine, evidence.words, evidence.title
    return *of_query, signs.share, signs.exact, signs.kin * evidence.lead


def bins(asked: Sequence[Asked], calibration: Calibration) -> list[tuple[float, float, int]]:
    """Mean score, share of relevant hits and number of hits, for each fifth of the scale that has some."""
    hits = [hit for query in asked if query.kind != "typed" for hit in query.scored(calibration)]
    found = []
    for at in range(BINS):
        some = [hit for hit in hits if min(int(hit[0] * BINS), BINS - 1) == at]
        if some:
            size = len(some)
            found.append((sum(score for score, _ in some) / size, sum(right for _, right in some) / size, size))
    return found


def error(asked: Sequence[Asked], calibration: Calibration) -> float:
    """The expected calibration error: how far scores and shares are apart, by the hits."""
    found = bins(asked, calibration)
    return sum(abs(score - share) * size for score, share, size in found) / max(1, sum(size for *_, size in found))


@dataclass(frozen=True, slots=True)
class Figures:
    """Of answerable questions how many lose all hits to the floor, and how many every right one to the list's end; how
    many hits they show and how many of these are right. Of unanswerable ones how many have no hit."""

    lost: float
    hidden: float
    shown: float
    precision: float
    empty: float
    answerable: int


def figures(asked: Sequence[Asked], calibration: Calibration) -> Figures:
    lost = hidden = answerable = empty = unanswerable = shown = right = 0
    for query in asked:
        kept, hits = query.shown(calibration), query.scored(calibration)
        if query.kind == "strange":
            unanswerable += 1
            empty += kept == 0
        elif query.kind == "own" and any(is_right for _, is_right in hits):
            answerable += 1
            shown += kept
            right += sum(is_right for _, is_right in hits[:kept])
            lost += kept == 0
            hidden += kept > 0 and not any(is_right for _, is_right in hits[:kept])
    own, strange = max(1, answerable), max(1, unanswerable)
    return Figures(lost / own, hidden / own, shown / own, right / max(1, shown), empty / strange, answerable)


def with_floor(asked: Mapping[str, Sequence[Asked]], calibration: Calibration) -> Calibration:
    """With the highest floor at which no set loses more than it may."""
    chosen = calibration
    for step in np.round(np.arange(0.002, 0.2, 0.002), 3):
        tried = replace(calibration, floor=float(step))
        found = [figures(some, tried) for some in asked.values()]
        if any(each.lost > max(MOST_LOST, 1 / max(1, each.answerable)) for each in found):
            break
        chosen = tried
    return chosen


def print_of_code(asked: Mapping[str, Sequence[Asked]], shipped: Calibration | None) -> None:
    """The same for code: a list of declarations is read to its end, so it ends later."""
    every = [*chain(*asked.values())]
    calibration = shipped or with_floor(asked, replace(_regression(every), ends=0.05))
    print("| code | lost | hidden | strange without a hit | hits shown | error | error, left out |")
    print("|---|---|---|---|---|---|---|")
    for name, some in asked.items():
        found = figures(some, calibration)
        elsewhere = [query for query in every if query.found_in != name]
        refit = calibration if shipped or not elsewhere else _regression(elsewhere)
        shares = f"{found.lost:.1%} | {found.hidden:.1%} | {found.empty:.0%} | {found.shown:.1f}"
        print(f"| {name} | {shares} | {error(some, calibration):.3f} | {error(some, refit):.3f} |")
    print(calibration)


def drawn(sets: Mapping[str, list[tuple[float, float, int]]]) -> str:
    """One square for each set: the score across, the share of relevant hits upwards, the diagonal where both agree."""
    step = _SIDE + _GAP
    width, height = step * min(len(sets), _ACROSS), step * -(-len(sets) // _ACROSS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-size="10">',
        "<title>How often hits of a score are relevant, set by set</title>",
    ]
    for place, (name, found) in enumerate(sets.items()):
        left, top = step * (place % _ACROSS) + _GAP // 2, step * (place // _ACROSS) + _GAP // 2
        parts.append(f'<g transform="translate({left} {top})"><text y="-5">{name}</text>')
        parts.append(f'<rect width="{_SIDE}" height="{_SIDE}" fill="none" stroke="#999"/>')
        parts.append(f'<line x1="0" y1="{_SIDE}" x2="{_SIDE}" y2="0" stroke="#bbb" stroke-dasharray="3"/>')
        points = [(round(score * _SIDE, 1), round((1 - share) * _SIDE, 1), size) for score, share, size in found]
        parts.append(f'<polyline points="{" ".join(f"{x},{y}" for x, y, _ in points)}" fill="none" stroke="#36c"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3"><title>{size} hits</title></circle>' for x, y, size in points]
        parts.append("</g>")
    return "\n".join((*parts, "</svg>", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--profile", default="hybrid")
    parser.add_argument("--questions", type=int, default=150)
    parser.add_argument("--shipped", action="store_true", help="measure the coefficients that the profile has")
    parser.add_argument("--code", action="append", default=[], metavar="QUERIES=CHECKOUT")
    parser.add_argument("--plot", type=Path, help="an SVG file to draw")
    options = parser.parse_args()
    most = options.questions
    made = {text: library_of(text) for text in options.sets}
    asked: dict[str, list[Asked]] = {}
    for text, (request, dataset, library) in made.items():
        others = {other.name: other for _, other, _ in made.values() if other.name != dataset.name}
        each = max(10, options.questions // max(1, len(others)))
        strangers = [question.text for other in others.values() for question in other.sample(each).questions]
        config = replace(load({}).config, library=library, project=PROJECT)
        with closing(open_engine(config)) as engine:
            asked[text] = list(asked_in(engine, text, request, dataset, strangers, most, options.profile))
    calibration = PROFILES[options.profile].calibration
    if not options.shipped or calibration is None:
        highest = with_floor(asked, fitted([*chain(*(some[::2] for some in asked.values()))]))
        calibration = replace(highest, floor=round(highest.floor * KEPT_OF_FLOOR, 3))
    print("| set | lost | hidden | strange without a hit | hits shown | of them right | error | error, set left out |")
    print("|---|---|---|---|---|---|---|---|")
    for text, (_, dataset, _) in made.items():
        found = figures(asked[text], calibration)
        elsewhere = [some for other, some in asked.items() if made[other][1].name != dataset.name]
        refit = fitted([*chain(*elsewhere)]) if elsewhere and not options.shipped else calibration
        held_back = asked[text] if options.shipped else asked[text][1::2]
        shares = f"{found.lost:.1%} | {found.hidden:.1%} | {found.empty:.0%}"
        errors = f"{error(held_back, calibration):.3f} | {error(asked[text], refit):.3f}"
        print(f"| {dataset.name} | {shares} | {found.shown:.1f} | {found.precision:.2f} | {errors} |")
    print(calibration)
    if options.code:
        checkouts = {Path(given.partition("=")[2]): Path(given.partition("=")[0]) for given in options.code}
        questions = [question.text for _, dataset, _ in made.values() for question in dataset.sample(20).questions]
        code: dict[str, list[Asked]] = {}
        for checkout, queries in checkouts.items():
            strange = [tasks_of(path)[:15] for other, path in checkouts.items() if other != checkout]
            strangers = [*(task["query"] for task in chain(*strange)), *questions]
            code[checkout.name] = list(asked_of_code(queries, checkout, strangers, most, options.profile))
        print_of_code(code, calibration.code if options.shipped else None)
    if options.plot:
        drawings = {dataset.name: bins(asked[text], calibration) for text, (_, dataset, _) in made.items()}
        options.plot.write_text(drawn(drawings), "utf-8")


if __name__ == "__main__":
    main()
