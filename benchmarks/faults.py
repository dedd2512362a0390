"""Damages, kills and strange questions, and what becomes of a library: one table of counts.

    python benchmarks/faults.py [PART …] [--rounds N] [--seed N] [--state FILE]

Parts: snapshots, tables, kills, questions. A round is one damage, one kill or one question. What a state file holds is
not done again, so that a campaign of hours can be interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw

from octavo.algorithms.code_query import read_code_query
from octavo.config.load import validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.mending import damage, mend
from octavo.engine.wiring import open_engine
from octavo.errors import OctavoError
from octavo.model.query import Query

_NOTES = 60
_WORDS = ("lamp", "apple", "tree", "telescope", "moon", "switch", "boiler", "cellar", "bread", "water")
_TABLES = {
    "vectors": "data",
    "lexical_blocks": "data",
    "texts": "data",
    "chunks": "text_hash",
    "inputs": "hash",
}


def library_in(folder: Path, *, snapshots: bool = False) -> Config:
    notes, place = folder / "notes", folder / "library.db"
    choose = random.Random(1)
    if not notes.is_dir():
        notes.mkdir(parents=True)
        for number in range(_NOTES):
            body = " ".join(choose.choices(_WORDS, k=60))
            (notes / f"{number}.md").write_text(f"# Note {number}\n\n{body}\n", "utf-8")
    settings = {"enabled": snapshots, "threshold": 1, "shards": 2}
    return validated(
        Config,
        {"embedding": {"provider": "hashing"}, "library": place, "snapshots": settings, "history": {"enabled": False}},
    )


def indexed(config: Config, folder: Path) -> None:
    with open_engine(config, create=True) as engine:
        engine.add_collection("notes", folder / "notes")
        engine.index()


def answers(engine: Engine) -> list[tuple[str, float, str]]:
    return [
        (hit.citation.uri, hit.score, hit.excerpt)
        for word in _WORDS[:3]
        for hit in engine.search(Query(f"{word} tree", 10)).hits
    ]


def snapshot_round(folder: Path, seed: int) -> str:
    """Flips bytes in one file of a snapshot: the answer is the library's own, and says so."""
    chosen, config = random.Random(seed), library_in(folder, snapshots=True)
    indexed(config, folder)
    with open_engine(library_in(folder)) as engine:
        wanted = answers(engine)
    files = sorted(path for path in folder.rglob("library.db.snapshots/*/*/*") if path.is_file())
    path = chosen.choice(files)
    data = bytearray(path.read_bytes())
    for _ in range(chosen.randint(1, 40)):
        data[chosen.randrange(len(data))] ^= 1 << chosen.randrange(8)
    path.write_bytes(data)
    with open_engine(config) as engine:
        found = answers(engine)
        told = engine.search(Query("lamp tree", 10)).degraded
    if found != wanted:
        return "wrong answers"
    return "detected" if told else "not noticed"


def table_round(folder: Path, seed: int) -> str:
    """Overwrites one value of one table: the check finds it, and the repair makes it anew."""
    chosen, config = random.Random(seed), library_in(folder)
    indexed(config, folder)
    table, column = chosen.choice(sorted(_TABLES.items()))
    connection = apsw.Connection(str(folder / "library.db"))
    rows = connection.execute(f"select key from {table}").fetchall()  # noqa: S608 (names of our own schema)
    key = chosen.choice(rows)[0]
    connection.execute(f"update {table} set {column} = randomblob(length({column})) where key = ?", (key,))  # noqa: S608
    connection.close()
    with open_engine(config) as engine:
        if not damage(engine):
            return "not noticed"
        return "not mended" if mend(engine)[1] else "mended"


def kill_round(folder: Path, seed: int) -> str:
    """Kills a process that indexes at a moment of its own: the next run completes, and nothing is damaged."""
    chosen, config = random.Random(seed), library_in(folder)
    with open_engine(config, create=True) as engine:
        engine.add_collection("notes", folder / "notes")
    command = [sys.executable, "-m", "octavo", "index", "--library", str(config.library), "--quiet"]
    environ = {**os.environ, "OCTAVO_EMBEDDING__PROVIDER": "hashing", "HOME": str(folder)}
    process = subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(chosen.uniform(0.2, 3.0))
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open_engine(config) as engine:
        engine.index()
        if damage(engine):
            return "damaged"
        return "completed" if engine.store.counts(engine.project.id).documents == _NOTES else "lost documents"


def question_round(folder: Path, seed: int) -> str:
    """Asks one odd question of 20,000 characters: reading it takes less than the loop may be held for."""
    chosen = random.Random(seed)
    piece = "".join(chosen.choices("aB_.:/\\`'\"{}[]()<>|*+?$# \n0x", k=chosen.randint(1, 4)))
    started = time.thread_time()
    read_code_query(piece * (20_000 // len(piece)))
    return "quick" if time.thread_time() - started < 1.0 else f"slow: {piece!r}"


PARTS: dict[str, Callable[[Path, int], str]] = {
    "snapshots": snapshot_round,
    "tables": table_round,
    "kills": kill_round,
    "questions": question_round,
}


def campaign(parts: list[str], rounds: int, seed: int, state: Path | None) -> dict[str, Counter[str]]:
    """The outcomes of every part; those that a state file has are taken from it."""
    done: dict[str, str] = json.loads(state.read_text("utf-8")) if state is not None and state.is_file() else {}
    counts = {part: Counter[str]() for part in parts}
    for part in parts:
        for number in range(rounds):
            name = f"{part} {seed + number}"
            if name not in done:
                with tempfile.TemporaryDirectory(prefix="octavo-faults-") as folder:
                    try:
                        done[name] = PARTS[part](Path(folder), seed + number)
                    except OctavoError as error:
                        done[name] = f"refused: {error.code}"
                if state is not None:
                    state.write_text(json.dumps(done, indent=1), "utf-8")
            counts[part][done[name]] += 1
    return counts


def table(counts: dict[str, Counter[str]]) -> str:
    rows = [f"| {part} | {outcome} | {number} |" for part, of in counts.items() for outcome, number in of.most_common()]
    return "\n".join(["| part | outcome | rounds |", "|---|---|---|", *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path)
    given = parser.parse_args()
    print(table(campaign(given.parts or list(PARTS), given.rounds, given.seed, given.state)))


if __name__ == "__main__":
    main()
