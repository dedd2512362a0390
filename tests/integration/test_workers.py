"""Processes that prepare files: the same library as without them, and no harm when one of them dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from workbench import GOOD, VAULT, Bench, deadly, exchange, several_processes

from octavo.engine.engine import Engine
from octavo.engine.processes.file_preparer_pool import ProcessPreparers
from octavo.ingest.collection_indexing import Preparers
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.indexing_ledger import FileOutcome
from octavo.model.projects_and_collections import CollectionSettings

MANY = {f"{number // 50}/{number}.md": f"# Note {number}\n\n" + f"words about {number} " * 60 for number in range(300)}

# Without `if __name__ == "__main__"`, as most scripts are written.
SCRIPT = f"""
import sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1] / "support")]!r}
from pathlib import Path
from workbench import Bench, several_processes
bench = Bench(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[2]).parent)
print("indexed", bench.index(several_processes, ingest={{"workers": 2}}).added, flush=True)
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def run(script: Path, bench: Bench) -> subprocess.Popen[str]:
    command = [sys.executable, str(script), str(bench.folder), str(bench.library)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=bench.environ(), start_new_session=True
    )


def dying(engine: Engine) -> None:
    """Has files prepared by processes, some of which die of it."""
    several_processes(engine)
    make = engine.library.adapters.preparing.preparers

    def workers(*arguments: object) -> ProcessPreparers:
        real = make(*arguments)  # type: ignore[arg-type]
        assert isinstance(real, ProcessPreparers)
        return ProcessPreparers(partial(deadly, real._make), 2)  # type: ignore[arg-type]

    exchange(engine, preparers=workers)


def test_processes_and_one_thread_make_the_same_library(bench: Bench, tmp_path: Path) -> None:
    bench.folder = VAULT
    other = replace(bench, library=tmp_path / "other.db")
    assert bench.index().added == other.index(several_processes, ingest={"workers": 3}).added
    assert other.state() == bench.state()
    assert other.problems() == ()


def test_a_process_that_dies_takes_along_only_the_file_it_was_at(bench: Bench) -> None:
    bench.write({**GOOD, "deadly.md": "zebrafish\n", "garden/deadly.md": "quagga\n", "zoo.md": "okapi\n"})
    report = bench.index(dying, ingest={"workers": 2})
    assert (report.added, [one.uri for one in report.failed]) == (4, ["deadly.md", "garden/deadly.md"])
    assert bench.found("okapi") == ["zoo.md"]
    entry = bench.ledger()["deadly.md"]
    assert (entry.outcome, entry.reason) == (FileOutcome.FAILED, "the process that was preparing it died")
    assert (bench.index().added, bench.found("zebrafish")) == (2, ["deadly.md"])
    assert bench.problems() == ()


@pytest.mark.parametrize("program", ["no-such-program", "false"])
def test_where_no_process_can_be_started_the_work_is_done_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    bench.write(GOOD)
    monkeypatch.setattr(sys, "executable", program)
    assert bench.index(several_processes, ingest={"workers": 2}).added == 3
    assert bench.found("prune") == ["garden/apples.md"]


def test_a_script_without_a_main_guard_is_not_run_again_by_the_workers(bench: Bench, script: Path) -> None:
    bench.write(MANY)
    out, err = run(script, bench).communicate(timeout=300)
    assert (out, err) == ("indexed 300\n", "")


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no process groups")
@pytest.mark.parametrize("seconds", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_the_run_and_the_next_one_completes(
    bench: Bench, script: Path, sent: signal.Signals, seconds: float
) -> None:
    bench.write(MANY)
    process = run(script, bench)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        # To the whole group, as a terminal does it, but for a kill: that is what workers must notice by themselves.
        (os.killpg if sent == signal.SIGINT else os.kill)(process.pid, sent)
    # Every worker holds the other end of this pipe: it ends when the last of them does.
    _, err = process.communicate(timeout=120)
    # One process complains, the one that was interrupted; where that hit an import, Python tells of it in two parts.
    assert err.count("Traceback") - err.count("During handling of the above") <= 1, err
    if bench.library.exists():
        assert bench.problems() == ()
    bench.index()
    assert len(bench.ledger()) == 300
    assert bench.problems() == ()


def test_an_edit_in_a_large_folder_starts_no_process(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    bench.write({"bread.md": "# Bread\n\nThe oven is hot.\n"})
    sizes = []

    def noting(engine: Engine) -> None:
        make = engine.library.adapters.preparing.preparers

        def workers(settings: CollectionSettings, fast: EmbeddingProfile | None, size: int) -> Preparers:
            sizes.append(size)
            return make(settings, fast, size)

        exchange(engine, preparers=workers)

    assert bench.index(noting).changed == 1
    assert sizes == [(bench.folder / "bread.md").stat().st_size]
