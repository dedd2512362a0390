"""Whether every hit is cited right: the section or declaration it names holds all of it, by another parser's word.

    ./dev bench citations NAME=FOLDER... [--files N] [--queries N] [--seed N] [--out DIR] [--work DIR]

For every folder a library is made of N of its files, chosen by the seed, and questions are drawn from them: words that
stand next to each other, headings and names. Of each hit in Markdown, markdown-it says which headings stand above its
lines; of each in source code, tree-sitter says which declaration they lie in, its comments and decorators included.
Vectors are made of hashed words: who is cited does not depend on the model. Writes DIR/citations.json, with the hits
that are cited wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt
from tree_sitter import Language, Node, Parser

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Filters
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import FoundHit
from octavo.operations.search.search_handlers import search

PROSE = {".md"}
GRAMMARS = {".c": "c", ".h": "c", ".go": "go", ".py": "python", ".js": "javascript", ".java": "java", ".rs": "rust"}
LARGEST = 200_000
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?=\n|\Z)", re.DOTALL)
_WORDS = re.compile(r"[^\W\d_][\w'-]*(?: [^\W\d_][\w'-]*){2,5}")
_HEADING = re.compile(r"^#{1,6} +(.+?)#* *$", re.MULTILINE)
_IDENTIFIER = re.compile(r"\b[A-Za-z_][A-Za-z0-9_]{5,}\b")
_IDENTIFIER_IN = re.compile(r"[A-Za-z_$][\w$]*")
_LETTERS = re.compile(r"[\W_]+")
_FUNCTIONS = frozenset({"function_definition", "function_declaration", "method_declaration", "method_definition"})
_CPLUSPLUS = re.compile(r"^\s*(?:class|namespace|template)\b", re.MULTILINE)
_GROUPS = frozenset(
    {"type_definition", "type_declaration", "const_declaration", "var_declaration", "expression_statement"}
)
_ABOVE = frozenset({"comment", "line_comment", "block_comment", "decorator", "attribute_item"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines, counted from 1, and what they are called, outermost first."""

    path: tuple[str, ...]
    first: int
    last: int

    def holds(self, hit: FoundHit) -> bool:
        return self.first <= hit.start_line and hit.end_line <= self.last


def sections(text: str) -> list[Stretch]:
    """The headings of a note that no list or quotation contains, each with all that stands below it."""
    bare = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text)
    tokens = MarkdownIt("commonmark").enable("table").parse(bare)
    last = bare.count("\n") + 1
    found: list[tuple[int, str, int]] = []
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            found.append((int(token.tag[1]), inline.content, token.map[0] + 1))
    made = []
    for at, (level, _, first) in enumerate(found):
        end = next((start - 1 for depth, _, start in found[at + 1 :] if depth <= level), last)
        path: list[tuple[int, str]] = []
        for depth, name, _ in found[: at + 1]:
            path = [(outer, title) for outer, title in path if outer < depth]
            path.append((depth, name))
        made.append(Stretch(tuple(name for _, name in path), first, end))
    return made


def is_cited_by_its_heading(hit: FoundHit, text: str) -> bool:
    known = sections(text)
    if not hit.heading_path:
        return not any(section.holds(hit) for section in known)
    wanted = [_plain(name) for name in hit.heading_path]
    return any([_plain(name) for name in section.path] == wanted and section.holds(hit) for section in known)


def _plain(name: str) -> str:
    """Letters and digits alone: markup and entities are written in several ways."""
    named = re.sub(r"!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]|\[([^\]]*)\]\([^)]*\)", lambda found: found[1] or found[2], name)
    return _LETTERS.sub("", re.sub(r"<[^>]+>|&\w+;", "", named)).casefold()


@cache
def grammar(name: str) -> Parser:
    return Parser(Language(import_module(f"tree_sitter_{name}").language()))


def declarations(text: str, suffix: str) -> Iterator[tuple[str, Stretch]]:
    """Type of node and lines of everything that has a name, in the order of the tree."""
    language = "cpp" if suffix == ".h" and _CPLUSPLUS.search(text) else GRAMMARS[suffix]
    stack = [grammar(language).parse(text.encode()).root_node]
    while stack:
        node = stack.pop()
        for name in _names(node):
            yield node.type, Stretch((name,), _first_line(node), node.end_point[0] + 1)
        stack += node.children


def _names(node: Node) -> Iterator[str]:
    for field in ("name", "declarator", "left", "type"):
        found = node.child_by_field_name(field)
        while found is not None and found.child_by_field_name("declarator") is not None:
            found = found.child_by_field_name("declarator")
        if found is not None and found.text is not None and (field != "type" or node.type == "impl_item"):
            named = _IDENTIFIER_IN.findall(found.text.decode("utf-8", "replace"))
            yield from named if field != "name" else named[:1]
    if node.type in _GROUPS:
        for child in node.named_children:
            yield from _names(child)


