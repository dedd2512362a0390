"""Ctrl-C, a kill, two runs at once: the library is valid at any moment, and ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from workbench import GOOD, Bench

from octavo.engine.engine import Engine
from octavo.observability.progress import NoProgress

MANY = {
    f"{number // 40}/{number}.md": f"# Note {number}\n\nthe water of note {number}\n\n## More\n\n"
    + f"moon {number} " * 40
    for number in range(200)
}
CHANGED = {"bread.md": "# Bread\n\nThe oven is hot.\n", "new/pears.md": "# Pears\n\nThey fall in September.\n"}


class Statements:
    """Counts what SQLite is asked to do, and has Ctrl-C pressed before one of them."""

    def __init__(self, last: int | None = None) -> None:
        self.seen = 0
        self.last = last

    def __call__(self, cursor: object, statement: str, bindings: object) -> bool:
        self.seen += 1
        if self.seen == self.last:
            raise KeyboardInterrupt
        return True

    @contextmanager
    def watched(self, engine: Engine) -> Iterator[None]:
        with engine.store.database.connection() as connection:  # type: ignore[attr-defined]
            connection.exec_trace = self
        try:
            yield
        finally:
            connection.exec_trace = None


def index(bench: Bench, statements: Statements) -> None:
    with bench.opened() as engine, statements.watched(engine):
        engine.index()


def moments(count: int, samples: int) -> list[int]:
    """Some of the moments of a run, its beginning and its end among them."""
    return sorted({1, count, *random.Random(count).sample(range(1, count + 1), min(samples, count))})


def test_ctrl_c_at_any_statement_of_a_first_run_leaves_a_valid_library(bench: Bench, tmp_path: Path) -> None:
    bench.write(GOOD)
    with bench.opened():
        pass
    empty = bench.library.read_bytes()
    counted = Statements()
    index(bench, counted)
    whole = bench.state()
    for moment in moments(counted.seen, 25):
        library = tmp_path / f"{moment}.db"
        library.write_bytes(empty)
        other = replace(bench, library=library)
        with pytest.raises(KeyboardInterrupt):
            index(other, Statements(moment))
        assert other.problems() == ()
        index(other, Statements())
        assert other.state() == whole


def test_ctrl_c_at_any_statement_of_a_later_run_leaves_a_valid_library(bench: Bench, tmp_path: Path) -> None:
    bench.write({**GOOD, "gone.md": "# Gone\n\nzebrafish\n", "moves.md": "# Moves\n\nquagga\n"})
    bench.index()
    before, old = bench.library.read_bytes(), bench.state()
    bench.write(CHANGED)
    (bench.folder / "gone.md").unlink()
    (bench.folder / "moves.md").rename(bench.folder / "moved.md")
    counted = Statements()
    index(bench, counted)
    whole = bench.state()
    assert whole != old
    for moment in moments(counted.seen, 25):
        library = tmp_path / f"{moment}.db"
        library.write_bytes(before)
        other = replace(bench, library=library)
        with pytest.raises(KeyboardInterrupt):
            index(other, Statements(moment))
        assert other.problems() == ()
        # Whatever came of it, both what stays and what was there before can be found.
        assert other.found("prune") == ["garden/apples.md"]
        index(other, Statements())
        assert other.state() == whole


class Impatient(NoProgress):
    """Presses Ctrl-C when the work has come so far."""

    def __init__(self, reports: int) -> None:
        self.left = reports

    def advance(self, n: int = 1, note: str = "") -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_what_was_committed_before_ctrl_c_is_not_read_again(bench: Bench) -> None:
    bench.write({f"{number}.md": f"# Note {number}\n\nwater\n" for number in range(1_200)})
    with bench.opened() as engine, pytest.raises(KeyboardInterrupt):
        engine.index(progress=Impatient(35))
    kept = len(bench.ledger())
    assert 0 < kept < 1_200
    assert len(bench.found("water")) > 0
    report = bench.index()
    assert (report.unchanged, report.added) == (kept, 1_200 - kept)


def test_vectors_that_were_committed_before_ctrl_c_are_not_computed_again(bench: Bench) -> None:
    bench.write({f"{number}.md": f"# Note {number}\n\nwater\n" for number in range(150)})
    with bench.opened() as engine:
        engine.index(embed=False)
        with pytest.raises(KeyboardInterrupt):
            engine.index(progress=Impatient(2))
        pending = engine.freshness().pending
        assert 0 < pending < 150
        assert engine.index().embedded == pending


# `octavo`, from the moment at which Python itself is ready for signals.
ANNOUNCED = """
print("begun", flush=True)
from octavo.interfaces.cli.main import main
main()
"""


@pytest.fixture
def undisturbed(bench: Bench, tmp_path: Path) -> dict[str, Any]:
    """The library of the same folder after one run that nobody disturbed."""
    bench.write(GOOD | MANY)
    whole = replace(bench, library=tmp_path / "undisturbed.db")
    whole.index()
    return whole.state()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_process_stopped_again_and_again_gets_there_in_the_end(
    bench: Bench, undisturbed: dict[str, Any], sent: signal.Signals
) -> None:
    chance = random.Random(sent)
    with bench.opened():
        pass
    codes = []
    for _ in range(5):
        process = bench.process("index", "--quiet", program=("-c", ANNOUNCED))
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        try:
            process.communicate(timeout=chance.uniform(0.2, 2.5))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, sent)
            process.communicate(timeout=120)
        codes.append(process.returncode)
        assert bench.problems() == ()
    # 130 is Ctrl-C; while Octavo is still being imported, Python answers it in its own way.
    assert set(codes) <= ({0, 130, -2} if sent == signal.SIGINT else {0, -9})
    process = bench.process("index", "--quiet")
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert bench.state() == undisturbed


def test_two_processes_at_once_make_one_library(bench: Bench, undisturbed: dict[str, Any]) -> None:
    with bench.opened():
        pass
    both = [bench.process("index", "--quiet") for _ in range(2)]
    ends = [process.communicate(timeout=300)[1] for process in both]
    assert {process.returncode for process in both} <= {0, 5}, ends
    assert bench.problems() == ()
    assert bench.index().failed == []
    assert bench.state() == undisturbed


def test_two_processes_at_once_take_the_same_changes_in(
    bench: Bench, undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    bench.index()
    (bench.folder / "0").rename(bench.folder / "renamed")
    shutil.rmtree(bench.folder / "1")
    bench.write(CHANGED)
    alone = replace(bench, library=tmp_path / "alone.db")
    alone.library.write_bytes(bench.library.read_bytes())
    alone.index()
    both = [bench.process("index", "--quiet") for _ in range(2)]
    ends = [process.communicate(timeout=300)[1] for process in both]
    assert {process.returncode for process in both} <= {0, 5}, ends
    assert bench.problems() == ()
    bench.index()
    assert bench.state() == alone.state() != undisturbed


def test_a_search_beside_a_run_answers_from_what_is_committed(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    bench.write({f"{number}.md": f"# Note {number}\n\nzebrafish {number}\n" for number in range(300)})
    answers = []

    class Watching(NoProgress):
        def advance(self, n: int = 1, note: str = "") -> None:
            answers.append((bench.found("prune"), len(bench.found("zebrafish"))))

    with bench.opened() as engine:
        engine.index(progress=Watching())
    assert {prune for (prune,), _ in answers} == {"garden/apples.md"}
    assert [count for _, count in answers] == sorted(count for _, count in answers)
    assert answers[-1][1] == 10
