"""How fast source code becomes searchable, and how fast it is found: a real checkout, words first, no model.

    ./dev bench code FOLDER [--out DIR] [--workers N]

Indexes FOLDER as `octavo index --no-embed` does, into a library of its own, then asks what people ask of code: names,
paths, frames of a stack trace, error messages, fragments. Writes DIR/code.json. A shared machine makes wall time say
little: the time that this process and its workers were given is beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from octavo.config.schema import Config, Ingest
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_engine
from octavo.model.document import Kind
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.retrieval.profiles_by_name import profile_named

ASKED = 200


def cpu_seconds() -> float:
    """Of this process and of the children it has waited for."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def indexed(engine: Engine, folder: Path) -> dict[str, Any]:
    # Only the files: `bench history` measures commits.
    engine.add_collection("bench", folder, CollectionSettings(history=False))
    wall, cpu = time.perf_counter(), cpu_seconds()
    report = engine.index(embed=False).collections[0]
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    again = time.perf_counter()
    engine.index(embed=False)
    again = time.perf_counter() - again
    lines: Counter[str] = Counter()
    for document, text in held(engine):
        lines[document.language or document.kind.value if document.kind in (Kind.CODE, Kind.CONFIG) else "prose"] += (
            text.count("\n")
        )
    code = sum(lines.values()) - lines["prose"]
    cores = os.cpu_count() or 1
    return {
        "files": report.added,
        "skipped": len(report.skipped),
        "failed": len(report.failed),
        "chunks": report.chunks,
        "megabytes": report.bytes / 1e6,
        "lines": sum(lines.values()),
        "lines_of_code": code,
        "lines_by_language": dict(lines.most_common()),
        "cores": cores,
        "seconds": wall,
        "cpu_seconds": cpu,
        "files_per_second": report.added / wall,
        "lines_per_second": sum(lines.values()) / wall,
        "lines_per_cpu_second": sum(lines.values()) / cpu,
        "lines_per_second_if_undisturbed": sum(lines.values()) * cores / cpu,
        "unchanged_seconds": again,
    }


def held(engine: Engine) -> Iterator[tuple[Any, str]]:
    documents = engine.store.documents
    for collection in engine.collections():
        for entry in engine.store.ledger.entries(engine.project.id, collection.id).values():
            document = documents.get(engine.project.id, entry.document_id) if entry.document_id else None
            if document is not None:
                text = documents.texts(engine.project.id, [document.text_hash])[document.text_hash]
                yield document, text


def questions(engine: Engine) -> dict[str, list[str]]:
    """Made from what is in the library, so that every question has an answer: names, paths, frames and fragments."""
    chosen = random.Random(1)
    found: dict[str, list[str]] = {"names": [], "paths": [], "frames": [], "fragments": [], "words": []}
    documents = [(one, text) for one, text in held(engine) if one.kind is Kind.CODE and len(text) > 500]
    for document, text in chosen.sample(documents, min(ASKED // 5, len(documents))):
        sections = engine.store.documents.sections(engine.project.id, document.id)[1:]
        lines = [line.strip() for line in text.split("\n") if len(line.split()) > 3]
        if not sections or not lines:
            continue
        name = chosen.choice(sections).title
        found["names"].append(name)
        found["paths"].append(document.uri)
        found["frames"].append(f'File "/srv/app/{document.uri}", line {text.count(chr(10)) // 2}, in {name}')
        found["fragments"].append(chosen.choice(lines)[:120])
        found["words"].append(document.description or document.title)
    return found


def asked(engine: Engine, profile: str) -> dict[str, Any]:
    took: dict[str, Any] = {}
    for kind, texts in questions(engine).items():
        times = []
        for text in texts:
            started = time.perf_counter()
            engine.search(Query(text, limit=10), profile_named(profile))
            times.append((time.perf_counter() - started) * 1e3)
        times.sort()
        if times:
            took[kind] = {"queries": len(times), "p50_ms": at(times, 0.5), "p95_ms": at(times, 0.95)}
    return took


def at(times: list[float], share: float) -> float:
    return round(times[min(len(times) - 1, int(len(times) * share))], 2)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    options.add_argument("--workers", type=int, default=None)
    options.add_argument("--profile", default="code")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        config = Config(library=Path(temporary) / "library.db", ingest=Ingest(workers=chosen.workers))
        with open_engine(config, create=True) as engine:
            figures = indexed(engine, chosen.folder.resolve())
            figures["queries"] = asked(engine, chosen.profile)
            figures["library_megabytes"] = (Path(temporary) / "library.db").stat().st_size / 1e6
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "code.json").write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    json.dump(figures, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
