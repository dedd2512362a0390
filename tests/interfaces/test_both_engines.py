"""Which modules of these tests run on both engines, and why the others do not."""

from __future__ import annotations

from pathlib import Path

from library_places import BOTH_ENGINES, ONE_ENGINE

HERE = Path(__file__).parent


def test_every_module_runs_on_both_engines_or_says_why_not() -> None:
    modules = {path.relative_to(HERE).as_posix() for path in HERE.rglob("test_*.py")} - {Path(__file__).name}
    assert {name for name in modules if not name.startswith("python/")} == BOTH_ENGINES | ONE_ENGINE.keys()
    assert BOTH_ENGINES.isdisjoint(ONE_ENGINE)
