"""What a transport adds to a search, what a client costs in memory, and how soon an edited file is found.

    ./dev bench serving FOLDER [--queries N] [--clients N] [--provider bundled|hashing] [--fast] [--only PART] …

The same queries go to an engine in this process, over the shared server's socket, over HTTP, and over MCP on HTTP and
stdio, with the shared server and alone. The clients do nothing but ask; the SDK's own, which holds every answer to its
schema, stands apart. Writes DIR/serving.json. Times are of this machine: compare one run's rows. Where other work goes
on beside, compare the processor's time, which is that of every process a query keeps busy.
`--keep DIR` leaves the copy of FOLDER and its library there, for the next run to use.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import plain_clients
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from octavo.config.layered_config_loading import load
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.interfaces.daemon.client import place, started
from octavo.interfaces.daemon.greeting_messages import CALLS
from octavo.model.query import Query
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

WORDS = ("open", "close", "how do I", "what is", "before", "list of", "settings for", "why", "when", "error in")
DEBOUNCE = 250
PARTS = ("transports", "memory", "edited")
Ask = Callable[[str], Awaitable[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--provider", default="bundled")
    parser.add_argument("--fast", action="store_true", help="go without full vectors but for what is edited")
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    parts = chosen.only or PARTS
    with tempfile.TemporaryDirectory(prefix="octavo-") as folder:
        aside = chosen.keep or Path(folder)
        notes = aside / "notes"
        if not notes.exists():
            shutil.copytree(chosen.folder, notes)  # one of its files is edited
        os.environ |= {
            "OCTAVO_LIBRARY": str(aside / "library.db"),
            "OCTAVO_EMBEDDING_PROVIDER": chosen.provider,
            "OCTAVO_WATCH_ENABLED": "false",
            "OCTAVO_WORK_IN_SERVER": "false",  # else servers compute vectors while they are measured
            "XDG_RUNTIME_DIR": folder,
        }
        figures: dict[str, Any] = {}
        with open_library(create=True) as engine:
            engine.add_collection("bench", notes)
            engine.index(wait_full=not chosen.fast)
            figures["chunks"] = engine.store.counts(engine.project.id).chunks
            titles = [hit.title for hit in engine.search(Query("the", limit=50)).hits] or ["anything"]
            queries = [f"{WORDS[n % len(WORDS)]} {titles[n % len(titles)]}" for n in range(chosen.queries)]
            if "transports" in parts:
                figures["transports"] = anyio.run(over_transports, engine, queries)
                report(figures["transports"])
        if "memory" in parts:
            figures["memory"] = memory(chosen.clients, queries[0])
        if "edited" in parts:
            figures["edited"] = edited(notes, chosen.edits)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "serving.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


async def over_transports(engine: Engine, queries: list[str]) -> dict[str, dict[str, float]]:
    """Each query goes to all of them before the next one does, so that what else the machine does is theirs alike."""
    connection = started(load().config, CALLS)
    shared, alone = plain_clients.Lines(mcp()), plain_clients.Lines(mcp("--no-daemon"))
    with serving() as (address, pid):
        posts = plain_clients.Posts(address)
        server = int(connection.greeting["pid"])
        with plain_clients.closing(shared, alone, posts):
            others = children()
            async with Client(stdio()) as one, Client(f"{address}/mcp") as other:
                transports = {
                    "in process": (plain(lambda query: search(engine, SearchRequest(query))), []),
                    "socket": (plain(lambda query: connection.call("search", {"query": query}, 60)), [server]),
                    "MCP over stdio, shared": (plain(shared.search), [shared.process.pid, server]),
                    "MCP over stdio, alone": (plain(alone.search), [alone.process.pid]),
                    "HTTP": (plain(posts.search), [pid]),
                    "MCP over HTTP": (plain(posts.search_by_mcp), [pid]),
                    "the SDK's client, stdio": (by_sdk(one), [*children() - others, server]),
                    "the SDK's client, HTTP": (by_sdk(other), [pid]),
                }
                rows = await measured(transports, queries)
    connection.close()
    stop_shared()
    return rows


def plain(ask: Callable[[str], object]) -> Ask:
    async def asked(query: str) -> object:
        return ask(query)

    return asked


def by_sdk(client: Client) -> Ask:
    return lambda query: client.call_tool("search", {"query": query})


def report(rows: dict[str, dict[str, float]]) -> None:
    base = rows["in process"]
    for name, row in rows.items():
        waited, spent = row["p50_ms"] - base["p50_ms"], row["cpu_ms"] - base["cpu_ms"]
        print(
            f"{name:24} p50 {row['p50_ms']:7.2f} ms  p95 {row['p95_ms']:7.2f} ms  processor {row['cpu_ms']:7.2f} ms"
            f"  added {waited:+.2f} ms, processor {spent:+.2f} ms"
        )


async def measured(transports: dict[str, tuple[Ask, list[int]]], queries: list[str]) -> dict[str, dict[str, float]]:
    times: dict[str, list[float]] = {name: [] for name in transports}
    spent = dict.fromkeys(transports, 0.0)
    warm = queries[:5]
    for number, query in enumerate([*warm, *queries]):
        for name, (ask, pids) in transports.items():
            before, started_at = busy(pids), time.perf_counter()
            await ask(query)
            took = time.perf_counter() - started_at
            if number >= len(warm):
                times[name].append(took * 1e3)
                spent[name] += busy(pids) - before
    return {
        name: {
            "p50_ms": statistics.median(one),
            "p95_ms": statistics.quantiles(one, n=20)[-1],
            "cpu_ms": spent[name] * 1e3 / len(queries),
        }
        for name, one in times.items()
    }


def busy(pids: list[int]) -> float:
    """Seconds of processor time of this process and others, to the nanosecond. Linux tells of the others."""
    told = 0
    for pid in pids:
        for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
            with suppress(OSError):  # a thread that ended
                told += int(path.read_text("ascii").split()[0])
    return time.process_time() + told / 1e9


def children() -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_text("utf-8", "replace").rpartition(")")[2].split()[1]) == os.getpid():
                found.add(int(path.parent.name))
    return found


def mcp(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "octavo", "mcp", *arguments]


def stdio() -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "octavo", "mcp"], env=dict(os.environ))


def memory(clients: int, query: str) -> dict[str, float]:
    """Megabytes that so many clients take together, each having searched; memory they share is counted once."""
    print()
    figures = {}
    for name, arguments, number in (("shared", (), clients), ("alone", ("--no-daemon",), 1)):
        started_ones = [searched(arguments, query) for _ in range(number)]
        pids = [client.process.pid for client in started_ones]
        shared = 0 if arguments else int(started(load().config, CALLS).greeting["pid"])
        total = sum(proportional(pid) for pid in [*pids, *([shared] if shared else [])])
        figures[f"{number} {name}"] = total
        print(
            f"{number} {name:7} {total:8.1f} MB" + (f", {proportional(shared):.1f} of it the server" if shared else "")
        )
        for client in started_ones:
            client.close()
        if shared:
            stop_shared()
    return figures


def searched(arguments: tuple[str, ...], query: str) -> plain_clients.Lines:
    """A client that has introduced itself and searched once, and waits."""
    client = plain_clients.Lines(mcp(*arguments))
    client.search(query)
    return client


def proportional(pid: int) -> float:
    """What a process takes, with a share of what others have mapped too. Linux tells."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1e3
    return 0.0


