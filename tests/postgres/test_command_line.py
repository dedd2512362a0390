"""`recto` with a URL where a path would be, and `recto db`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recto.interfaces.cli.main import cli
from recto.model.location import DatabaseUrl

VAULT = Path(__file__).parents[2] / "examples" / "vault"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("RECTO_EMBEDDING_PROVIDER", "hashing")
    monkeypatch.setenv("RECTO_DAEMON_ENABLED", "false")


def call(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments))


def answer(*arguments: str) -> dict[str, object]:
    result = call(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_a_url_works_where_a_path_does_and_no_output_holds_its_password(empty: DatabaseUrl, tmp_path: Path) -> None:
    secret = empty.secret.replace("postgres:postgres@", "postgres:postgres@")
    library = ("--library", secret)
    outputs = [
        call("init", *library),
        call("add", str(VAULT), "--name", "vault", *library),
        call("index", *library),
        call("search", "moon", *library),
        call("status", *library),
        call("doctor", *library),
        call("config", "show", *library),
        call("config", "path", *library),
        call("db", "check", *library),
        call("db", "migrate", "--from", secret, "--to", str(tmp_path / "copy.db")),
        call("db", "prune", "--keep", "0", *library),
        call("db", "complete", *library),
        call("db", "repair", *library),
    ]
    assert [one.exit_code for one in outputs] == [0] * len(outputs), [one.output for one in outputs if one.exit_code]
    assert not any("postgres:postgres" in one.output for one in outputs)
    assert "What is up when" in outputs[3].output
    assert "pgvector" in outputs[5].output


def test_copying_tells_every_table_with_its_checksum(empty: DatabaseUrl, tmp_path: Path) -> None:
    library = str(tmp_path / "library.db")
    call("init", "--library", library)
    call("add", str(VAULT), "--name", "vault", "--library", library)
    call("index", "--library", library)
    told = answer("db", "migrate", "--from", library, "--to", empty.secret)
    tables = told["tables"]
    assert isinstance(tables, list)
    assert {k: v for k, v in tables[3].items() if k != "sha256"} == {"table": "texts", "rows": 31}
    assert all(len(one["sha256"]) == 64 for one in tables)
    assert told["target"] == str(empty)
    refused = call("db", "migrate", "--from", library, "--to", empty.secret)
    assert refused.exit_code != 0
    assert "already holds a library" in refused.output


def test_saving_and_putting_back(tmp_path: Path) -> None:
    library = str(tmp_path / "library.db")
    call("init", "--library", library)
    saved = answer("db", "backup", str(tmp_path / "saved.db"), "--library", library)
    assert Path(str(saved["path"])).stat().st_size == saved["bytes"]
    assert answer("db", "restore", str(tmp_path / "saved.db"), "--library", str(tmp_path / "again.db"))["bytes"]
    assert answer("db", "upgrade", "--library", str(tmp_path / "again.db"))["differences"] == []
