"""The same library on SQLite and on PostgreSQL in one run: latency of each channel, and commits a second.

Synthetic: chunks of words drawn by Zipf's law, vectors drawn round a few hundred centres. Times of both engines are
from one process on one machine, and worth comparing with each other only; on a machine that has other work to do,
compare the processor's time, which is taken of this process and, where they run here, of the server's.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "postgres"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import samples
from postgres_server import running

from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.job import JobKind
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Terms
from octavo.model.stored_rows import VectorRow
from octavo.ports import VectorIndex
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore
from octavo.vectors.exact_vector_search import ExactIndex
from octavo_postgres.hnsw import ensure_index
from octavo_postgres.pgvector_search import PgvectorIndex
from octavo_postgres.store import PostgresStore, analyze_tables

PROFILE = EmbeddingProfile("synthetic-384", "synthetic", "1", 384, 256)
WORDS, PER_CHUNK, PER_DOCUMENT, BATCH = 30_000, 60, 10, 100


def texts(chunks: int) -> Iterator[tuple[str, list[str]]]:
    random = np.random.default_rng(1)
    for document in range(chunks // PER_DOCUMENT):
        drawn = np.minimum(random.zipf(1.3, size=(PER_DOCUMENT, PER_CHUNK)), WORDS)
        yield f"{document}.md", [" ".join(f"w{word}" for word in row) for row in drawn.tolist()]


def fill(store: Store, chunks: int) -> Collection:
    notes = samples.ensure(store)
    prepared = (samples.prepared(notes, uri, *paragraphs, title=uri) for uri, paragraphs in texts(chunks))
    batch: list[Any] = []

    def write() -> None:
        with store.transaction():
            several = store.documents.put_all(notes.project_id, notes.id, batch)
            pairs = [
                pair for keys, one in zip(several, batch, strict=True) for pair in zip(keys, one.chunks, strict=True)
            ]
            store.lexical.put(notes.project_id, [(key, indexed.lexical) for key, indexed in pairs])
            store.embeddings.expect(notes.project_id, [(key, indexed.inputs) for key, indexed in pairs])
        batch.clear()

    for one in prepared:
        batch.append(one)
        if len(batch) == BATCH:
            write()
    if batch:
        write()
    pending = store.embeddings.pending(notes.project_id, PROFILE)
    random = np.random.default_rng(2)
    centres = random.normal(size=(300, PROFILE.dimensions))
    for start in range(0, len(pending), 5_000):
        keys = pending[start : start + 5_000]
        noise = random.normal(size=(len(keys), PROFILE.dimensions))
        vectors = centres[random.integers(0, 300, len(keys))] + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows = [VectorRow(key, one.astype("<f2").tobytes()) for key, one in zip(keys, vectors, strict=True)]
        with store.transaction():
            store.embeddings.put(notes.project_id, PROFILE, rows)
    return notes


def timed(ask: Callable[[int], object], times: int, store: Store) -> dict[str, float]:
    for number in range(5):
        ask(number)
    taken, cpu = [], (time.process_time(), server_cpu(store))
    for number in range(times):
        started = time.perf_counter()
        ask(5 + number)
        taken.append((time.perf_counter() - started) * 1e3)
    spent = (time.process_time() - cpu[0], server_cpu(store) - cpu[1])
    return {
        "p50_ms": round(statistics.median(taken), 2),
        "p95_ms": round(sorted(taken)[int(len(taken) * 0.95)], 2),
        "client_cpu_ms": round(spent[0] / times * 1e3, 2),
        "server_cpu_ms": round(spent[1] / times * 1e3, 2),
    }


def server_cpu(store: Store) -> float:
    """Seconds that the server's processes for this library have computed, where they are to be seen."""
    if not isinstance(store, PostgresStore):
        return 0.0
    rows = store.database.query("select pid from pg_stat_activity where datname = current_database()", {})
    total = 0.0
    for (pid,) in rows:
        status = Path(f"/proc/{pid}/stat")
        if status.is_file():
            spent = status.read_text("utf-8").rpartition(")")[2].split()
            total += (int(spent[11]) + int(spent[12])) / os.sysconf("SC_CLK_TCK")
    return total


