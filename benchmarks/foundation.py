"""Where the time goes: throughput of every step of the writing flow, latency of a search, memory, on a real folder.

    ./dev bench foundation FOLDER [--out DIR] [--embed N] [--chunks N] [--starts N]

Writes DIR/foundation.json and DIR/foundation.svg. Times are of this machine; compare ratios, not numbers.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import octavo
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.chunking.embedding_inputs import joined
from octavo.chunking.section_chunker import SectionChunker
from octavo.config.schema import Config
from octavo.embedding.bundled_embedder import bundled_counter, bundled_embedder
from octavo.engine.wiring import open_engine
from octavo.ingest.file_preparation import Preparer
from octavo.model.document import Source
from octavo.model.ids import collection_id, document_id, project_id
from octavo.model.index_recipe import default_sizes
from octavo.model.projects_and_collections import Collection, CollectionSettings
from octavo.model.query import Filters, Query
from octavo.observability.progress import NoProgress
from octavo.parsing.registry import EXTENSIONS, PLAINTEXT, parser_for
from octavo.retrieval.profiles_by_name import profile_named
from octavo.sources.folder_scan import scan
from octavo.sources.ignore_rules import IgnoreRules
from octavo.sources.text_decoding import Decoded, read
from octavo.stores.sqlite.store import SqliteStore

LIMIT = 10_000_000
QUERIES = (
    "how do I cancel a fetch request",
    "center an element with css grid",
    "difference between let and var",
    "service worker cache first strategy",
    "Array.prototype.flatMap",
    "cors preflight response headers",
    "make an image responsive",
    "why is my promise never resolved",
    "keyboard accessibility focus order",
    "websocket close codes",
)


class Bench:
    """Collects one line per step."""

    def __init__(self) -> None:
        self.steps: dict[str, dict[str, float]] = {}

    @contextmanager
    def step(self, name: str, megabytes: float) -> Iterator[None]:
        wall, cpu = time.perf_counter(), sum(os.times()[:4])  # of processes that ended meanwhile too
        yield
        wall, cpu = time.perf_counter() - wall, sum(os.times()[:4]) - cpu
        self.steps[name] = {"seconds": wall, "cpu_seconds": cpu, "mb_per_second": megabytes / wall}
        print(f"{name:24s} {wall:8.2f} s   cpu {cpu:8.2f} s   {megabytes / wall:8.1f} MB/s", file=sys.stderr)


def separately(bench: Bench, folder: Path, embed: int) -> None:
    """Each step alone, in one process, warm caches after the first."""
    rules = IgnoreRules(extensions=EXTENSIONS, max_bytes=LIMIT)
    with bench.step("scan", 0.0):
        files = scan(folder, rules).files
    size = sum(file.stamp.size for file in files) / 1e6
    bench.steps["scan"]["files_per_second"] = len(files) / bench.steps["scan"]["seconds"]
    with bench.step("read and decode", size):
        texts = [decoded.text for file in files if isinstance(decoded := read(file.path, LIMIT), Decoded)]
    owner = project_id("bench")
    within = collection_id(owner, "bench")
    sources = [
        Source(document_id(owner, within, file.uri), file.uri, text, file.stamp.mtime_ns / 1e9)
        for file, text in zip(files, texts, strict=True)
    ]
    with bench.step("parse", size):
        documents = [(parser_for(source.uri) or PLAINTEXT).parse(source) for source in sources]
    counter = bundled_counter()
    chunker = SectionChunker(default_sizes(256), counter)
    with bench.step("chunk, cold counts", size):
        chunks = [chunker.chunk(document) for document in documents]
    with bench.step("chunk, warm counts", size):
        chunks = [chunker.chunk(document) for document in documents]
    analyzer = Analyzer()
    with bench.step("analyse, cold", size):
        for several in chunks:
            for one in several:
                analyzer.joined(one.text)
    with bench.step("analyse, warm", size):
        for several in chunks:
            for one in several:
                analyzer.joined(one.text)
    del documents
    preparer = Preparer(lambda uri: parser_for(uri) or PLAINTEXT, chunker, analyzer, counter, 256)
    prepared = [preparer.text(source) for source in sources]
    with tempfile.TemporaryDirectory() as temporary:
        store = SqliteStore(Path(temporary) / "library.db")
        with store.transaction():
            store.catalog.ensure_project("bench")
            store.catalog.put_collection(Collection(within, owner, "bench", folder, CollectionSettings()))
        with bench.step("store", size):
            for start in range(0, len(prepared), 256):
                with store.transaction():
                    batch = prepared[start : start + 256]
                    keys = store.documents.put_all(owner, within, batch)
                    rows = [
                        pair
                        for those, one in zip(keys, batch, strict=True)
                        for pair in zip(those, one.chunks, strict=True)
                    ]
                    store.lexical.put(owner, [(key, indexed.lexical) for key, indexed in rows])
                    store.embeddings.expect(owner, [(key, indexed.inputs) for key, indexed in rows])
        store.close()
    inputs = [
        joined(window.context, window.span.of(each.document.text))
        for each in prepared
        for indexed in each.chunks
        for window in indexed.inputs
    ]
    sample = inputs[:: max(1, len(inputs) // max(1, embed))][:embed]
    embedder = bundled_embedder()
    embedder.embed(sample[:8])
    with bench.step(f"embed {len(sample)} inputs", sum(len(text.encode()) for text in sample) / 1e6):
        embedder.embed(sample)
    step = bench.steps[f"embed {len(sample)} inputs"]
    step["inputs_per_second"] = len(sample) / step["seconds"]
    bench.steps["corpus"] = {"files": len(files), "megabytes": size, "chunks": sum(map(len, chunks))}


def together(bench: Bench, folder: Path, library: Path) -> None:
    """The whole writing flow without embedding: the command as a person gives it, in a process of its own."""
    environment, size = _library(folder, library), bench.steps["corpus"]["megabytes"]
    for name in ("index without vectors", "index again, unchanged"):
        with bench.step(name, size):
            _run([sys.executable, "-m", "octavo", "index", "--no-embed"], environment)


def searchable(bench: Bench, folder: Path, library: Path) -> None:
    """From the start of `octavo index` until the last file is found by its words and by its fast vector.

    Another process asks, as a person would who does not wait for the command to end: what follows is a snapshot, which
    makes searches faster and finds nothing more.
    """
    environment = _library(folder, library)
    engine = open_engine(Config(library=library))
    last = scan(folder, IgnoreRules(extensions=EXTENSIONS, max_bytes=LIMIT)).files[-1]
    words = " ".join(last.path.read_text("utf-8").split()[-8:])
    asked = Query(words, filters=Filters(uris=(last.uri,)))
    started = time.perf_counter()
    indexing = subprocess.Popen(
        [sys.executable, "-m", "octavo", "index"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    found = 0.0
    while not found and indexing.poll() is None:
        time.sleep(0.5)
        if all(engine.search(asked, profile_named(name)).hits for name in ("lexical_only", "dense_only")):
            found = time.perf_counter() - started
    indexing.wait()
    ended = time.perf_counter() - started
    size = bench.steps["corpus"]["megabytes"]
    bench.steps["searchable"] = {"seconds": found or ended, "mb_per_second": size / (found or ended)}
    bench.steps["indexed, with snapshot"] = {"seconds": ended, "mb_per_second": size / ended}
    print(f"searchable after {found or ended:.1f} s, the command ended after {ended:.1f} s", file=sys.stderr)
    engine.close()


def queries(bench: Bench, folder: Path, library: Path, chunks: int, starts: int) -> None:
    """Warm latency in this process at about `chunks` chunks with vectors, then cold starts of the command."""
    engine = open_engine(Config(library=library), create=True)
    engine.add_collection("bench", folder, CollectionSettings())
    engine.index(embed=False)
    engine.writer.make_inputs()
    have = engine.store.counts(engine.project.id).chunks
    _random_vectors(engine, chunks)
    if engine.accelerator is not None:
        engine.accelerator.upkeep.publish_if_due(NoProgress())  # as a run that gives vectors ends
    profiles = ("lexical_only", "dense_only", "hybrid")
    for name in profiles:
        profile = profile_named(name)
        for text in QUERIES:
            engine.search(Query(text), profile)
        times = sorted(
            _milliseconds(lambda text=f"{text} {turn}", profile=profile: engine.search(Query(text), profile))  # type: ignore[misc]
            for turn in range(5)
            for text in QUERIES
        )
        bench.steps[f"warm {name}"] = {"p50_ms": times[len(times) // 2], "p95_ms": times[int(len(times) * 0.95)]}
        print(f"warm {name:19s} p50 {times[len(times) // 2]:7.1f} ms", file=sys.stderr)
    bench.steps["queried"] = {"chunks": have}
    engine.close()
    # As an installed package is: a checkout just edited, told to write no bytecode, would be compiled at every start.
    compileall.compile_dir(Path(octavo.__file__).parent, quiet=2)
    environment = {**os.environ, "OCTAVO_LIBRARY": str(library)}
    for name, command in {
        "cold --help": ["--help"],
        "cold search, lexical": ["search", "cors preflight", "-p", "lexical_only", "--json"],
        "cold search, hybrid": ["search", "cors preflight", "--json"],
    }.items():
        call = [sys.executable, "-m", "octavo", *command]
        times = sorted(_milliseconds(lambda call=call: _run(call, environment)) for _ in range(starts))  # type: ignore[misc]
        bench.steps[name] = {"p50_ms": times[starts // 2], "best_ms": times[0]}
        print(f"{name:24s} p50 {times[starts // 2]:7.1f} ms   best {times[0]:7.1f} ms", file=sys.stderr)
    bench.steps["memory"] = {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def _random_vectors(engine: Any, chunks: int) -> None:
    """Unit vectors from a seed: latency does not depend on what they mean, and embedding takes an hour."""
    import numpy as np

    from octavo.model.stored_rows import VectorRow

    profile = engine.embedder.profile
    pending = engine.store.embeddings.pending(engine.project.id, profile)[:chunks]
    vectors = np.random.default_rng(1).normal(size=(len(pending), profile.dimensions))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    with engine.store.transaction():
        rows = [VectorRow(key, vector.astype("<f2").tobytes()) for key, vector in zip(pending, vectors, strict=True)]
        engine.store.embeddings.put(engine.project.id, profile, rows)


def _library(folder: Path, library: Path) -> dict[str, str]:
    """A new library with one collection, and what tells `octavo` of it."""
    environment = {**os.environ, "OCTAVO_LIBRARY": str(library)}
    _run([sys.executable, "-m", "octavo", "init"], environment)
    _run([sys.executable, "-m", "octavo", "add", str(folder), "--name", "bench"], environment)
    return environment


def _run(call: list[str], environment: dict[str, str]) -> None:
    subprocess.run(call, env=environment, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _milliseconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1e3


def picture(steps: dict[str, dict[str, float]]) -> str:
    """Throughput as bars on a logarithmic scale, drawn without a plotting library."""
    import math

    bars = [(name, step["mb_per_second"]) for name, step in steps.items() if step.get("mb_per_second")]
    size = f'width="720" height="{40 + 26 * len(bars)}"'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">']
    lines.append('<text x="10" y="20" font-size="14">MB of text per second, logarithmic</text>')
    for number, (name, rate) in enumerate(bars):
        y = 34 + 26 * number
        width = max(2.0, 110 * (math.log10(rate) + 2))
        lines.append(f'<text x="10" y="{y + 14}" font-size="12">{name}</text>')
        lines.append(f'<rect x="190" y="{y + 2}" width="{width:.0f}" height="16" fill="#4a7ab5"/>')
        lines.append(f'<text x="{196 + width:.0f}" y="{y + 14}" font-size="12">{rate:.1f}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--embed", type=int, default=256, help="how many inputs to embed")
    parser.add_argument("--chunks", type=int, default=20_000, help="how many chunks get a vector for the queries")
    parser.add_argument("--starts", type=int, default=7, help="how often each command is started cold")
    parser.add_argument("--queries-on", type=Path, help="a smaller folder for the queries; the same by default")
    options = parser.parse_args()
    bench = Bench()
    separately(bench, options.folder, options.embed)
    with tempfile.TemporaryDirectory() as temporary:
        together(bench, options.folder, Path(temporary) / "whole.db")
        searchable(bench, options.folder, Path(temporary) / "searchable.db")
        queries(
            bench, options.queries_on or options.folder, Path(temporary) / "queries.db", options.chunks, options.starts
        )
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "foundation.json").write_text(json.dumps(bench.steps, indent=2) + "\n", "utf-8")
    (options.out / "foundation.svg").write_text(picture(bench.steps), "utf-8")
    print(options.out / "foundation.json")


if __name__ == "__main__":
    main()
