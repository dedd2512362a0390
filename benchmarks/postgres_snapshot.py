"""One library on PostgreSQL and, with a snapshot, in a file: written from the same rows, and asked in turn.

    ./dev bench postgres_snapshot --text FOLDER --folder WORK --chunks 20000 500000 --out FILE
    ./dev bench postgres_snapshot --text FOLDER --folder WORK --chunks 1500000 --copied 4 --build-memory 4GB

A chunk is a paragraph of the Markdown below --text and a few words of others; its vector is the fast table's with some
noise. Rows are written through the stores, which is quicker than parsing files; searches go the users' way, embedded
and presented, each question to one engine and then to the other. Latencies of a machine with other work are worth
comparing within a line; the processor's time is worth more. The server keeps its data in WORK. With --copied the
server's rows are made by so many processes and copied in, while the index of the vectors is built.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from postgres import server_cpu  # also finds the tests' server and samples
from postgres_copy import copy_rows, copy_vectors
from scale import own_mb, paragraphs

import postgres_server  # isort: skip
import samples  # isort: skip

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.embedding.static_token_table_choice import fast_tier
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Query
from octavo.model.stored_rows import VectorRow
from octavo.observability.progress import NoProgress
from octavo.retrieval.profiles_by_name import PROFILES

POOL, PER_DOCUMENT, DOCUMENTS, VECTORS = 20_000, 10, 100, 5_000
HNSW = "select pg_relation_size(indexrelid) from pg_stat_user_indexes where indexrelname like 'vectors_hnsw%'"


class Times:
    """Seconds by the clock and of the processor: of this process and of one server's."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.row: dict[str, Any] = {}

    def of(self, name: str, work: Callable[[], object]) -> None:
        before = time.perf_counter(), time.process_time(), server_seconds(self._server)
        work()
        after = time.perf_counter(), time.process_time(), server_seconds(self._server)
        taken = [round(end - start, 1) for start, end in zip(before, after, strict=True)]
        self.row[name] = dict(zip(("s", "client_cpu_s", "server_cpu_s"), taken, strict=True))
        print(name, self.row[name], file=sys.stderr, flush=True)


