"""Kills, fuzzed files, damage, crowds, unmounted disks and hostile requests, and what becomes of a library: one table.

    python benchmarks/faults.py [PART …] [--rounds N] [--seed N] [--state FILE]

| part | one round | a whole campaign |
|---|---|---|
| kills | one kill of an index run, a watcher, a snapshot build or a writer of memories | 1,000 |
| fuzz | one mutated file: Markdown, code of every grammar, notebooks, front matter, git's records | 10,000 |
| snapshots, tables, file | one damage in a snapshot's file, in a table, in what a page of the database holds | 200 |
| slack | one damage in bytes of the database that hold nothing | 200 |
| flips | one bit of a table that keeps what cannot be computed again, or of its second copy | 1,000 |
| processes | eight processes that write, index and search one library for `--seconds` | 1, of 600 s |
| unmounts | a disk that is not mounted, in one of six layouts | 6 |
| requests | one hostile request over HTTP or MCP, with how long it held the event loop | 5,000 |
| questions | one odd question of 20,000 characters | 1,000 |
| strangers | one hostile folder: special names of every kind of file, links out, pipes, devices, races | 2,000 |

What a state file holds is not done again, so that a campaign of hours can be interrupted. Every round follows from its
seed alone, but for how far a killed process had come.
"""

from __future__ import annotations

import argparse
import asyncio
import atexit
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import apsw
import httpx2
import strangers
from starlette.types import ASGIApp, Message

from octavo.algorithms.queries.code_query_parsing import read_code_query
from octavo.config.layered_config_loading import validated
from octavo.config.schema import Config, Serve
from octavo.engine.engine import Engine
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import mend
from octavo.engine.wiring import open_engine
from octavo.errors import Busy, LibraryError, OctavoError
from octavo.ingest.file_preparation import Preparer
from octavo.ingest.prepared_file import Origin, PreparationFailure, Unpacked
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.serving.asgi_app import make_app
from octavo.model.folder_scan import SeenFile
from octavo.model.ids import CollectionId, ProjectId
from octavo.model.indexing_ledger import FileStamp
from octavo.model.memory import MemoryFilter
from octavo.model.projects_and_collections import CollectionSettings
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.requests import DbRepairRequest
from octavo.operations.database.upgrade_repair_and_prune import db_repair, file_damage, rebuilt, salvage_library
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.search.requests import SearchRequest
from octavo.sources.git_diff_tree_parser import Records
from octavo.stores.sqlite.salvage import TABLES

_NOTES = 60
_WORDS = ("lamp", "apple", "tree", "telescope", "moon", "switch", "boiler", "cellar", "bread", "water")
_TABLES = {
    "vectors": "data",
    "lexical_blocks": "data",
    "texts": "data",
    "chunks": "text_hash",
    "inputs": "hash",
}
_ORIGIN = Origin(ProjectId("p"), CollectionId("c"), None, (), 10_000_000)
_GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
_FILE_SECONDS, _FILE_BYTES = 10.0, 1 << 30  # of processor time and of memory, for one fuzzed file of a few kilobytes


def library_in(folder: Path, *, snapshots: bool = False) -> Config:
    notes, place = folder / "notes", folder / "library.db"
    choose = random.Random(1)
    if not notes.is_dir():
        notes.mkdir(parents=True)
        for number in range(_NOTES):
            body = " ".join(choose.choices(_WORDS, k=60))
            (notes / f"{number}.md").write_text(f"# Note {number}\n\n{body}\n", "utf-8")
    settings = {"enabled": snapshots, "threshold": 1, "shards": 2}
    return validated(
        Config,
        {"embedding": {"provider": "hashing"}, "library": place, "snapshots": settings, "history": {"enabled": False}},
    )


def indexed(config: Config, folder: Path) -> None:
    with open_engine(config, create=True) as engine:
        engine.add_collection("notes", folder / "notes")
        engine.index()


def answers(engine: Engine) -> list[tuple[str, float, str]]:
    """By the door that every client goes through."""
    return [
        (hit.uri, hit.score or 0.0, hit.excerpt)
        for word in _WORDS[:3]
        for hit in OPERATIONS["search"].run(engine, SearchRequest(f"{word} tree", limit=10)).hits
    ]


