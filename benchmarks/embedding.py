"""How fast vectors are computed: full ones beside bare onnxruntime on the same batches, fast ones in MB a second.

    python benchmarks/embedding.py --text FOLDER

indexes Markdown of FOLDER in a temporary library. Full vectors are then computed through the whole flow (read,
tokenise, infer, write) and, in turns with it, by onnxruntime alone, which is handed the same batches already tokenised
and spreads them over the same number of cores. Only ratios of one run mean anything: the middle of the rounds by the
wall, and the processor's time, which other work on the machine does not change. Writes results/embedding.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--chunks", type=int, default=320)
    parser.add_argument("--fast-chunks", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    from octavo.engine.wiring import open_library

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        root = data / "text"
        with open_library(data / "library.db", create=True, settings={"snapshots.enabled": False}) as engine:
            copied(options.text, root, max(options.chunks, options.fast_chunks), options.seed)
            engine.add_collection("text", root)
            engine.index(embed=False)
            engine.writer.make_inputs()
            row = {"cores": os.cpu_count()} | full(engine, options.chunks, options.rounds)
            row |= fast(engine, options.fast_chunks, options.rounds)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "embedding.json").write_text(json.dumps(row, indent=1) + "\n")
    print(json.dumps(row, indent=1))


def copied(text: Path, root: Path, chunks: int, seed: int) -> None:
    files = sorted(text.rglob("*.md"))
    random.Random(seed).shuffle(files)
    for path in files[: max(40, chunks // 9)]:
        target = root / path.relative_to(text)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def full(engine: Any, chunks: int, rounds: int) -> dict[str, Any]:
    """The flow of `octavo index --wait-full`, and nothing but the model on what it computes, in turns."""
    from octavo.ingest import chunk_embedding

    store, project, embedder = engine.store, engine.project.id, engine.embedder
    pending = store.embeddings.pending(project, embedder.profile, newest_first=True, most=chunks)
    model = embedder.loaded()
    slices: list[list[Any]] = []
    for keys in chunk_embedding.slices(pending):
        texts = chunk_embedding.texts_of(store, project, store.embeddings.describe(project, keys))
        encoded = [model.encode(text) for text in texts]
        batches = embed_plan(encoded, padded=embedder.directory.padding)
        slices.append([given(model, [encoded[place] for place in batch]) for batch in batches])
    workers = 1 if embedder.directory.padding else embedder.cores()

    def bare() -> None:
        with ThreadPoolExecutor(workers) as pool:
            batches = [one for several in slices for one in several]
            for _ in pool.map(lambda one: model.session.run(None, one), batches):
                pass

    def flow() -> None:
        chunk_embedding.embed_pending(store, project, embedder, Silent(), newest=chunks)

    def again() -> None:
        with store.transaction():
            store.embeddings.remove(project, embedder.profile, pending)

    took: dict[str, list[float]] = {"bare": [], "flow": []}
    used: dict[str, list[float]] = {"bare": [], "flow": []}
    bare()
    for number in range(rounds):
        for name in ("bare", "flow") if number % 2 else ("flow", "bare"):
            before = time.process_time()
            took[name].append(seconds(bare if name == "bare" else flow))
            used[name].append(time.process_time() - before)
            if name == "flow":
                again()
    ratios = [mine / theirs for mine, theirs in zip(took["bare"], took["flow"], strict=True)]
    return {
        "chunks": len(pending),
        "bare_onnxruntime_chunks_a_second": round(len(pending) / min(took["bare"]), 1),
        "full_vectors_chunks_a_second": round(len(pending) / min(took["flow"]), 1),
        "share_of_bare": {"middle": round(statistics.median(ratios), 3), "rounds": [round(one, 3) for one in ratios]},
        "share_of_bare_best_of_each": round(min(took["bare"]) / min(took["flow"]), 3),
        "share_of_bare_by_processor_time": round(statistics.median(used["bare"]) / statistics.median(used["flow"]), 3),
    }


def embed_plan(encoded: list[list[int]], *, padded: bool) -> Any:
    from octavo.embedding.onnx_embedder import BATCH_TEXTS, BATCH_TOKENS
    from octavo.embedding.onnxruntime_loading import plan

    return plan([len(ids) for ids in encoded], BATCH_TOKENS, BATCH_TEXTS if padded else 1)


def given(model: Any, batch: list[list[int]]) -> dict[str, Any]:
    import numpy as np

    ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
    mask = np.zeros_like(ids)
    for row, tokens in enumerate(batch):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    everything = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    return {name: everything[name] for name in model.inputs}


def fast(engine: Any, chunks: int, rounds: int) -> dict[str, Any]:
    """The table alone, from texts to vectors: in this process, and in as many as there are cores."""
    from octavo.embedding.static_token_table_choice import fast_tier
    from octavo.ingest import chunk_embedding

    store, project = engine.store, engine.project.id
    table = fast_tier(engine.embedder)
    assert table is not None
    pending = store.embeddings.pending(project, table.profile)[:chunks]
    texts = chunk_embedding.texts_of(store, project, store.embeddings.describe(project, pending))
    size = sum(len(text.encode()) for text in texts) / 1e6
    cold = seconds(lambda: table.embed(texts))
    took = [seconds(lambda: table.embed(texts)) for _ in range(rounds)]
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores) as pool:
        parts = [texts[start::cores] for start in range(cores)]
        everywhere = [seconds(lambda: list(pool.map(by_table, parts))) for _ in range(rounds + 1)][1:]
    return {
        "fast_chunks": len(texts),
        "fast_text_mb": round(size, 1),
        "fast_mb_a_second_first_time": round(size / cold, 1),
        "fast_mb_a_second": round(size / min(took), 1),
        "fast_mb_a_second_on_all_cores": round(size / min(everywhere), 1),
    }


def by_table(texts: list[str]) -> bytes:
    """In a process of its own, as the ones that prepare files do it."""
    from octavo.embedding.bundled_embedder import FAST_DIRECTORY
    from octavo.embedding.static_token_table_choice import opened

    return opened(FAST_DIRECTORY).embed(texts).astype("<f2").tobytes()


class Silent:
    """Fits `Progress`."""

    def start(self, phase: str, total: int | None, unit: str) -> None: ...

    def advance(self, n: int = 1, note: str = "") -> None: ...

    def finish(self) -> None: ...


def seconds(what: Callable[[], object]) -> float:
    started = time.perf_counter()
    what()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
