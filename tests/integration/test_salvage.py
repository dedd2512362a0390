"""A library whose file is damaged is read into a new one: memories survive, the old file is kept, losses are named."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner, Result
from workbench import GOOD, Bench

from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import mend, read_everything
from octavo.errors import LibraryError
from octavo.interfaces.cli.main import cli
from octavo.model.memory import MemoryFilter
from octavo.observability.progress import NoProgress
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest
from octavo.stores.sqlite.salvage import TABLES, salvage

MEMORIES = [f"The boiler number {number} stands in cellar {number * 7}." for number in range(40)]


def lose_the_header(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(os.urandom(100))


def lose_the_first_page(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(bytes(4096))


def name_another_format(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(44)  # the number of the schema's format
        file.write(b"\x7f\x7f\x7f\x7f")


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 4096 + 17)


def random_pages(path: Path) -> None:
    chosen = random.Random(5)
    pages = path.stat().st_size // 4096
    with path.open("r+b") as file:
        for page in chosen.sample(range(pages * 2 // 3, pages), max(1, pages // 20)):
            file.seek(page * 4096)
            file.write(chosen.randbytes(4096))


@pytest.fixture
def library(bench: Bench) -> Bench:
    bench.write(GOOD)
    bench.run()
    with bench.opened() as engine:
        for text in MEMORIES:
            remember(engine, RememberRequest(text=text))
    return bench


def octavo(bench: Bench, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--json"], env={**bench.environ()})


@pytest.mark.parametrize("harm", [lose_the_header, lose_the_first_page, name_another_format, truncate, random_pages])
def test_memories_survive_and_the_damaged_file_is_kept(library: Bench, harm: Callable[[Path], None]) -> None:
    harm(library.library)
    done = octavo(library, "db", "repair")
    assert done.exit_code in (0, 6), done.stderr
    answer = json.loads(done.stdout)
    assert Path(answer["kept"]).is_file()
    checked = octavo(library, "db", "check")
    assert json.loads(checked.stdout)["sound"] == (done.exit_code == 0)
    found = json.loads(octavo(library, "recall", "boiler cellar", "--limit", "40").stdout)
    # A page holds a good part of so few memories; what is lost with it is named.
    assert len(found["memories"]) >= len(MEMORIES) // 4 or answer["lost"]
    assert {memory["text"] for memory in found["memories"]} <= set(MEMORIES)
    assert json.loads(octavo(library, "search", "apple").stdout)["hits"]


def test_a_file_that_never_was_a_library_is_left_alone(bench: Bench) -> None:
    bench.library.write_text("notes of somebody\n" * 500)
    before = bench.library.read_bytes()
    done = octavo(bench, "db", "repair")
    assert done.exit_code not in (0, 6) or "db repair" not in done.stderr
    assert "octavo db restore" in done.stderr
    assert "octavo db repair" not in done.stderr
    assert bench.library.read_bytes() == before


def test_a_version_whose_text_cannot_be_found_is_named_and_not_left_behind(library: Bench, tmp_path: Path) -> None:
    connection = apsw.Connection(str(library.library))
    uri, version = connection.execute("select uri, version from document_versions where uri like '%.md' limit 1").get
    connection.execute("update document_versions set text_hash = randomblob(32) where uri = ?", (uri,))
    connection.close()
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert (salvaged.lost, [said for _, said in salvaged.textless]) == ((), [f"the text of version {version} of {uri}"])
    with library.opened() as engine:
        found, left = mend(engine)
        assert f"the text of version {version} of {uri} is missing" in {problem.message for problem in found}
        assert left == ()


def test_a_row_whose_text_is_none_costs_that_row_alone_and_is_refused_by_name(library: Bench, tmp_path: Path) -> None:
    connection = apsw.Connection(str(library.library))
    names = [row[0] for row in connection.execute("select id from memory_items order by key").fetchall()]
    broken = "update memory_items set title = cast(x'fff0' as text) where id = ?"
    connection.execute(broken, (names[20],))
    connection.close()
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert salvaged.rows["memory_items"] == len(names) - 1
    assert any(said.startswith("memory_items: ") for said in salvaged.lost)
    done = octavo(library, "recall", "")
    assert (done.exit_code, "INDEX_CORRUPT" in done.stdout + done.stderr) == (4, True)
    assert "Traceback" not in done.stderr


def test_a_file_of_a_format_that_sqlite_does_not_know_is_refused_by_name(library: Bench) -> None:
    name_another_format(library.library)
    done = octavo(library, "search", "apple")
    assert "INDEX_CORRUPT" in done.stdout + done.stderr
    assert "db repair" in done.stdout + done.stderr


def page_of(library: Path, name: str) -> int:
    """Where the rows of a table or index begin."""
    with apsw.Connection(str(library)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        found = "select min(pgoffset) from dbstat where name = ? and pagetype = 'leaf' and pgoffset > 0"
        start = int(connection.execute(found, (name,)).get)
    connection.close()
    return start


def overwrite(library: Path, at: int, data: bytes) -> None:
    with library.open("r+b") as file:
        file.seek(at)
        file.write(data)


def contents(library: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = apsw.Connection(str(library))
    try:
        return {
            table: sorted(connection.execute(f"select * from {table}").fetchall(), key=repr)  # noqa: S608
            for table in TABLES
        }
    finally:
        connection.close()


@pytest.mark.parametrize(
    "name", ["projects", "collections", "memory_items", "memory_versions", "document_versions", "memory_texts"]
)
def test_a_page_that_is_lost_costs_no_row_that_only_the_library_knows(
    library: Bench, tmp_path: Path, name: str
) -> None:
    before = contents(library.library)
    overwrite(library.library, page_of(library.library, name), bytes(4096))
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db") == before
    assert salvaged.lost == ()


def test_texts_of_memories_are_read_from_their_second_copies_and_those_of_files_again(library: Bench) -> None:
    """Nothing is called lost that a file still says."""
    with apsw.Connection(str(library.library)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        pages = connection.execute("select pgoffset from dbstat where name = 'texts' and pagetype = 'leaf'").fetchall()
    connection.close()
    for (start,) in pages:
        overwrite(library.library, start, bytes(4096))
    answer = json.loads(octavo(library, "db", "repair").stdout)
    assert (answer["left"], answer["lost"]) == ([], [])
    found = json.loads(octavo(library, "recall", "boiler cellar", "--limit", "40").stdout)
    assert {memory["text"] for memory in found["memories"]} == set(MEMORIES)
    assert json.loads(octavo(library, "search", "apple").stdout)["hits"]


def vectors(library: Path) -> dict[tuple[bytes, str], bytes]:
    connection = apsw.Connection(str(library))
    wanted = "select i.hash, p.body, v.data from vectors v join inputs i on i.key = v.input"
    rows = connection.execute(f"{wanted} join embedding_profiles p on p.key = v.profile").fetchall()
    connection.close()
    return {(digest, body): data for digest, body, data in rows}


def test_vectors_that_are_whole_are_kept_and_no_text_gets_that_of_another(library: Bench, tmp_path: Path) -> None:
    with library.opened() as engine:
        engine.writer.embed(1_000)
    before = vectors(library.library)
    salvage(library.library, tmp_path / "whole.db")
    assert vectors(tmp_path / "whole.db") == before != {}
    with replace(library, library=tmp_path / "whole.db").opened() as engine:
        read_everything(engine, NoProgress())
        assert damage(engine) == ()
    assert vectors(tmp_path / "whole.db") == before
    start = page_of(library.library, "vectors")
    page = bytearray(library.library.read_bytes()[start : start + 4096])
    for at in random.Random(7).sample(range(8, 4096), 60):
        page[at] ^= 0x55
    overwrite(library.library, start, bytes(page))
    salvage(library.library, tmp_path / "harmed.db")
    after = vectors(tmp_path / "harmed.db")
    assert after.items() <= before.items()
    assert len(after) < len(before)


def test_nothing_is_lost_with_the_first_pages_of_the_schema(library: Bench, tmp_path: Path) -> None:
    before = contents(library.library)
    overwrite(library.library, page_of(library.library, "sqlite_schema"), random.Random(1).randbytes(4096))
    overwrite(library.library, 0, bytes(4096))
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db") == before
    assert salvaged.lost == ("the header of the file: rows that had been removed may be back",)


def test_of_two_copies_that_differ_the_one_that_was_written_by_somebody_is_kept(library: Bench, tmp_path: Path) -> None:
    before = contents(library.library)
    start = page_of(library.library, "memory_items")
    page = library.library.read_bytes()[start : start + 4096]
    overwrite(library.library, start + page.index(b"The boiler number") + 3, b"\x01\x02\x03\x04\x05\x06")
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db") == before
    assert [said for said in salvaged.lost if "its two copies differ" in said] != []


@pytest.mark.parametrize("copy", ["memory_versions", "memory_versions_witness"])
def test_of_two_copies_the_one_whose_text_is_there_is_kept(library: Bench, tmp_path: Path, copy: str) -> None:
    """A bit of a hash looks as good as any other: only the text that it names tells which copy is whole."""
    before = contents(library.library)
    start = page_of(library.library, copy)
    page = bytearray(library.library.read_bytes()[start : start + 4096])
    hashes = [row[4] for row in before["memory_versions"] if isinstance(row[4], bytes) and row[4] in page]
    assert len(hashes) > 4
    for number, digest in enumerate(hashes):
        page[page.index(digest) + number % len(digest)] ^= 1 << number % 8
    overwrite(library.library, start, bytes(page))
    salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db") == before


@pytest.mark.parametrize("copy", ["memory_items", "memory_items_witness"])
def test_of_two_copies_the_one_whose_title_is_that_of_its_version_is_kept(
    library: Bench, tmp_path: Path, copy: str
) -> None:
    before = contents(library.library)
    start = page_of(library.library, copy)
    page = library.library.read_bytes()[start : start + 4096]
    at = start + page.index(b"The boiler number") + 4
    overwrite(library.library, at, b"c" if copy == "memory_items" else b"j")  # the coiler, the joiler
    salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db") == before


@pytest.mark.parametrize("copy", ["collections", "collections_witness"])
def test_of_two_copies_the_one_whose_settings_have_their_names_is_kept(
    library: Bench, tmp_path: Path, copy: str
) -> None:
    before = contents(library.library)
    start = page_of(library.library, copy)
    at = start + library.library.read_bytes()[start : start + 4096].index(b"max_commits") + 4
    overwrite(library.library, at, b"b" if copy == "collections" else b"g")
    salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db") == before


@pytest.mark.parametrize("table", ["memory_items", "projects"])
def test_a_row_whose_number_changed_takes_no_place_of_the_true_one(library: Bench, tmp_path: Path, table: str) -> None:
    """One bit of a row's number makes another row with the same id, and both are there once."""
    before = contents(library.library)
    start = page_of(library.library, table)
    page = library.library.read_bytes()[start : start + 4096]
    first = int.from_bytes(page[8:10], "big")  # of a leaf's pointers: the cell, its length, then the number
    number = first + (1 if page[first] < 0x80 else 2)
    overwrite(library.library, start + number, bytes([page[number] ^ 0x40]))
    salvage(library.library, tmp_path / "new.db")
    after = contents(tmp_path / "new.db")
    assert {name: [row for row in rows if row not in after[name]] for name, rows in before.items()} == {
        name: [] for name in before
    }


