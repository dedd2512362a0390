"""What people type, found first: rare tokens, identifiers, numbers, versions, short words, phrases, filters alone.

    ./dev bench typed_queries NAME=FOLDER... [--files N] [--each N] [--seed N] [--out DIR] [--work DIR]

For every folder a library is made of N of its files, chosen by the seed, and strings are drawn that stand in few of
them. A query is answered right if the document of the first hit holds the string as it is typed; a query of filters
alone, if every hit passes it. Words alone (`lexical_only`) and the default profile are asked the same. Writes
DIR/typed_queries.json and prints a table. Libraries are kept in --work, so that a second run asks at once.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import profile_named

PROFILES = ("lexical_only", "hybrid")
SUFFIXES = {".md", ".mdx", ".rst", ".txt", ".py", ".go", ".c", ".h", ".js", ".ts"}
LARGEST = 200_000

KINDS = {
    "hexadecimal and long numbers": re.compile(r"(?<![\w.-])(?=[0-9A-Fa-f]*[0-9])(?:[0-9A-Fa-f]{6,16})(?![\w.-])"),
    "versions and addresses": re.compile(r"(?<![\w.-])\d+(?:\.\d+){2,3}(?![\w.-])"),
    "camelCase": re.compile(r"(?<![\w.-])[a-z]+(?:[A-Z][a-z0-9]+)+(?![\w.-])"),
    "snake_case": re.compile(r"(?<![\w.-])[a-z]+(?:_[a-z0-9]+)+(?![\w.-])"),
    "dashed words": re.compile(r"(?<![\w.-])[a-z]+(?:-[a-z]+)+(?![\w.-])"),
    "rare words": re.compile(r"(?<![\w.-])[^\W\d_]{4,20}(?![\w.-])"),
}
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2,4}")
_CODE_BLOCK = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_PHRASE = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){2}")
_FEW = 3
"""Documents that a string may stand in."""


def chosen(folder: Path, files: int, chance: random.Random) -> dict[str, str]:
    """Path → text, of so many files."""
    found = sorted(path for path in folder.rglob("*") if path.suffix in SUFFIXES and path.stat().st_size < LARGEST)
    return {
        str(path.relative_to(folder)): path.read_text("utf-8", "replace")
        for path in sorted(chance.sample(found, min(files, len(found))))
    }


def typed(texts: Mapping[str, str], each: int, chance: random.Random) -> dict[str, list[str]]:
    """By kind, strings that stand in few of the texts."""
    drawn: dict[str, list[str]] = {}
    for kind, pattern in KINDS.items():
        drawn[kind] = _few(texts, lambda text, pattern=pattern: pattern.findall(text), each, chance)
    drawn["words without spaces"] = _few(texts, lambda text: _UNSPACED.findall(_prose(text)), each, chance)
    drawn["phrases"] = _few(texts, lambda text: _PHRASE.findall(_prose(text)), each, chance)
    folders = sorted({path.rsplit("/", 1)[0] + "/" for path in texts if "/" in path})
    drawn["filters alone"] = [f"path:{folder}" for folder in chance.sample(folders, min(each, len(folders)))]
    return {kind: queries for kind, queries in drawn.items() if queries}


def _prose(text: str) -> str:
    return _CODE_BLOCK.sub("\n", text)


def _few(texts: Mapping[str, str], strings: Any, each: int, chance: random.Random) -> list[str]:
    holding: defaultdict[str, int] = defaultdict(int)
    for text in texts.values():
        for string in {*strings(text)}:
            holding[string] += 1
    rare = sorted(string for string, count in holding.items() if count <= _FEW)
    chance.shuffle(rare)
    kept = []
    for string in rare:
        # As typed it may stand inside other words too: it has to be rare as a string.
        if sum(string.casefold() in text.casefold() for text in texts.values()) <= _FEW:
            kept.append(string)
        if len(kept) == each:
            break
    return kept


def library(name: str, texts: Mapping[str, str], work: Path) -> Engine:
    """The library of these texts, made once."""
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()[:12]
    folder = work / f"{name}-{digest}"
    if not folder.exists():
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
    engine = open_engine(Config(library=work / f"{name}-{digest}.db"), create=True)
    if not engine.collections():
        engine.add_collection(name, folder, CollectionSettings(history=False))
    engine.index()
    return engine


def is_right(engine: Engine, query: str, profile: str, texts: Mapping[str, str]) -> bool:
    hits = engine.search(Query(query), profile_named(profile)).hits
    if query.startswith("path:"):
        return bool(hits) and all(hit.citation.uri.startswith(query.removeprefix("path:")) for hit in hits)
    return bool(hits) and query.casefold() in texts[hits[0].citation.uri].casefold()


def measured(name: str, folder: Path, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    chance = random.Random(f"{options.seed} {name}")
    texts = chosen(folder, options.files, chance)
    with library(name, texts, options.work) as engine:
        for kind, queries in typed(texts, options.each, chance).items():
            right = {profile: [is_right(engine, query, profile, texts) for query in queries] for profile in PROFILES}
            missed = [query for query, found in zip(queries, right["hybrid"], strict=True) if not found]
            shares = {profile: round(sum(found) / len(found), 3) for profile, found in right.items()}
            yield {"set": name, "kind": kind, "queries": len(queries), **shares, "missed": missed[:20]}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--each", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--work", type=Path, default=Path("benchmarks/results/typed_queries"))
    options = parser.parse_args(arguments)
    options.work.mkdir(parents=True, exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    width = min(shutil.get_terminal_size().columns, 120)
    for given in options.folders:
        name, _, folder = given.partition("=")
        for row in measured(name, Path(folder), options):
            rows.append(row)
            line = f"{row['set']:12} {row['kind']:30} {row['queries']:4} {row['lexical_only']:.3f} {row['hybrid']:.3f}"
            print(line[:width], flush=True)
    (options.out / "typed_queries.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
    worse = [row for row in rows if row["hybrid"] < row["lexical_only"] - 0.02]
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