def ask_words(store: Store, notes: Collection) -> Callable[[int], object]:
    def ask(number: int) -> object:
        random = np.random.default_rng(number)
        words = tuple(f"w{word}" for word in np.minimum(random.zipf(1.3, size=8), WORDS).tolist() if word > 20)
        with store.reading():
            return store.lexical.search(notes.project_id, Terms("", words=words or ("w21",)), Filters(), 100)

    return ask


def ask_vector(store: Store, index: VectorIndex) -> Callable[[int], object]:
    vectors = list(islice(questions(), 200))

    def ask(number: int) -> object:
        with store.reading():
            return index.search(vectors[number % len(vectors)], 100)

    return ask


def questions() -> Iterator[NDArray[np.float32]]:
    """Near the same centres as what is asked for, as questions are near the passages that answer them."""
    random = np.random.default_rng(2)
    centres = random.normal(size=(300, PROFILE.dimensions))
    while True:
        vector = centres[random.integers(0, 300)] + random.normal(size=PROFILE.dimensions)
        yield (vector / np.linalg.norm(vector)).astype(np.float32)


def recall(index: VectorIndex, exact: VectorIndex) -> float:
    """Of the ten nearest, how many are among those a search looks at."""
    shares = []
    for vector in islice(questions(), 30):
        wanted = {one.key for one in exact.search(vector, 10)}
        shares.append(len(wanted & {one.key for one in index.search(vector, 100)}) / 10)
    return round(statistics.mean(shares), 3)


def commits_a_second(open_store: Callable[[], Store], workers: int, seconds: float) -> float:
    project = samples.collection().project_id
    done = [0] * workers
    until = time.perf_counter() + seconds

    def work(number: int) -> None:
        store = open_store()
        while time.perf_counter() < until:
            with store.transaction():
                store.outbox.enqueue(project, JobKind.EMBED, f"{number} {done[number]}", {})
            done[number] += 1
        store.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return round(sum(done) / seconds, 1)


def measure(name: str, open_store: Callable[[], Store], chunks: int, times: int, seconds: float) -> dict[str, Any]:
    store = open_store()
    started = time.perf_counter(), time.process_time()
    notes = fill(store, chunks)
    figures: dict[str, Any] = {
        "engine": name,
        "chunks": chunks,
        "write_s": round(time.perf_counter() - started[0], 1),
        "write_client_cpu_s": round(time.process_time() - started[1], 1),
    }
    exact = ExactIndex(store, notes.project_id, PROFILE)
    index: VectorIndex = exact
    if isinstance(store, PostgresStore):
        analyze_tables(store.database)
        index = PgvectorIndex(store.database, store.keys, notes.project_id, PROFILE)
        if chunks <= 50_000:
            figures["dense_exact"] = timed(ask_vector(store, index), times, store)
        started_index = time.perf_counter()
        ensure_index(store.database, store.keys, notes.project_id, PROFILE, exact_below=1)
        figures["hnsw_build_s"] = round(time.perf_counter() - started_index, 1)
        figures["hnsw_recall@10"] = recall(index, exact)
        figures["stage_a"] = next(line.strip() for line in index.plan(next(questions()), 400) if "Scan" in line)
        figures["bytes"] = store.size()
    figures["lexical"] = timed(ask_words(store, notes), times, store)
    figures["dense"] = timed(ask_vector(store, index), times, store)
    figures["commits_per_s"] = {workers: commits_a_second(open_store, workers, seconds) for workers in (1, 2, 4)}
    store.close()
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000])
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=3.0, help="for each count of commits")
    parser.add_argument("--shared-buffers", default="512MB", help="of the server: HNSW is slow where it does not fit")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    results = []
    with running((f"shared_buffers={given.shared_buffers}",)) as server, tempfile.TemporaryDirectory() as folder:
        for chunks in given.chunks:
            path, url = Path(folder) / f"{chunks}.db", server.database()
            for name, open_store in (("sqlite", lambda: SqliteStore(path)), ("postgres", lambda: PostgresStore(url))):  # noqa: B023
                results.append(measure(name, open_store, chunks, given.times, given.seconds))
                print(json.dumps(results[-1]), flush=True)
            server.drop(url)
    if given.out:
        given.out.write_text(json.dumps(results, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
