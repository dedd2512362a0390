"""Octavo beside others, in one run: same chunks, same vectors, same queries.

    python benchmarks/peers.py --text FOLDER --chunks 132000

indexes Markdown below FOLDER until there are so many chunks, with vectors of the fast table; `--library PATH` measures
a library there is. Peers come from PyPI into environments of their own, which are gone afterwards unless
`--environments` says where to keep them. Every peer searches by the words and vectors that Octavo made of the queries;
times include the query's embedding only where the table says so. Writes benchmarks/results/peers-CHUNKS.json and, with
`--document`, the tables of all sizes in docs/research/scale.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

from peer_engines import DEPTH, PACKAGES, percentiles

PAGE = Path(__file__).parents[1] / "docs" / "research" / "scale.md"
BEGIN, END = "<!-- peers -->\n", "<!-- /peers -->\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument("--library", type=Path)
    given.add_argument("--text", type=Path)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--peers", default=",".join(PACKAGES), help="Which of them, separated by commas.")
    parser.add_argument("--environments", type=Path, help="Where the peers' environments are kept.")
    parser.add_argument("--folder", type=Path, help="Where the work is done; a temporary folder there.")
    parser.add_argument("--document", action="store_true", help="Puts the tables into docs/research/scale.md.")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        data = Path(folder)
        library = options.library or indexed(options.text, options.chunks, options.seed, data)
        rows = [octavo(library, options.queries, options.seed, data)]
        show(rows[-1])
        for name in filter(None, options.peers.split(",")):
            rows.append(measured(name, data, options.environments or data))
            show(rows[-1])
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    chunks = options.chunks if options.text else rows[0]["chunks"]
    (results / f"peers-{chunks}.json").write_text(json.dumps(rows, indent=1))
    print(table(rows))
    if options.document:
        runs = [json.loads(path.read_text("utf-8")) for path in results.glob("peers-*.json")]
        tables = "\n".join(table(run) for run in sorted(runs, key=lambda run: -run[0]["chunks"]))
        before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{tables}\n{END}{rest.partition(END)[2]}", "utf-8")


def show(row: dict[str, Any]) -> None:
    print(json.dumps(row), file=sys.stderr, flush=True)


def indexed(text: Path, chunks: int, seed: int, data: Path) -> Path:
    """A library of so many chunks, of files drawn from the folder, with the vectors of the fast table."""
    from octavo.embedding.static_token_table_choice import fast_tier
    from octavo.engine.wiring import open_library
    from octavo.ingest.provisional_fast_vectors import embed_fast
    from octavo.observability.progress import NoProgress

    files = sorted(text.rglob("*.md"))
    random.Random(seed).shuffle(files)
    root, library = data / "text", data / "library.db"
    root.mkdir()
    with open_library(library, create=True, settings={"snapshots.threshold": 10**9}) as engine:
        engine.add_collection("text", root)
        held = 0
        while held < chunks and files:
            # A file of documentation is ten chunks or so; the last rounds come near the number.
            for path in files[: max(1, (chunks - held) // 12)]:
                target = root / path.relative_to(text)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
            files = files[max(1, (chunks - held) // 12) :]
            engine.index(embed=False)
            held = engine.store.counts(engine.project.id).chunks
        fast = fast_tier(engine.embedder)
        assert fast is not None
        engine.writer.make_inputs()
        embed_fast(engine.store, engine.project.id, fast, engine.embedder.profile, NoProgress())
    return library


def octavo(library: Path, count: int, seed: int, data: Path) -> dict[str, Any]:
    """Exports what the peers are given, and measures Octavo as a user asks it: text in, presented hits out."""
    import numpy as np

    from octavo.engine.wiring import open_library
    from octavo.model.query import Filters, Query
    from octavo.observability.progress import NoProgress
    from octavo.retrieval.profiles_by_name import PROFILES

    engine = open_library(library)
    accelerator, project = engine.accelerator, engine.project.id
    assert accelerator is not None
    started = time.perf_counter()
    manifest = accelerator.upkeep.publish(NoProgress(), full=True)
    built = time.perf_counter() - started
    held = exported(engine, manifest.mark.block, data)
    questions = asked(engine, held, count, seed)
    parsed = [engine.reader.parsed(Query(text)) for text in questions]
    (data / "queries.json").write_text(json.dumps([one.terms.words for one in parsed]))
    vectors = np.stack([engine.embedder.embed_query(text) for text in questions])
    np.save(data / "queries.npy", vectors)
    reading = engine.reader.searched().store.lexical

    def ask(number: int) -> None:
        engine.candidates(Query(questions[number]), PROFILES["hybrid"])

    def afresh(search: Any) -> Any:
        """With no vector of a query remembered from an earlier one."""
        return lambda number: (engine.embedder.remembered_queries.clear(), search(number))  # type: ignore[attr-defined]

    def remembered(search: Any) -> Any:
        for number in range(count):
            search(number)
        return search

    figures = {
        "hybrid, to presented hits": percentiles(afresh(lambda n: engine.search(Query(questions[n]))), count),
        "hybrid": percentiles(afresh(ask), count),
        "hybrid, without embedding": percentiles(remembered(ask), count),
        "lexical": percentiles(lambda n: reading.search(project, parsed[n].terms, Filters(), DEPTH), count),
        "dense": percentiles(lambda n: engine.vectors.search(vectors[n], DEPTH), count),
    }
    return {
        "who": "octavo",
        "chunks": len(held),
        "cores": os.cpu_count(),
        "built_s": round(built, 1),
        "bytes": manifest.bytes,
        "searches": figures,
        **agreement(engine, held, parsed, vectors),
        "peak_mb_with_export": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def exported(engine: Any, block: int, data: Path) -> list[int]:
    """Writes the analysed words and the vector of every chunk that has one; their keys."""
    import numpy as np

    source, project = engine.store.snapshots, engine.project.id
    rows = {key: " ".join(filter(None, row)) for _, key, row in source.rows(project, 0, block)}
    keys = [key for key in source.places(project)[:, 0].tolist() if key in rows]
    windows = source.windows(project, engine.accelerator.setup.profiles(), keys)
    first = np.unique(windows.chunks, return_index=True)[1]
    held: list[int] = windows.chunks[first].tolist()
    np.save(data / "vectors.npy", windows.matrix[first].astype(np.float32))
    with (data / "chunks.jsonl").open("w") as file:
        for key in held:
            file.write(json.dumps([key, rows[key]]) + "\n")
    return held


def agreement(engine: Any, held: list[int], parsed: list[Any], vectors: Any) -> dict[str, float]:
    """How much of the exact best ten is found by meaning; in what share of queries the best ten by words agree."""
    import numpy as np

    # By the best window of each chunk, as Octavo scores; the peers are given the first.
    windows = engine.store.snapshots.windows(engine.project.id, engine.accelerator.setup.profiles(), held)
    matrix, starts = windows.matrix.astype(np.float32), np.searchsorted(windows.chunks, held)
    place, found, same = {key: row for row, key in enumerate(held)}, 0, 0
    for vector in vectors:
        scores = np.maximum.reduceat(matrix @ vector, starts)
        # Documentation repeats itself: of equal vectors any is as right, up to what half precision tells apart.
        least = np.partition(scores, -10)[-10] - 1e-4
        found += sum(scores[place[int(one.key)]] >= least for one in engine.vectors.search(vector, DEPTH)[:10])
    project, reading = engine.project.id, engine.reader.searched().store.lexical
    for query in parsed:
        with engine.store.reading():
            mine = reading.search(project, query.terms, query.filters, 10)
            same += mine == engine.store.lexical.search(project, query.terms, query.filters, 10)
    return {
        "recall_at_10": round(found / len(parsed) / 10, 4),
        "same_lexical_top_10": round(same / len(parsed), 4),
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


def measured(name: str, data: Path, environments: Path) -> dict[str, Any]:
    place = environments / f"env-{name.partition('-ivf')[0].replace('+', '-')}"
    python = place / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    try:
        if not python.exists():
            venv.create(place, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-qq", *PACKAGES[name]], check=True, stdout=sys.stderr)
        command = [python, Path(__file__).with_name("peer_engines.py"), name, data]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        answer: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
        return answer
    except (subprocess.CalledProcessError, json.JSONDecodeError, IndexError) as error:
        return {"who": name, "failed": str(getattr(error, "stderr", None) or error)[-500:]}


def table(rows: list[dict[str, Any]]) -> str:
    """Milliseconds by the wall. Only the row that says so includes the query's embedding."""
    mine, shown = rows[0], []
    for what in ("hybrid, to presented hits", "hybrid"):
        shown.append([f"Octavo, {what}, embedding included", both(mine["searches"][what]), "", "", "", ""])
    for row in rows:
        found = row.get("searches", {})
        cells = [both(found[one]) if one in found else "" for one in ("hybrid, without embedding", "lexical", "dense")]
        kept = ["failed", ""] if "failed" in row else [f"{row['built_s']:.0f} s", f"{row['bytes'] / 1e6:.0f} MB"]
        shown.append(["Octavo, without embedding" if row is mine else row["who"], *cells, *kept])
    titles = ["p50 · p95 in ms", "hybrid", "lexical", "dense", "built", "on disk"]
    lines = ["| " + " | ".join(one) + " |" for one in (titles, ["---"] * len(titles), *shown)]
    said = f"recall@10 against the exact scan {mine['recall_at_10']:.3f}; lexical top ten the same in "
    said += f"{mine['same_lexical_top_10']:.0%} of the queries."
    return "\n".join([f"{mine['chunks']:,} chunks, {mine['cores']} cores:", "", *lines, "", said, ""])


def both(figures: dict[str, float]) -> str:
    return f"{figures['p50']:.2f} · {figures['p95']:.2f}"


if __name__ == "__main__":
    main()
