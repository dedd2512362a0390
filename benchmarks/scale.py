"""What a library costs as it grows: build time and its slope, queries cold and warm, filters, memory, disk, start-up.

    python benchmarks/scale.py --text FOLDER --folder WORK 20000 132000 500000 1500000

Libraries are generated, seeded, from the Markdown below --text: each document is made of paragraphs drawn from it, so
that words are as frequent as they are in real text. Vectors are the fast table's. Everything goes through the writing
flow and the query path that users have, each size in processes of its own, which may take --memory gigabytes at most.
Each size writes benchmarks/results/scale-N.json and is passed over when that is there, unless --again; scale.svg shows
all that are there. --document puts the table into docs/research/scale.md. With --keep the libraries stay as
WORK/scale-N.db, and

    python benchmarks/scale.py --folder WORK --only-queries 1500000

asks one of those again, for figures of a quiet hour. One whose vectors or snapshot are missing, because building was
broken off, is completed by the command that began it; what building took is then not known.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

DOCUMENT = 40  # paragraphs
RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "research" / "scale.md"
BEGIN, END = "<!-- scale -->\n", "<!-- /scale -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("chunks", type=int, nargs="+")
    parser.add_argument("--text", type=Path)
    parser.add_argument("--folder", type=Path, help="Where the libraries are made; they go again, unless --keep.")
    parser.add_argument("--keep", action="store_true", help="Leaves the libraries in the folder.")
    parser.add_argument("--only-queries", action="store_true", help="Asks libraries that were kept; builds nothing.")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--memory", type=float, default=16.0, help="Gigabytes that building or asking may take.")
    parser.add_argument("--again", action="store_true", help="Measures what was measured before.")
    parser.add_argument("--document", action="store_true", help="Puts the table into docs/research/scale.md.")
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--step", choices=("build", "measure"), help=argparse.SUPPRESS)
    parser.add_argument("--library", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        most = int(options.memory * 1e9)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        if options.step == "build":
            print(json.dumps(built(options.library, options.text, options.chunks[0], options.seed)))
        else:
            print(json.dumps(measured(options.library, options.queries, options.seed)))
        return
    if options.only_queries and options.folder is None:
        parser.error("--only-queries needs the --folder in which --keep left the libraries")
    if not options.only_queries and options.text is None:
        parser.error("--text is needed to make libraries of")
    RESULTS.mkdir(exist_ok=True)
    for wanted in options.chunks:
        known = RESULTS / f"scale-{wanted}.json"
        if known.exists() and not (options.again or options.only_queries):
            print(f"{wanted}: measured before, see {known}", file=sys.stderr)
            continue
        row = asked_again(wanted, known, options) if options.only_queries else made(wanted, options)
        known.write_text(json.dumps(row, indent=1))
        print(json.dumps(row), flush=True)
    rows = sorted(
        (json.loads(path.read_text()) for path in RESULTS.glob("scale-*.json")), key=lambda row: row["chunks"]
    )
    (RESULTS / "scale.svg").write_text(picture(rows))
    if options.document:
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{rest.partition(END)[2]}", "utf-8")


def made(wanted: int, options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        library = (options.folder if options.keep else Path(folder)) / f"scale-{wanted}.db"
        row: dict[str, Any] = {"wanted": wanted, "cores": os.cpu_count()}
        row |= stepped("build", library, options, wanted)
        if options.keep:
            library.with_suffix(".json").write_text(json.dumps(row))  # building takes too long to be lost
        return row | stepped("measure", library, options, wanted)


def asked_again(wanted: int, known: Path, options: argparse.Namespace) -> dict[str, Any]:
    library = options.folder / f"scale-{wanted}.db"
    built_before = known if known.exists() else library.with_suffix(".json")
    row: dict[str, Any] = json.loads(built_before.read_text())
    return row | stepped("measure", library, options, wanted)


def stepped(step: str, library: Path, options: argparse.Namespace, wanted: int) -> dict[str, Any]:
    """In a process of its own, so that start-up and memory are those of one that does nothing else."""
    command = [sys.executable, __file__, str(wanted), "--step", step, "--library", library]
    command += ["--text", options.text] if options.text else []
    command += ["--queries", str(options.queries), "--seed", str(options.seed), "--memory", str(options.memory)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return answer


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
    from octavo.embedding.static_token_table_choice import fast_tier
    from octavo.engine.wiring import open_library
    from octavo.ingest.provisional_fast_vectors import embed_fast
    from octavo.observability.progress import NoProgress

    root = library.with_suffix("")
    left = library.exists()  # with --keep: the documents are there, vectors or the snapshot may be missing
    engine = open_library(library, create=True, settings={"snapshots.threshold": 10**9})
    chunks, indexing, slope = engine.store.counts(engine.project.id).chunks, 0.0, []
    if left and chunks < wanted:
        raise SystemExit(f"{library} has {chunks} chunks only: remove it to begin anew")
    if not left:
        root.mkdir()
        engine.add_collection("generated", root)
    made = documents(text, seed)
    while chunks < wanted and not left:
        for _ in range(max(10, min(2_000, (wanted - chunks) // 60))):
            uri, body = next(made)
            (root / uri).parent.mkdir(exist_ok=True)
            (root / uri).write_text(body)
        before = time.perf_counter()
        report = engine.index(embed=False)
        took = time.perf_counter() - before
        added = sum(collection.chunks for collection in report.collections)
        chunks, indexing = chunks + added, indexing + took
        slope.append((chunks, round(took / added * 1e3, 3)))
    fast = fast_tier(engine.embedder)
    assert fast is not None
    before = time.perf_counter()
    engine.writer.make_inputs()
    embed_fast(engine.store, engine.project.id, fast, engine.embedder.profile, NoProgress())
    vectors = time.perf_counter() - before
    assert engine.accelerator is not None
    before = time.perf_counter()
    manifest = engine.accelerator.upkeep.publish(NoProgress())
    published = time.perf_counter() - before
    engine.close()
    own, workers = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return {
        "chunks": chunks,
        "text_mb": sum(path.stat().st_size for path in root.rglob("*.md")) // 1_000_000,
        "indexed_s": None if left else round(indexing, 1),
        "ms_a_chunk": slope[:: max(1, len(slope) // 20)],
        "fast_vectors_s": None if left else round(vectors, 1),
        "snapshot_s": round(published, 1),
        "build_cpu_s": None if left else round(own.ru_utime + own.ru_stime + workers.ru_utime + workers.ru_stime, 1),
        "library_mb": library.stat().st_size // 1_000_000,
        "snapshot_mb": manifest.bytes // 1_000_000,
        "build_peak_mb": own.ru_maxrss // 1024,
        "build_worker_peak_mb": workers.ru_maxrss // 1024,
    }


def measured(library: Path, count: int, seed: int) -> dict[str, Any]:
    started = time.perf_counter()
    from octavo.engine.wiring import open_library
    from octavo.model.query import Filters, Query
    from octavo.retrieval.profiles_by_name import PROFILES

    engine = open_library(library)
    engine.search(Query("a question to start with"))
    row: dict[str, Any] = {"start_up_s": round(time.perf_counter() - started, 2)}
    chance = random.Random(seed)
    uris = [f"{number % 100:02d}/{number:06d}.md" for number in range(40)]
    held = [one.text_hash for uri in uris for one in engine.store.documents.find(engine.project.id, uri)]
    texts = " ".join(engine.store.documents.texts(engine.project.id, held).values()).split()
    words = [word for word in texts if word.isalpha()]
    asked = [" ".join(chance.sample(words, chance.randint(2, 7))) for _ in range(count)]

    def ask(profile: str = "hybrid", filters: Filters = Filters()) -> Any:  # noqa: B008
        def one(text: str) -> None:
            engine.embedder.remembered_queries.clear()  # type: ignore[attr-defined]  # no vector is remembered
            engine.search(Query(text, filters=filters), PROFILES[profile])

        return one

    row["hybrid_first_time"] = _times(ask(), asked)
    row["hybrid"] = _times(ask(), asked)
    row["lexical_only"] = _times(ask("lexical_only"), asked)
    row["dense_only"] = _times(ask("dense_only"), asked)
    row["hybrid_filtered"] = _times(ask(filters=Filters(path_prefix="07/")), asked)
    row |= {"serving_peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "serving_own_mb": own_mb()}
    edited = library.with_suffix("") / uris[0]
    edited.write_text(edited.read_text() + "\n\nA zanzibarian sentence that nothing else holds.\n")
    written = _Written()
    before = time.perf_counter()
    engine.writer.index_changes({"generated": [uris[0]]}, progress=written)
    row["edited_file_with_full_vectors_ms"] = round((time.perf_counter() - before) * 1e3)
    searching = time.perf_counter()
    found = engine.search(Query("zanzibarian"), PROFILES["lexical_only"])
    row["edited_file_searchable_ms"] = round((written.at - before + time.perf_counter() - searching) * 1e3)
    assert found.hits and found.hits[0].citation.uri == uris[0]
    return row


class _Written:
    """Fits `Progress`: notes when the file was in the library, which is when its phase ends; vectors come later."""

    at = 0.0

    def start(self, phase: str, total: int | None, unit: str) -> None: ...

    def advance(self, n: int = 1, note: str = "") -> None: ...

    def finish(self) -> None:
        self.at = self.at or time.perf_counter()


def own_mb() -> int | None:
    """Memory that is not a mapped file, where the system tells."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("RssAnon")), None)