def snapshot_round(folder: Path, seed: int) -> str:
    """Flips bytes in one file of a snapshot: the answer is the library's own, and says so."""
    chosen, config = random.Random(seed), library_in(folder, snapshots=True)
    indexed(config, folder)
    with open_engine(library_in(folder)) as engine:
        wanted = answers(engine)
    files = sorted(path for path in folder.rglob("library.db.snapshots/*/*/*") if path.is_file())
    path = chosen.choice(files)
    data = bytearray(path.read_bytes())
    for _ in range(chosen.randint(1, 40)):
        data[chosen.randrange(len(data))] ^= 1 << chosen.randrange(8)
    path.write_bytes(data)
    with open_engine(config) as engine:
        found = answers(engine)
        told = engine.search(Query("lamp tree", 10)).degraded
    if found != wanted:
        return "wrong answers"
    return "detected" if told else "not noticed"


def table_round(folder: Path, seed: int) -> str:
    """Overwrites one value of one table: the check finds it, and the repair makes it anew."""
    chosen, config = random.Random(seed), library_in(folder)
    indexed(config, folder)
    table, column = chosen.choice(sorted(_TABLES.items()))
    connection = apsw.Connection(str(folder / "library.db"))
    rows = connection.execute(f"select key from {table}").fetchall()  # noqa: S608 (names of our own schema)
    key = chosen.choice(rows)[0]
    connection.execute(f"update {table} set {column} = randomblob(length({column})) where key = ?", (key,))  # noqa: S608
    connection.close()
    with open_engine(config) as engine:
        if not damage(engine):
            return "not noticed"
        return "not mended" if mend(engine)[1] else "mended"


def kill_round(folder: Path, seed: int) -> str:
    """Kills a process at a point of its write-ahead log: the next run completes, nothing told is lost, or damaged."""
    chosen = random.Random(seed)
    work = chosen.choice((_indexes, _watches, _builds, _remembers))
    config = library_in(folder, snapshots=work is _builds)
    with open_engine(config, create=True) as engine:
        engine.add_collection("notes", folder / "notes")
        if work is not _indexes:
            engine.index()
    log, until = folder / "library.db-wal", chosen.randint(0, 400_000) + _size(folder / "library.db-wal")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _in_child(work, config, folder, writing)
    os.close(writing)
    patience, wait = time.monotonic() + 20, chosen.uniform(0.0, 1.5)
    while time.monotonic() < patience and not os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if _size(log) >= until and (work is not _builds or time.monotonic() > patience - 20 + wait):
            break
        time.sleep(0.001)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as told:
        promised = told.read().decode().split()
    return _after_a_kill(config, folder, promised, work.__name__.strip("_"))


def _after_a_kill(config: Config, folder: Path, promised: list[str], what: str) -> str:
    with open_engine(config) as engine:
        engine.index()
        if damage(engine):
            return f"{what}: damaged"
        kept = {str(item.id) for item in engine.memories.repository.find(engine.project.id, MemoryFilter())}
        if not kept.issuperset(promised):
            return f"{what}: lost memories"
        found = engine.store.counts(engine.project.id).documents - len(kept)
        files = sum(1 for _ in (folder / "notes").glob("*.md"))
        return f"{what}: continued" if found == files and answers(engine) else f"{what}: lost documents"


def _in_child(work: Callable[[Engine, Path, int], None], config: Config, folder: Path, told: int) -> None:
    try:
        with open_engine(config) as engine:
            work(engine, folder, told)
    finally:
        os._exit(0)


def _indexes(engine: Engine, folder: Path, told: int) -> None:
    engine.index()


def _watches(engine: Engine, folder: Path, told: int) -> None:
    engine.watcher.start(replace(engine.watcher.settings, debounce_ms=250))
    for number in range(1_000):
        (folder / "notes" / f"new {number % 40}.md").write_text(f"# New {number}\n\nlamp {number}\n", "utf-8")
        time.sleep(0.01)


def _builds(engine: Engine, folder: Path, told: int) -> None:
    for number in range(100):
        (folder / "notes" / "0.md").write_text(f"# Note 0\n\nlamp tree {number}\n", "utf-8")
        engine.index()
        if engine.accelerator is not None:
            engine.accelerator.upkeep.rebuild(NoProgress())


def _remembers(engine: Engine, folder: Path, told: int) -> None:
    for number in range(1_000):
        made = remember(engine, RememberRequest(text=f"The boiler number {number} stands in cellar {number * 7}."))
        os.write(told, f"{made.item}\n".encode())  # after it was said to be kept


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def file_round(folder: Path, seed: int) -> str:
    """Overwrites bytes of one table, one index or the header: healed, or refused by name, but never unnoticed.

    Which of them follows from the seed, so that as many rounds as there are of them damage every one.
    """
    return _damaged_round(folder, seed, lambda path, chosen: _place(path, seed, chosen))


