"""What a transport adds to a search, what a client costs in memory, and how soon an edited file is found.

    ./dev bench serving FOLDER [--queries N] [--clients N] [--provider bundled|hashing] [--out DIR]

The same queries go to an engine in this process, over the shared server's socket, over HTTP, and over MCP on HTTP and
stdio, with the shared server and alone. Writes DIR/serving.json. Times are of this machine: compare one run's rows.
Where other work goes on beside, compare the processor's time, which is that of every process a query keeps busy.
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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import recto
from recto.config.load import load
from recto.interfaces.daemon.client import place, started
from recto.interfaces.daemon.wire import CALLS
from recto.operations.search import SearchRequest, search

WORDS = ("open", "close", "how do I", "what is", "before", "list of", "settings for", "why", "when", "error in")
DEBOUNCE = 250
SHARED: list[int] = []  # the shared server's process, while there is one
Ask = Callable[[str], Awaitable[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--edits", type=int, default=5)
    parser.add_argument("--provider", default="bundled")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="recto-") as folder:
        aside = Path(folder)
        notes = shutil.copytree(chosen.folder, aside / "notes")  # one of its files is edited
        os.environ |= {
            "RECTO_LIBRARY": str(aside / "library.db"),
            "RECTO_EMBEDDING_PROVIDER": chosen.provider,
            "RECTO_WATCH_ENABLED": "false",
            "XDG_RUNTIME_DIR": folder,
        }
        figures: dict[str, Any] = {}
        with recto.open_library(create=True) as engine:
            engine.add_collection("bench", notes)
            engine.index(wait_full=True)  # else the server computes vectors while it is measured
            figures["chunks"] = engine.store.counts(engine.project.id).chunks
            titles = [hit.title for hit in engine.search(recto.Query("the", limit=50)).hits] or ["anything"]
            queries = [f"{WORDS[n % len(WORDS)]} {titles[n % len(titles)]}" for n in range(chosen.queries)]

            async def here(query: str) -> object:
                return search(engine, SearchRequest(query))

            rows = {"in process": anyio.run(measured, here, queries)}
        rows |= over_transports(queries)
        figures["transports"] = rows
        report(rows)
        figures["memory"] = memory(chosen.clients, queries[0])
        figures["edited"] = edited(notes, chosen.edits)
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "serving.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


def over_transports(queries: list[str]) -> dict[str, dict[str, float]]:
    rows = {}
    connection = started(load().config, CALLS)
    SHARED.append(int(connection.greeting["pid"]))

    async def socket(query: str) -> object:
        return connection.call("search", {"query": query}, 60)

    rows["socket"] = anyio.run(measured, socket, queries)
    rows["MCP over stdio, shared"] = anyio.run(over_mcp, stdio(), queries)
    connection.close()
    stop_shared()
    SHARED.clear()
    rows["MCP over stdio, alone"] = anyio.run(over_mcp, stdio("--no-daemon"), queries)
    with serving() as address:
        rows["HTTP"] = anyio.run(over_http, address, queries)
        rows["MCP over HTTP"] = anyio.run(over_mcp, f"{address}/mcp", queries)
    return rows


def report(rows: dict[str, dict[str, float]]) -> None:
    base = rows["in process"]
    for name, row in rows.items():
        waited, spent = row["p50_ms"] - base["p50_ms"], row["cpu_ms"] - base["cpu_ms"]
        print(
            f"{name:24} p50 {row['p50_ms']:7.2f} ms  p95 {row['p95_ms']:7.2f} ms  processor {row['cpu_ms']:7.2f} ms"
            f"  added {waited:+.2f} ms, processor {spent:+.2f} ms"
        )


async def measured(ask: Ask, queries: list[str]) -> dict[str, float]:
    for query in queries[:5]:
        await ask(query)
    times, before = [], busy()
    for query in queries:
        started_at = time.perf_counter()
        await ask(query)
        times.append((time.perf_counter() - started_at) * 1e3)
    cuts = statistics.quantiles(times, n=20)
    spent = (busy() - before) * 1e3 / len(queries)
    return {"p50_ms": statistics.median(times), "p95_ms": cuts[-1], "cpu_ms": spent}


def busy() -> float:
    """Seconds of processor time of this process, those it started, and the shared server. Linux tells of the others."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = path.read_text("utf-8", "replace").rpartition(")")[2].split()
        except OSError:
            continue  # it ended
        pid = int(path.parent.name)
        parents[pid], spent[pid] = int(after[1]), (int(after[11]) + int(after[12])) / os.sysconf("SC_CLK_TCK")
    mine = {os.getpid(), *([SHARED[-1]] if SHARED else [])}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(spent.get(pid, 0.0) for pid in mine)


