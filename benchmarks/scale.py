"""What a library costs as it grows: build time and its slope, queries cold and warm, filters, memory, disk, start-up.

    python benchmarks/scale.py --text FOLDER --chunks 20000 132000 500000 1500000

Libraries are generated, seeded, from the Markdown below FOLDER: each document is made of paragraphs drawn from it, so
that words are as frequent as they are in real text. Vectors are the fast table's. Everything goes through the writing
flow and the query path that users have. Writes benchmarks/results/scale.json and scale.svg.
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
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCUMENT = 40  # paragraphs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--chunks", type=int, nargs="+", default=[20_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="Where the libraries are made; a temporary folder unless given.")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measured(options.measure, options.queries, options.seed)))
        return
    rows = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for wanted in options.chunks:
            library = Path(folder) / f"{wanted}.db"
            row = built(library, options.text, wanted, options.seed)
            command = [sys.executable, __file__, "--text", options.text, "--measure", library]
            command += ["--queries", str(options.queries), "--seed", str(options.seed)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            rows.append(row | json.loads(done.stdout.strip().splitlines()[-1]))
            print(json.dumps(rows[-1]), flush=True)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "scale.json").write_text(json.dumps(rows, indent=1))
    (results / "scale.svg").write_text(picture(rows))


def paragraphs(folder: Path) -> list[str]:
    found: list[str] = []
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text("utf-8", "replace")
        found += [
            one.strip() for one in text.split("\n\n") if 80 < len(one) < 1_200 and not one.startswith(("---", "```"))
        ]
    return found


def documents(folder: Path, seed: int) -> Iterator[tuple[str, str]]:
    chance, pool = random.Random(seed), paragraphs(folder)
    number = 0
    while True:
        title = " ".join(chance.choice(pool).split()[:5]).strip("#*-| ")
        parts = [f"# {title}"]
        for place in range(DOCUMENT):
            if place % 4 == 0:
                parts.append(f"## {' '.join(chance.choice(pool).split()[:4]).strip('#*-| ')}")
            parts.append(chance.choice(pool))
        yield f"{number % 100:02d}/{number:06d}.md", "\n\n".join(parts) + "\n"
        number += 1


def built(library: Path, text: Path, wanted: int, seed: int) -> dict[str, Any]:
    from recto.engine.wiring import fast_tier, open_library
    from recto.ingest.fast import embed_fast
    from recto.observability.progress import NoProgress

    root = library.with_suffix("")
    engine = open_library(library, create=True, settings={"snapshots.threshold": 10**9})
    root.mkdir()
    engine.add_collection("generated", root)
    made, chunks, slope = documents(text, seed), 0, []
    used, started = time.process_time(), time.perf_counter()
    while chunks < wanted:
        for _ in range(max(10, min(2_000, (wanted - chunks) // 60))):
            uri, body = next(made)
            (root / uri).parent.mkdir(exist_ok=True)
            (root / uri).write_text(body)
        before = time.perf_counter()
        report = engine.index(embed=False)
        added = sum(one.chunks for one in report.collections)
        slope.append(round((time.perf_counter() - before) / added * 1e3, 3))
        chunks += added
    indexed = time.perf_counter() - started
    fast = fast_tier(engine.embedder)
    assert fast is not None
    before = time.perf_counter()
    embed_fast(engine.store, engine.project.id, fast, engine.embedder.profile, NoProgress())
    vectors = time.perf_counter() - before
    assert engine.accelerator is not None
    before = time.perf_counter()
    manifest = engine.accelerator.publish(NoProgress())
    published = time.perf_counter() - before
    engine.close()
    return {
        "chunks": chunks,
        "indexed_s": round(indexed, 1),
        "ms_a_chunk_first_and_last": (slope[0], slope[-1]),
        "fast_vectors_s": round(vectors, 1),
        "snapshot_s": round(published, 1),
        "build_cpu_s": round(time.process_time() - used, 1),
        "library_mb": library.stat().st_size // 1_000_000,
        "snapshot_mb": manifest.bytes // 1_000_000,
        "build_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def measured(library: Path, count: int, seed: int) -> dict[str, Any]:
    """In a process of its own, so that start-up and memory are those of one that only answers."""
    started = time.perf_counter()
    from recto.engine.wiring import open_library
    from recto.model.query import Filters, Query
    from recto.retrieval.profiles import PROFILES

    engine = open_library(library)
    engine.search(Query("a question to start with"))
    start_up = time.perf_counter() - started
    chance = random.Random(seed)
    uris = [f"{number % 100:02d}/{number:06d}.md" for number in range(40)]
    held = [one.text_hash for uri in uris for one in engine.store.documents.find(engine.project.id, uri)]
    texts = " ".join(engine.store.documents.texts(engine.project.id, held).values()).split()
    words = [word for word in texts if word.isalpha()]
    asked = [" ".join(chance.sample(words, chance.randint(2, 7))) for _ in range(count)]
    row: dict[str, Any] = {"start_up_s": round(start_up, 2)}
    for name in ("hybrid", "lexical_only", "dense_only"):
        row[name] = _times(lambda text, name=name: engine.search(Query(text), PROFILES[name]), asked)
    row["hybrid_again"] = _times(lambda text: engine.search(Query(text)), asked)
    narrow = Filters(path_prefix="07/")
    row["hybrid_filtered"] = _times(lambda text: engine.search(Query(text, filters=narrow)), asked)
    root = library.with_suffix("")
    edited = root / uris[0]
    edited.write_text(edited.read_text() + "\n\nA zanzibarian sentence that nothing else holds.\n")
    written = _Written()
    before = time.perf_counter()
    engine.index_changes({"generated": [uris[0]]}, progress=written)
    row["edited_file_with_full_vectors_ms"] = round((time.perf_counter() - before) * 1e3)
    searching = time.perf_counter()
    found = engine.search(Query("zanzibarian"), PROFILES["lexical_only"])
    row["edited_file_searchable_ms"] = round((written.at - before + time.perf_counter() - searching) * 1e3)
    assert found.hits and found.hits[0].citation.uri == uris[0]
    row["serving_peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return row


class _Written:
    """Fits `Progress`: notes when the file was in the library, before its vectors are computed."""

    at = 0.0

    def start(self, phase: str, total: int | None, unit: str) -> None:
        if phase == "embedding":
            self.at = time.perf_counter()

    def advance(self, n: int = 1, note: str = "") -> None: ...

    def finish(self) -> None: ...


def _times(ask: Any, asked: list[str]) -> dict[str, float]:
    wall = []
    for text in asked:
        started = time.perf_counter()
        ask(text)
        wall.append((time.perf_counter() - started) * 1e3)
    wall.sort()
    return {f"p{share}": round(wall[min(len(wall) - 1, len(wall) * share // 100)], 1) for share in (50, 95, 99)}


def picture(rows: list[dict[str, Any]]) -> str:
    """Median and 95th percentile of a hybrid query against the number of chunks."""
    width, height, edge = 640, 360, 50
    most = max(row["chunks"] for row in rows)
    slowest = max(row["hybrid_again"]["p95"] for row in rows)

    def at(row: dict[str, Any], share: str) -> str:
        x = edge + row["chunks"] / most * (width - 2 * edge)
        y = height - edge - row["hybrid_again"][share] / slowest * (height - 2 * edge)
        return f"{x:.0f},{y:.0f}"

    lines = "".join(
        f'<polyline fill="none" stroke="{colour}" points="{" ".join(at(row, share) for row in rows)}"/>'
        for share, colour in (("p50", "#26c"), ("p95", "#c62"))
    )
    marks = "".join(
        f'<text x="{at(row, "p50").split(",")[0]}" y="{height - 20}" text-anchor="middle">{row["chunks"]:,}</text>'
        for row in rows
    )
    said = f'<text x="{edge}" y="24">hybrid query, ms: p50 blue, p95 orange; up to {slowest:.0f}</text>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-size="12">'
    return f"{head}{lines}{marks}{said}</svg>\n"


if __name__ == "__main__":
    main()
