"""`octavo` with a URL where a path would be, and `octavo db`, as a person types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from later_schema import add_migration

from octavo.interfaces.cli.main import cli
from octavo.model.library_location import DatabaseUrl
from octavo_postgres.sql_dialect import PACKAGE

VAULT = Path(__file__).parents[2] / "examples" / "vault"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")


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
        call("status", "--format", "files", *library),
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
    assert outputs[6].output == ""


def test_copying_tells_every_table_with_its_checksum(empty: DatabaseUrl, tmp_path: Path) -> None:
    library = str(tmp_path / "library.db")
    call("init", "--library", library)
    call("add", str(VAULT), "--name", "vault", "--library", library)
    call("index", "--library", library)
    told = answer("db", "migrate", "--from", library, "--to", empty.secret)
    tables = told["tables"]
    assert isinstance(tables, list)
    assert {k: v for k, v in tables[3].items() if k != "sha256"} == {"table": "texts", "rows": 30}
    assert all(len(table["sha256"]) == 64 for table in tables)
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


def test_an_older_library_is_upgraded_by_the_command_that_its_refusal_names(
    url: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = ("--library", url.secret)
    add_migration(monkeypatch, PACKAGE, "create table later (name text)")
    refused = call("status", *library)
    assert refused.exit_code != 0
    assert "run `octavo db upgrade`" in refused.output
    assert "saved" not in answer("db", "upgrade", *library)  # a server is backed up with its own tools
    assert call("status", *library).exit_code == 0


def test_a_server_is_backed_up_with_its_own_tools_or_as_a_file(url: DatabaseUrl, tmp_path: Path) -> None:
    refused = call("db", "backup", str(tmp_path / "saved"), "--library", url.secret)
    assert f"pg_dump --format=custom --file={tmp_path / 'saved'} {url}" in refused.output
    assert f"octavo db migrate --to {tmp_path / 'saved'}" in refused.output
    answer("db", "migrate", "--from", url.secret, "--to", str(tmp_path / "saved"))
    assert call("db", "check", "--library", str(tmp_path / "saved")).exit_code == 0


def test_a_database_that_is_not_there_is_named_with_what_makes_it(url: DatabaseUrl) -> None:
    nowhere = DatabaseUrl(url.secret.rpartition("/")[0] + "/nowhere")
    told = call("db", "migrate", "--from", url.secret, "--to", nowhere.secret).output
    assert told.splitlines() == [
        f'error: {nowhere}: database "nowhere" does not exist',
        "hint: make it with `createdb` on the server, then give the command again",
    ]
