"""What a transport adds to a search: the same queries in this process, over HTTP, and over MCP on HTTP and stdio.

    ./dev bench serving FOLDER [--queries N] [--provider bundled|hashing] [--out DIR]

Writes DIR/serving.json. Times are of this machine; compare the rows of one run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters

import recto
from recto.operations.search import SearchRequest, search

WORDS = ("open", "close", "how do I", "what is", "before", "list of", "settings for", "why", "when", "error in")
Ask = Callable[[str], Awaitable[object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--provider", default="bundled")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "library.db"
        os.environ |= {"RECTO_LIBRARY": str(library), "RECTO_EMBEDDING_PROVIDER": chosen.provider}
        with recto.open_library(create=True) as engine:
            engine.add_collection("bench", chosen.folder)
            engine.index()
            titles = [hit.title for hit in engine.search(recto.Query("the", limit=50)).hits] or ["anything"]
            queries = [f"{WORDS[n % len(WORDS)]} {titles[n % len(titles)]}" for n in range(chosen.queries)]

            async def here(query: str) -> object:
                return search(engine, SearchRequest(query))

            rows = {"in process": anyio.run(measured, here, queries)}
        with serving() as address:
            rows["HTTP"] = anyio.run(over_http, address, queries)
            rows["MCP over HTTP"] = anyio.run(over_mcp, f"{address}/mcp", queries)
        command = StdioServerParameters(command=sys.executable, args=["-m", "recto", "mcp"], env=dict(os.environ))
        rows["MCP over stdio"] = anyio.run(over_mcp, command, queries)
    base = rows["in process"]["p50_ms"]
    for name, row in rows.items():
        print(
            f"{name:16} p50 {row['p50_ms']:7.2f} ms  p95 {row['p95_ms']:7.2f} ms  added {row['p50_ms'] - base:+.2f} ms"
        )
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "serving.json").write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


async def measured(ask: Ask, queries: list[str]) -> dict[str, float]:
    for query in queries[:5]:
        await ask(query)
    times = []
    for query in queries:
        started = time.perf_counter()
        await ask(query)
        times.append((time.perf_counter() - started) * 1e3)
    cuts = statistics.quantiles(times, n=20)
    return {"p50_ms": statistics.median(times), "p95_ms": cuts[-1]}


async def over_http(address: str, queries: list[str]) -> dict[str, float]:
    async with httpx2.AsyncClient(base_url=address, timeout=60) as client:
        return await measured(lambda query: client.post("/v1/search", json={"query": query}), queries)


async def over_mcp(server: str | StdioServerParameters, queries: list[str]) -> dict[str, float]:
    async with Client(server) as client:
        return await measured(lambda query: client.call_tool("search", {"query": query}), queries)


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
