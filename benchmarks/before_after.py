"""This checkout against an earlier one, in turn and in one run: cold starts, warm searches, indexing.

    ./dev bench before_after FOLDER --before PACKAGE:SRC [--out DIR] [--runs N] [--indexings N]
    ./dev bench before_after FOLDER --before PACKAGE:SRC --libraries BEFORE.db NOW.db

SRC is the source folder of the earlier checkout, PACKAGE its import name; both run on this interpreter. What counts is
user and system time of each process, least and median of the runs, and the ratio of now to before. Writes
DIR/before_after.json. A search of the warm process is never the same twice, so its vector is always computed.

With two libraries, each made by its side of the same files, only warm searches of these are compared. Questions are
words that follow each other in the files of FOLDER.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

NOW = Path(__file__).parents[1] / "src"
QUESTION = "collimate a telescope"
COLD = {
    "cold --help": ["--help"],
    "cold search": ["search", QUESTION],
    "cold search, lexical": ["search", QUESTION, "-p", "lexical_only"],
}
WARM = """
import json, sys, time
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
package, library = sys.argv[1:]
config = import_module(package + ".config.schema").Config(library=Path(library))
engine = import_module(package + ".engine.wiring").open_engine(config)
Query = import_module(package + ".model.query").Query
names = [f"{package}.retrieval.{name}" for name in ("profiles_by_name", "profiles")]  # as it is, and as it was called
profile = import_module(next(filter(find_spec, names))).PROFILES["hybrid"]
for line in sys.stdin:
    questions = json.loads(line)
    started = time.process_time()
    for question in questions:
        engine.search(Query(question), profile)
    print((time.process_time() - started) * 1e3 / len(questions), flush=True)
"""
QUESTIONS = (
    "collimate a telescope",
    "what is the humidity limit",
    "stars look like commas",
    "who has the keys",
    "polar alignment of the mount",
    "clean the mirror",
    "dark adaptation",
    "backups of the pictures",
)
_WORDS = (2, 6)  # of a question that is made of words
_ASKED = 20  # of these questions a turn


class Side(NamedTuple):
    """One of the two programs, with a library of its own."""

    package: str
    source: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "OCTAVO_"))}
        library = {f"{self.package.upper()}_LIBRARY": str(self.folder / "library.db")}
        return {**kept, "HOME": str(self.folder), "PYTHONPATH": str(self.source), **library}

    def run(self, *arguments: str) -> float:
        """Milliseconds of processor time."""
        command = [sys.executable, "-m", self.package, *arguments]
        started = subprocess.Popen(
            command, env=self.environment, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        _, status, used = os.wait4(started.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
        return (used.ru_utime + used.ru_stime) * 1e3

    def indexed(self, notes: Path) -> float:
        """A new library of these notes; what indexing them took."""
        for file in self.folder.glob("library.db*"):
            file.unlink()
        self.run("init")
        self.run("add", str(notes), "--name", "notes")
        return self.run("index")


def in_turn(sides: Mapping[str, Callable[[], float]], runs: int) -> dict[str, list[float]]:
    """Every other time the other one first; the first time, which warms caches, counts only if it is the only one."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(runs + 1):
        for name in sorted(sides, reverse=bool(turn % 2)):
            taken = sides[name]()
            if turn or not runs:
                times[name].append(taken)
    return times


def made_of(folder: Path, runs: int) -> list[list[str]]:
    """Questions for every turn: words that follow each other in the files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())[:200]
    words = [
        word for path in files for word in path.read_text("utf-8", "ignore").split() if word.isalpha() and len(word) > 3
    ]
    chance = random.Random(5)

    def question() -> str:
        at = chance.randrange(len(words) - _WORDS[1])
        return " ".join(words[at : at + chance.randint(*_WORDS)])

    return [[question() for _ in range(_ASKED)] for _ in range(runs + 1)]


def warm(
    sides: Mapping[str, Side], libraries: Mapping[str, Path], questions: Sequence[Sequence[str]]
) -> dict[str, list[float]]:
    """Milliseconds a search, in processes that stay; a turn for each list of questions, and one before."""
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-c", WARM, side.package, str(libraries[name])],
            env=side.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, side in sides.items()
    }

    def ask(name: str) -> float:
        told, answered = processes[name].stdin, processes[name].stdout
        assert told is not None and answered is not None
        print(json.dumps(next(asked[name])), file=told, flush=True)
        return float(answered.readline())

    asked = {name: iter(questions) for name in sides}
    times = in_turn({name: lambda name=name: ask(name) for name in sides}, len(questions) - 1)  # type: ignore[misc]
    for process in processes.values():
        process.communicate()
    return times


def summary(name: str, times: Mapping[str, list[float]]) -> dict[str, float]:
    least = {side: min(taken) for side, taken in times.items()}
    median = {side: statistics.median(taken) for side, taken in times.items()}
    print(
        f"{name:22s} before {least['before']:8.1f} · {median['before']:8.1f} ms   now {least['now']:8.1f} · "
        f"{median['now']:8.1f} ms   ratio {least['now'] / least['before']:.3f} · {median['now'] / median['before']:.3f}"
    )
    return {
        **{f"{side}_least_ms": value for side, value in least.items()},
        **{f"{side}_median_ms": value for side, value in median.items()},
        "ratio_least": least["now"] / least["before"],
        "ratio_median": median["now"] / median["before"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", required=True, help="the earlier one: PACKAGE:SRC")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--indexings", type=int, default=3)
    parser.add_argument("--libraries", type=Path, nargs=2, metavar=("BEFORE", "NOW"), help="made of the same files")
    options = parser.parse_args()
    package, _, source = options.before.partition(":")
    notes = options.folder.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        sides = {
            "before": Side(package, Path(source).resolve(), Path(temporary) / "before"),
            "now": Side("octavo", NOW, Path(temporary) / "now"),
        }
        for side in sides.values():
            side.folder.mkdir()
        found = compared(sides, notes, options)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "before_after.json").write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def compared(sides: Mapping[str, Side], notes: Path, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    if options.libraries:
        libraries = dict(zip(("before", "now"), options.libraries, strict=True))
        times = warm(sides, libraries, made_of(notes, options.runs))
        return {"warm hybrid": summary("warm hybrid", times)}
    index = {name: lambda side=side: side.indexed(notes) for name, side in sides.items()}
    found = {"index": summary("index", in_turn(index, options.indexings))}  # type: ignore[arg-type]
    for name, arguments in COLD.items():
        calls = {which: lambda side=side: side.run(*arguments) for which, side in sides.items()}  # noqa: B023
        found[name] = summary(name, in_turn(calls, options.runs))  # type: ignore[arg-type]
    libraries = {name: side.folder / "library.db" for name, side in sides.items()}
    questions = [[f"{question} {turn}" for question in QUESTIONS] for turn in range(options.runs + 1)]
    found["warm hybrid"] = summary("warm hybrid", warm(sides, libraries, questions))
    return found


if __name__ == "__main__":
    main()
