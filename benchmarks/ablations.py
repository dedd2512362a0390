"""What each stage of `hybrid` and `code` brings, and what it costs: the profile as it is against the one without it.

    ./dev bench ablations SET... [--code QUERIES.jsonl=CHECKOUT...] [--questions N] [--each N] [--jobs N]
        [--page FILE]

A SET is written as for `octavo eval table`; its library is made where the cache has none. Of all questions, or of N
that are evenly chosen, nDCG@10 is measured, or what the SET says. Strings of its documents are typed (`typed_queries`
draws them) and right where the first document holds them.
A line of QUERIES.jsonl has a `query` and the declarations that answer it (`gold`: `path`, `start_line`, `end_line`):
right is one among ten. Names that the checkouts define once are right where the definition is first; so are messages
with their placeholders filled, and lines of code, that stand in one declaration alone. `pinned` counts the ranks of
tests/golden/rankings that change without the stage. A fusion is not left out but exchanged for that of ranks.
Differences are what a stage brings; milliseconds are its mean. --page writes the tables between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any
from unittest.mock import patch

from definitions import FORMS, Definition, definitions
from typed_queries import typed

from octavo.config.layered_config_loading import load
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.evaluation.beir_dataset import read_dataset
from octavo.evaluation.dataset_evaluation import PROJECT, cache_folder, evaluate_profiles, grouped, names_of, request_of
from octavo.evaluation.measured_query_run import scope_of, score_rankings
from octavo.evaluation.report import markdown_table, replaced
from octavo.fast_dataclass import replace
from octavo.interfaces.cli.progress import progress
from octavo.model.document import Kind
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters, Query
from octavo.model.search_result import Candidate, Citation, Ranking
from octavo.retrieval.built_in_profiles import code, notes_and_documentation
from octavo.retrieval.pipeline import run
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stage import RetrievalProfile, Search, SkipStage
from octavo.retrieval.stages.score_and_rank_fusion import RankFusion

MEASURED = {"hybrid": notes_and_documentation, "code": code}
"""The profiles, and where each stands."""
_AS_IT_IS = "as it is"
_MOST = 10
_MESSAGE = re.compile(r'"([^"\n]{20,120}(?<= )[^"\n]+)"')
_ESCAPED = re.compile(r"[\\<>]|^\W")
_PLACEHOLDER = re.compile(r"%[-\d.]*[sdrvqlux]+|\{[^{}]*\}")
_CALL = re.compile(r"^[\w.]+ ?[:=]?=? ?.*\w\(.*\)")
_SHORT = 25

Right = Callable[[Sequence[Candidate]], float]


def without_each(profile: RetrievalProfile) -> dict[str, RetrievalProfile]:
    """By the stage that is left out, in the order they run; the whole profile first."""
    variants = {_AS_IT_IS: profile}
    for shape in ("expand", "recall", "fuse", "refine"):
        stages = getattr(profile, shape)
        if shape == "fuse":
            variants[stages.name] = replace(profile, fuse=RankFusion())
            continue
        for stage in stages:
            variants[stage.name] = replace(profile, **{shape: tuple(other for other in stages if other is not stage)})
    return variants


@dataclass
class Once:
    """A stage that remembers what it made of the same query and input: variants share all that the missing stage does
    not change."""

    stage: Any
    made: list[tuple[Any, Any]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.stage.name)

    def expand(self, search: Search) -> Query:
        return self._made(search.query, lambda: self.stage.expand(search))

    def recall(self, search: Search) -> Ranking:
        return self._made(search.query, lambda: self.stage.recall(search))

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        return self._made((search.query, rankings), lambda: self.stage.fuse(search, rankings))

    def refine(self, search: Search, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        return self._made((search.query, candidates), lambda: self.stage.refine(search, candidates))

    def _made(self, given: Any, make: Callable[[], Any]) -> Any:
        result = next((result for known, result in self.made if known == given), None)
        if result is None:
            try:
                result = make()
            except SkipStage as skip:
                result = skip
            self.made.append((given, result))
        if isinstance(result, SkipStage):
            raise result
        return result


def each_once(profile: RetrievalProfile) -> RetrievalProfile:
    """The profile with stages that remember."""
    several = {shape: tuple(map(Once, getattr(profile, shape))) for shape in ("expand", "recall", "refine")}
    return replace(profile, fuse=Once(profile.fuse), **several)


@dataclass
class Tally:
    """What was measured of one profile: by column and variant every value, and by stage its milliseconds."""

    values: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    took: dict[str, list[float]] = field(default_factory=dict)

    def add(self, column: str, variant: str, values: Sequence[float]) -> None:
        self.values.setdefault(column, {}).setdefault(variant, []).extend(values)

    def take(self, other: Tally) -> None:
        for column, variants in other.values.items():
            for variant, values in variants.items():
                self.add(column, variant, values)
        for stage, took in other.took.items():
            self.took.setdefault(stage, []).extend(took)

    def ask(self, engine: Engine, profile: RetrievalProfile, column: str, query: Query, worth: Right) -> None:
        parsed, library = engine.reader.parsed(query), engine.reader.searched()
        with engine.store.reading():
            for name, variant in without_each(each_once(profile)).items():
                candidates, trace = run(variant, parsed, library)
                if name == _AS_IT_IS:
                    for entry in trace:
                        self.took.setdefault(entry.stage, []).append(entry.took_ms)
                self.add(column, name, [worth(candidates)])

    def rows(self) -> Iterator[list[str]]:
        """What every stage brings, in every column."""
        stages = [*next(iter(self.values.values()))]
        for name in stages:
            cells = [_cell(by_variant, name) for by_variant in self.values.values()]
            took = self.took.get(name, ())
            yield [f"`{name}`" if name != _AS_IT_IS else name, *cells, f"{sum(took) / len(took):.1f}" if took else ""]


def _cell(by_variant: Mapping[str, Sequence[float]], name: str) -> str:
    whole, some = sum(by_variant[_AS_IT_IS]), sum(by_variant.get(name, by_variant[_AS_IT_IS]))
    size = len(by_variant[_AS_IT_IS])
    if name == _AS_IT_IS:
        return f"{whole / size:.3f}"
    return f"{(whole - some) / size:+.3f}" if whole != some else "0"


def ask_set(text: str, questions: int | None, each: int) -> dict[str, Tally]:
    """A set's own questions, and strings of its documents, by the default search."""
    tally = Tally()
    request, measure = request_of(text, (), "ndcg@10")
    config, one = load({}).config, replace(request, limit_queries=1, timed_queries=0)
    made = evaluate_profiles(config, one, [PROFILES["lexical_only"]], cache_folder(), progress(quiet=False))
    dataset = read_dataset(request.dataset, request.files)
    names, hybrid = names_of(grouped(dataset, request.scope)), PROFILES["hybrid"]
    column = dataset.name if measure == "ndcg@10" else f"{dataset.name}, {measure}"
    texts = {record.id: f"{record.title}\n{record.text}".casefold() for record in dataset.records}

    def gain(question: str, candidates: Sequence[Candidate]) -> float:
        ranked = dict.fromkeys(names.documents[place] for hit in candidates for place in hit.places)
        return score_rankings(dataset.qrels, {question: [*ranked]})[measure].get(question, 0.0)

    def holds(string: str, candidates: Sequence[Candidate]) -> float:
        first = candidates[0].places if candidates else ()
        return float(any(string.casefold() in texts[names.documents[place]] for place in first))

    with closing(open_engine(replace(config, library=made.library, project=PROJECT))) as engine:
        for question in dataset.sample(questions).questions:
            filters = Filters()
            if request.scope is not None:
                group = scope_of(question.metadata, request.scope, question.id)
                filters = Filters(collections=(names.collections[group],))
            query = Query(question.text, limit=_MOST, filters=filters)
            tally.ask(engine, hybrid, column, query, partial(gain, question.id))
        documents_alone = {record.id: f"{record.title}\n{record.text}" for record in dataset.records}
        drawn = typed(documents_alone, each, random.Random(dataset.name)) if request.scope is None else {}
        for string in chain(*(strings for kind, strings in drawn.items() if kind != "filters alone")):
            tally.ask(engine, hybrid, "typed", Query(string, limit=_MOST), partial(holds, string))
    return {"hybrid": tally}


