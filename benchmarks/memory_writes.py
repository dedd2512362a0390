"""How many memories a second many writers can commit, how long each waits, and whether every one is found afterwards.

    ./dev bench memory_writes --writers 32 --seconds 60 --rate 100

Threads share one engine; `--processes N` spreads the writers over N processes on the same library. `--rate` is how many
commits a second all writers together begin; without it each begins the next as soon as the last is done, and a wait is
the length of the queue. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import tempfile
import threading
import time
from pathlib import Path

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.memory.draft import MemoryDraft
from octavo.memory.memory_changes import create
from octavo.memory.remember import remember
from octavo.model.memory import MemoryFilter

SETTINGS = {"embedding.provider": "hashing"}
WORDS = Path(__file__).read_text("utf-8").split()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, default=32)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=0.0)
    parser.add_argument("--remember", action="store_true", help="look for duplicates too, as agents do")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.db"
        with open_library(library, create=True, settings=SETTINGS) as engine:
            _ = engine.memories
        each = chosen.writers // chosen.processes
        pause = chosen.writers / chosen.rate if chosen.rate else 0.0
        given = [(library, number, each, chosen.seconds, pause, chosen.remember) for number in range(chosen.processes)]
        with multiprocessing.get_context("spawn").Pool(chosen.processes) as pool:
            outcomes = pool.starmap(write, given)
        took = sorted(one for outcome in outcomes for one in outcome["took"])
        names = {name for outcome in outcomes for name in outcome["names"]}
        with open_library(library, settings=SETTINGS) as engine:
            kept = {item.id for item in engine.store.memories.find(engine.project.id, MemoryFilter())}
            problems = engine.store.check()
    print(
        json.dumps(
            {
                "writers": chosen.writers,
                "processes": chosen.processes,
                "rate": chosen.rate or None,
                "commits": len(took),
                "commits_per_second": round(len(took) / chosen.seconds, 1),
                "p50_ms": round(took[len(took) // 2] * 1e3, 1),
                "p95_ms": round(took[len(took) * 95 // 100] * 1e3, 1),
                "p99_ms": round(took[len(took) * 99 // 100] * 1e3, 1),
                "errors": [error for outcome in outcomes for error in outcome["errors"]],
                "lost": len(names - kept),
                "problems": list(problems),
            },
            indent=2,
        )
    )


def write(
    library: Path, process: int, writers: int, seconds: float, pause: float, deduplicate: bool
) -> dict[str, list[object]]:
    outcome: dict[str, list[object]] = {"took": [], "names": [], "errors": []}
    with open_library(library, settings=SETTINGS) as engine:
        _ = engine.memories
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=_writer, args=(engine, f"{process}.{number}", until, pause, deduplicate, outcome))
            for number in range(writers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return outcome


def _writer(
    engine: Engine, name: str, until: float, pause: float, deduplicate: bool, outcome: dict[str, list[object]]
) -> None:
    chance = random.Random(name)
    number = 0
    due = time.monotonic() + chance.uniform(0.0, pause)
    while (now := time.monotonic()) < until:
        if due > now:
            time.sleep(due - now)
        due += pause
        number += 1
        draft = MemoryDraft(f"Writer {name}, fact {number}: " + " ".join(chance.choices(WORDS, k=30)))
        started = time.perf_counter()
        try:
            done = remember(engine.memories, draft).committed if deduplicate else create(engine.memories, draft)
        except Exception as error:
            outcome["errors"].append(repr(error))
            continue
        outcome["took"].append(time.perf_counter() - started)
        outcome["names"].append(done.item.id)


if __name__ == "__main__":
    main()
