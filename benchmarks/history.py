"""How fast a git history becomes searchable, and how fast a commit is found: a real repository, words first.

    ./dev bench history FOLDER [--commits N] [--embed N] [--out DIR]

FOLDER holds a repository, bare or not; of its history the newest N commits are taken. Indexes as `octavo index
--no-embed` does, in two passes: without diffs, then with them. Beside each stands what git alone needs to tell as much.
Then N commits are embedded, and questions asked of those. Writes DIR/history.json. A shared machine makes wall time
say little: the time that this process and the git it started were given is beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.ingest.chunk_embedding import embed_pending
from octavo.model.projects_and_collections import CollectionSettings
from octavo.observability.progress import NoProgress
from octavo.operations.history.commits_and_file_history import log
from octavo.operations.history.requests import LogRequest
from octavo.sources import git_commits

QUESTIONS = (
    "why was this default changed",
    "fix a crash when the input is empty",
    "make the tests faster",
    "deprecate an old function",
    "security fix for user input",
    "typo in the documentation",
    "support a new version of the database",
    "revert an earlier change",
)


def cpu_seconds() -> float:
    """Of this process and of the children it has waited for."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


class Phases:
    """Fits `Progress`: how long each phase took, and how many commits it was about."""

    def __init__(self) -> None:
        self.took: dict[str, dict[str, float]] = {}
        self._name = ""
        self._began = (0.0, 0.0)
        self._total = 0

    def start(self, phase: str, total: int | None, unit: str) -> None:
        self._name, self._total = (phase if unit == "commits" else ""), total or 0
        self._began = time.perf_counter(), cpu_seconds()

    def advance(self, n: int = 1, note: str = "") -> None: ...

    def finish(self) -> None:
        if self._name:
            wall, cpu = time.perf_counter() - self._began[0], cpu_seconds() - self._began[1]
            self.took[self._name.rpartition(" ")[2]] = rates(self._total, wall, cpu)


def rates(commits: int, wall: float, cpu: float) -> dict[str, float]:
    return {
        "commits": commits,
        "seconds": round(wall, 2),
        "per_second": round(commits / wall),
        "per_cpu_second": round(commits / cpu),
    }


def git_alone(folder: Path, most: int, *, diffs: bool) -> dict[str, float]:
    repository = git_commits.open_repository(folder, "")
    hashes = git_commits.reachable(repository, most)
    wall, cpu = time.perf_counter(), cpu_seconds()
    told = sum(1 for _ in git_commits.commits(repository, hashes, diffs=diffs))
    return rates(told, time.perf_counter() - wall, cpu_seconds() - cpu)


def asked(engine: Engine) -> dict[str, float]:
    took = []
    for _ in range(5):
        for question in QUESTIONS:
            started = time.perf_counter()
            log(engine, LogRequest(question, 10))
            took.append((time.perf_counter() - started) * 1e3)
    took.sort()
    return {"p50_ms": round(took[len(took) // 2], 1), "p95_ms": round(took[len(took) * 95 // 100], 1)}


def measured(folder: Path, most: int, embedded: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as aside:
        library = Path(aside) / "library.db"
        config = validated(Config, {"library": library, "history": {"max_commits": most}})
        # Only the history: the files are measured elsewhere.
        rules = CollectionSettings(include=("no-such-file",))
        with open_engine(config, create=True) as engine:
            engine.add_collection("bench", folder, rules)
            phases = Phases()
            report = engine.index(embed=False, progress=phases).collections[0]
            again = time.perf_counter()
            engine.index(embed=False)
            again = time.perf_counter() - again
            figures: dict[str, Any] = {
                "commits": report.commits,
                "chunks": engine.store.counts(engine.project.id).chunks,
                "without_diffs": phases.took.get("history"),
                "with_diffs": phases.took.get("diffs"),
                "git_without_diffs": git_alone(folder, most, diffs=False),
                "git_with_diffs": git_alone(folder, most, diffs=True),
                "second_run_ms": round(again * 1e3, 1),
                "library_mb": round(library.stat().st_size / 1e6, 1),
            }
            if embedded:
                figures["embedding"] = embedding(engine, embedded)
            figures["asking"] = asked(engine)
            return figures


def embedding(engine: Engine, commits: int) -> dict[str, float]:
    """Of as many inputs as so many commits have: a commit has one, unless its message is long."""
    chunks, _ = engine.store.embeddings.assignments(engine.project.id).shape
    inputs = max(1, round(commits * chunks / max(1, engine.store.counts(engine.project.id).documents)))
    engine.embedder.embed(["a first text, which loads the model"])
    wall, cpu = time.perf_counter(), cpu_seconds()
    embed_pending(engine.store, engine.project.id, engine.embedder, NoProgress(), newest=inputs)
    return rates(commits, time.perf_counter() - wall, cpu_seconds() - cpu) | {"inputs": inputs}


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast a git history becomes searchable.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--commits", type=int, default=50_000)
    parser.add_argument("--embed", type=int, default=500)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    figures = measured(given.folder.resolve(), given.commits, given.embed)
    figures |= {"cores": os.cpu_count(), "python": sys.version.split()[0]}
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "history.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
