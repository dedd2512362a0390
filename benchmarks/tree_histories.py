"""Random histories of a folder: a library that followed them answers as one made anew, with and without a snapshot.

    ./dev bench tree_histories --trees 200 [--first 0] [--embedding hashing|bundled] [--keep WORK]

A tree of notes and code is made, and changed several times: edits, copies, moves, renames, changes of case alone, files
that come back, old times (`cp -p`), ignore rules that come and go. One library is brought up to date after each.
At the end four libraries have to say the same, digit by digit: that one from its database and from its snapshot, and
one that is made of the folder as it is now, both ways too. What is compared: every hit of every question by every
profile with its score, steps, citation and excerpt, and every link.

Everything follows from the number of the tree. Prints JSON; ends with status 1 where anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import PROFILES

WORDS = ("harbour", "lamp", "valve", "cellar", "roof", "winter", "ledger", "anchor", "signal", "kettle", "mast", "tide")
NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "Eta", "theta", "iota", "Kappa")
PACKAGES = ("notes", "code", "Code")
FOLDERS = ("", "notes/", "notes/deep/", "Code/", "code/", "private/")
QUESTIONS = (
    "harbour lamp",
    "where is the valve of the roof",
    "anchor",
    "import kettle",
    "def signal tide",
    "alpha beta",
)
ASKED = ("hybrid", "lexical_only", "dense_only", "hybrid_rrf", "weighted", "code", "multi_hop")
RULES = ("private/\n", "*.py\n", "notes/deep/\n!notes/deep/alpha.md\n", "*\n", "beta.*\n")
OLD = 1_500_000_000
FEWEST_STEPS, MOST_STEPS = 3, 8


@dataclass
class Tree:
    """A folder and what may happen to it."""

    folder: Path
    random: random.Random
    removed: dict[str, str] = field(default_factory=dict)

    def files(self) -> list[str]:
        found = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in found if not path.name.startswith("."))

    def name(self) -> str:
        return (
            self.random.choice(FOLDERS) + self.random.choice(NAMES) + self.random.choice((".md", ".md", ".py", ".txt"))
        )

    def sentence(self) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(4, 14)))

    def text(self, uri: str) -> str:
        choose = self.random.choice
        if uri.endswith(".py"):
            imports = f"import {choose(NAMES)}\nfrom {choose(PACKAGES)}.{choose(NAMES)} import {choose(WORDS)}\n"
            body = f'    """{self.sentence()}."""\n    return {choose(WORDS)}\n'
            return f"{imports}\n\ndef {choose(WORDS)}_{choose(WORDS)}():\n{body}"
        if uri.endswith(".txt"):
            return f"{self.sentence()}.\n"
        alias = f"---\naliases: [{choose(WORDS)}]\n---\n" if self.random.random() < 0.2 else ""
        sections = (
            f"## {choose(WORDS)}\n\n{self.sentence()} [[{choose(NAMES)}]]. See [it]({choose(NAMES)}.md).\n"
            for _ in range(self.random.randint(0, 4))
        )
        return f"{alias}# {choose(WORDS).title()} {choose(NAMES)}\n\n{self.sentence()}.\n\n" + "\n".join(sections)

    def write(self, uri: str, text: str) -> None:
        path = self.folder / uri
        if path.is_dir() or any((self.folder / above).is_file() for above in map(str, Path(uri).parents)):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        if self.random.random() < 0.2:
            os.utime(path, (OLD, OLD))

    def change(self) -> None:
        changes: tuple[Callable[[], None], ...] = (
            self.add, self.add, self.edit, self.edit, self.move, self.move, self.rename_case, self.copy, self.remove,
            self.bring_back, self.swap, self.ignore, self.move_folder,
        )  # fmt: skip
        self.random.choice(changes)()

    def add(self) -> None:
        uri = self.name()
        self.write(uri, self.text(uri))

    def edit(self) -> None:
        if files := self.files():
            uri = self.random.choice(files)
            kept = (self.folder / uri).read_text("utf-8") if self.random.random() < 0.5 else ""
            self.write(uri, kept + self.text(uri))

    def copy(self) -> None:
        if files := self.files():
            uri = self.random.choice(files)
            self.write(self.name(), (self.folder / uri).read_text("utf-8"))

    def move(self) -> None:
        if files := self.files():
            uri, target = self.random.choice(files), self.name()
            text = (self.folder / uri).read_text("utf-8")
            (self.folder / uri).unlink()
            self.write(target, text)

    def rename_case(self) -> None:
        if files := self.files():
            path = self.folder / self.random.choice(files)
            target = path.with_name(path.stem.swapcase() + path.suffix)
            if not target.exists():
                path.rename(target)

    def remove(self) -> None:
        if len(files := self.files()) > 3:
            uri = self.random.choice(files)
            self.removed[uri] = (self.folder / uri).read_text("utf-8")
            (self.folder / uri).unlink()

    def bring_back(self) -> None:
        if self.removed:
            uri = self.random.choice(sorted(self.removed))
            self.write(uri, self.removed.pop(uri))

    def swap(self) -> None:
        if len(files := self.files()) > 1:
            first, second = (self.folder / uri for uri in self.random.sample(files, 2))
            texts = first.read_text("utf-8"), second.read_text("utf-8")
            second.write_text(texts[0], "utf-8")
            first.write_text(texts[1], "utf-8")

    def ignore(self) -> None:
        path = self.folder / self.random.choice((".octavoignore", ".gitignore"))
        if path.exists():
            path.unlink()
        else:
            path.write_text(self.random.choice(RULES), "utf-8")

    def move_folder(self) -> None:
        source, target = self.folder / "notes", self.folder / self.random.choice(("archive", "private/notes"))
        if source.is_dir() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(source, target)


def opened(library: Path, embedding: str, *, snapshot: bool) -> Any:
    settings = {"embedding.provider": embedding, "snapshots.threshold": 1, "snapshots.enabled": snapshot}
    return open_library(library, create=True, settings=settings)


def brought_up_to_date(engine: Engine, folder: Path) -> None:
    if not engine.collections():
        engine.add_collection("tree", folder)
    engine.index(wait_full=True, confirm_removals=True)


def answers(engine: Engine) -> Iterator[tuple[str, Any]]:
    """Everything that a library says, but for what its history is and how long it took."""
    for question in QUESTIONS:
        for name in ASKED:
            result = engine.search(Query(question, 30, floor=False), PROFILES[name])
            yield (
                f"{name}: {question}",
                [
                    (hit.citation, hit.score, hit.excerpt, hit.chunk_id, hit.steps, hit.copies, hit.matched)
                    for hit in result.hits
                ],
            )
    graph, project = engine.store.graph, engine.project.id
    yield "links", sorted(map(repr, graph.edges(project)))
    yield "links that lead nowhere", sorted(map(repr, graph.ghosts(project, 10_000)))


def differences(said: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What two of the libraries say differently, each compared with the first."""
    first, *others = said
    return [
        f"{other} unlike {first}: {about}"
        for other in others
        for about in dict.fromkeys((*said[first], *said[other]))
        if said[first].get(about) != said[other].get(about)
    ]


