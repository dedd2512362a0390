"""How long people wait for hits on the page while many type at once.

    ./dev bench typists LIBRARY [--people N] [--queries N] [--pause SECONDS] [--out DIR]

Starts `octavo serve` on the library. Each person types queries made of the titles of its documents, a key at a time,
and asks for `/results` where typing pauses, as the page's script does: after every few keys, and never twice at once.
Writes DIR/typists.json with the percentiles of the answers' times, the processor time the server took for each, and
how often each status was answered.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import httpx2
from octavo_server import serving, titles

_KEYS = (2, 6)  # pressed between two pauses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--queries", type=int, default=4, help="that each person types")
    parser.add_argument("--pause", type=float, default=0.6, help="seconds between two pauses, on average")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    with serving(chosen.library) as (address, process):
        measured = anyio.run(_typed, address, titles(chosen.library), chosen, process)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "typists.json").write_text(json.dumps(measured, indent=2) + "\n", "utf-8")
    print(json.dumps(measured, indent=2))


def _processor_ms(pid: int) -> float:
    """The processor time that a process has taken so far: it says more than the clock where others run beside it."""
    taken = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return 1e3 * sum(map(int, taken)) / os.sysconf("SC_CLK_TCK")


async def _typed(address: str, titles: list[str], chosen: Any, server: int) -> dict[str, Any]:
    took: list[float] = []
    statuses: Counter[str] = Counter()

    async def person(number: int) -> None:
        chance = random.Random(number)
        async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
            for query in (chance.choice(titles) for _ in range(chosen.queries)):
                at = 0
                while at < len(query):
                    await anyio.sleep(chance.uniform(0.5, 1.5) * chosen.pause)
                    at += chance.randint(*_KEYS)
                    started = time.perf_counter()
                    answer = await client.get("/results", params={"q": query[:at]})
                    took.append(time.perf_counter() - started)
                    statuses[str(answer.status_code)] += 1

    async with httpx2.AsyncClient(base_url=address, timeout=120) as first:
        await first.get("/results", params={"q": "warm up the model"})
    begun, before = time.perf_counter(), _processor_ms(server)
    async with anyio.create_task_group() as group:
        for number in range(chosen.people):
            group.start_soon(person, number)
    seconds = time.perf_counter() - begun
    cuts = statistics.quantiles(took, n=100)
    return {
        "load_average": round(os.getloadavg()[0], 1),
        "people": chosen.people,
        "answers": len(took),
        "per_second": round(len(took) / seconds, 1),
        "processor_ms_an_answer": round((_processor_ms(server) - before) / len(took), 1),
        "p50_ms": round(1e3 * cuts[49], 1),
        "p95_ms": round(1e3 * cuts[94], 1),
        "p99_ms": round(1e3 * cuts[98], 1),
        "statuses": dict(statuses),
    }


if __name__ == "__main__":
    main()
