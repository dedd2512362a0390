"""Vectors alone on PostgreSQL, as many as fit: pgvector's HNSW beside pgvectorscale's DiskANN, where the server has it.

    ./dev bench postgres_vectors --vectors 132000 500000

Synthetic: half-precision vectors of 384 dimensions round a few hundred centres, in a table like the library's. Times of
the processor are those of the server's processes that have ended, so each step has a connection of its own.
`OCTAVO_TEST_POSTGRES` names another server, which has to run on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "postgres"))

import psycopg
from postgres_server import running

DIMENSIONS, CENTRES, BATCH, QUERIES, WANTED = 384, 300, 10_000, 40, 10
INDEXES = {
    "hnsw": "using hnsw (data halfvec_cosine_ops) with (m = 16, ef_construction = 64)",
    "diskann": "using diskann ((data::vector(384)) vector_cosine_ops)",
}
SEARCHES = {
    "hnsw": ("set hnsw.ef_search = 100", "data <=> %s::halfvec(384)"),
    "diskann": ("set diskann.query_rescore = 100", "data::vector(384) <=> %s::vector(384)"),
}


def vectors(random: np.random.Generator, centres: NDArray[Any], number: int) -> NDArray[np.float16]:
    made = centres[random.integers(0, CENTRES, number)] + random.normal(size=(number, DIMENSIONS))
    return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), np.float16)


def written(vector: NDArray[np.float16]) -> str:
    return f"[{','.join(f'{number:.4f}' for number in vector)}]"


def processor(postmaster: int) -> float:
    """Seconds of a server's processes that have ended."""
    spent = Path(f"/proc/{postmaster}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(spent[13]) + int(spent[14])) / os.sysconf("SC_CLK_TCK")


def step(url: str, postmaster: int, work: Callable[[psycopg.Connection[Any]], Any]) -> tuple[Any, float, float]:
    """What it gave, its seconds, and those of the processor."""
    before, started = processor(postmaster), time.perf_counter()
    with psycopg.connect(url, autocommit=True) as connection:
        backend = connection.info.backend_pid
        done = work(connection)
    took = time.perf_counter() - started
    while Path(f"/proc/{backend}").exists():
        time.sleep(0.05)
    return done, round(took, 1), round(processor(postmaster) - before, 1)


def fill(connection: psycopg.Connection[Any], number: int) -> None:
    random = np.random.default_rng(2)
    centres = random.normal(size=(CENTRES, DIMENSIONS))
    connection.execute("create table vectors (key bigint, data halfvec(384) not null)")
    connection.execute("alter table vectors alter column data set storage external")
    head = DIMENSIONS.to_bytes(2, "big") + b"\0\0"
    with connection.cursor().copy("copy vectors from stdin with (format binary)") as copy:
        copy.set_types(["int8", "bytea"])
        for start in range(0, number, BATCH):
            for key, vector in enumerate(vectors(random, centres, min(BATCH, number - start)), start):
                copy.write_row((key, head + vector.astype(">f2").tobytes()))


def asked(connection: psycopg.Connection[Any], kind: str, questions: list[str]) -> dict[str, Any]:
    setting, distance = SEARCHES[kind]
    nearest = f"select key from vectors order by {distance} limit {WANTED}"  # noqa: S608  # of constants
    connection.execute(setting.encode())
    found, taken = [], []
    for number, question in enumerate((*questions[:5], *questions)):
        started = time.perf_counter()
        keys = {key for (key,) in connection.execute(nearest.encode(), (question,))}
        if number >= 5:
            taken.append((time.perf_counter() - started) * 1e3)
            found.append(keys)
    connection.execute("set enable_indexscan = off")
    exact = [{key for (key,) in connection.execute(nearest.encode(), (question,))} for question in questions[:10]]
    shares = [len(keys & wanted) / WANTED for keys, wanted in zip(found, exact, strict=False)]
    taken.sort()
    return {
        "p50_ms": round(statistics.median(taken), 2),
        "p95_ms": round(taken[int(len(taken) * 0.95)], 2),
        "recall@10": round(statistics.mean(shares), 3),
    }


def measured(url: str, postmaster: int, number: int, kinds: list[str]) -> dict[str, Any]:
    _, wall, cpu = step(url, postmaster, lambda connection: fill(connection, number))
    with psycopg.connect(url, autocommit=True) as connection:
        table = connection.execute("select pg_total_relation_size('vectors')").fetchall()[0][0]
        known = {name for (name,) in connection.execute("select amname from pg_am")}
    figures: dict[str, Any] = {"vectors": number, "table_mb": round(table / 1e6, 1), "copy_s": wall, "copy_cpu_s": cpu}
    random = np.random.default_rng(2)
    centres = random.normal(size=(CENTRES, DIMENSIONS))
    questions = [written(vector) for vector in vectors(np.random.default_rng(3), centres, QUERIES)]
    for kind in sorted(known.intersection(kinds), reverse=True):
        made = f"create index of_{kind} on vectors {INDEXES[kind]}".encode()
        _, wall, cpu = step(url, postmaster, lambda connection: connection.execute(made))  # noqa: B023
        with psycopg.connect(url, autocommit=True) as connection:
            size = connection.execute(f"select pg_relation_size('of_{kind}')".encode()).fetchall()[0][0]
            answers = asked(connection, kind, questions)
            connection.execute(f"drop index of_{kind}".encode())
        figures[kind] = {"build_s": wall, "build_cpu_s": cpu, "index_mb": round(size / 1e6, 1), **answers}
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vectors", type=int, nargs="+", default=[20_000])
    parser.add_argument("--indexes", nargs="+", choices=INDEXES, default=list(INDEXES))
    parser.add_argument("--shared-buffers", default="2GB")
    parser.add_argument("--build-memory", default="2GB", help="maintenance_work_mem: an index has to fit")
    given = parser.parse_args()
    settings = (f"shared_buffers={given.shared_buffers}", f"maintenance_work_mem={given.build_memory}")
    with running(settings) as server:
        for number in given.vectors:
            url = server.database(empty=True)
            with psycopg.connect(url.secret, autocommit=True) as connection:
                connection.execute("create extension vector")
                if connection.execute("select 1 from pg_available_extensions where name = 'vectorscale'").fetchone():
                    connection.execute("create extension vectorscale cascade")
                status = Path(f"/proc/{connection.info.backend_pid}/stat").read_text("ascii").rpartition(")")[2]
            print(json.dumps(measured(url.secret, int(status.split()[1]), number, given.indexes)), flush=True)
            server.drop(url)


if __name__ == "__main__":
    main()
