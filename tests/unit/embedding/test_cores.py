"""How many cores may be kept busy."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from octavo.embedding import onnxruntime_loading


def test_there_is_at_least_one_core_and_never_more_than_the_machine_has() -> None:
    assert 1 <= onnxruntime_loading.available_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize(("written", "expected"), [("max 100000", 4), ("250000 100000", 2), ("50000 100000", 1)])
def test_a_container_quota_bounds_the_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, expected: int
) -> None:
    quota = tmp_path / "cpu.max"
    quota.write_text(written)
    monkeypatch.setattr(onnxruntime_loading, "QUOTA", quota)
    monkeypatch.setattr(onnxruntime_loading, "TOPOLOGY", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert onnxruntime_loading.available_cores() == expected


def test_threads_of_one_core_count_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, siblings in enumerate(["0,2", "1,3", "0,2", "1,3"]):
        (tmp_path / f"cpu{number}/topology").mkdir(parents=True)
        (tmp_path / f"cpu{number}/topology/thread_siblings_list").write_text(siblings)
    monkeypatch.setattr(onnxruntime_loading, "TOPOLOGY", tmp_path)
    monkeypatch.setattr(onnxruntime_loading, "QUOTA", tmp_path / "absent")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3}, raising=False)
    assert onnxruntime_loading.available_cores() == 2
