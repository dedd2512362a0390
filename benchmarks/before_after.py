"""This checkout against an earlier one, in turn and in one run: cold starts, warm searches, indexing.

    ./dev bench before_after FOLDER --before PACKAGE:SRC [--out DIR] [--runs N] [--indexings N]

SRC is the source folder of the earlier checkout, PACKAGE its import name; both run on this interpreter. What counts is
user and system time of each process, least and median of the runs, and the ratio of now to before. Writes
DIR/before_after.json. A search of the warm process is never the same twice, so its vector is always computed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
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
import sys, time
from importlib import import_module
from pathlib import Path
package, library = sys.argv[1:]
config = import_module(package + ".config.schema").Config(library=Path(library))
engine = import_module(package + ".engine.wiring").open_engine(config)
Query = import_module(package + ".model.query").Query
profile = import_module(package + ".retrieval.profiles").PROFILES["hybrid"]
questions = ("collimate a telescope", "what is the humidity limit", "stars look like commas", "who has the keys",
             "polar alignment of the mount", "clean the mirror", "dark adaptation", "backups of the pictures")
for turn, line in enumerate(sys.stdin):
    started = time.process_time()
    for question in questions:
        engine.search(Query(f"{question} {turn}"), profile)
    print((time.process_time() - started) * 1e3 / len(questions), flush=True)
"""


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
    """Every other time the other one first; the first time, which warms caches, does not count."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(runs + 1):
        for name in sorted(sides, reverse=bool(turn % 2)):
            taken = sides[name]()
            if turn:
                times[name].append(taken)
    return times


def warm(sides: Mapping[str, Side], runs: int) -> dict[str, list[float]]:
    """Milliseconds a search, in processes that stay."""
    processes = {
        name: subprocess.Popen(
            [sys.executable, "-c", WARM, side.package, str(side.folder / "library.db")],
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
        print(file=told, flush=True)
        return float(answered.readline())

    times = in_turn({name: lambda name=name: ask(name) for name in sides}, runs)  # type: ignore[misc]
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
        index = {name: lambda side=side: side.indexed(notes) for name, side in sides.items()}
        found = {"index": summary("index", in_turn(index, options.indexings))}  # type: ignore[arg-type]
        for name, arguments in COLD.items():
            calls = {which: lambda side=side: side.run(*arguments) for which, side in sides.items()}  # noqa: B023
            found[name] = summary(name, in_turn(calls, options.runs))  # type: ignore[arg-type]
        found["warm hybrid"] = summary("warm hybrid", warm(sides, options.runs))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "before_after.json").write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