def slack_round(folder: Path, seed: int) -> str:
    """Overwrites bytes that hold nothing: what nobody reads changes no answer, and need not be noticed."""
    return _damaged_round(folder, seed, _slack).replace("not noticed", "holds nothing, and the same answers")


def flip_round(folder: Path, seed: int) -> str:
    """Turns one bit of what cannot be computed again: nothing is lost that can still be read.

    A text of a file that is no longer on the disk is stored once, and is what may be gone.
    """
    outcome = _damaged_round(folder, seed, lambda path, chosen: _flip_place(path, seed, chosen), _flipped)
    return outcome.replace("not noticed", "changes nothing that is read")


def _flip_place(path: Path, seed: int, chosen: random.Random) -> tuple[int, int]:
    tables = [name for table in (*TABLES, "memory_texts") for name in (table, f"{table}_witness")]
    held = {page[0] for page in _pages(path)}
    names = [name for name in tables if name in held]
    return _byte_of(path, names[seed % len(names)], chosen), 1


def _flipped(data: bytes, chosen: random.Random) -> bytes:
    return bytes([data[0] ^ 1 << chosen.randrange(8)])


def _random_bytes(data: bytes, chosen: random.Random) -> bytes:
    return chosen.randbytes(len(data))


def _damaged_round(
    folder: Path,
    seed: int,
    place: Callable[[Path, random.Random], tuple[int, int]],
    damaged_bytes: Callable[[bytes, random.Random], bytes] = _random_bytes,
) -> str:
    chosen, (config, whole, wanted, before) = random.Random(seed), _whole_library()
    path = Path(config.library)
    for file in path.parent.glob("library.db*"):
        file.unlink()
    path.write_bytes(whole)
    at, length = place(path, chosen)
    data = bytearray(path.read_bytes())
    data[at : at + length] = damaged_bytes(bytes(data[at : at + length]), chosen)
    path.write_bytes(data)
    lost: tuple[str, ...] | None = None
    try:
        with open_engine(config) as engine:
            if not damage(engine):
                same = answers(engine) == wanted and kept(engine) == before
                return "not noticed" if same else f"wrong in silence: seed {seed}"
            if not file_damage(engine):
                done = db_repair(engine, DbRepairRequest(), NoProgress())
                lost = (*done.left, *(done.lost or ()))
    except LibraryError:
        lost = None
    how = "salvaged" if lost is None else "mended"
    if lost is None:  # as `octavo db repair` goes on
        damaged, salvaged = salvage_library(path)
        with open_engine(config) as engine:
            answer = rebuilt(engine, damaged, salvaged, "", NoProgress())
            lost = (*answer.left, *(answer.lost or ()))
    with open_engine(config) as engine:
        return f"detected and {how}" + _after_a_repair(engine, wanted, before, lost, seed)


def _after_a_repair(engine: Engine, wanted: object, before: Kept, lost: tuple[str, ...], seed: int) -> str:
    """What became of answers and of what only the library knows: empty where all is as before."""
    after = kept(engine)
    gone = [names for names, value in before.items() if after.get(names) != value]
    unnamed = [names for names in gone if not any(name in said for said in lost for name in names)]
    if unnamed:
        return f", lost in silence: seed {seed}"
    if answers(engine) != wanted:
        return f", with wrong answers: seed {seed}"
    if left := damage(engine):
        return f", told, and still damaged ({left[0].message}): seed {seed}"
    return f", told what is gone ({len(gone)}): seed {seed}" if gone else ""


Kept = dict[tuple[str, ...], object]
"""Names that a sentence may call it by → what is kept of it."""


def kept(engine: Engine) -> Kept:
    """What only the library knows: memories and every version of them, earlier versions of files, collections."""
    found: Kept = {(known.name,): (str(known.root), known.settings) for known in engine.collections()}
    project, documents = engine.project.id, engine.store.documents
    for item in engine.memories.repository.find(project, MemoryFilter(status=None)):
        versions = engine.memories.repository.versions(project, item.id)
        texts = documents.texts(project, [version.text_hash for version in versions])
        found[str(item.id), item.title] = [texts.get(version.text_hash) for version in versions]
    for uri in _EDITED:
        for document in documents.find(project, uri):
            hashes = {version.text_hash for version in documents.versions(project, document.id)}
            found[(uri,)] = sorted(documents.texts(project, hashes).values())
    return found


