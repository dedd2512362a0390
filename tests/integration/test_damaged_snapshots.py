"""A snapshot whose bytes changed never answers: the library does, says so, and a new snapshot is queued."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from workbench import GOOD, Bench

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.model.job import JobKind, JobState
from octavo.model.query import Query
from octavo.model.search_result import Result

SNAPSHOTS = {"snapshots": {"threshold": 1, "shards": 2}}
MANY = {f"many/{number}.md": f"# Note {number}\n\nThe lamp {number} and the apple tree.\n" for number in range(30)}
PACE = Jobs(60.0, 1.0, 1.0, 5, 10, 1.0)


@pytest.fixture
def library(bench: Bench) -> Iterator[Bench]:
    bench.write(GOOD | MANY)
    bench.run(**SNAPSHOTS)
    assert snapshot_files(bench), "indexing made no snapshot"
    yield bench


def snapshot_files(bench: Bench) -> list[Path]:
    root = bench.library.with_name(f"{bench.library.name}.snapshots")
    return sorted(path for path in root.rglob("*") if path.suffix in {".vec", ".seg", ".arr", ".json"})


def flip(path: Path, count: int, seed: int, *, keep_time: bool = False) -> None:
    before, data, places = path.stat(), bytearray(path.read_bytes()), random.Random(seed)
    for _ in range(count):
        data[places.randrange(len(data))] ^= 1 << places.randrange(8)
    path.write_bytes(data)
    if keep_time:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def asked(engine: Engine) -> Result:
    return engine.search(Query("apple lamp tree", 20))


def shown(result: Result) -> list[tuple[str, float, str]]:
    return [(hit.citation.uri, hit.score, hit.excerpt) for hit in result.hits]


@pytest.mark.parametrize("suffix", [".vec", ".seg", ".arr", ".json"])
@pytest.mark.parametrize("keep_time", [False, True])
def test_forty_flipped_bytes_change_no_answer_and_the_answer_says_what_was_not_used(
    library: Bench, suffix: str, keep_time: bool
) -> None:
    with library.opened(snapshots={"enabled": False}) as engine:
        wanted = shown(asked(engine))
    with library.opened(**SNAPSHOTS) as engine:
        assert asked(engine).degraded == ()
    for number, path in enumerate(snapshot_files(library)):
        if path.suffix == suffix:
            flip(path, 40 if suffix != ".json" else 3, number, keep_time=keep_time)
    with library.opened(**SNAPSHOTS) as engine:
        result = asked(engine)
        assert shown(result) == wanted
        assert [part.partition(":")[0] for part in result.degraded] == ["snapshot"]
        jobs = engine.store.outbox.jobs(engine.project.id, [JobState.READY])
        assert [(job.kind, job.subject) for job in jobs] == [(JobKind.SNAPSHOT, "rebuild")]


def test_the_queued_job_makes_a_new_snapshot_and_the_next_answer_is_whole(library: Bench) -> None:
    flip(next(path for path in snapshot_files(library) if path.suffix == ".vec"), 40, 1)
    with library.opened(**SNAPSHOTS) as engine:
        before = shown(asked(engine))
        assert asked(engine).degraded
        engine.job_worker("test", PACE).run(Event(), until_idle=True)
        assert asked(engine).degraded == ()
        assert engine.accelerator is not None
        assert [kept.problem for kept in engine.accelerator.upkeep.verify()] == [""]
        assert engine.accelerator.snapshots.current() is not None
        assert shown(asked(engine)) == before


def test_indexing_replaces_a_damaged_snapshot_though_no_file_changed(library: Bench) -> None:
    flip(next(path for path in snapshot_files(library) if path.suffix == ".vec"), 40, 1)
    with library.opened(**SNAPSHOTS) as engine:
        assert asked(engine).degraded
        engine.index()
        assert asked(engine).degraded == ()


def test_a_file_damaged_while_it_is_mapped_is_found_by_its_time(library: Bench) -> None:
    with library.opened(**SNAPSHOTS) as engine:
        wanted = shown(asked(engine))
        assert engine.accelerator is not None
        for path in snapshot_files(library):
            if path.suffix == ".seg":
                flip(path, 40, 1)
                os.utime(path, ns=(1, 1))
        engine.accelerator.snapshots.looked_at = 0.0
        result = asked(engine)
        assert shown(result) == wanted
        assert result.degraded


def test_a_file_that_was_verified_is_not_read_again_by_the_next_process(
    library: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = 1_600_000_000_000_000_000
    for path in snapshot_files(library):
        os.utime(path, ns=(long_ago, long_ago))
    monkeypatch.setattr("octavo.search_snapshots.checksum_verification.RACY_NS", 0)
    with library.opened(**SNAPSHOTS) as engine:
        asked(engine)
    read: list[Path] = []
    monkeypatch.setattr("octavo.search_snapshots.checksum_verification.digest", lambda path: read.append(path) or "")
    with library.opened(**SNAPSHOTS) as engine:
        assert asked(engine).degraded == ()
    assert read == []


@pytest.mark.parametrize("content", ["", "{", "[]", '{"a": 1}', '{"a/b": ["x"]}'])
def test_a_broken_record_of_what_was_verified_only_costs_the_reading(library: Bench, content: str) -> None:
    root = snapshot_files(library)[0].parent.parent
    (root / "VERIFIED").write_text(content)
    with library.opened(**SNAPSHOTS) as engine:
        assert asked(engine).degraded == ()


def test_a_manifest_with_another_watermark_is_not_believed(library: Bench) -> None:
    for path in snapshot_files(library):
        if path.name == "manifest.json":
            body = json.loads(path.read_text())
            body["mark"]["block"] += 1
            path.write_text(json.dumps(body))
    with library.opened(**SNAPSHOTS) as engine:
        assert asked(engine).degraded