def ask_code(given: str, questions: int | None, each: int) -> dict[str, Tally]:
    """Tasks in a checkout, and names that it defines once, by both profiles."""
    queries, checkout = map(Path, given.split("="))
    tallies = {name: Tally() for name in MEASURED}
    library = cache_folder() / f"code-{checkout.name}.db"
    library.parent.mkdir(parents=True, exist_ok=True)
    tasks = [json.loads(line) for line in queries.read_text("utf-8").splitlines()]
    with closing(open_engine(replace(load({}).config, library=library, project=PROJECT), create=True)) as engine:
        if not engine.collections():
            engine.add_collection("code", checkout, CollectionSettings(history=False))
        engine.index(wait_full=True)
        found = definitions(engine)
        names = random.Random(1).sample(found, min(each, len(found)))
        for name, tally in tallies.items():
            for task in tasks[:: -(-len(tasks) // (questions or len(tasks)))]:
                query = Query(task["query"], limit=_MOST, filters=Filters(kinds=(Kind.CODE,)))
                tally.ask(engine, PROFILES[name], "tasks", query, partial(_among_ten, task["gold"]))
                cited = [hit.citation for hit in engine.search(query, PROFILES[name]).hits]
                tally.add("tasks, as shown", _AS_IT_IS, [_among_ten(task["gold"], cited)])
            for form, definition in product(FORMS, names):
                query = Query(form.format(name=definition.name, qualified=definition.qualified), limit=_MOST)
                tally.ask(engine, PROFILES[name], "names", query, partial(_is_first, definition))
            for quotation, definition in quoted(engine, found, each):
                query = Query(quotation, limit=_MOST)
                tally.ask(engine, PROFILES[name], "quoted", query, partial(_is_first, definition))
    return tallies


def quoted(engine: Engine, found: Sequence[Definition], each: int) -> list[tuple[str, Definition]]:
    """So many messages as a user would read them, and as many lines as one would paste, with their declarations."""
    kinds: list[defaultdict[str, list[Definition]]] = [defaultdict(list), defaultdict(list)]
    documents, project = engine.store.documents, engine.project.id
    (collection,) = engine.collections()
    hashes = {each.uri: documents.find(project, each.uri, collection.id)[0].text_hash for each in found}
    texts = documents.texts(project, hashes.values())
    for definition in found:
        text = texts[hashes[definition.uri]][definition.span.start : definition.span.end]
        for message in set(_MESSAGE.findall(text)):
            if not _ESCAPED.search(message):
                kinds[0][_PLACEHOLDER.sub("x42", message)].append(definition)
        for line in {line.strip() for line in text.splitlines()[1:]}:
            if _CALL.search(line) and len(line) > _SHORT:
                kinds[1][line].append(definition)
    drawn = []
    for kind in kinds:
        once = sorted((text, where[0]) for text, where in kind.items() if len(where) == 1)
        drawn += random.Random(1).sample(once, min(each, len(once)))
    return drawn


def _among_ten(gold: Sequence[Mapping[str, Any]], candidates: Sequence[Candidate | Citation]) -> float:
    pairs = product(candidates[:_MOST], gold)
    return float(
        any(
            hit.uri == part["path"] and hit.lines.first <= part["end_line"] and part["start_line"] <= hit.lines.last
            for hit, part in pairs
        )
    )


def _is_first(definition: Definition, candidates: Sequence[Candidate]) -> float:
    if not candidates or candidates[0].uri != definition.uri:
        return 0.0
    best, span = candidates[0].span, definition.span
    return float(best.start < span.end and span.start < best.end)


def ask_pinned() -> dict[str, Tally]:
    """Which of the pinned ranks stay as they are."""
    tallies = {name: Tally() for name in MEASURED}
    sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
    import ranking_corpora  # of the tests

    cases = [
        (corpus, json.loads(line))
        for corpus in ranking_corpora.PINNED
        for line in (ranking_corpora.GOLDEN / f"{corpus}.jsonl").read_text("utf-8").splitlines()
    ]
    with (
        tempfile.TemporaryDirectory() as work,
        closing(open_engine(replace(load({}).config, library=Path(work) / "library.db"), create=True)) as engine,
    ):
        ranking_corpora.fill(engine, Path(work))
        for name, tally in tallies.items():
            asked = [(corpus, case) for corpus, case in cases if case["options"].get("profile", name) == name]
            for stage, variant in without_each(PROFILES[name]).items():
                with patch.object(MEASURED[name], name.upper(), variant):
                    kept = [float(ranking_corpora.rank(engine, case, of) == case["rank"]) for of, case in asked]
                tally.add("pinned", stage, kept)
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--code", nargs="*", default=[], metavar="QUERIES.jsonl=CHECKOUT")
    parser.add_argument("--questions", type=int, help="of each set, and tasks of each checkout; all of them without it")
    parser.add_argument("--each", type=int, default=20, help="strings of each kind, and names of each checkout")
    parser.add_argument("--jobs", type=int, default=2, help="sets and checkouts that are measured at once")
    parser.add_argument("--no-pinned", action="store_true", help="without the ranks that tests pin, which take minutes")
    parser.add_argument("--page", type=Path, help="a page with the marks of a table")
    options = parser.parse_args()
    parts = [
        *(partial(ask_set, text, options.questions, options.each) for text in options.sets),
        *(partial(ask_code, given, options.questions, options.each) for given in options.code),
        *(() if options.no_pinned else (ask_pinned,)),
    ]
    tallies = {name: Tally() for name in MEASURED}
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("spawn")) as pool:
        for part, done in [(part, pool.submit(part)) for part in parts]:
            try:
                for name, tally in done.result().items():
                    tallies[name].take(tally)
            except Exception as error:  # what was measured for hours is printed though a part fails
                print(f"{part}: {error!r}", file=sys.stderr)
    tables = [
        "\n".join(markdown_table([f"`{name}`", *tally.values, "ms"], tally.rows()))
        for name, tally in tallies.items()
        if tally.values
    ]
    print(*tables, sep="\n\n")
    if options.page:
        options.page.write_text(
            replaced(options.page.read_text("utf-8"), "\n\n".join(tables), str(options.page)), "utf-8"
        )


if __name__ == "__main__":
    main()
