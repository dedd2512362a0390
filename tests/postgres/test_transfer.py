"""A library copied from engine to engine and back is the same library, row for row and answer for answer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from postgres_server import Server

from octavo.engine.engine import Engine
from octavo.engine.maintenance import library_copying as transferring
from octavo.engine.wiring import open_library
from octavo.engine.wiring.store_opening import open_tables
from octavo.errors import Conflict, InvalidArgument, LibraryError, NotALibrary, NotFound
from octavo.model.library_location import DatabaseUrl, Location
from octavo.model.query import Query
from octavo.operations.database.copy_backup_and_restore import migrate, restore, save_copy
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.sql_repositories.table_transfer import TABLES

SETTINGS = {"embedding.provider": "hashing"}
VAULT = Path(__file__).parents[2] / "examples" / "vault"
QUESTIONS = ("moon", "how do I store batteries", '"dark sky"', "observ* -moon", "telescope")


def opened(place: Location, *, create: bool = False) -> Engine:
    where = place.secret if isinstance(place, DatabaseUrl) else place
    return open_library(where, create=create, settings=SETTINGS)


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A folder of notes indexed twice, so that there are versions; memories, jobs, links between notes."""
    vault = tmp_path / "vault"
    for note in sorted(VAULT.rglob("*.md")):
        to = vault / note.relative_to(VAULT)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(note.read_text("utf-8"), "utf-8")
    path = tmp_path / "library.db"
    with opened(path, create=True) as engine:
        engine.add_collection("vault", vault)
        engine.index()
        changed = sorted(vault.rglob("*.md"))[:3]
        for note in changed:
            note.write_text(note.read_text("utf-8") + "\nAdded ti\0tle later.\n", "utf-8")
        changed[0].with_name("moved.md").write_text(changed[0].read_text("utf-8"), "utf-8")
        changed[2].unlink()
        engine.index()
        from octavo.operations.memory.memory_reading_and_writing import remember
        from octavo.operations.memory.requests import RememberRequest

        for text in ("the team meets on Thursdays", "the dome is locked with two keys"):
            remember(engine, RememberRequest(text=text))
    return path


def dump(place: Location) -> dict[str, Any]:
    """Everything the library holds, in one form for every engine."""
    with closing(open_tables(place, read_only=True)) as tables, tables.reading():
        rows: dict[str, Any] = {}
        for table in TABLES:
            columns = tuple(sorted(tables.columns(table.name)))
            rows[table.name] = (columns, list(transferring.every_row(tables, table, columns)))
        rows["words"] = list(tables.lexical.export_rows())
        rows["counters"] = {name: tables.counter(name) for name in tables.counters}
        return rows


def answers(place: Location) -> list[Any]:
    with opened(place) as engine:
        return [
            (hit.citation, round(hit.score, 5))
            for profile in ("lexical_only", "dense_only", "hybrid")
            for question in QUESTIONS
            for hit in engine.search(Query(question), PROFILES[profile]).hits
        ]


def test_to_a_server_and_back_is_the_same_library(library: Path, empty: DatabaseUrl, tmp_path: Path) -> None:
    before, bytes_before = dump(library), library.read_bytes()
    there = migrate(library, empty)
    back = migrate(empty, tmp_path / "back.db")
    assert dump(empty) == before
    assert dump(tmp_path / "back.db") == before
    assert library.read_bytes() == bytes_before
    assert there.carried == back.carried
    wanted = {"document_versions", "memory_versions", "jobs", "graph_links", "vectors", "words"}
    assert {one.table for one in there.carried if one.rows} >= wanted
    found = answers(library)
    assert len(found) > 50
    assert answers(empty) == found
    assert answers(tmp_path / "back.db") == found


def test_a_copied_library_goes_on_with_keys_of_its_own(library: Path, empty: DatabaseUrl) -> None:
    migrate(library, empty)
    from octavo.operations.memory.memory_reading_and_writing import remember
    from octavo.operations.memory.requests import RememberRequest

    with opened(empty) as engine:
        engine.index()
        remember(engine, RememberRequest(text="a new thing after the move"))
        assert engine.store.check() == ()
        assert engine.search(Query("new thing after the move")).hits


def test_an_interrupted_copy_goes_on_where_it_was(
    library: Path, empty: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transferring, "PAGE", 7)
    monkeypatch.setattr(transferring, "WORDS_PAGE", 20)
    calls = iter(range(10_000))

    def interrupted(*arguments: Any) -> None:
        if next(calls) == 25:
            raise KeyboardInterrupt
        put(*arguments)

    from octavo.sql_repositories.table_transfer import TableTransfer

    put = TableTransfer.put
    monkeypatch.setattr(TableTransfer, "put", interrupted)
    with pytest.raises(KeyboardInterrupt):
        migrate(library, empty)
    monkeypatch.setattr(TableTransfer, "put", put)
    done = migrate(library, empty)
    assert done.transfer.resumed
    assert dump(empty) == dump(library)


