"""Recto beside others, in one run: same chunks, same vectors, same queries.

    python benchmarks/peers.py --library ~/.local/share/recto/library.db --queries 200

The library must have its vectors. Peers come from PyPI into a temporary environment of their own and are gone
afterwards. Times of search are per query and include the query's embedding only where the table says so; every peer
searches by the vectors that Recto computed. Writes benchmarks/results/peers.json.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

PEERS = {
    "fts5+sqlite-vec": ["apsw", "sqlite-vec", "numpy"],
    "bm25s": ["bm25s", "numpy"],
    "tantivy": ["tantivy", "numpy"],
    "lancedb": ["lancedb", "numpy"],
    "chroma": ["chromadb", "numpy"],
}
DEPTH = 100
Search = Callable[[int], Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    parser.add_argument("--data", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        print(json.dumps(peer(options.peer, options.data)))
        return
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        rows = [recto(options.library, options.queries, options.seed, data)]
        show(rows[-1])
        for name in options.peers.split(","):
            rows.append(measured(name, data))
            show(rows[-1])
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "peers.json").write_text(json.dumps(rows, indent=1))


def show(row: dict[str, Any]) -> None:
    print(json.dumps(row), flush=True)


def percentiles(search: Search, queries: int) -> dict[str, float]:
    """Milliseconds, by the wall and by the processor, of a second pass over the queries."""
    import numpy as np

    for number in range(min(queries, 20)):
        search(number)
    wall, processor = [], []
    for number in range(queries):
        started, used = time.perf_counter(), time.process_time()
        search(number)
        wall.append((time.perf_counter() - started) * 1e3)
        processor.append((time.process_time() - used) * 1e3)
    figures = {f"p{share}": round(float(np.percentile(wall, share)), 2) for share in (50, 95, 99)}
    return figures | {"cpu_p50": round(float(np.percentile(processor, 50)), 2)}


def recto(library: Path, count: int, seed: int, data: Path) -> dict[str, Any]:
    """Exports what the peers are given, and measures Recto as a user asks it: text in, presented hits out."""
    import numpy as np

    from recto.engine.wiring import open_library
    from recto.model.ids import ChunkKey
    from recto.model.query import Query
    from recto.observability.progress import NoProgress
    from recto.retrieval.profiles import PROFILES

    engine = open_library(library)
    accelerator = engine.accelerator
    assert accelerator is not None
    started = time.perf_counter()
    manifest = accelerator.publish(NoProgress(), full=True)
    built = time.perf_counter() - started
    source, project = engine.store.snapshots, engine.project.id  # type: ignore[attr-defined]
    places = source.places(project)
    rows: dict[int, str] = {}
    for _, key, row in source.rows(project, 0, manifest.mark.block):
        rows[key] = " ".join(filter(None, row))
    keys = [key for key in places[:, 0].tolist() if key in rows]
    windows = source.windows(project, accelerator._profiles(), keys)
    first = np.unique(windows.chunks, return_index=True)[1]
    held = windows.chunks[first].tolist()
    np.save(data / "vectors.npy", windows.matrix[first].astype(np.float32))
    with (data / "chunks.jsonl").open("w") as file:
        for key in held:
            file.write(json.dumps([key, rows[key]]) + "\n")
    questions = asked(engine, held, count, seed)
    words = [engine._parsed(Query(text)).terms.words for text in questions]
    vectors = np.stack([engine.embedder.embed_query(text) for text in questions])
    np.save(data / "queries.npy", vectors)
    (data / "queries.json").write_text(json.dumps(words))
    exact = np.load(data / "vectors.npy")
    keys_of = np.array(held)
    overlap = []
    for vector in vectors:
        best = set(keys_of[np.argsort(-(exact @ vector))[:10]].tolist())
        found = {int(one.key) for one in engine.vectors.search(vector, DEPTH)[:10]}
        overlap.append(len(best & found) / 10)
    same = 0
    for text in questions:
        parsed = engine._parsed(Query(text))
        with engine.store.reading():
            mine = engine._library().store.lexical.search(project, parsed.terms, parsed.filters, 10)
            same += mine == engine.store.lexical.search(project, parsed.terms, parsed.filters, 10)
    engine.embedder.embed_query("warm")
    fresh = [f"{text} " for text in questions]  # lest a remembered vector be measured
    figures = {
        "hybrid, text to presented hits": percentiles(lambda n: engine.search(Query(fresh[n])), count),
        "hybrid recall and fusion, embedding included": percentiles(
            lambda n: engine.candidates(Query(fresh[n] + " "), PROFILES["hybrid"]), count
        ),
        "lexical": percentiles(
            lambda n: engine._library().store.lexical.search(
                project, engine._parsed(Query(questions[n])).terms, engine._parsed(Query("")).filters, DEPTH
            ),
            count,
        ),
        "dense": percentiles(lambda n: engine.vectors.search(vectors[n], DEPTH), count),
    }
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    assert ChunkKey(held[0]) == held[0]
    return {
        "who": "recto",
        "chunks": len(held),
        "built_s": round(built, 1),
        "bytes": manifest.bytes,
        "searches": figures,
        "recall_at_10": round(sum(overlap) / count, 4),
        "same_lexical_top_10": round(same / count, 4),
        "peak_mb_with_export": memory,
    }


def asked(engine: Any, keys: list[int], count: int, seed: int) -> list[str]:
    """Headings, phrases and openings of random chunks: what people type, paste and ask."""
    chance = random.Random(seed)
    questions: list[str] = []
    while len(questions) < count:
        some = engine.store.documents.candidates(engine.project.id, [chance.choice(keys)])
        for one in some.values():
            text = one.span.of(engine.store.documents.texts(engine.project.id, [one.text_hash])[one.text_hash])
            words = [word for word in text.split() if word.isalpha()]
            match chance.randrange(3):
                case 0:
                    questions.append(" ".join([one.title, *one.heading_path[-1:]]))
                case 1 if len(words) > 8:
                    start = chance.randrange(len(words) - 6)
                    questions.append(" ".join(words[start : start + 6]))
                case _ if len(words) > 3:
                    questions.append(f"how do I {' '.join(words[:8])}?")
    return questions[:count]


def measured(name: str, data: Path) -> dict[str, Any]:
    place = data / f"env-{name.replace('+', '-')}"
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    try:
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS[name]], check=True)
        command = [python, __file__, "--library", "-", "--peer", name, "--data", data]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return answer
    except (subprocess.CalledProcessError, json.JSONDecodeError) as error:
        return {"who": name, "failed": str(getattr(error, "stderr", None) or error)[-500:]}


def peer(name: str, data: Path) -> dict[str, Any]:
    import numpy as np

    chunks = [json.loads(line) for line in (data / "chunks.jsonl").open()]
    vectors, queries = np.load(data / "vectors.npy"), np.load(data / "queries.npy")
    words = json.loads((data / "queries.json").read_text())
    place = data / f"index-{name.replace('+', '-')}"
    place.mkdir(exist_ok=True)
    started = time.perf_counter()
    searches = PEER[name](place, chunks, vectors, words, queries)
    built = time.perf_counter() - started
    figures = {what: percentiles(search, len(words)) for what, search in searches.items()}
    size = sum(one.stat().st_size for one in place.rglob("*") if one.is_file())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"who": name, "chunks": len(chunks), "built_s": round(built, 1), "bytes": size} | {
        "searches": figures,
        "peak_mb": memory,
    }


def fused(one: list[int], other: list[int]) -> list[int]:
    """Reciprocal ranks: the least that a hybrid search has to do."""
    scores: dict[int, float] = {}
    for ranking in (one, other):
        for rank, key in enumerate(ranking, 1):
            scores[key] = scores.get(key, 0.0) + 1 / (60 + rank)
    return sorted(scores, key=scores.__getitem__, reverse=True)[:10]


def fts5_and_sqlite_vec(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    import apsw
    import sqlite_vec

    db = apsw.Connection(str(place / "peer.db"))
    db.enable_load_extension(True)
    db.load_extension(sqlite_vec.loadable_path())
    db.execute("create virtual table t using fts5(body, content='', tokenize=\"ascii tokenchars '_'\")")
    db.execute(f"create virtual table v using vec0(e float[{vectors.shape[1]}] distance_metric=cosine)")
    with db:
        db.executemany("insert into t(rowid, body) values (?, ?)", chunks)
        pairs = ((chunk[0], row.tobytes()) for chunk, row in zip(chunks, vectors, strict=True))
        db.executemany("insert into v(rowid, e) values (?, ?)", pairs)

    def lexical(number: int) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in words[number])
        if not match:
            return []
        found = db.execute("select rowid from t where t match ? order by rank limit ?", (match, DEPTH))
        return [row[0] for row in found]

    def dense(number: int) -> list[int]:
        asked_for = (queries[number].tobytes(), DEPTH)
        return [row[0] for row in db.execute("select rowid from v where e match ? and k = ?", asked_for)]

    return {
        "hybrid, without embedding": lambda n: fused(lexical(n), dense(n)),
        "lexical": lexical,
        "dense": dense,
    }


def bm25s_alone(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    import bm25s

    index = bm25s.BM25()
    index.index([chunk[1].split() for chunk in chunks], show_progress=False)
    index.save(place)
    return {"lexical": lambda n: index.retrieve([words[n] or ["_"]], k=DEPTH, show_progress=False)}


def tantivy_alone(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    import tantivy

    fields = tantivy.SchemaBuilder()
    fields.add_integer_field("key", stored=True, fast=True)
    fields.add_text_field("body", tokenizer_name="whitespace", index_option="freq")
    schema = fields.build()
    index = tantivy.Index(schema, path=str(place))
    writer = index.writer(256_000_000, 1)
    for key, body in chunks:
        writer.add_document(tantivy.Document(key=key, body=[body]))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def lexical(number: int) -> Any:
        terms = [(tantivy.Occur.Should, tantivy.Query.term_query(schema, "body", word)) for word in words[number]]
        return searcher.search(tantivy.Query.boolean_query(terms), DEPTH).hits

    return {"lexical": lexical}


def lance(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    import lancedb
    import pyarrow as pa

    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    keys, bodies = pa.array([chunk[0] for chunk in chunks]), pa.array([chunk[1] for chunk in chunks])
    table = lancedb.connect(str(place)).create_table("t", pa.table({"key": keys, "body": bodies, "vector": column}))
    table.create_fts_index("body", base_tokenizer="whitespace", stem=False, remove_stop_words=False)

    def lexical(number: int) -> list[int]:
        found = table.search(" ".join(words[number]) or "_", query_type="fts").limit(DEPTH).select(["key"]).to_arrow()
        return list(found["key"].to_pylist())

    def dense(number: int) -> list[int]:
        found = table.search(queries[number]).distance_type("cosine").limit(DEPTH).select(["key"]).to_arrow()
        return list(found["key"].to_pylist())

    return {
        "hybrid, flat vectors, without embedding": lambda n: fused(lexical(n), dense(n)),
        "lexical": lexical,
        "dense": dense,
    }


def chroma(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    import chromadb

    client = chromadb.PersistentClient(path=str(place))
    collection = client.create_collection("t", metadata={"hnsw:space": "cosine"})
    for start in range(0, len(chunks), 5_000):
        some = slice(start, start + 5_000)
        collection.add(ids=[str(chunk[0]) for chunk in chunks[some]], embeddings=vectors[some])
    return {"dense": lambda n: collection.query(query_embeddings=[queries[n]], n_results=DEPTH, include=[])}


PEER: dict[str, Callable[[Path, Any, Any, Any, Any], dict[str, Search]]] = {
    "fts5+sqlite-vec": fts5_and_sqlite_vec,
    "bm25s": bm25s_alone,
    "tantivy": tantivy_alone,
    "lancedb": lance,
    "chroma": chroma,
}

if __name__ == "__main__":
    main()