@cache
def _whole_library() -> tuple[Config, bytes, list[tuple[str, float, str]], Kept]:
    """Made once for all rounds, each of which begins with these bytes; and what it answers."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-faults-whole-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    config = library_in(folder)
    indexed(config, folder)
    for uri in _EDITED:
        note = folder / "notes" / uri
        note.write_text(note.read_text("utf-8") + "\nThe bread is baked in the cellar.\n", "utf-8")
    with open_engine(config) as engine:
        engine.index()
    _fill_every_table(config, folder / "library.db")
    with open_engine(config) as engine:
        wanted, before = answers(engine), kept(engine)
    return config, (folder / "library.db").read_bytes(), wanted, before


def _fill_every_table(config: Config, path: Path) -> None:
    """Memories by their door; a few rows that say nothing in each table that is still empty."""
    with open_engine(config) as engine:
        for number in range(4):
            remember(engine, RememberRequest(text=f"The kettle number {number} stands on shelf {number * 7}."))
        engine.index()  # their vectors: a repair makes what is missing
    connection = apsw.Connection(str(path))
    named = "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
    for (table,) in connection.execute(named).fetchall():
        if table not in _LEFT_EMPTY and not connection.execute(f"select count(*) from {table}").get:  # noqa: S608
            for number in range(1, 4):
                _put_something(connection, table, number)
    connection.execute("pragma wal_checkpoint(truncate)")
    connection.close()


def _put_something(connection: apsw.Connection, table: str, number: int) -> None:
    """A row whose values only have the right types, and point at rows that are there."""
    points = {row[3]: row[2] for row in connection.execute(f"pragma foreign_key_list({table})")}
    columns = connection.execute(f"pragma table_info({table})").fetchall()
    values: list[object] = []
    for _, name, type_, *_ in columns:
        if name in points:
            keys = _keys(connection, points[name])
            values.append(keys[number % len(keys)])
        else:
            some = {"INTEGER": number, "REAL": 1.7e9 + number + 0.5, "BLOB": bytes(range(number, number + 40))}
            values.append(some.get(type_.upper(), _READABLE.get(name, f"{name} {number}")))
    marks = ", ".join("?" * len(values))
    connection.execute(f"insert or ignore into {table} values ({marks})", values)  # noqa: S608


def _keys(connection: apsw.Connection, table: str) -> list[int]:
    wanted = f"select key from {table}"  # noqa: S608 (names of our own schema)
    if not connection.execute(wanted).fetchall():
        for number in range(1, 4):
            _put_something(connection, table, number)
    return [row[0] for row in connection.execute(wanted)]


_EDITED = ("7.md", "31.md")  # files whose earlier texts only the library has
_LEFT_EMPTY = ("named_profiles", "snapshots")  # what these say is acted upon
_LISTS = ("tags", "links", "metadata", "settings", "warnings", "facts", "payload", "profiles")
_READABLE = dict.fromkeys(_LISTS, "[]") | {"lookup": "wiki"}  # what repairing reads must be what it could be


def _place(path: Path, seed: int, chosen: random.Random) -> tuple[int, int]:
    """Where at most sixteen bytes are overwritten: in the header, or in what a page of one table or index holds."""
    names = [None, *sorted({page[0] for page in _pages(path)})]
    name = names[seed % len(names)]
    if name is None:
        return chosen.randrange(84), 16
    start, first, end = _stretch_of(path, name, chosen)
    at = chosen.randrange(first, max(first + 1, end - 15))
    return start + at, min(16, end - at)


def _byte_of(path: Path, name: str, chosen: random.Random) -> int:
    start, first, end = _stretch_of(path, name, chosen)
    return start + chosen.randrange(first, end)


def _stretch_of(path: Path, name: str, chosen: random.Random) -> tuple[int, int, int]:
    """Where a page of a table or an index begins, and a stretch of it that holds something."""
    _, start, size, kind = chosen.choice([page for page in _pages(path) if page[0] == name])
    stretches = _held(path.read_bytes()[start : start + size], kind)
    first, end = chosen.choice([(first, end) for first, end in stretches for _ in range(end - first)])
    return start, first, end


def _slack(path: Path, chosen: random.Random) -> tuple[int, int]:
    data = path.read_bytes()
    while True:
        _, start, size, kind = chosen.choice(_pages(path))
        held = sorted(_held(data[start : start + size], kind))
        gaps = [(end, first) for (_, end), (first, _) in pairwise([*held, (size, size)]) if first - end >= 16]
        if gaps:
            first, end = chosen.choice(gaps)
            return start + chosen.randrange(first, end - 15), 16


def _pages(path: Path) -> list[tuple[str, int, int, int]]:
    """Table or index, where the page begins, its size, and how much of an overflow page is used (-1: of a b-tree)."""
    connection = apsw.Connection(str(path))
    found = (
        "select name, pgoffset, pgsize, iif(pagetype = 'overflow', pgsize - unused, -1) from dbstat where pageno > 1"
    )
    pages: list[tuple[str, int, int, int]] = [cast("Any", row) for row in connection.execute(found)]
    connection.close()
    return pages


def _held(page: bytes, overflow: int) -> list[tuple[int, int]]:
    """The stretches of a page that hold something: its header and pointers, and each of its cells."""
    if overflow >= 0:
        return [(0, overflow)]
    head, cells, content = page[0] in (2, 5), int.from_bytes(page[3:5], "big"), int.from_bytes(page[5:7], "big")
    pointers = (12 if head else 8) + 2 * cells
    stretches, at = [(0, pointers)], content or 65_536
    free = int.from_bytes(page[1:3], "big")
    while free:
        if free > at:
            stretches.append((at, free))
        at = free + int.from_bytes(page[free + 2 : free + 4], "big")
        free = int.from_bytes(page[free : free + 2], "big")
    return [*stretches, (at, len(page))] if at < len(page) else stretches


@cache
def _specimens() -> tuple[Path, ...]:
    folders = (_GOLDEN / "code", _GOLDEN / "markdown", _GOLDEN / "chunks")
    return tuple(sorted(path for folder in folders for path in folder.iterdir() if path.is_file()))


@cache
def _preparer() -> Preparer:
    """With every grammar loaded, so that a process that is forked has only its own file to read."""
    settings = {"embedding": {"provider": "hashing"}, "library": ":memory:"}
    engine = open_engine(validated(Config, settings), create=True)
    preparer = engine.library.adapters.preparing.preparer(CollectionSettings())
    for specimen in _specimens():
        preparer.file(_ORIGIN, _seen(specimen))
    return preparer


def _seen(place: Path) -> SeenFile:
    stat = place.stat()
    return SeenFile(place.name, str(place), FileStamp(stat.st_size, stat.st_mtime_ns, stat.st_ino))


def mutated(data: bytes, chosen: random.Random) -> bytes:
    """Bits flipped, stretches doubled, dropped, moved or repeated, and what parsers have fallen over before put in."""
    odd = (
        b"\0",
        b"\xff\xfe",
        b"---\n",
        b"```",
        b"{{{{",
        b"[[" * 50,
        b"\xf0\x9f\x98",
        b"\r",
        b"\t" * 40,
        b"<!--",
        b"${",
        b"> " * 60,
    )
    whole = bytearray(data)
    for _ in range(chosen.randint(1, 12)):
        at, length = chosen.randrange(len(whole) + 1), chosen.randint(1, 200)
        part = bytes(whole[at : at + length])
        match chosen.randrange(6):
            case 0:
                whole[at : at + 1] = chosen.randbytes(1)
            case 1:
                del whole[at : at + length]
            case 2:
                whole[at:at] = part * chosen.randint(1, 30)
            case 3:
                whole[at:at] = chosen.choice(odd)
            case 4:
                whole[at : at + length] = part[::-1]
            case 5:
                whole = whole[:at] + bytearray(data[chosen.randrange(len(data) + 1) :])
    return bytes(whole[:200_000])


def fuzz_round(folder: Path, seed: int) -> str:
    """Prepares one mutated file, in a process that may use so much time and memory and no more."""
    chosen = random.Random(seed)
    specimen = chosen.choice((*_specimens(), None))
    preparer = _preparer()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (int(_FILE_SECONDS), int(_FILE_SECONDS)))
        free = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        code = 1
        try:
            wrong = _git_records(chosen) if specimen is None else _is_wrong(preparer, folder, specimen, chosen)
            more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - free
            code = 2 if wrong else 3 if more > _FILE_BYTES else 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    ended = os.waitstatus_to_exitcode(status)
    outcome = {0: "prepared or refused by name", 2: "wrong", 3: "too much memory", -signal.SIGXCPU: "too slow"}
    return outcome.get(ended, "crashed") + ("" if not ended else f": seed {seed}")


def _is_wrong(preparer: Preparer, folder: Path, specimen: Path, chosen: random.Random) -> bool:
    """An error that nobody raised on purpose, or a chunk that is not its place's text."""
    place = folder / specimen.name
    place.write_bytes(mutated(specimen.read_bytes(), chosen))
    made = preparer.file(_ORIGIN, _seen(place))
    if isinstance(made.result, Unpacked):
        return False
    if isinstance(made.result, PreparationFailure):
        return re.match(r"[A-Z]\w+: ", made.result.reason) is not None
    text = made.result.document.text
    chunks = [indexed.chunk for indexed in made.result.chunks]
    return any(text[chunk.span.start : chunk.span.end] != chunk.text for chunk in chunks)


