"""A library of 20,000 chunks to a PostgreSQL server and back: the same dump at every station, and the same answers.

Notes with headings and links, some of them changed, moved and removed since; memories with versions; promised jobs. The
hashing embedder makes the vectors, so that the copy is what takes time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "postgres"))

from postgres_server import running

from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_copying import digest_of
from octavo.engine.wiring import open_library
from octavo.engine.wiring.store_opening import open_tables
from octavo.model.job import JobKind
from octavo.model.library_location import DatabaseUrl, Location
from octavo.model.query import Query
from octavo.operations.database.copy_backup_and_restore import migrate
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.retrieval.profiles_by_name import PROFILES

SETTINGS = {"embedding.provider": "hashing", "snapshots.enabled": False, "history.enabled": False}
PER_NOTE, WORDS = 8, 5_000
ASKED = ("lexical_only", "dense_only", "hybrid")


def opened(place: Location, *, create: bool = False) -> Engine:
    where = place.secret if isinstance(place, DatabaseUrl) else place
    return open_library(where, create=create, settings=SETTINGS)


def note(chance: random.Random, number: int, notes: int) -> str:
    lines = [f"---\ntags: [t{number % 17}, t{number % 5}]\n---\n# Note {number}\n"]
    for section in range(PER_NOTE):
        words = [f"w{min(int(chance.paretovariate(0.7)), WORDS)}" for _ in range(90)]
        links = f"See [[n{chance.randrange(notes)}]] and [other](n{chance.randrange(notes)}.md)."
        lines.append(f"## Part {section} of {number}\n\n{' '.join(words)}\n\n{links}\n")
    return "\n".join(lines)


def build(folder: Path, path: Path, chunks: int) -> dict[str, int]:
    chance, notes = random.Random(11), max(10, chunks // PER_NOTE)
    folder.mkdir()
    for number in range(notes):
        (folder / f"n{number}.md").write_text(note(chance, number, notes), "utf-8")
    with opened(path, create=True) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        for number in range(0, notes, 20):
            (folder / f"n{number}.md").write_text(note(chance, number, notes), "utf-8")
        (folder / "n1.md").rename(folder / "moved.md")
        (folder / "n2.md").unlink()
        engine.index()
        for number in range(200):
            remember(engine, RememberRequest(text=f"w{number} is known since w{number + 1}", tags=(f"t{number % 3}",)))
        with engine.store.transaction():
            for kind in (JobKind.EMBED, JobKind.COMMUNITIES):
                engine.store.outbox.enqueue(engine.project.id, kind, "later", {"n": 1})
        counts = engine.store.counts(engine.project.id)
    return {"documents": counts.documents, "chunks": counts.chunks}


def dump(place: Location) -> dict[str, str]:
    """A checksum for every table, for the words and for the counters, read from this library alone."""
    with closing(open_tables(place, read_only=True)) as tables, tables.reading():
        found = {table.name: digest_of(tables, table) for table in tables.tables}
        words = hashlib.sha256()
        for chunk, row in tables.lexical.export_rows():
            words.update(json.dumps([chunk, *row]).encode())
        found["words"] = words.hexdigest()
        found["counters"] = json.dumps({name: tables.counter(name) for name in tables.counters})
    return found


def answers(place: Location, questions: int) -> list[Any]:
    chance = random.Random(3)
    with opened(place) as engine:
        found = []
        for _ in range(questions):
            text = " ".join(f"w{min(int(chance.paretovariate(0.5)), WORDS)}" for _ in range(4))
            for profile in ASKED:
                hits = engine.search(Query(text), PROFILES[profile]).hits
                found.append([(hit.citation.uri, hit.citation.span, round(hit.score, 4)) for hit in hits])
    return found


def timed(work: Any, *arguments: Any) -> tuple[Any, float]:
    started = time.perf_counter()
    done = work(*arguments)
    return done, round(time.perf_counter() - started, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--out", type=Path, help="a JSON file for the figures")
    given = parser.parse_args()
    with running() as server, tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        first, back, url = folder / "first.db", folder / "back.db", server.database(empty=True)
        figures: dict[str, Any]
        figures, figures_s = timed(build, folder / "notes", first, given.chunks)
        figures["build_s"] = figures_s
        there, figures["to_postgres_s"] = timed(migrate, first, url)
        home, figures["to_sqlite_s"] = timed(migrate, url, back)
        figures["rows"] = there.transfer.rows
        figures["same_tables"] = there.carried == home.carried
        dumps = [dump(place) for place in (first, url, back)]
        figures["same_dumps"] = dumps[0] == dumps[1] == dumps[2]
        figures["different"] = sorted(name for name in dumps[0] if len({dump[name] for dump in dumps}) > 1)
        asked = [answers(place, given.questions) for place in (first, url, back)]
        figures["questions"] = len(asked[0])
        figures["same_answers_sqlite"] = asked[0] == asked[2]
        figures["same_answers_postgres"] = sum(one == other for one, other in zip(asked[0], asked[1], strict=True))
        figures["rows_of"] = {one.table: one.rows for one in there.carried if one.rows}
        server.drop(url)
    print(json.dumps(figures, indent=2))
    if given.out:
        given.out.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