def compared(number: int, embedding: str, place: Path) -> tuple[list[str], int]:
    """What differs after the history of this number, and how many answers were compared."""
    tree = Tree(place / "tree", random.Random(number))
    tree.folder.mkdir(parents=True)
    for _ in range(tree.random.randint(6, 24)):
        tree.add()
    for _ in range(tree.random.randint(FEWEST_STEPS, MOST_STEPS)):
        with opened(place / "followed.db", embedding, snapshot=True) as engine:
            brought_up_to_date(engine, tree.folder)
        for _ in range(tree.random.randint(1, 5)):
            tree.change()
    said: dict[str, dict[str, Any]] = {}
    for library in ("anew", "followed"):
        for snapshot in (True, False):
            with opened(place / f"{library}.db", embedding, snapshot=snapshot) as engine:
                brought_up_to_date(engine, tree.folder)
                said[f"{library} {'snapshot' if snapshot else 'database'}"] = dict(answers(engine))
    return differences(said), sum(map(len, said.values()))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="the number of the first tree")
    parser.add_argument("--embedding", choices=("hashing", "bundled"), default="hashing")
    parser.add_argument("--keep", type=Path, help="where the folders and libraries of trees that differ are left")
    given = parser.parse_args()
    different, count = {}, 0
    for number in range(given.first, given.first + given.trees):
        place = Path(tempfile.mkdtemp(prefix=f"tree{number}-"))
        found, answered = compared(number, given.embedding, place)
        count += answered
        if found:
            different[number] = found
            print(f"tree {number}: {found[:3]}", file=sys.stderr)
            if given.keep:
                shutil.copytree(place, given.keep / str(number), dirs_exist_ok=True)
        shutil.rmtree(place)
    print(json.dumps({"trees": given.trees, "answers": count, "different": different}))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
