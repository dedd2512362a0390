"""The engines that Octavo is measured beside, each run by its own interpreter: nothing here imports Octavo.

    python benchmarks/peer_engines.py NAME FOLDER

FOLDER holds what `peers.py` exported: chunks.jsonl, vectors.npy, queries.json and queries.npy.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGES = {
    "fts5+sqlite-vec": ["apsw", "sqlite-vec", "numpy"],
    "bm25s": ["bm25s", "numpy"],
    "tantivy": ["tantivy", "numpy"],
    "lancedb": ["lancedb", "numpy"],
    "lancedb-ivf": ["lancedb", "numpy"],
    "chroma": ["chromadb", "numpy"],
}
DEPTH = 100
ROUNDS = 3
Search = Callable[[int], Any]


def percentiles(search: Search, queries: int) -> dict[str, float]:
    """Milliseconds, by the wall and by the processor; of each query the best of some rounds, lest other work count."""
    import numpy as np

    for number in range(min(queries, 20)):
        search(number)
    wall, processor = np.full(queries, np.inf), np.full(queries, np.inf)
    for _ in range(ROUNDS):
        for number in range(queries):
            started, used = time.perf_counter(), time.process_time()
            search(number)
            wall[number] = min(wall[number], (time.perf_counter() - started) * 1e3)
            processor[number] = min(processor[number], (time.process_time() - used) * 1e3)
    figures = {f"p{share}": round(float(np.percentile(wall, share)), 2) for share in (50, 95, 99)}
    return figures | {"cpu_p50": round(float(np.percentile(processor, 50)), 2)}


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
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
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


def lance_with_an_index(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    return lance(place, chunks, vectors, words, queries, indexed=True)


def lance(
    place: Path, chunks: Any, vectors: Any, words: Any, queries: Any, *, indexed: bool = False
) -> dict[str, Search]:
    import lancedb
    import pyarrow as pa

    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    keys, bodies = pa.array([chunk[0] for chunk in chunks]), pa.array([chunk[1] for chunk in chunks])
    table = lancedb.connect(str(place)).create_table("t", pa.table({"key": keys, "body": bodies, "vector": column}))
    table.create_fts_index("body", base_tokenizer="whitespace", stem=False, remove_stop_words=False)
    if indexed:
        table.create_index(metric="cosine", index_type="IVF_PQ", num_sub_vectors=vectors.shape[1] // 8)

    def lexical(number: int) -> list[int]:
        found = table.search(" ".join(words[number]) or "_", query_type="fts").limit(DEPTH).select(["key"]).to_arrow()
        return list(found["key"].to_pylist())

    def dense(number: int) -> list[int]:
        found = table.search(queries[number]).distance_type("cosine").limit(DEPTH).select(["key"]).to_arrow()
        return list(found["key"].to_pylist())

    return {
        "hybrid, without embedding": lambda n: fused(lexical(n), dense(n)),
        "lexical": lexical,
        "dense": dense,
    }


def chroma(place: Path, chunks: Any, vectors: Any, words: Any, queries: Any) -> dict[str, Search]:
    import chromadb

    client = chromadb.PersistentClient(path=str(place))
    collection = client.create_collection("peer", metadata={"hnsw:space": "cosine"})
    for start in range(0, len(chunks), 5_000):
        some = slice(start, start + 5_000)
        collection.add(ids=[str(chunk[0]) for chunk in chunks[some]], embeddings=vectors[some])
    return {"dense": lambda n: collection.query(query_embeddings=[queries[n]], n_results=DEPTH, include=[])}


PEER: dict[str, Callable[[Path, Any, Any, Any, Any], dict[str, Search]]] = {
    "fts5+sqlite-vec": fts5_and_sqlite_vec,
    "bm25s": bm25s_alone,
    "tantivy": tantivy_alone,
    "lancedb": lance,
    "lancedb-ivf": lance_with_an_index,
    "chroma": chroma,
}

if __name__ == "__main__":
    print(json.dumps(peer(sys.argv[1], Path(sys.argv[2]))))
