"""Whether the default search finds a definition: names that a repository defines once, as people ask for them.

    ./dev bench definitions NAME=FOLDER... [--each N] [--seed N] [--no-embed] [--out DIR]

For every folder, mostly a checkout of a public repository, a library is made with the shipped defaults, and N names are
drawn by the seed of those that one declaration alone has, outside of tests and examples. Each is asked as it is, with
the type around it where it has one, and as "where is X defined". A hit is right if it overlaps the declaration. Prints
how often the first hit is right and how often one of three, and writes DIR/definitions.json.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.model.document import Kind
from octavo.model.normalised_text_and_spans import Span
from octavo.model.projects_and_collections import CollectionSettings
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

_NAME = re.compile(r"[A-Za-z_$][\w$]{3,}")
_ASIDE = re.compile(r"(?:^|/)(?:tests?|__tests__|examples?|docs?|benches|fixtures)/|(?:^|/)test_|_test\.|\.test\.")
FORMS = ("{name}", "{qualified}", "where is {name} defined")


class Definition(NamedTuple):
    """A declaration that is the only one of its name."""

    name: str
    qualified: str
    uri: str
    span: Span


def definitions(engine: Engine) -> list[Definition]:
    every = list(_declared(engine))
    times = Counter(definition.name for definition in every)
    return [each for each in every if times[each.name] == 1 and not _ASIDE.search(each.uri)]


def _declared(engine: Engine) -> Iterator[Definition]:
    documents, project = engine.store.documents, engine.project.id
    for collection in engine.collections():
        for uri, entry in sorted(engine.store.ledger.entries(project, collection.id).items()):
            document = documents.get(project, entry.document_id) if entry.document_id else None
            if document is None or document.kind is not Kind.CODE:
                continue
            for section in documents.sections(project, document.id):
                name = section.title.rsplit(".", 1)[-1]
                if section.level and _NAME.fullmatch(name):
                    yield Definition(name, ".".join((*section.path[-2:-1], name)), uri, section.span)


def rank(engine: Engine, query: str, definition: Definition) -> int:
    """The place of the first hit that overlaps the declaration; 0 where none of ten does."""
    hits = search(engine, SearchRequest(query, limit=10, max_tokens=100_000)).hits
    right = (
        hit.uri == definition.uri and hit.start < definition.span.end > definition.span.start < hit.end for hit in hits
    )
    return next((place for place, is_right in enumerate(right, 1) if is_right), 0)


def measured(folder: Path, each: int, seed: int, embed: bool) -> dict[str, list[int]]:
    """The rank of every definition that was asked for, by the form of the question."""
    with (
        tempfile.TemporaryDirectory() as work,
        open_engine(Config(library=Path(work) / "library.db"), create=True) as engine,
    ):
        engine.add_collection("code", folder, CollectionSettings(history=False))
        engine.index(embed=embed)
        found = definitions(engine)
        drawn = random.Random(seed).sample(found, min(each, len(found)))
        return {
            form: [rank(engine, form.format(name=each.name, qualified=each.qualified), each) for each in drawn]
            for form in FORMS
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--each", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-embed", action="store_true", help="by words, names and fast vectors alone")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks"))
    options = parser.parse_args()
    every: dict[str, dict[str, list[int]]] = {}
    print("| repository | asked as | names | first | in three |\n|---|---|---|---|---|")
    for given in options.folders:
        name, _, folder = given.partition("=")
        every[name] = measured(Path(folder), options.each, options.seed, not options.no_embed)
        for form, ranks in every[name].items():
            _row(name, form, ranks)
    for form in FORMS:
        _row("all", form, [rank for ranks in every.values() for rank in ranks[form]])
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "definitions.json").write_text(json.dumps(every, indent=2), "utf-8")


def _row(name: str, form: str, ranks: list[int]) -> None:
    first, three = (sum(0 < rank <= most for rank in ranks) / max(1, len(ranks)) for most in (1, 3))
    print(f"| {name} | {form} | {len(ranks)} | {first:.2f} | {three:.2f} |", flush=True)


if __name__ == "__main__":
    main()