def test_a_library_whose_project_and_items_are_gone_keeps_its_memories_under_new_names(
    library: Bench, tmp_path: Path
) -> None:
    connection = apsw.Connection(str(library.library))
    connection.execute("pragma foreign_keys = off; delete from projects; delete from memory_items; vacuum")
    connection.close()
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert salvaged.lost[0] == "the name of a project, which is default now"
    renamed = [said for said in salvaged.lost if said.startswith("the id, scope and links of the memory")]
    assert len(renamed) == len(MEMORIES)
    with replace(library, library=tmp_path / "new.db").opened() as engine:
        read_everything(engine, NoProgress())
        assert damage(engine) == ()
        kept = engine.memories.repository.find(engine.project.id, MemoryFilter())
    assert len(kept) == len(MEMORIES)


def test_what_is_only_in_the_write_ahead_log_is_salvaged_too(library: Bench, tmp_path: Path) -> None:
    connection = apsw.Connection(str(library.library))  # keeps the log: whoever closes last empties it
    connection.execute("select count(*) from projects").fetchall()
    with library.opened() as engine:
        remember(engine, RememberRequest(text="The cat sleeps in the boiler room."))
    assert library.library.with_name("library.db-wal").stat().st_size
    salvaged = salvage(library.library, tmp_path / "new.db")
    assert salvaged.rows["memory_items"] == len(MEMORIES) + 1
    connection.close()


