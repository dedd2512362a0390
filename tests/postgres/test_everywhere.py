"""A URL works wherever a path does: over MCP, in evaluation, as the target of a Chroma directory, for each role."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from chroma_files import Held, write_chroma
from click.testing import CliRunner
from mcp import Client
from mcp_calls import over_stdio

from octavo.engine.wiring import open_library
from octavo.errors import StorageError
from octavo.interfaces.cli.main import cli
from octavo.model.job import JobKind
from octavo.model.library_location import DatabaseUrl
from octavo.model.query import Query
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo_postgres.store import PostgresStore

DOCS = Path(__file__).parents[2] / "docs" / "guides" / "team.md"
SETTINGS = {"embedding.provider": "hashing"}


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("OCTAVO_EMBEDDING_PROVIDER", "hashing")
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")


def answer(*arguments: str) -> Any:
    result = CliRunner().invoke(cli, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def index(url: DatabaseUrl, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "a.md").write_text("# A\n\nThe moon is up by ten.\n", "utf-8")
    with open_library(url.secret, create=True, settings=SETTINGS) as engine:
        engine.add_collection("notes", folder)
        engine.index()


def test_over_mcp(url: DatabaseUrl, tmp_path: Path) -> None:
    index(url, tmp_path / "notes")

    async def talk(client: Client) -> None:
        found = await client.call_tool("search", {"q": "moon", "k": 1})
        assert found.structured_content["hits"][0]["uri"] == "a.md"
        told = await client.call_tool("status", {})
        assert "postgres:postgres" not in json.dumps(told.structured_content)

    over_stdio(["--library", url.secret, "--tools", "default,data"], talk)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    chance, folder = random.Random(5), tmp_path / "set"
    folder.mkdir()
    words = [f"w{number}" for number in range(60)]
    texts = [" ".join(chance.choices(words, k=40)) for _ in range(80)]
    corpus = [{"_id": str(number), "title": "", "text": text} for number, text in enumerate(texts)]
    asked = [{"_id": f"q{number}", "text": " ".join(texts[number].split()[:5])} for number in range(0, 80, 4)]
    judged = "".join(f"q{number}\t{number}\t1\n" for number in range(0, 80, 4))
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in corpus), "utf-8")
    (folder / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked), "utf-8")
    (folder / "qrels.tsv").write_text(judged, "utf-8")
    return folder


def figures(dataset: Path, *where: str) -> dict[str, float]:
    profiles = [word for name in ("lexical_only", "dense_only", "hybrid") for word in ("-p", name)]
    runs = answer("eval", "run", str(dataset), *profiles, *where)["runs"]
    return {run["profile"]: run["metrics"]["ndcg@10"] for run in runs}


def test_evaluation_gives_the_same_figures_on_both_engines(url: DatabaseUrl, dataset: Path) -> None:
    there = figures(dataset, "--library", url.secret)
    assert len(there) == 3
    assert there == pytest.approx(figures(dataset), abs=0.005)


def test_an_evaluation_library_that_was_copied_to_a_server_is_asked_as_it_is(
    empty: DatabaseUrl, dataset: Path, tmp_path: Path
) -> None:
    here = figures(dataset)
    (kept,) = tmp_path.glob("octavo/evaluation/*/*.db")
    answer("db", "migrate", "--from", str(kept), "--to", empty.secret)
    before = written_documents(empty)
    assert figures(dataset, "--library", empty.secret) == pytest.approx(here, abs=0.005)
    assert written_documents(empty) == before

    (dataset / "corpus.jsonl").write_text('{"_id": "0", "title": "", "text": "w1 w2"}\n', "utf-8")
    figures(dataset, "--library", empty.secret)  # another corpus gets a project of its own
    after = written_documents(empty)
    assert after["evaluation"] == before["evaluation"]
    assert sorted(after.values()) == [1, 80]


def written_documents(url: DatabaseUrl) -> dict[str, int]:
    with psycopg.connect(url.secret) as connection:
        rows = connection.execute(
            "select p.name, count(*) from projects p join documents d on d.project = p.key group by p.name"
        )
        return dict(rows.fetchall())


def test_a_chroma_directory_becomes_a_library_on_a_server(empty: DatabaseUrl, tmp_path: Path) -> None:
    held = [Held(f"n{number}", f"text {number} about moons", [1.0, float(number)]) for number in range(30)]
    source = write_chroma(tmp_path / "chroma", {"notes": held})
    for added in (30, 0):
        (told,) = answer("db", "migrate", "--from", str(source), "--to", empty.secret)["collections"]
        assert (told["records"], told["added"], len(told["sha256"])) == (30, added, 64)
    with open_library(empty.secret, settings=SETTINGS) as engine:
        assert len(engine.search(Query("moons")).hits) == 10
        assert engine.store.check() == ()


@pytest.fixture
def roles(url: DatabaseUrl, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A writer and a reader with what the documentation grants them, word for word."""
    index(url, tmp_path / "notes")
    granted = re.search(r"```sql\n(grant usage on schema.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    assert granted is not None
    name = urlsplit(url.secret).path.strip("/")
    named = {role: f"{name}_{role}" for role in ("writer", "reader")}
    statements = granted[1]
    for role, made in named.items():
        statements = statements.replace(f"octavo_{role}", made)
    with psycopg.connect(url.secret, autocommit=True) as connection:
        for made in named.values():
            connection.execute(f"create role {made} login password 'geheim'".encode())
        connection.execute(statements.encode())
    parts = urlsplit(url.secret)
    host = parts.netloc.rpartition("@")[2]
    yield {
        role: urlunsplit((parts.scheme, f"{made}:geheim@{host}", parts.path, parts.query, ""))
        for role, made in named.items()
    }
    with psycopg.connect(url.secret, autocommit=True) as connection:
        for made in named.values():
            connection.execute(f"drop owned by {made}; drop role {made}".encode())


def test_an_owner_that_may_not_make_extensions_is_told_who_does(empty: DatabaseUrl) -> None:
    name = urlsplit(empty.secret).path.strip("/")
    owner = f"{name}_owner"
    with psycopg.connect(empty.secret, autocommit=True) as connection:
        connection.execute(f"create role {owner} login password 'geheim'".encode())
        connection.execute(f"alter database {name} owner to {owner}".encode())
    theirs = DatabaseUrl(empty.secret.replace("postgres:postgres@", f"{owner}:geheim@"))
    with pytest.raises(StorageError, match="may not make the extension vector") as raised:
        PostgresStore(theirs)
    assert raised.value.hint == "have an administrator run `create extension vector` in that database, once"
    with psycopg.connect(empty.secret, autocommit=True) as connection:
        connection.execute("create extension vector; create extension pg_trgm")
    PostgresStore(theirs).close()
    with psycopg.connect(empty.secret, autocommit=True) as connection:
        connection.execute(f"reassign owned by {owner} to postgres; drop owned by {owner}; drop role {owner}".encode())


def test_a_writer_does_all_daily_work_with_what_it_is_granted(roles: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "notes" / "b.md").write_text("# B\n\nA comet.\n", "utf-8")
    with open_library(roles["writer"], settings=SETTINGS) as engine:
        engine.index()
        remember(engine, RememberRequest(text="the dome is locked"))
        with engine.store.transaction():
            engine.store.outbox.enqueue(engine.project.id, JobKind.EMBED, "all", {})
            (job, *_) = engine.store.outbox.claim(engine.project.id, "w", lease_seconds=9, limit=1, max_attempts=2)
            assert engine.store.outbox.finish(job)
        engine.store.maintain(engine.project.id, engine.embedder.profile)
        assert engine.search(Query("comet")).hits[0].citation.uri == "b.md"
        assert engine.search(Query("comte")).hits
        assert engine.store.check() == ()
        with pytest.raises(StorageError, match="does not allow it"), engine.store.transaction():
            engine.store.database.query("drop table jobs", {})


def test_a_reader_searches_and_is_told_what_it_may_not(roles: dict[str, str]) -> None:
    with open_library(roles["reader"], settings=SETTINGS) as engine:
        assert engine.search(Query("moon")).hits[0].citation.uri == "a.md"
        with pytest.raises(StorageError, match="does not allow it") as raised:
            remember(engine, RememberRequest(text="not mine to keep"))
        assert raised.value.hint == "grant the role what docs/guides/team.md lists"
