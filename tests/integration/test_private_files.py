"""What Octavo writes is its owner's: no library, copy or table opens a door to somebody else."""

from __future__ import annotations

import os
import stat
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner
from later_schema import add_migration
from workbench import GOOD, Bench

from octavo.interfaces.cli.main import cli
from octavo.interfaces.cli.output import screen
from octavo.interfaces.presenting.formatted_answer_writing import Answer, OutputFormat, written
from octavo.operations.database.upgrade_repair_and_prune import salvage_library


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_a_library_its_log_and_its_copy_are_readable_by_their_owner_alone(bench: Bench, tmp_path: Path) -> None:
    bench.library = tmp_path / "made" / "here" / "library.db"
    bench.write(GOOD)
    before = os.umask(0)
    try:
        with bench.opened() as engine:
            engine.index()
            engine.store.database.backup(tmp_path / "copy.db")  # type: ignore[attr-defined]
            files = [*bench.library.parent.iterdir(), tmp_path / "copy.db"]
            assert {path.name: mode(path) for path in files if path.is_file() and mode(path) != 0o600} == {}
            assert mode(bench.library.parent) == 0o700
    finally:
        os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_a_snapshot_is_readable_by_its_owner_alone_in_every_file(bench: Bench) -> None:
    bench.write(GOOD)
    before = os.umask(0)
    try:
        bench.index(snapshots={"enabled": True, "threshold": 1})
    finally:
        os.umask(before)
    root = bench.library.with_name(f"{bench.library.name}.snapshots")
    inside = [path for path in root.glob("*/**/*") if path.is_file()]
    assert inside and {path.name: mode(path) for path in inside if mode(path) != 0o600} == {}
    assert {mode(path) for path in (root, *(path.parent for path in inside))} == {0o700}


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_what_an_earlier_version_left_open_to_others_is_closed_when_it_is_opened(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    snapshots = bench.library.with_name(f"{bench.library.name}.snapshots")
    snapshots.mkdir(exist_ok=True)
    snapshots.chmod(0o755)
    bench.library.chmod(0o644)
    with bench.opened():
        assert (mode(bench.library), mode(snapshots)) == (0o600, 0o700)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_what_is_kept_of_an_older_and_of_a_damaged_library_is_its_owners_too(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(GOOD)
    bench.index()
    earlier = bench.library.with_name(f"{bench.library.name}.schema-3")
    earlier.write_bytes(b"")
    earlier.chmod(0o644)
    version = add_migration(monkeypatch, "octavo.stores.sqlite", "create table later (name text)")
    before = os.umask(0)
    try:
        with bench.opened():
            pass
        bench.library.chmod(0o644)
        kept, _ = salvage_library(bench.library)
    finally:
        os.umask(before)
    copy = bench.library.with_name(f"{bench.library.name}.schema-{version}")
    assert {path.name: mode(path) for path in (earlier, copy, kept, bench.library) if mode(path) != 0o600} == {}


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_whatever_commands_make_in_an_empty_home_is_closed_to_other_accounts(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write(GOOD)
    (bench.folder / "a.rtf").write_bytes(rb"{\rtf1\ansi A text about kettles.}")
    home = tmp_path / "new" / "home"
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")
    monkeypatch.setenv("OCTAVO_SNAPSHOTS_THRESHOLD", "1")
    monkeypatch.chdir(bench.folder)
    before = os.umask(0)
    try:
        for command in (
            ["init"],
            ["config", "set", "embedding.provider", "hashing"],
            ["add", str(bench.folder), "--name", "notes"],
            ["index"],
            ["snapshots", "build"],
            ["snapshots", "list", "--verify"],
            ["cluster", "build"],
            ["db", "backup", str(home / "copy.db")],
            ["init", "--here"],
        ):
            result = CliRunner().invoke(cli, command)
            assert result.exit_code == 0, result.output
    finally:
        os.umask(before)
    made = [*home.rglob("*"), bench.folder / ".octavo", bench.folder / ".octavo" / "library.db"]
    assert len(made) > 10
    assert {str(path): oct(mode(path)) for path in made if mode(path) & 0o077} == {}


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_a_cell_of_a_table_is_never_a_formula(start: str) -> None:
    rows = [{"title": f"{start}cmd()", "score": -1.5}]
    answer = Answer(data={}, rows=rows, columns=("title", "score"), text=lambda width: ())
    assert written(answer, OutputFormat.CSV, screen()) == f"title,score\n'{start}cmd(),-1.5\n"


def test_the_page_of_clusters_may_load_nothing() -> None:
    assert "Content-Security-Policy" in (files("octavo.graph") / "drawing" / "map.html").read_text("utf-8")
