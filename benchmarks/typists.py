"""How long people wait for hits on the page while many type at once.

    ./dev bench typists LIBRARY [--people N] [--queries N] [--pause SECONDS] [--processes N] [--out DIR]

Starts `octavo serve` on the library, with so many processes that search. Each person types titles of its documents, a
key at a time, and asks for `/results` where typing pauses, as the page's script does: after every few keys, and never
twice at once. Writes DIR/typists.json with the percentiles of the answers' times, the processor time that the server's
processes took for each and that asking took, and how often each status was answered.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from octavo_server import serving, titles

_KEYS = (2, 6)  # pressed between two pauses
_WARM_UP = 8.0  # seconds of typing that are not counted: models are loaded, and files come into memory


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=Path)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--queries", type=int, default=4, help="that each person types")
    parser.add_argument("--pause", type=float, default=0.6, help="seconds between two pauses, on average")
    parser.add_argument("--processes", type=int, default=1, help="that search: serve.search_processes")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    with serving(chosen.library, chosen.processes) as (address, process):
        measured = asyncio.run(_typed(address, titles(chosen.library), chosen, process))
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "typists.json").write_text(json.dumps(measured, indent=2) + "\n", "utf-8")
    print(json.dumps(measured, indent=2))


def _processor_ms(pid: int) -> float:
    """The processor time that a process and its children have taken so far: it says more than the clock where others
    run beside it."""
    taken = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    children += [
        child for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()
    ]
    return 1e3 * sum(map(int, taken)) / os.sysconf("SC_CLK_TCK") + sum(
        _processor_ms(int(child)) for child in {*children}
    )


class _Typist:
    """Asks over one connection, by hand: a client library would take a share of the processors of its own."""

    def __init__(self, address: str) -> None:
        self._host, self._port = urlsplit(address).hostname, urlsplit(address).port

    async def __aenter__(self) -> _Typist:
        self._from, self._to = await asyncio.open_connection(self._host, self._port, limit=1 << 20)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._to.close()

    async def ask(self, query: str) -> str:
        """The status of the answer, once all of it is there."""
        self._to.write(f"GET /results?{urlencode({'q': query})} HTTP/1.1\r\nHost: {self._host}\r\n\r\n".encode())
        head = (await self._from.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        await self._from.readexactly(int(head.partition("content-length:")[2].split()[0]))
        return head.split()[1]


async def _typed(address: str, titles: list[str], chosen: Any, server: int) -> dict[str, Any]:
    took: list[float] = []
    statuses: Counter[str] = Counter()
    await _together(address, titles, chosen, [], Counter(), seconds=_WARM_UP)
    begun, before, asking = time.perf_counter(), _processor_ms(server), time.process_time()
    await _together(address, titles, chosen, took, statuses)
    seconds = time.perf_counter() - begun
    cuts = statistics.quantiles(took, n=100)
    return {
        "load_average": round(os.getloadavg()[0], 1),
        "people": chosen.people,
        "search_processes": chosen.processes,
        "answers": len(took),
        "per_second": round(len(took) / seconds, 1),
        "processor_ms_an_answer": round((_processor_ms(server) - before) / len(took), 1),
        "asking_ms_an_answer": round(1e3 * (time.process_time() - asking) / len(took), 2),
        "p50_ms": round(1e3 * cuts[49], 1),
        "p95_ms": round(1e3 * cuts[94], 1),
        "p99_ms": round(1e3 * cuts[98], 1),
        "statuses": dict(statuses),
    }


async def _together(
    address: str, titles: list[str], chosen: Any, took: list[float], statuses: Counter[str], seconds: float = 0.0
) -> None:
    """Everybody types their titles; with `seconds`, other titles and no longer than that."""
    until = time.perf_counter() + seconds if seconds else float("inf")

    async def person(number: int) -> None:
        chance = random.Random(number if not seconds else -number - 1)
        async with _Typist(address) as typist:
            for query in (chance.choice(titles) for _ in range(chosen.queries)):
                at = 0
                while at < len(query) and time.perf_counter() < until:
                    await asyncio.sleep(chance.uniform(0.5, 1.5) * chosen.pause)
                    at += chance.randint(*_KEYS)
                    started = time.perf_counter()
                    statuses[await typist.ask(query[:at])] += 1
                    took.append(time.perf_counter() - started)

    async with asyncio.TaskGroup() as group:
        for number in range(chosen.people):
            group.create_task(person(number))


if __name__ == "__main__":
    main()