def edited(notes: Path, times: int) -> dict[str, float]:
    """From the end of the debounce until a search finds what was written into one file, watched."""
    took, spent = [], []
    with open_library(settings={"watch.debounce_ms": DEBOUNCE}) as engine:
        known = engine.store.ledger.entries(engine.project.id, engine.collection("bench").id)
        path = next(notes / uri for uri, one in sorted(known.items()) if one.document_id and one.stamp.size < 50_000)
        heard = threading.Event()
        engine.watcher.on_report = lambda report: heard.set()
        engine.watcher.start()
        while not any(folder.state == "watching" and not folder.queued for folder in engine.watcher.state().folders):
            time.sleep(0.05)
        engine.search(Query("warm"))
        for _ in range(times):
            heard.clear()
            word = f"zebrafish{time.time_ns()}okapi"
            path.write_text(f"{path.read_text('utf-8')}\n\n{word}\n", "utf-8")
            began, busy_before = time.perf_counter(), time.process_time()
            heard.wait(60)
            hits = engine.search(Query(word)).hits
            took.append((time.perf_counter() - began) * 1e3 - DEBOUNCE)
            spent.append((time.process_time() - busy_before) * 1e3)
            assert any(word in hit.excerpt for hit in hits)
    figures = {
        "median_ms": statistics.median(took),
        "worst_ms": max(took),
        "cpu_median_ms": statistics.median(spent),
        "cpu_worst_ms": max(spent),
    }
    print(
        f"\nedited file found {figures['median_ms']:.0f} ms after the debounce, at worst {figures['worst_ms']:.0f} ms;"
        f" processor {figures['cpu_median_ms']:.0f} ms, at worst {figures['cpu_worst_ms']:.0f} ms"
    )
    return figures


def stop_shared() -> None:
    subprocess.run([sys.executable, "-m", "octavo", "daemon", "stop", "--quiet"], check=False)
    while place(load().config).socket.exists():
        time.sleep(0.05)


@contextmanager
def serving() -> Iterator[tuple[str, int]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo", "serve", "--no-token", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    found = re.match(r"Serving (http://\S+) ", process.stderr.readline())
    assert found, process.stderr.read()
    try:
        yield found[1], process.pid
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    main()