def _git_records(chosen: random.Random) -> bool:
    records = Records("", diffs=True)
    fields = ["a" * 40, "", "Ada", "a@b", "1700000000", "Ada", "a@b", "1700000001", "A message\n\nwith a body", ""]
    raw = (
        "\0".join(fields).encode()
        + b":100644 100644 aaa bbb M\0a.py\0\0diff --git a/a.py b/a.py\n@@ -1 +1 @@\n-a\n+b\n"
    )
    stream = b"".join(records.mark.encode() + mutated(raw, chosen) for _ in range(3))
    for at in range(0, len(stream), 97):
        list(records.feed(stream[at : at + 97]))
    list(records.end())
    return False


def question_round(folder: Path, seed: int) -> str:
    """Asks one odd question of 20,000 characters: reading it takes less than the loop may be held for."""
    chosen = random.Random(seed)
    piece = "".join(chosen.choices("aB_.:/\\`'\"{}[]()<>|*+?$# \n0x", k=chosen.randint(1, 4)))
    started = time.thread_time()
    read_code_query(piece * (20_000 // len(piece)))
    return "quick" if time.thread_time() - started < 1.0 else f"slow: {piece!r}"


@contextmanager
def taken_away(folder: Path, holding: str = "") -> Iterator[None]:
    """What stands at the folder is a mount point, with `holding` in it; its disk is elsewhere."""
    elsewhere = Path(tempfile.mkdtemp(prefix="octavo-disk-")) / "disk"
    above = folder.parent.stat()
    shutil.move(folder, elsewhere)
    folder.mkdir()
    if holding:
        (folder / holding).write_text("Nothing is mounted here.\n", "utf-8")
    os.utime(folder, (1_600_000_000, 1_600_000_000))  # a mount point is older than what is mounted there
    os.utime(folder.parent, ns=(above.st_atime_ns, above.st_mtime_ns))
    try:
        yield
    finally:
        shutil.rmtree(folder)
        shutil.move(elsewhere, folder)
        elsewhere.parent.rmdir()


LAYOUTS: dict[str, tuple[str, str, int]] = {
    "the root, empty": ("", "", 40),
    "the root, with a file in it": ("", "README", 40),
    "a root of few files": ("", "", 3),
    "below the root, empty": ("disk", "", 40),
    "below the root, with a file in it": ("disk", ".keep", 40),
    "deep below the root": ("a/b/disk", "unmounted.md", 3),
}
"""Layout → where the disk is mounted, what stands in its mount point, how many files it has."""


def unmount_round(folder: Path, seed: int) -> str:
    """Takes a disk away, in one of six layouts: no document is removed, and all are there when it is back."""
    name, (below, holding, many) = sorted(LAYOUTS.items())[seed % len(LAYOUTS)]
    root = folder / "notes"
    disk = root / below
    disk.mkdir(parents=True)
    for number in range(many):
        (disk / f"{number}.md").write_text(f"# Note {number}\n\nlamp tree {number}\n", "utf-8")
    if below:
        (root / "top.md").write_text("# Top\n\nbread\n", "utf-8")
    config = library_in(folder)
    indexed(config, folder)
    with open_engine(config) as engine:
        before = engine.store.counts(engine.project.id).documents
        with taken_away(disk, holding):
            engine.index()
            removed = before - min(before, engine.store.counts(engine.project.id).documents)
        engine.index()
        after = engine.store.counts(engine.project.id).documents
    return f"{name}: {removed} removed" + ("" if after >= before else f", {before - after} missing afterwards")


def crowd_round(folder: Path, seed: int, seconds: float = 600.0) -> str:
    """Eight processes on one library: lock errors, wrong excerpts, and how long writes took."""
    config = library_in(folder)
    indexed(config, folder)
    until = time.time() + seconds
    context = multiprocessing.get_context("fork")
    with context.Pool(8) as pool:
        given = [(config, folder, seed * 8 + number, until) for number in range(8)]
        told = pool.starmap(_in_a_crowd, given)
    errors = sum(locked for locked, _, _, _ in told)
    wrong = sum(inexact for _, inexact, _, _ in told)
    reads = sum(excerpts for _, _, excerpts, _ in told)
    writes = sorted(took for _, _, _, times in told for took in times)
    with open_engine(config) as engine:
        hurt = len(damage(engine))
    p95 = writes[int(len(writes) * 0.95)] if writes else 0.0
    counted = f"{errors} lock errors, {wrong} wrong excerpts, {hurt} damages"
    return f"{counted} in {reads:,} excerpts and {len(writes):,} writes (p95 {p95 * 1000:.0f} ms) of {seconds:.0f} s"


def _in_a_crowd(config: Config, folder: Path, seed: int, until: float) -> tuple[int, int, int, list[float]]:
    chosen = random.Random(seed)
    errors = wrong = reads = 0
    writes: list[float] = []
    with open_engine(config) as engine:
        while time.time() < until:
            try:
                if seed % 8 < 4:
                    for hit in engine.search(Query(chosen.choice(_WORDS), 10)).hits:
                        reads += 1
                        wrong += not _is_exact(engine, hit.citation.uri, hit.excerpt)
                    continue
                started = time.monotonic()
                if seed % 8 < 7:
                    remember(engine, RememberRequest(text=f"Boiler {chosen.random()} stands in {chosen.random()}."))
                    writes.append(time.monotonic() - started)
                else:
                    number = chosen.randrange(_NOTES)
                    body = " ".join(chosen.choices(_WORDS, k=60))
                    (folder / "notes" / f"{number}.md").write_text(f"# Note {number}\n\n{body}\n", "utf-8")
                    engine.index()
            except Busy:
                errors += 1
    return errors, wrong, reads, writes


def _is_exact(engine: Engine, uri: str, excerpt: str) -> bool:
    """Whether the excerpt is a slice of a text that the library has, or had, of this document."""
    with engine.store.reading():
        found = engine.store.documents.find(engine.project.id, uri)
        hashes = [document.text_hash for document in found]
        hashes += [
            old.text_hash
            for document in found
            for old in engine.store.documents.versions(engine.project.id, document.id)
        ]
        texts = engine.store.documents.texts(engine.project.id, hashes)
    return not found or any(excerpt in text for text in texts.values())


_PIECES = (
    "aB",
    "(",
    "[[",
    "\\",
    "\0",
    "\ud800",
    '"',
    "*",
    "-",
    "tag:",
    "é",
    "\u202e",
    "a:b:c",
    "\n",
    "OR ",
    "🙂",
    "path:../",
)
_STALLS = (5, 10, 25, 50)  # milliseconds that the loop may be held for; more is told with the request
_NAMES = ("search", "search_code", "get", "recall", "remember", "status", "related", "outline", "history", "nonsense")


def hostile_request(chosen: random.Random) -> tuple[str, bytes, dict[str, str]]:
    """A path, a body and headers that no client means well with."""
    piece = chosen.choice(_PIECES) * chosen.choice((1, 50, 20_000))
    name = chosen.choice(_NAMES)
    key = chosen.choice(("query", "reference", "text", piece, "limit", "x" * 1_000_000))
    value = chosen.choice((piece, -1, 1e308, None, [piece] * 50, {"a": {"b": piece}}, True, 10**30))
    arguments = {"query": piece, key: value} if chosen.random() < 0.5 else {key: value}
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
    if chosen.random() < 0.3:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        return "/mcp", json.dumps(message).encode("utf-8", "surrogatepass"), headers
    body = json.dumps(arguments).encode("utf-8", "surrogatepass")
    match chosen.randrange(8):
        case 0:
            body = mutated(body[:2_000], chosen)
        case 1:
            body = b"[" * 100_000
        case 2:
            headers["content-type"] = chosen.choice(("text/plain", "x" * 5_000, ""))
        case 3:
            headers["host"] = chosen.choice(("evil.example", "127.0.0.1.evil.example", "a" * 5_000))
    return f"/v1/{name}", body, headers


async def held(client: httpx2.AsyncClient, chosen: random.Random) -> tuple[int, float]:
    """The status of one hostile request, and for how long at a time it held the loop, in seconds of processor time."""
    longest, over = 0.0, False

    async def beat() -> None:
        nonlocal longest
        while not over:
            before = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - before)

    path, body, headers = hostile_request(chosen)
    heart = asyncio.create_task(beat())
    await asyncio.sleep(0)
    try:
        answer = await client.post(path, content=body, headers=headers)
    finally:
        over = True
        await heart
    return answer.status_code, longest


@asynccontextmanager
async def started(app: ASGIApp) -> AsyncIterator[None]:
    """The application with its sessions open, as a server has it."""
    told: asyncio.Queue[Message] = asyncio.Queue()
    said: asyncio.Queue[Message] = asyncio.Queue()

    async def run() -> None:
        await app({"type": "lifespan", "asgi": {"version": "3.0"}}, told.get, said.put)

    running = asyncio.create_task(run())
    await told.put({"type": "lifespan.startup"})
    assert (await said.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await told.put({"type": "lifespan.shutdown"})
        await running


def request_round(folder: Path, seed: int) -> str:
    """One hostile request: answered with something else than a defect, and the loop was free again soon."""
    config = library_in(folder)
    indexed(config, folder)
    return hostile(config, [seed])[0][0]


def hostile(config: Config, seeds: list[int]) -> list[tuple[str, float]]:
    """The outcome of each request, and the longest time it held the loop."""

    async def main() -> list[tuple[str, float]]:
        calls = Calls(lambda: open_engine(config), threads=2)
        app = make_app(calls, Serve(), None)
        transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
        found = []
        base = "http://localhost:7411"
        try:
            async with started(app), httpx2.AsyncClient(transport=transport, base_url=base, timeout=120) as client:
                await client.post("/v1/search", json={"query": "lamp"})  # opens the library
                for seed in seeds:
                    status, seconds = await held(client, random.Random(seed))
                    said = f"status {status}" if status >= 500 else "answered or refused"
                    bound = next((most for most in _STALLS if seconds * 1000 <= most), None)
                    held_for = f"{seconds * 1000:.0f} ms: seed {seed}" if bound is None else f"{bound} ms at most"
                    said += f", loop held for {held_for}"
                    found.append((said, seconds))
        finally:
            calls.close(timeout=60)
        return found

    return asyncio.run(main())


PARTS: dict[str, Callable[[Path, int], str]] = {
    "kills": kill_round,
    "fuzz": fuzz_round,
    "snapshots": snapshot_round,
    "tables": table_round,
    "file": file_round,
    "slack": slack_round,
    "flips": flip_round,
    "processes": crowd_round,
    "unmounts": unmount_round,
    "requests": request_round,
    "questions": question_round,
    "strangers": lambda folder, seed: next(strangers.outcomes([seed], folder))[1],
}
_TOGETHER = {"requests", "strangers"}  # making a library for each round would take longer than the round


def campaign(parts: list[str], rounds: int, seed: int, state: Path | None) -> dict[str, Counter[str]]:
    """The outcomes of every part; those that a state file has are taken from it."""
    lines = state.read_text("utf-8").splitlines() if state is not None and state.is_file() else []
    done: dict[str, str] = dict(json.loads(line) for line in lines)
    counts = {part: Counter[str]() for part in parts}
    for part in parts:
        left = [seed + number for number in range(rounds) if f"{part} {seed + number}" not in done]
        for number, outcome in _together(part, left) if part in _TOGETHER else _one_by_one(part, left):
            done[f"{part} {number}"] = outcome
            if state is not None:
                with state.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([f"{part} {number}", outcome]) + "\n")
        counts[part].update(done[f"{part} {seed + number}"] for number in range(rounds))
    return counts


def _one_by_one(part: str, seeds: list[int]) -> Iterator[tuple[int, str]]:
    for seed in seeds:
        with tempfile.TemporaryDirectory(prefix="octavo-faults-", ignore_cleanup_errors=True) as folder:
            try:
                yield seed, PARTS[part](Path(folder), seed)
            except OctavoError as error:
                yield seed, f"refused: {error.code}"


def _together(part: str, seeds: list[int]) -> Iterator[tuple[int, str]]:
    """A hundred at a time of one library."""
    for first in range(0, len(seeds), 100):
        some = seeds[first : first + 100]
        with tempfile.TemporaryDirectory(prefix="octavo-faults-", ignore_cleanup_errors=True) as folder:
            if part == "strangers":
                yield from strangers.outcomes(some, Path(folder))
                continue
            config = library_in(Path(folder))
            indexed(config, Path(folder))
            yield from zip(some, (outcome for outcome, _ in hostile(config, some)), strict=True)


def table(counts: dict[str, Counter[str]]) -> str:
    rows = [f"| {part} | {outcome} | {number} |" for part, of in counts.items() for outcome, number in of.most_common()]
    return "\n".join(["| part | outcome | rounds |", "|---|---|---|", *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long the eight processes work")
    given = parser.parse_args()
    PARTS["processes"] = lambda folder, seed: crowd_round(folder, seed, given.seconds)
    print(table(campaign(given.parts or list(PARTS), given.rounds, given.seed, given.state)))


if __name__ == "__main__":
    main()