def _times(ask: Any, asked: list[str]) -> dict[str, float]:
    wall, processor = [], []
    for text in asked:
        started, used = time.perf_counter(), time.process_time()
        ask(text)
        wall.append((time.perf_counter() - started) * 1e3)
        processor.append((time.process_time() - used) * 1e3)
    wall.sort()
    processor.sort()
    shares = {f"p{share}": round(wall[min(len(wall) - 1, len(wall) * share // 100)], 1) for share in (50, 95, 99)}
    return shares | {"cpu_p50": round(processor[len(processor) // 2], 1)}


def table(rows: list[dict[str, Any]]) -> str:
    titles = ["chunks", "indexed", "fast vectors", "snapshot", "hybrid p50 · p95 · p99", "filtered p50", "start-up"]
    titles += ["own memory", "build peak", "library + snapshot", "edit searchable"]
    titles += ["processor: build", "hybrid p50"]
    lines = [titles, ["---"] * len(titles)]
    for row in rows:
        hybrid = row["hybrid"]
        lines.append(
            [
                f"{row['chunks']:,}",
                *(_seconds(row[one]) for one in ("indexed_s", "fast_vectors_s", "snapshot_s")),
                f"{hybrid['p50']} · {hybrid['p95']} · {hybrid['p99']} ms",
                f"{row['hybrid_filtered']['p50']} ms",
                f"{row['start_up_s']} s",
                f"{row['serving_own_mb']} MB",
                f"{row['build_peak_mb']} MB",
                f"{row['library_mb']} + {row['snapshot_mb']} MB",
                f"{row['edited_file_searchable_ms']} ms",
                _seconds(row["build_cpu_s"]),
                f"{hybrid['cpu_p50']} ms",
            ]
        )
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _seconds(took: float | None) -> str:
    return "not measured" if took is None else f"{took:.0f} s"


def picture(rows: list[dict[str, Any]]) -> str:
    """Three panels against the number of chunks: a hybrid query, building, memory."""
    panels = (
        ("hybrid query, ms: p50 blue, p95 orange", lambda row: (row["hybrid"]["p50"], row["hybrid"]["p95"])),
        (
            "seconds: indexing blue, fast vectors and snapshot orange",
            lambda row: (row["indexed_s"] or 0, (row["fast_vectors_s"] or 0) + row["snapshot_s"]),
        ),
        (
            "MB: own while serving blue, peak of building orange",
            lambda row: (row["serving_own_mb"], row["build_peak_mb"]),
        ),
    )
    drawn = "".join(_panel(rows, number, title, of) for number, (title, of) in enumerate(panels))
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="1080" height="300" font-size="11">{drawn}</svg>\n'


def _panel(rows: list[dict[str, Any]], number: int, title: str, of: Any) -> str:
    left, width, top, height = 360 * number + 40, 280, 40, 200
    most = max(row["chunks"] for row in rows)
    highest = max(max(of(row)) for row in rows) or 1
    at = [
        [(left + row["chunks"] / most * width, top + height - value / highest * height) for value in of(row)]
        for row in rows
    ]
    parts = [f'<text x="{left}" y="20">{title}</text>', f'<text x="{left - 36}" y="{top + 4}">{highest:.0f}</text>']
    parts.append(f'<path fill="none" stroke="#888" d="M{left},{top} v{height} h{width}"/>')
    for line, colour in enumerate(("#26c", "#c62")):
        points = [point[line] for point in at]
        parts += [f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3" fill="{colour}"/>' for x, y in points]
        parts += [
            f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{u:.0f}" y2="{v:.0f}" stroke="{colour}"/>'
            for (x, y), (u, v) in pairwise(points)
        ]
    for row, point in zip(rows, at, strict=True):
        x, y = point[0][0], top + height + 16
        parts.append(f'<text x="{x:.0f}" y="{y}" text-anchor="middle">{row["chunks"] // 1000:,}k</text>')
    return "".join(parts)


if __name__ == "__main__":
    main()
