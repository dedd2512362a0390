"""How well questions are answered in each language: a sentence is taken out of a page, and the page has to be found.

    ./dev bench multilingual NAME=FOLDER... [--pages N] [--questions N] [--seed N] [--out DIR]

For every folder of translated Markdown a library is made of N pages. From some of them a line of prose is cut before
they are indexed; that line is the question, and its page the answer. Words alone and the default profile are asked.
Writes DIR/multilingual.json and prints a table: the share of first hits that are right, and the mean reciprocal rank.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from octavo.config.schema import Config
from octavo.engine.wiring import open_engine
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import profile_named

PROFILES = ("lexical_only", "hybrid")
_MARKUP = re.compile(r"^[-*>\s]+|\[([^\]]*)\]\([^)]*\)|[`*_<>]")
_SHORTEST, _LONGEST = 12, 200


def lines_of(text: str) -> list[int]:
    """Numbers of the lines that are prose long enough to ask with."""
    found = []
    for number, line in enumerate(text.splitlines()):
        bare = line.strip()
        prose = bare[:1] in "-*>" or bare[:1].isalpha()
        if prose and "http" not in bare and _SHORTEST <= len(plain(bare)) <= _LONGEST:
            found.append(number)
    return found


def plain(line: str) -> str:
    return _MARKUP.sub(lambda match: match.group(1) or "", line).strip(" :.")


def cut(pages: dict[str, str], questions: int, chance: random.Random) -> dict[str, str]:
    """Question → its page; the question's line is gone from the page."""
    asked: dict[str, str] = {}
    for uri in chance.sample(sorted(pages), len(pages)):
        numbers = lines_of(pages[uri])
        if len(asked) == questions or len(numbers) < 4:
            continue
        lines = pages[uri].splitlines()
        number = chance.choice(numbers[1:])
        asked[plain(lines.pop(number))] = uri
        pages[uri] = "\n".join(lines) + "\n"
    return asked


def measured(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    chance = random.Random(f"{options.seed} {name}")
    paths = [path for path in sorted(folder.rglob("*.md")) if len(lines_of(path.read_text("utf-8"))) >= 4]
    chosen = chance.sample(paths, min(options.pages, len(paths)))
    pages = {str(path.relative_to(folder)): path.read_text("utf-8") for path in sorted(chosen)}
    asked = cut(pages, options.questions, chance)
    row: dict[str, Any] = {"language": name, "pages": len(pages), "questions": len(asked)}
    with tempfile.TemporaryDirectory() as place:
        for uri, text in pages.items():
            (Path(place) / "pages" / uri).parent.mkdir(parents=True, exist_ok=True)
            (Path(place) / "pages" / uri).write_text(text, "utf-8")
        with open_engine(Config(library=Path(place) / "library.db"), create=True) as engine:
            engine.add_collection(name, Path(place) / "pages", CollectionSettings(history=False))
            engine.index()
            for profile in PROFILES:
                ranks = []
                for question, uri in asked.items():
                    hits = engine.search(Query(question), profile_named(profile)).hits
                    found = [hit.citation.uri for hit in hits]
                    ranks.append(1 / (1 + found.index(uri)) if uri in found else 0.0)
                row[profile] = {
                    "first": round(sum(rank == 1 for rank in ranks) / len(ranks), 3),
                    "mrr": round(sum(ranks) / len(ranks), 3),
                }
    return row


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("bench"))
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for given in options.folders:
        name, _, folder = given.partition("=")
        row = measured(name, Path(folder), options)
        rows.append(row)
        scores = "  ".join(f"{row[profile]['first']:.2f} {row[profile]['mrr']:.3f}" for profile in PROFILES)
        print(f"{name:8} {row['pages']:4} {row['questions']:4}  {scores}", flush=True)
    (options.out / "multilingual.json").write_text(json.dumps(rows, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