def test_rows_that_were_removed_do_not_come_back(library: Bench, tmp_path: Path) -> None:
    connection = apsw.Connection(str(library.library))
    connection.execute("delete from note_writes; delete from document_versions where document > 2")
    connection.close()
    before = contents(library.library)
    salvage(library.library, tmp_path / "new.db")
    assert contents(tmp_path / "new.db")["document_versions"] == before["document_versions"]


def test_a_damaged_file_is_kept_as_it_was_found(library: Bench) -> None:
    start = page_of(library.library, "memory_items")
    overwrite(library.library, start, bytes(4096))
    before = library.library.read_bytes()
    done = octavo(library, "db", "repair")
    assert done.exit_code == 0, done.stderr
    assert Path(json.loads(done.stdout)["kept"]).read_bytes() == before
    found = json.loads(octavo(library, "recall", "boiler cellar", "--limit", "40").stdout)
    assert {memory["text"] for memory in found["memories"]} == set(MEMORIES)


def test_a_row_that_claims_to_be_larger_than_memory_is_refused_by_name_and_salvaged(library: Bench) -> None:
    start = page_of(library.library, "sqlite_autoindex_projects_2")
    page = library.library.read_bytes()[start : start + 4096]
    before = contents(library.library)
    cell = start + page.rindex(b"default") - 4
    overwrite(library.library, cell, bytes.fromhex("dc97b4bf79d74de67c138c"))  # its length comes first
    with pytest.raises(LibraryError, match="is damaged, or memory has run out"), library.opened():
        pass
    done = octavo(library, "db", "repair")
    assert done.exit_code == 0, done.stderr
    assert contents(library.library)["projects"] == before["projects"]


def test_what_was_found_for_a_query_goes_with_a_row_of_the_log_that_is_lost(library: Bench, tmp_path: Path) -> None:
    connection = apsw.Connection(str(library.library))
    owner = connection.execute("select key from projects").get
    for key in (1, 2):
        connection.execute("insert into query_log values (?, ?, ?, ?, ?)", (key, owner, 1.7e9, "boiler", "fast"))
        connection.execute("insert into query_log_hits values (?, ?, 1, 'doc', 'chunk', 0)", (owner, key))
    connection.execute("pragma foreign_keys = off; delete from query_log where key = 1")
    connection.close()
    salvage(library.library, tmp_path / "new.db")
    assert [row[1] for row in contents(tmp_path / "new.db")["query_log_hits"]] == [2]
