"""What mcp-memory-service, basic-memory and Obsidian stored comes into a library; their files stay as they were."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import apsw
from click.testing import CliRunner

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.interfaces.cli.main import cli
from octavo.model.memory import MemoryFilter
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.importer_choice import open_source
from octavo.operations.database.results import Imported


def opened(path: Path) -> Engine:
    return open_library(path, create=True, settings={"embedding.provider": "hashing"})


def taken(engine: Engine, place: Path) -> Imported:
    with open_source(place) as source:
        return source.import_into(engine, NoProgress())


def counts(done: Imported) -> list[tuple[str, int, int, int, list[str]]]:
    return [(each.name, each.records, each.added, each.unchanged, each.left_out) for each in done.collections]


def memory_service(folder: Path) -> Path:
    """The tables that are read, with the columns of mcp-memory-service 10 and 12; a deleted memory stays as a row."""
    folder.mkdir()
    with closing(apsw.Connection(str(folder / "sqlite_vec.db"))) as database:
        database.execute("pragma journal_mode = wal")
        database.execute(
            "create table memories (id integer primary key, content_hash text unique, content text, tags text,"
            " memory_type text, metadata text, created_at real, updated_at real, created_at_iso text,"
            " updated_at_iso text, deleted_at real)"
        )
        database.execute(
            "create table memory_graph (source_hash text, target_hash text, similarity real, connection_types text,"
            " metadata text, created_at real, relationship_type text)"
        )
        rows = [
            ("a1", "Timeouts grow with load.", "ops,queue", "learning", '{"source": "talk"}', 1_700_000_000.0, None),
            ("b2", "We chose SQLite.", "", "decision", None, 1_700_000_100.0, None),
            ("c3", "Nobody reads this.", "", "note", None, 1_700_000_200.0, 1_700_000_300.0),
        ]
        database.executemany(
            "insert into memories (content_hash, content, tags, memory_type, metadata, created_at, deleted_at)"
            " values (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
        database.execute("insert into memory_graph values ('a1', 'b2', .6, '[\"semantic\"]', null, 0, 'supports')")
    return folder


def test_memories_of_the_memory_service_become_memories_with_their_kinds_tags_times_and_links(tmp_path: Path) -> None:
    place = memory_service(tmp_path / "mcp-memory")
    with opened(tmp_path / "library.db") as engine:
        assert counts(taken(engine, place)) == [("mcp-memory-service", 2, 2, 0, [])]
        assert counts(taken(engine, place)) == [("mcp-memory-service", 2, 0, 2, [])]
        items = {item.title: item for item in engine.store.memories.find(engine.project.id, MemoryFilter())}
        learned, chosen = items["Timeouts grow with load."], items["We chose SQLite."]
        assert (learned.kind, learned.tags, learned.created_at) == ("reflection", ("ops", "queue"), 1_700_000_000.0)
        assert dict(learned.metadata) == {"source": "talk", "memory_type": "learning", "content_hash": "a1"}
        assert [(link.target, link.type) for link in learned.links] == [(chosen.id, "supports")]
        assert engine.search(Query("timeouts")).hits[0].title == "Timeouts grow with load."
        assert engine.store.check() == ()


def test_the_memory_services_file_may_have_any_name(tmp_path: Path) -> None:
    file = (memory_service(tmp_path / "one") / "sqlite_vec.db").rename(tmp_path / "mine.db")
    arguments = ["--json", "db", "migrate", "--from", str(file), "--to", str(tmp_path / "to.db"), "--dry-run"]
    told = json.loads(CliRunner().invoke(cli, arguments, catch_exceptions=False).stdout)
    assert (told["dry_run"], told["collections"][0]["added"]) == (True, 2)
    assert not (tmp_path / "to.db").exists()


def notes(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return folder


def test_each_project_of_basic_memory_becomes_a_collection_and_what_its_index_lists_is_compared(tmp_path: Path) -> None:
    note = "---\ntitle: Coffee\ntype: note\npermalink: coffee\ntags: [brew]\n---\n\n- [method] Pour slowly #brew\n"
    main = notes(
        tmp_path / "main", {"coffee.md": f"{note}- relates_to [[Tea]]\n", "drinks/tea.md": "# Tea\n\nLeaves.\n"}
    )
    own = tmp_path / ".basic-memory"
    own.mkdir()
    (own / "config.json").write_text(json.dumps({"projects": {"main": {"path": str(main), "mode": "local"}}}), "utf-8")
    with closing(apsw.Connection(str(own / "memory.db"))) as database:
        database.execute("create table project (id integer primary key, name text, permalink text, path text)")
        database.execute("create table entity (id integer primary key, project_id integer, title text, file_path text)")
        database.execute("insert into project values (1, 'main', 'main', ?)", (str(main),))
        listed = ("coffee.md", "drinks/tea.md", "gone.md")
        database.executemany("insert into entity (project_id, file_path) values (1, ?)", [(path,) for path in listed])
    with opened(tmp_path / "library.db") as engine:
        left_out = ["gone.md: it is not there any more"]
        assert counts(taken(engine, own)) == [("main", 3, 2, 0, left_out)]
        assert counts(taken(engine, own)) == [("main", 3, 0, 2, left_out)]
        (hit,) = engine.search(
            Query("pour slowly"),
        ).hits[:1]
        assert (hit.title, hit.citation.uri) == ("Coffee", "coffee.md")


def test_what_a_vault_of_obsidian_excludes_is_not_indexed(tmp_path: Path) -> None:
    vault = notes(tmp_path / "vault", {"a.md": "# A\n\nHarbour.\n", "Drafts/b.md": "# B\n\nHarbour.\n"})
    (vault / ".obsidian").mkdir()
    (vault / ".obsidian" / "app.json").write_text('{"userIgnoreFilters": ["Drafts/", "/^old/"]}', "utf-8")
    with opened(tmp_path / "library.db") as engine:
        assert [row[2] for row in counts(taken(engine, vault))] == [1]
        assert [hit.citation.uri for hit in engine.search(Query("harbour")).hits] == ["a.md"]