def _first_line(node: Node) -> int:
    """With the comments and decorators directly above it."""
    if node.parent is not None and node.parent.type in ("decorated_definition", "export_statement"):
        node = node.parent
    while node.prev_sibling is None and node.parent is not None and node.parent.parent is not None:
        node = node.parent  # a comment stands before the whole line
    first = node.start_point[0]
    above = node.prev_sibling
    while above is not None and above.type in _ABOVE and above.end_point[0] >= first - 1:
        first, above = above.start_point[0], above.prev_sibling
    return first + 1


def is_cited_by_its_declaration(hit: FoundHit, text: str) -> bool:
    known = list(declarations(text, Path(hit.uri).suffix))
    if not hit.symbol:
        return not any(kind in _FUNCTIONS and stretch.holds(hit) for kind, stretch in known)
    name = _IDENTIFIER_IN.findall(hit.symbol)[-1]
    return any(stretch.path == (name,) and stretch.holds(hit) for _, stretch in known)


def chosen(folder: Path, files: int, chance: random.Random) -> dict[str, str]:
    """Path → text, of so many files."""
    suffixes = PROSE | GRAMMARS.keys()
    found = sorted(path for path in folder.rglob("*") if path.suffix in suffixes and path.stat().st_size < LARGEST)
    kept = chance.sample(found, min(files, len(found)))
    return {path.relative_to(folder).as_posix(): path.read_text("utf-8", "replace") for path in sorted(kept)}


def questions(texts: Mapping[str, str], count: int, chance: random.Random) -> list[str]:
    """Runs of words, headings and names, as many of each as there are."""
    drawn: dict[str, None] = {}
    ways = (_WORDS, _HEADING, _IDENTIFIER)
    paths = sorted(texts)
    for number in range(count * 20):
        found = ways[number % len(ways)].findall(texts[chance.choice(paths)])
        if found:
            drawn[chance.choice(found).strip()] = None
        if len(drawn) == count:
            break
    return list(drawn)


def library(name: str, texts: Mapping[str, str], work: Path) -> Engine:
    folder, path = work / name, work / f"{name}.db"
    shutil.rmtree(folder, ignore_errors=True)
    path.unlink(missing_ok=True)
    for uri, text in texts.items():
        (folder / uri).parent.mkdir(parents=True, exist_ok=True)
        (folder / uri).write_text(text, "utf-8")
    engine = open_library(path, create=True, settings={"embedding.provider": "hashing"})
    engine.add_collection(name, folder, CollectionSettings(history=False))
    engine.index()
    return engine


def measured(name: str, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    chance = random.Random(f"{options.seed} {name}")
    texts = chosen(folder, options.files, chance)
    hits, wrong = 0, []
    asked = questions(texts, options.queries, chance)
    with library(name, texts, options.work) as engine:
        for query in asked:
            for kinds in ((), ("code",)):
                for hit in _found(engine, query, kinds):
                    hits += 1
                    right = is_cited_by_its_heading if Path(hit.uri).suffix in PROSE else is_cited_by_its_declaration
                    if not right(hit, texts[hit.uri]):
                        wrong.append({"query": query, "hit": _place(hit)})
    return {"set": name, "files": len(texts), "queries": len(asked), "hits": hits, "wrong": wrong}


def _found(engine: Engine, query: str, kinds: Sequence[str]) -> Sequence[FoundHit]:
    if kinds and not any(row.kind.value in kinds for row in _listed(engine)):
        return ()
    request = SearchRequest(query, kinds=tuple(kinds), limit=10, show_all=True, max_tokens=100_000)
    return search(engine, request).hits


@cache
def _listed(engine: Engine) -> Sequence[Any]:
    return engine.store.documents.listed(engine.project.id, Filters())


def _place(hit: FoundHit) -> str:
    named = hit.symbol or " > ".join(hit.heading_path)
    return f"{hit.uri}:{hit.start_line}-{hit.end_line} {named}"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--work", type=Path, default=Path("benchmarks/results/citations"))
    options = parser.parse_args(arguments)
    for folder in (options.work, options.out):
        folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for given in options.folders:
        name, _, place = given.partition("=")
        rows.append(row := measured(name, Path(place), options))
        right = row["hits"] - len(row["wrong"])
        print(f"{name:16} {row['files']:5} files {row['queries']:4} queries {right:6} of {row['hits']} hits right")
        for missed in row["wrong"][:10]:
            print(f"    {missed['hit']}   for {missed['query']!r}"[:160])
    (options.out / "citations.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 1 if any(row["wrong"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