def test_a_source_that_changed_meanwhile_is_not_continued(
    library: Path, empty: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*arguments: Any) -> Iterator[Any]:
        raise KeyboardInterrupt

    monkeypatch.setattr(transferring, "copy_words", stopped)
    with pytest.raises(KeyboardInterrupt):
        migrate(library, empty)
    monkeypatch.undo()
    with opened(library) as engine, engine.store.transaction():
        engine.store.catalog.ensure_project("another")
    with pytest.raises(Conflict, match="has changed since"):
        migrate(library, empty)


def test_what_is_not_the_same_is_not_called_copied(
    library: Path, empty: DatabaseUrl, monkeypatch: pytest.MonkeyPatch
) -> None:
    from octavo.sql_repositories.table_transfer import TableTransfer

    put = TableTransfer.put

    def careless(self: TableTransfer, table: Any, columns: Any, rows: Any) -> None:
        put(self, table, columns, rows[1:] if table.name == "ledger" else rows)

    monkeypatch.setattr(TableTransfer, "put", careless)
    with pytest.raises(LibraryError, match=r"ledger in .* is not what was copied"):
        migrate(library, empty)


def test_a_library_is_not_copied_over_another_nor_onto_itself(library: Path, url: DatabaseUrl, tmp_path: Path) -> None:
    migrate(library, url)
    with pytest.raises(Conflict, match="already holds a library"):
        migrate(library, url)
    with pytest.raises(InvalidArgument, match="both source and target"):
        migrate(library, library)
    with pytest.raises(NotFound, match="no library at"):
        migrate(tmp_path / "none.db", url)


def test_a_saved_library_is_the_library(library: Path, tmp_path: Path) -> None:
    with opened(library):  # in use
        saved = save_copy(library, tmp_path / "saved.db")
    assert dump(Path(saved.path)) == dump(library)
    with pytest.raises(Conflict, match="already there"):
        save_copy(library, tmp_path / "saved.db")
    restored = restore(Path(saved.path), tmp_path / "new" / "library.db")
    assert dump(Path(restored.path)) == dump(library)
    with pytest.raises(Conflict, match="already there"):
        restore(Path(saved.path), library)
    restore(Path(saved.path), library, replace=True)
    assert library.with_name("library.db.before-restore").is_file()
    restore(Path(saved.path), library, replace=True)  # what was kept before is not lost by it
    assert library.with_name("library.db.before-restore-2").is_file()


def test_what_is_no_library_is_not_restored_and_costs_the_one_that_is_there_nothing(
    library: Path, url: DatabaseUrl, tmp_path: Path
) -> None:
    junk, before = tmp_path / "junk.db", dump(library)
    junk.write_bytes(b"PGDMP and so on" * 100)
    with pytest.raises(NotALibrary) as raised:
        restore(junk, library, replace=True)
    assert raised.value.hint == "name a file that `octavo db backup` made"
    assert dump(library) == before
    assert not list(library.parent.glob("*.before-restore*"))
    with pytest.raises(NotALibrary) as raised:
        restore(junk, url)
    assert "`pg_restore`" in (raised.value.hint or "")
    with pytest.raises(NotFound, match="there is no file"):
        restore(tmp_path / "nothing.db", url)


def test_a_server_is_saved_with_its_own_tools(url: DatabaseUrl, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="PostgreSQL's own tools") as raised:
        save_copy(url, tmp_path / "saved.db")
    assert "pg_dump" in (raised.value.hint or "")


def test_what_pg_dump_saves_pg_restore_puts_back(
    library: Path, empty: DatabaseUrl, postgres: Server, tmp_path: Path
) -> None:
    """As the documentation says to do it, with the server's own programs."""
    if postgres.program is None:
        pytest.skip("the programs of the server that OCTAVO_TEST_POSTGRES names are not here")
    (programs,) = postgres.program.folder.glob(".pg0/installation/*/bin")
    environ = {**os.environ, "LD_LIBRARY_PATH": str(programs.parent / "lib")}
    migrate(library, empty)
    saved, again = tmp_path / "octavo.dump", postgres.database(empty=True)

    def run(*command: str) -> None:
        subprocess.run([str(programs / command[0]), *command[1:]], env=environ, check=True)

    run("pg_dump", "--format=custom", f"--file={saved}", empty.secret)
    run("pg_restore", f"--dbname={again.secret}", str(saved))
    assert dump(again) == dump(empty)
    assert answers(again) == answers(library)
    with opened(again) as engine:
        assert engine.store.check() == ()
    postgres.drop(again)