async def over_http(address: str, queries: list[str]) -> dict[str, float]:
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        return await measured(lambda query: client.post("/v1/search", json={"query": query}), queries)


async def over_mcp(server: str | StdioServerParameters, queries: list[str]) -> dict[str, float]:
    async with Client(server) as client:
        return await measured(lambda query: client.call_tool("search", {"query": query}), queries)


def stdio(*arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "recto", "mcp", *arguments], env=dict(os.environ))


def memory(clients: int, query: str) -> dict[str, float]:
    """Megabytes that so many clients take together, each having searched; memory they share is counted once."""
    print()
    figures = {}
    for name, arguments, number in (("shared", (), clients), ("alone", ("--no-daemon",), 1)):
        processes = [searched(arguments, query) for _ in range(number)]
        pids = [process.pid for process in processes]
        shared = 0 if arguments else int(started(load().config, CALLS).greeting["pid"])
        total = sum(proportional(pid) for pid in [*pids, *([shared] if shared else [])])
        figures[f"{number} {name}"] = total
        print(
            f"{number} {name:7} {total:8.1f} MB" + (f", {proportional(shared):.1f} of it the server" if shared else "")
        )
        for process in processes:
            process.communicate()
        if shared:
            stop_shared()
    return figures


def searched(arguments: tuple[str, ...], query: str) -> subprocess.Popen[bytes]:
    """A client that has introduced itself and searched once, and waits."""
    process = subprocess.Popen(
        [sys.executable, "-m", "recto", "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None and process.stdout is not None
    info = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    asked = {"name": "search", "arguments": {"query": query}}
    for number, method, params in (
        (1, "initialize", info),
        (None, "notifications/initialized", {}),
        (2, "tools/call", asked),
    ):
        body = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if number is None else {"id": number})
        process.stdin.write(json.dumps(body).encode() + b"\n")
    process.stdin.flush()
    while json.loads(process.stdout.readline()).get("id") != 2:
        pass
    return process


def proportional(pid: int) -> float:
    """What a process takes, with a share of what others have mapped too. Linux tells."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1e3
    return 0.0


def edited(notes: Path, times: int) -> dict[str, float]:
    """From the end of the debounce until a search finds what was written into one file, watched."""
    path = next(path for path in sorted(notes.rglob("*.md")) if path.stat().st_size < 50_000)
    took = []
    with recto.open_library(settings={"watch.debounce_ms": DEBOUNCE}) as engine:
        heard = threading.Event()
        engine.watching.told = lambda report: heard.set()
        engine.watching.start()
        while not any(one.state == "watching" and not one.queued for one in engine.watching.state().folders):
            time.sleep(0.05)
        engine.search(recto.Query("warm"))
        for number in range(times):
            heard.clear()
            path.write_text(f"{path.read_text('utf-8')}\n\nzebrafish{number}okapi\n", "utf-8")
            began = time.perf_counter()
            heard.wait(60)
            hits = engine.search(recto.Query(f"zebrafish{number}okapi")).hits
            took.append((time.perf_counter() - began) * 1e3 - DEBOUNCE)
            assert any(f"zebrafish{number}okapi" in hit.excerpt for hit in hits)
    figures = {"median_ms": statistics.median(took), "worst_ms": max(took)}
    print(
        f"\nedited file found {figures['median_ms']:.0f} ms after the debounce, at worst {figures['worst_ms']:.0f} ms"
    )
    return figures


def stop_shared() -> None:
    subprocess.run([sys.executable, "-m", "recto", "daemon", "stop", "--quiet"], check=False)
    while place(load().config).socket.exists():
        time.sleep(0.05)


@contextmanager
def serving() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "recto", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    found = re.match(r"Serving (http://\S+) ", process.stderr.readline())
    assert found, process.stderr.read()
    try:
        yield found[1]
    finally:
        process.terminate()
        process.communicate()


if __name__ == "__main__":
    main()
