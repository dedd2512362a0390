"""Whether a writer that is killed at any moment loses a commit it had acknowledged.

    ./dev bench memory_kills --kills 1000

Every writer is a process that commits memories, one after another, and says so after each. It is killed with SIGKILL
at a random moment, and the next one begins where it was. Then the library is checked, and every acknowledged commit is
looked for: item, version, document, and the answer that its idempotency key gives again. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import tempfile
import time
from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.memory.draft import MemoryDraft, Provenance
from octavo.memory.memory_changes import create
from octavo.model.memory import MemoryFilter, MemoryId

SETTINGS = {"embedding.provider": "hashing", "snapshots.enabled": False}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chance = random.Random(chosen.seed)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.db"
        with open_library(library, create=True, settings=SETTINGS) as engine:
            _ = engine.memories
        acknowledged: dict[str, str] = {}
        for number in range(chosen.kills):
            acknowledged |= killed(library, number, chance)
        report = looked_for(library, acknowledged)
    print(
        json.dumps(
            {
                "kills": chosen.kills,
                "acknowledged": len(acknowledged),
                **report,
                "seconds": round(time.perf_counter() - started, 1),
            },
            indent=2,
        )
    )


def killed(library: Path, number: int, chance: random.Random) -> dict[str, str]:
    """Starts a writer, kills it a random while after it began to write, and returns what it had acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        write(library, number, writing)
        os._exit(0)
    os.close(writing)
    heard, wanted = b"", chance.randrange(1, 6)
    while heard.count(b"\n") < wanted and select.select([reading], [], [], 60.0)[0]:
        heard += os.read(reading, 65_536)
    # Somewhere within the commits that follow: a commit takes a few milliseconds.
    time.sleep(chance.uniform(0.0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while piece := os.read(reading, 65_536):
        heard += piece
    os.close(reading)
    lines = heard.decode().split("\n")[:-1]
    return dict(line.split(" ") for line in lines if " " in line)


def write(library: Path, number: int, answers: int) -> None:
    with open_library(library, settings=SETTINGS) as engine:
        memories = engine.memories
        os.write(answers, b"\n")
        for place in range(100_000):
            key = f"{number}-{place}"
            made = create(memories, MemoryDraft(f"Fact {key}: the pump was started."), Provenance(key=key))
            os.write(answers, f"{key} {made.item.id}\n".encode())


def looked_for(library: Path, acknowledged: dict[str, str]) -> dict[str, object]:
    with open_library(library, settings=SETTINGS) as engine:
        store, project = engine.store, engine.project.id
        items = {item.id: item for item in store.memories.find(project, MemoryFilter())}
        lost = [key for key, name in acknowledged.items() if MemoryId(name) not in items]
        unkeyed = [
            key
            for key, name in acknowledged.items()
            if (commit := store.memories.commit_under(project, key)) is None or commit.item_id != name
        ]
        entries = store.ledger.entries(project, engine.memories.collection.id)
        unindexed = [name for name in items if f"{name}.md" not in entries]
        return {
            "committed": len(items),
            "lost": len(lost),
            "keys_that_forgot": len(unkeyed),
            "not_searchable": len(unindexed),
            "problems": list(store.check()),
        }


if __name__ == "__main__":
    main()
