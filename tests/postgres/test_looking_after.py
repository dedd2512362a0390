"""`octavo db` on either engine: upgraded, completed, pruned, checked and repaired, and each does only what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from click.testing import CliRunner

from octavo.interfaces.cli.main import cli
from octavo.model.library_location import DatabaseUrl

Call = Callable[..., Any]


@pytest.fixture(params=["sqlite", "postgres"])
def library(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "library.db")
    empty: DatabaseUrl = request.getfixturevalue("empty")
    return empty.secret


@pytest.fixture
def call(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("OCTAVO_EMBEDDING_PROVIDER", "hashing")
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")
    monkeypatch.setenv("OCTAVO_LIBRARY", library)

    def called(*arguments: str, code: int = 0) -> Any:
        result = CliRunner().invoke(cli, [*arguments, "--json"])
        assert result.exit_code == code, result.output
        return json.loads(result.stdout) if result.stdout.strip() else None

    return called


@pytest.fixture
def notes(call: Call, tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(3):
        parts = "".join(f"## Part {part}\n\n{'moon ' * 150}{number} {part}\n\n" for part in range(3))
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n{parts}", "utf-8")
    (folder / "short.md").write_text("# Short\n\ncomet\n", "utf-8")
    call("init")
    call("add", str(folder), "--name", "notes")
    call("index")
    return folder


def chunks(call: Call) -> int:
    return int(call("status")["chunks"])


def cut_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"TARGET_MIN": 20, "TARGET_MAX": 60, "HARD_MAX": 80, "MIN_PREFERRED": 10, "OVERLAP": 0}
    for name, tokens in sizes.items():
        monkeypatch.setenv(f"OCTAVO_CHUNKING_{name}_TOKENS", str(tokens))


def tell(library: str, sqlite: str, postgres: str) -> None:
    """Damages a library behind its back."""
    if library.startswith("postgresql://"):
        with psycopg.connect(library, autocommit=True) as server:
            server.execute(postgres.encode())
        return
    connection = apsw.Connection(library)
    connection.execute(sqlite)
    connection.close()


def test_upgrading_to_another_recipe_indexes_again_what_was_indexed_otherwise(
    call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = chunks(call)
    assert call("db", "upgrade")["differences"] == []
    cut_shorter(monkeypatch)
    told = call("db", "upgrade")
    assert (told["differences"], told["promised"]) == (["sizes"], False)
    assert chunks(call) > before
    assert call("db", "upgrade")["differences"] == []
    assert call("db", "check")["sound"]
    assert call("search", "comet")["hits"]


def test_upgrading_in_the_background_leaves_vectors_to_a_worker(
    call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_shorter(monkeypatch)
    assert call("db", "upgrade", "--background")["promised"] is True
    kinds = {job["kind"] for job in call("jobs", "list", "--state", "ready")["jobs"]}
    assert "embed" in kinds
    call("worker", "--once")
    assert call("jobs", "list", "--state", "ready")["jobs"] == []
    assert call("search", "comet")["hits"]


def test_completing_reads_only_the_files_that_would_come_out_otherwise(call: Call, notes: Path) -> None:
    (told,) = call("db", "complete")["collections"]
    assert (told["added"], told["changed"], told["unchanged"]) == (0, 0, 4)
    (notes / "new.py").write_text('"""A module."""\n\n\ndef orbit():\n    return 1\n', "utf-8")
    (notes / "0.md").write_text("# Note 0\n\nchanged\n", "utf-8")
    (told,) = call("db", "complete")["collections"]
    assert (told["added"], told["changed"], told["unchanged"]) == (1, 1, 3)


def test_pruning_lets_go_what_was_asked_for_and_nothing_current(call: Call, notes: Path) -> None:
    for number in range(4):
        (notes / "short.md").write_text(f"# Short\n\ncomet {number}\n", "utf-8")
        call("index")
    assert call("db", "prune", "--keep", "0", "--dry-run")["versions"] == 4
    assert call("db", "prune", "--older-than", "1")["versions"] == 0
    assert call("db", "prune", "--keep", "2")["versions"] == 2
    assert call("db", "prune", "--max-bytes", "1")["versions"] == 2
    assert call("db", "prune", "--keep", "0") == {
        "versions": 0,
        "texts": 0,
        "vectors": 0,
        "bytes": 0,
        "cached": 0,
        "dry_run": False,
    }
    assert call("search", "comet")["hits"]
    assert call("db", "check")["sound"]


def test_damage_is_found_and_what_can_be_made_anew_is(call: Call, notes: Path, library: str) -> None:
    call("remember", "the dome is locked with two keys")
    tell(
        library,
        "delete from lexical where rowid < 3 or rowid = (select max(key) from chunks)",
        "update lexical_rows set gone = 0 where chunk < 3 or chunk = (select max(key) from chunks)",
    )
    told = call("db", "check", code=6)
    assert told == {"sound": False, "problems": ["3 chunks are missing from the lexical index"]}
    repaired = call("db", "repair")
    assert (repaired["found"], repaired["left"]) == (told["problems"], [])
    assert call("db", "check")["sound"]
    assert call("db", "repair") == {"found": [], "left": []}


def test_a_text_that_is_gone_is_said_to_be_and_not_made_up(call: Call, notes: Path, library: str) -> None:
    (notes / "short.md").write_text("# Short\n\nanother comet\n", "utf-8")
    call("index")
    earlier = (
        "delete from texts where not exists (select 1 from documents d"
        " where d.project = texts.project and d.text_hash = texts.hash)"
    )
    tell(library, earlier, earlier)
    assert not call("db", "check", code=6)["sound"]
    repaired = call("db", "repair")
    assert repaired["found"] == ["the text of version 1 of short.md is missing"]
    assert repaired["lost"] == ["the text of version 1 of short.md"]
    assert call("db", "check")["sound"]


def test_what_has_lost_its_text_is_read_again_or_no_longer_found_and_named(
    call: Call, notes: Path, library: str
) -> None:
    item = call("remember", "the dome is locked with two keys")["item"]
    copies = "; delete from memory_texts"  # a server keeps one copy, and checksums of its pages
    gone = "delete from texts where hash in (select text_hash from {table})"
    of_file = gone.format(table="documents where uri = 'short.md'")
    tell(library, f"{gone.format(table='memory_versions')}{copies}; {of_file}", gone.format(table="memory_versions"))
    if library.startswith("postgresql://"):
        tell(library, "", of_file)
    repaired = call("db", "repair", code=6)
    assert repaired["left"] == [f"the text of version 1 of {item} is missing"]
    assert call("search", "comet")["hits"][0]["uri"] == "short.md"
    assert item not in str(call("search", "dome keys"))
    assert repaired["lost"] == [f"the text of version 1 of {item}.md"]
