"""Memento's own database comes over: projects, memories with every version, canonical documents and links."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from secret_tokens import TOKENS
from seed_calls import SeedClient, talk_with

from octavo.interfaces.cli.main import cli
from octavo.model.library_location import DatabaseUrl

if TYPE_CHECKING:
    from postgres_server import Server

psycopg = pytest.importorskip("psycopg")

# The tables that an import reads, with the columns and types of Memento's migrations.
_TABLES = """
create type memory_scope as enum ('project', 'workspace_shared', 'global');
create type memory_kind as enum ('spec', 'decision', 'troubleshooting', 'session_snapshot', 'note');
create table workspaces (id uuid primary key default gen_random_uuid(), name text);
create table projects (id uuid primary key default gen_random_uuid(), workspace_id uuid, project_key text,
  display_name text, repo_url text);
create table commits (id uuid primary key default gen_random_uuid(), project_id uuid, author text, summary text);
create table memory_items (id uuid primary key default gen_random_uuid(), project_id uuid,
  scope memory_scope default 'project', kind memory_kind, canonical_key text, doc_class text, title text,
  pinned boolean default false, status text default 'active', tags text[] default '{}', metadata jsonb default '{}',
  updated_at timestamptz default now());
create table memory_versions (id uuid primary key default gen_random_uuid(), project_id uuid, item_id uuid,
  commit_id uuid, version_num int, content_format text default 'markdown', content_text text,
  created_at timestamptz);
create table canonical_docs (id uuid primary key, item_id uuid, canonical_key text);
create table memory_links (project_id uuid, from_item_id uuid, to_item_id uuid, relation text);
"""
_ROWS = """
insert into workspaces (name) values ('acme');
insert into projects (workspace_id, project_key, display_name, repo_url)
  select id, repeat('ab', 20), 'site', 'https://example.org/acme/site.git' from workspaces;
insert into commits (project_id, author, summary) select id, 'ann', 'after the review' from projects;
insert into memory_items (project_id, kind, canonical_key, doc_class, title, tags, pinned, metadata)
  select id, 'spec', 'spec/app', 'app_spec', 'App', '{web}', true, '{"owner": "ann"}' from projects;
insert into memory_items (project_id, kind, title) select id, 'troubleshooting', 'Queue stalls' from projects;
insert into memory_items (project_id, kind, title, status) select id, 'decision', 'Old', 'archived' from projects;
insert into memory_items (project_id, kind, title, status) select id, 'note', 'Gone', 'deleted' from projects;
insert into memory_items (project_id, kind, title) select id, 'note', 'Key' from projects;
insert into memory_versions (item_id, version_num, content_text, created_at, commit_id)
  select i.id, n.n, n.t, n.at::timestamptz, c.id
  from (values ('App', 1, E'# App\\n\\nIt has a cellar.', '2024-01-01Z'),
               ('App', 2, E'# App\\n\\nIt has an attic.', '2024-02-01Z'),
               ('Queue stalls', 1, 'The worker waits for a lease that ran out.', '2024-03-01Z'),
               ('Old', 1, 'We use a lighthouse.', '2024-01-05Z'), ('Gone', 1, 'Nobody reads this.', '2024-01-05Z'),
               ('Key', 1, :token, '2024-01-05Z')) n (title, n, t, at)
  join memory_items i on i.title = n.title cross join commits c;
insert into memory_links select a.project_id, a.id, b.id, 'explains'
  from memory_items a, memory_items b where a.title = 'Queue stalls' and b.title = 'App';
"""


@pytest.fixture
def memento(postgres: Server) -> Iterator[DatabaseUrl]:
    made = postgres.database(empty=True)
    with psycopg.connect(made.secret) as connection:
        connection.execute(_TABLES)
        connection.execute(_ROWS.replace(":token", f"'{TOKENS['GitHub token']}'"))
    yield made
    postgres.drop(made)


def _migrated(source: DatabaseUrl, target: Path, *more: str) -> dict[str, object]:
    arguments = ["--json", "db", "migrate", "--from", source.secret, "--to", str(target), *more]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (project,) = json.loads(done.stdout)["collections"]
    return {name: project[name] for name in ("collection", "records", "added", "unchanged", "left_out")}


def test_a_database_is_counted_taken_over_and_passed_over_the_second_time(memento: DatabaseUrl, tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    counted = _migrated(memento, library, "--dry-run")
    assert not library.exists()
    assert (counted["collection"], counted["records"], counted["added"]) == ("site", 4, 3)
    (left_out,) = counted["left_out"]  # type: ignore[misc]
    assert "seems to contain a secret" in left_out
    assert _migrated(memento, library) == counted | {"unchanged": 0}
    assert _migrated(memento, library) == counted | {"added": 0, "unchanged": 3}


def test_its_own_tools_find_what_came_over(memento: DatabaseUrl, tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    _migrated(memento, library)

    async def talk(client: SeedClient) -> None:
        repository = {"repo_url": "git@example.org:acme/site.git", "create_if_missing": False}
        assert (await client.ask("projects_resolve", repository))["project_id"] == "acme/site"
        spec = await client.ask("memory_get", {"canonical_key": "spec/app"})
        assert spec["version"]["content_text"].strip() == "# App\n\nIt has an attic."
        assert (spec["item"]["doc_class"], spec["item"]["pinned"]) == ("app_spec", True)
        assert sorted(spec["item"]["tags"]) == ["owner:ann", "web"]
        history = (await client.ask("memory_history", {"canonical_key": "spec/app"}))["versions"]
        assert sorted((row["version_num"], row["created_at"][:10]) for row in history) == [
            (1, "2024-01-01"),
            (2, "2024-02-01"),
        ]
        (hit,) = (await client.ask("memory_search", {"query": "lease ran out", "limit": 1}))["results"]
        assert hit["item"]["title"] == "Queue stalls"
        (link,) = (await client.ask("memory_get", {"item_id": hit["item_id"]}))["links"]
        assert link == {"to": spec["item"]["item_id"], "relation": "explains"}
        found = (await client.ask("memory_search", {"query": "lighthouse"}))["results"]
        assert "Old" not in {row["item"]["title"] for row in found}

    talk_with(library, "memento", talk)
