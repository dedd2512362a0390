"""An hour of ordinary work: `octavo serve`, `octavo watch`, an editor and an agent on one library.

    ./dev bench soak --seconds 3600 [--folder WORK] [--documents 2000] [--out DIR]

The editor saves, adds and removes notes (as many as it removes), the agent searches, recalls and remembers over HTTP, a
few operations a second; every ten minutes the library is pruned as its owner would. Descriptors, threads and memory of
both processes and the sizes of the library's files are sampled all the while. Writes DIR/soak.json, with the level of
every series early and late in the run, and DIR/soak.svg. Linux tells of the processes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from octavo.engine.wiring import open_library

WORDS = (
    "harbour",
    "boiler",
    "lamp",
    "valve",
    "cellar",
    "roof",
    "winter",
    "ledger",
    "anchor",
    "signal",
    "kettle",
    "mast",
)
SECTIONS = 10
MEMORIES = 60
EDIT_SECONDS, ASK_SECONDS, SAMPLE_SECONDS, PRUNE_SECONDS = 2.0, 0.5, 15.0, 600.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3_600.0)
    parser.add_argument("--documents", type=int, default=2_000, help=f"of {SECTIONS} sections, a chunk each")
    parser.add_argument("--provider", default="hashing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the notes and the library stay for the next run")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="octavo-") as folder:
        place = (chosen.folder or Path(folder)).resolve()
        os.environ |= {
            "OCTAVO_LIBRARY": str(place / "library.db"),
            "OCTAVO_EMBEDDING_PROVIDER": chosen.provider,
            "OCTAVO_DAEMON_ENABLED": "false",
            "OCTAVO_WATCH_ENABLED": "false",  # `octavo watch` does it
        }
        work = Soak(place, random.Random(chosen.seed))
        chunks = work.prepare(chosen.documents)
        work.run(chosen.seconds)
        problems = work.problems()
    levels = {name: level(work.series[name]) for name in work.series}
    report = {
        "chunks": chunks,
        "seconds": round(chosen.seconds),
        "done": dict(sorted(work.done.items())),
        "errors": work.errors,
        "answer_ms": {name: spread(took) for name, took in sorted(work.took.items())},
        "levels": levels,
        "problems": problems,
        "series": work.series,
    }
    (chosen.out / "soak.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    (chosen.out / "soak.svg").write_text(picture(work.series), "utf-8")
    del report["series"]
    print(json.dumps(report, indent=2))


@dataclass
class Soak:
    """One run: what is done, how long it took, and what was sampled meanwhile."""

    place: Path
    chance: random.Random
    done: Counter[str] = field(default_factory=Counter)
    took: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    series: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    added: list[Path] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    @property
    def notes(self) -> Path:
        return self.place / "notes"

    def prepare(self, documents: int) -> int:
        """The notes and their library, made unless they are there; how many chunks it has."""
        if not self.notes.exists():
            self.notes.mkdir(parents=True)
            for number in range(documents):
                path = self.notes / f"{number % 40:02}" / f"{number}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(self.note(number), "utf-8")
        with open_library(create=True) as engine:
            engine.add_collection("notes", self.notes)
            engine.index(wait_full=True)
            return engine.store.counts(engine.project.id).chunks

    def run(self, seconds: float) -> None:
        with ExitStack() as stack:
            server, address = stack.enter_context(serving())
            watcher = stack.enter_context(watching())
            http = stack.enter_context(httpx2.Client(base_url=address, timeout=120))
            started = time.monotonic()
            steps = {self.edit: EDIT_SECONDS, self.prune: PRUNE_SECONDS}
            due = {step: started + pause for step, pause in steps.items()}
            ask_at, sample_at = started, started + SAMPLE_SECONDS  # both are awake by then
            while (now := time.monotonic()) < started + seconds:
                for step, pause in steps.items():
                    if now >= due[step]:
                        step()
                        due[step] = max(due[step] + pause, time.monotonic())
                if now >= ask_at:
                    self.ask(http)
                    ask_at = max(ask_at + ASK_SECONDS, time.monotonic())
                if now >= sample_at:
                    self.sample(now - started, {"serve": server, "watch": watcher})
                    sample_at += SAMPLE_SECONDS
                time.sleep(max(0.0, min(ask_at, sample_at, *due.values()) - time.monotonic()))

    def edit(self) -> None:
        """A save as editors do it: in place or aside and renamed; now and then a new note, or the end of one."""
        what = self.chance.choices(("save", "save aside", "add", "remove"), (6, 6, 1, 1))[0]
        if what == "remove" and not self.added:
            what = "add"
        if what == "add":
            path = self.notes / f"{self.chance.randrange(40):02}" / f"added-{self.done['add']}.md"
            path.write_text(self.note(self.done["add"]), "utf-8")
            self.added.append(path)
        elif what == "remove":
            self.added.pop(self.chance.randrange(len(self.added))).unlink()
        else:
            folder = self.notes / f"{self.chance.randrange(40):02}"
            path = self.chance.choice(sorted(folder.iterdir()))
            lines = path.read_text("utf-8").split("\n\n")
            lines[self.chance.randrange(2, len(lines))] = self.line()
            target = path if what == "save" else path.with_name(f".{path.name}~")
            target.write_text("\n\n".join(lines), "utf-8")
            if target != path:
                target.replace(path)
        self.done[what] += 1

    def ask(self, http: httpx2.Client) -> None:
        """What an agent does: mostly questions; what it notes replaces what it noted before."""
        name, body = self.chance.choices(
            [
                ("search", {"query": self.line()[:60]}),
                ("recall", {"query": self.line()[:60]}),
                ("status", {}),
                ("remember", {"text": self.line(), "idempotency_key": f"{time.time_ns()}"}),
                ("canonical_upsert", {"key": f"plan/{self.chance.randrange(5)}", "text": f"# Plan\n\n{self.line()}"}),
                ("forget", {}),
            ],
            (60, 20, 5, 5, 5, 5),
        )[0]
        if name == "forget":
            if len(self.kept) < MEMORIES:
                return
            body = {"item": self.kept.pop(0)}
        started = time.perf_counter()
        answer = http.post(f"/v1/{name}", json=body)
        self.took.setdefault(name, []).append((time.perf_counter() - started) * 1e3)
        self.done[name] += 1
        if answer.status_code != 200:
            self.errors.append(f"{name}: {answer.status_code} {answer.text[:200]}")
        elif name == "remember" and answer.json()["item"] not in self.kept:
            self.kept.append(answer.json()["item"])

    def prune(self) -> None:
        command = [sys.executable, "-m", "octavo", "db", "prune", "--keep", "0", "--json"]
        pruned = subprocess.run(command, capture_output=True, text=True)
        self.done["prune"] += 1
        if pruned.returncode:
            self.errors.append(f"prune: {pruned.stderr[:200]}")

    def sample(self, at: float, pids: dict[str, int]) -> None:
        def put(name: str, value: float) -> None:
            self.series.setdefault(name, []).append((round(at, 1), round(value, 2)))

        for name, pid in pids.items():
            status = Path(f"/proc/{pid}/status").read_text("ascii")
            put(f"{name}: descriptors", len(list(Path(f"/proc/{pid}/fd").iterdir())))
            put(f"{name}: threads", int(re.findall(r"^Threads:\s+(\d+)", status, re.MULTILINE)[0]))
            put(f"{name}: memory, MB", int(re.findall(r"^VmRSS:\s+(\d+)", status, re.MULTILINE)[0]) / 1e3)
        library = self.place / "library.db"
        put("library, MB", library.stat().st_size / 1e6)
        put("write-ahead log, MB", size(library.with_name("library.db-wal")) / 1e6)
        put("other files, MB", (sum(size(path) for path in self.place.rglob("*") if self.is_other(path))) / 1e6)

    def is_other(self, path: Path) -> bool:
        return path.is_file() and self.notes not in path.parents and path.name not in ("library.db", "library.db-wal")

    def problems(self) -> list[str]:
        with open_library() as engine:
            engine.index()
            return list(engine.store.check())

    def note(self, number: int) -> str:
        sections = (f"## Part {part} of {number}\n\n{self.line(90)}" for part in range(SECTIONS - 1))
        return "\n\n".join([f"# Note {number}", self.line(90), *sections]) + "\n"

    def line(self, words: int = 30) -> str:
        endings = (self.chance.choice(("", "", self.chance.randrange(999))) for _ in range(words))
        return " ".join(f"{self.chance.choice(WORDS)}{ending}" for ending in endings)


def size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0


@contextmanager
def serving() -> Iterator[tuple[int, str]]:
    with tempfile.TemporaryFile("w+") as log:
        command = [sys.executable, "-m", "octavo", "serve", "--no-token", "--port", "0"]
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            found = None
            while found is None:
                assert process.poll() is None
                time.sleep(0.1)
                log.seek(0)
                found = re.search(r"Serving (http://\S+) ", log.read())
            yield process.pid, found[1]
        finally:
            process.terminate()
            process.wait()


@contextmanager
def watching() -> Iterator[int]:
    process = subprocess.Popen([sys.executable, "-m", "octavo", "watch", "--jsonl"], stdout=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait()


def spread(took: list[float]) -> dict[str, float]:
    ordered = sorted(took)
    return {
        "count": len(ordered),
        "p50": round(ordered[len(ordered) // 2], 1),
        "p95": round(ordered[len(ordered) * 95 // 100], 1),
        "worst": round(ordered[-1], 1),
    }


def level(points: list[tuple[float, float]]) -> dict[str, float]:
    """The first value, the medians of the second and the last sixth of the run, and the highest: flat, if alike."""
    values = [value for _, value in points]
    sixth = max(1, len(values) // 6)
    early, late = values[sixth : 2 * sixth] or values, values[-sixth:]
    return {
        "start": values[0],
        "early": statistics.median(early),
        "late": statistics.median(late),
        "end": values[-1],
        "highest": max(values),
    }


def picture(series: dict[str, list[tuple[float, float]]]) -> str:
    """A small plot for each series, from zero, drawn without a plotting library."""
    width, height, columns = 300, 120, 3
    drawn: list[str] = []
    for number, (name, points) in enumerate(sorted(series.items())):
        left, top = (number % columns) * (width + 30) + 10, (number // columns) * (height + 50) + 20
        most, end = max(value for _, value in points) or 1.0, points[-1][0] or 1.0
        line = " ".join(
            f"{left + width * at / end:.1f},{top + height - height * value / most / 1.1:.1f}" for at, value in points
        )
        drawn.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#bbb"/>')
        drawn.append(f'<text x="{left}" y="{top - 6}">{name}: {points[0][1]:g} to {points[-1][1]:g}</text>')
        drawn.append(f'<text x="{left + width}" y="{top + height + 14}" text-anchor="end">{end / 60:.0f} min</text>')
        drawn.append(f'<polyline points="{line}" fill="none" stroke="#2a6"/>')
    rows = -(-len(series) // columns)
    dimensions = f'width="{columns * (width + 30)}" height="{rows * (height + 50) + 10}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {dimensions} font-size="11" font-family="sans-serif">'
    return "\n".join([opening, *drawn, "</svg>", ""])


if __name__ == "__main__":
    main()
