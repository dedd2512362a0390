"""Has the whole pipeline find candidates for harvested pairs: what a reranker is trained on, as it will be used.

    python scripts/rerank_lists.py PAIRS OUT [--each 3000] [--processes 16] [--seconds 400]

PAIRS holds pairs*.jsonl.xz as `harvest_sources.py` writes them. They are asked in libraries of their own, `--each`
pairs in one, sources together as far as they fit; OUT gets a file lists-N.json.gz for each library. After `--seconds`
no other library is begun.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import multiprocessing
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from octavo.engine.wiring import open_library
from octavo.observability.progress import NoProgress
from octavo_train.pairs import PairKind, TrainingPair
from octavo_train.reranker_lists import found_lists

MOST = 50


def libraries(folder: Path, each: int) -> list[list[list[str]]]:
    """Pairs of one source stand together; the libraries' order is drawn, so that an early end leaves all kinds."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(folder.glob("**/pairs*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for pair in map(json.loads, lines):
                found.setdefault((pair[0], pair[1]), pair)
    dice = random.Random(1)
    pairs = list(found.values())
    dice.shuffle(pairs)
    pairs.sort(key=lambda pair: pair[3].split(":")[0])
    parts = [pairs[start : start + each] for start in range(0, len(pairs), each)]
    dice.shuffle(parts)
    return parts


def written(job: tuple[int, list[list[str]], Path, float]) -> str:
    number, rows, out, until = job
    if time.time() > until:
        return f"library {number}: no time"
    started = time.perf_counter()
    pairs = [TrainingPair(query, positive, PairKind(kind), group) for query, positive, kind, group in rows]
    with tempfile.TemporaryDirectory() as folder:
        settings: dict[str, Any] = {"embedding.threads": 1, "embedding.fast": False}
        with open_library(Path(folder) / "library.db", create=True, settings=settings) as engine:
            lists = found_lists(engine, pairs, (), Path(folder), NoProgress(), MOST)
    numbers: dict[str, int] = {}
    told = [
        {
            "query": found.query,
            "passages": [numbers.setdefault(text, len(numbers)) for text in found.passages],
            "scores": [round(candidate.score, 5) for candidate in found.candidates],
            "steps": [{step.stage: round(step.score, 4) for step in candidate.steps} for candidate in found.candidates],
            "answers": sorted(found.answers),
        }
        for found in lists
    ]
    with gzip.open(out / f"{number}.new", "wt", encoding="utf-8", compresslevel=4) as file:
        json.dump({"lists": told, "passages": list(numbers)}, file, ensure_ascii=False)
    (out / f"{number}.new").replace(out / f"lists-{number}.json.gz")
    first = sum(0 in found.answers for found in lists) / len(lists)
    among = sum(bool(found.answers) for found in lists) / len(lists)
    took = time.perf_counter() - started
    return f"library {number}: {len(lists)} questions, first {first:.3f}, among {MOST} {among:.3f}, {took:.0f} s"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--each", type=int, default=3000)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=400)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    until = time.time() + asked.seconds
    jobs = [(number, rows, asked.out, until) for number, rows in enumerate(libraries(asked.pairs, asked.each))]
    with multiprocessing.get_context("spawn").Pool(asked.processes) as pool:
        for line in pool.imap_unordered(written, jobs):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