def server_seconds(store: Any) -> float:
    """Of the processes that serve this library now and of those that have ended."""
    ((backend,),) = store.database.query("select pg_backend_pid()", {})
    postmaster = Path(f"/proc/{backend}/stat").read_text("ascii").rpartition(")")[2].split()[1]
    ended = Path(f"/proc/{postmaster}/stat").read_text("ascii").rpartition(")")[2].split()
    return server_cpu(store) + (int(ended[13]) + int(ended[14])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Generated:
    """Documents as the writing flow would prepare them; `drawn` says of every chunk which paragraph it is."""

    collection: Collection
    pool: list[str]
    drawn: NDArray[np.int64]

    @cached_property
    def analysed(self) -> tuple[list[str], list[str], list[str]]:
        """The analysis of every paragraph, words to put behind them, and the analysis of those."""
        joined = Analyzer().joined
        words = [word for text in self.pool[:2_000] for word in text.split() if word.isalpha()]
        return [joined(text) for text in self.pool], words, [joined(word) for word in words]

    def between(self, first: int, last: int) -> list[Any]:
        bodies, words, of_words = self.analysed
        prepared = []
        for number in range(first, last):
            chance = random.Random(number)
            picked = self.drawn[number * PER_DOCUMENT : (number + 1) * PER_DOCUMENT]
            more = [chance.choices(range(len(words)), k=5) for _ in picked]
            texts = [
                " ".join((self.pool[one].replace("\n", " "), *(words[word] for word in added)))
                for one, added in zip(picked, more, strict=True)
            ]
            body = [
                " ".join((bodies[one], *(of_words[word] for word in added)))
                for one, added in zip(picked, more, strict=True)
            ]
            made = samples.prepared(self.collection, f"{number % 100:02d}/{number:06d}.md", *texts)
            chunks = (
                chunk._replace(lexical=chunk.lexical._replace(body=of_chunk))
                for chunk, of_chunk in zip(made.chunks, body, strict=True)
            )
            prepared.append(made.__class__(made.document, tuple(chunks)))
        return prepared


def write(engine: Engine, collection: Collection, prepared: list[Any]) -> None:
    store, project = engine.store, engine.project.id
    with store.transaction():
        keys = store.documents.put_all(project, collection.id, prepared)
        pairs = [
            pair for some, made in zip(keys, prepared, strict=True) for pair in zip(some, made.chunks, strict=True)
        ]
        store.lexical.put(project, [(key, chunk.lexical) for key, chunk in pairs])
        store.embeddings.expect(project, [(key, chunk.inputs) for key, chunk in pairs])


def near(pool: NDArray[np.float32], drawn: NDArray[np.int64]) -> Iterator[NDArray[np.float16]]:
    """A vector for each chunk: its paragraph's with some noise, a few thousand at a time."""
    for start in range(0, len(drawn), VECTORS):
        paragraphs = pool[drawn[start : start + VECTORS]]
        noise = np.random.default_rng((7, start)).standard_normal(paragraphs.shape, dtype=np.float32)
        vectors = paragraphs + noise * np.float32(0.02)
        yield (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype("<f2")


def write_vectors(engine: Engine, blocks: Iterator[NDArray[np.float16]]) -> None:
    project, profile = engine.project.id, engine.embedder.profile
    pending = iter(engine.store.embeddings.pending(project, profile))
    for vectors in blocks:
        # Vectors first: zip takes of the first before it sees that the second has no more.
        rows = [VectorRow(key, vector.tobytes()) for vector, key in zip(vectors, pending, strict=False)]
        with engine.store.transaction():
            engine.store.embeddings.put(project, profile, rows)


def copied(engine: Engine, url: str, generated: Generated, vectors: NDArray[np.float32], processes: int) -> None:
    """Vectors first, then everything else while their index is built."""
    store: Any = engine.store
    project, profile = engine.project.id, engine.embedder.profile
    with store.transaction():
        store.embeddings.put(project, profile, [])  # makes the profile known
    ((owner, known),) = store.database.query("select project, key from embedding_profiles", {})
    copy_vectors(url, owner, known, near(vectors, generated.drawn))
    index = threading.Thread(target=store.maintain, args=(project, profile))
    index.start()
    copy_rows(url, generated.between, len(generated.drawn) // PER_DOCUMENT, PER_DOCUMENT, processes)
    index.join()


def asked(engines: dict[str, Engine], questions: list[str], profile: str) -> dict[str, Any]:
    """Percentiles of each engine, its processor's time for a question, and how many first tens are the same."""
    store, row = engines["postgres"].store, {}
    for _ in range(2):  # the first time fills caches
        wall: dict[str, list[float]] = {name: [] for name in engines}
        spent, same = dict.fromkeys((*engines, "server"), 0.0), 0
        spent["server"] -= server_cpu(store)
        for text in questions:
            hits = []
            for name, engine in engines.items():
                engine.embedder.remembered_queries.clear()  # type: ignore[attr-defined]
                started, used = time.perf_counter(), time.process_time()
                hits.append([hit.citation for hit in engine.search(Query(text), PROFILES[profile]).hits])
                wall[name].append((time.perf_counter() - started) * 1e3)
                spent[name] += time.process_time() - used
            same += hits[0] == hits[1]
        spent["server"] += server_cpu(store)
    for name, taken in wall.items():
        p50, p95 = np.percentile(taken, (50, 95)).tolist()
        row[name] = {
            "p50_ms": round(p50, 1),
            "p95_ms": round(p95, 1),
            "cpu_ms": round(spent[name] / len(taken) * 1e3, 1),
        }
    row["postgres"]["server_cpu_ms"] = round(spent["server"] / len(questions) * 1e3, 1)
    row["same_hits"] = {"of": len(questions), "same": same}
    print(profile, row, file=sys.stderr, flush=True)
    return row


def measured(
    server: postgres_server.Server, folder: Path, text: Path, chunks: int, count: int, processes: int
) -> dict[str, Any]:
    found, url, path = paragraphs(text), server.database(empty=True), folder / f"{chunks}.db"
    pool = random.Random(3).sample(found, min(POOL, len(found)))
    threshold = {"snapshots.threshold": 1}
    with (
        open_library(path, create=True, settings=threshold) as here,
        open_library(url.secret, create=True) as there,
    ):
        store: Any = there.store
        times = Times(store)
        engines = {"snapshot": here, "postgres": there}
        (folder / "generated").mkdir(exist_ok=True)
        added = {name: engine.add_collection("generated", folder / "generated") for name, engine in engines.items()}
        drawn = np.random.default_rng(5).integers(0, len(pool), -(-chunks // PER_DOCUMENT) * PER_DOCUMENT)
        generated = Generated(added["snapshot"], pool, drawn)
        row: dict[str, Any] = {"chunks": len(drawn)}
        fast = fast_tier(here.embedder)
        assert fast is not None and here.accelerator is not None
        vectors = fast.embed(pool)
        if processes:
            times.of("postgres_copied", lambda: copied(there, url.secret, generated, vectors, processes))
        writing = {"snapshot": 0.0} if processes else {"snapshot": 0.0, "postgres": 0.0}
        for first in range(0, len(drawn) // PER_DOCUMENT, DOCUMENTS):
            batch = generated.between(first, min(first + DOCUMENTS, len(drawn) // PER_DOCUMENT))
            for name in writing:
                started = time.perf_counter()
                write(engines[name], added[name], batch)
                writing[name] += time.perf_counter() - started
        row |= {f"{name}_written_s": round(s, 1) for name, s in writing.items()}
        print(row, file=sys.stderr, flush=True)
        times.of("snapshot_vectors", lambda: write_vectors(here, near(vectors, drawn)))
        times.of("snapshot_built", lambda: here.accelerator.upkeep.publish(NoProgress()))  # type: ignore[union-attr]
        if not processes:
            times.of("postgres_vectors", lambda: write_vectors(there, near(vectors, drawn)))
            times.of("hnsw_built", lambda: store.maintain(there.project.id, there.embedder.profile))
        row |= times.row | {
            "library_mb": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) // 10**6,
            "postgres_mb": store.size() // 10**6,
        }
        row["hnsw_mb"] = sum(size for (size,) in store.database.query(HNSW, {})) // 10**6
        chance = random.Random(9)
        words = [word for one in chance.sample(pool, min(len(pool), 500)) for word in one.split() if word.isalpha()]
        questions = [" ".join(chance.sample(words, chance.randint(2, 7))) for _ in range(count)]
        for profile in ("hybrid", "lexical_only", "dense_only"):
            row[profile] = asked(engines, questions, profile)
        row["both_own_mb"] = own_mb()
    server.drop(url)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--folder", type=Path, help="for the libraries and the server's data; both go again")
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--copied", type=int, default=0, help="processes that copy rows in; 0 writes through the store")
    parser.add_argument("--shared-buffers", default="3GB")
    parser.add_argument("--build-memory", default="2GB", help="maintenance_work_mem: an index has to fit")
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    rows = []
    settings = (f"shared_buffers={given.shared_buffers}", f"maintenance_work_mem={given.build_memory}")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        os.environ[postgres_server.FOLDER] = folder
        Path(folder).chmod(0o755)  # the server is another user
        with postgres_server.running((*settings, "max_wal_size=8GB")) as server:
            for chunks in given.chunks:
                work = Path(folder) / str(chunks)
                work.mkdir()
                rows.append(measured(server, work, given.text, chunks, given.queries, given.copied))
                print(json.dumps(rows[-1]), flush=True)
                shutil.rmtree(work)
                if given.out:
                    given.out.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
