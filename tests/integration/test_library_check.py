"""The check recomputes what can be computed again, and the repair makes it anew."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest
from workbench import GOOD, Bench

from octavo.engine.engine import Engine
from octavo.engine.maintenance.damage_check import damage
from octavo.engine.maintenance.library_repair import mend, mend_derived
from octavo.engine.wiring import open_engine
from octavo.errors import InvalidArgument, LibraryError, ProviderFailed
from octavo.model.library_damage import LibraryPart
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.requests import DbCheckRequest
from octavo.operations.database.upgrade_repair_and_prune import db_check
from octavo.operations.library.doctor import doctor
from octavo.operations.library.indexing import index, reindex
from octavo.operations.library.requests import DoctorRequest, IndexRequest, ReindexRequest
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest

MANY = {f"many/{number}.md": f"# Note {number}\n\nThe lamp {number}.\n\n## Two\n\nTree.\n" for number in range(12)}

DAMAGE = {
    "random vectors": (LibraryPart.VECTORS, "update vectors set data = randomblob(length(data))"),
    "one vector": (LibraryPart.VECTORS, "update vectors set data = randomblob(length(data)) where key = 3"),
    "short vectors": (LibraryPart.VECTORS, "update vectors set data = substr(data, 3) where key = 3"),
    "blocks overwritten": (LibraryPart.WORDS, "update lexical_blocks set data = randomblob(length(data))"),
    "chunk end": (LibraryPart.DOCUMENTS, 'update chunks set "end" = "end" - 3 where key = 2'),
    "chunk start": (LibraryPart.DOCUMENTS, "update chunks set start = start + 1 where key = 2"),
    "beyond the text": (LibraryPart.DOCUMENTS, 'update chunks set "end" = 100000 where key = 2'),
    "line numbers": (LibraryPart.DOCUMENTS, "update chunks set first_line = first_line + 7, last_line = last_line + 7"),
    "text hash": (LibraryPart.DOCUMENTS, "update chunks set text_hash = randomblob(32) where key = 2"),
    "section": (LibraryPart.DOCUMENTS, 'update sections set "end" = 100000 where ordinal = 1'),
    "folded path": (LibraryPart.DOCUMENTS, "update sections set path_folded = 'x'"),
    "input": (LibraryPart.DOCUMENTS, "update chunk_inputs set context = context || 'x' where chunk = 2"),
    "text": (LibraryPart.DOCUMENTS, "update texts set data = randomblob(length(data)) where key = 2"),
    "title": (LibraryPart.DOCUMENTS, "update documents set title_folded = 'x' where key = 2"),
    "metadata": (LibraryPart.DOCUMENTS, "update documents set aliases = '{' where key = 2"),
    "words": (LibraryPart.WORDS, "update lexical_data set block = randomblob(length(block)) where id > 10"),
    "missing words": (LibraryPart.WORDS, "delete from lexical where rowid = 2"),
}


@pytest.fixture
def library(bench: Bench) -> Iterator[Bench]:
    bench.write(GOOD | MANY)
    bench.run()
    assert bench.problems() == ()
    yield bench


def damaged(bench: Bench, statement: str) -> None:
    connection = apsw.Connection(str(bench.library))
    connection.execute("pragma trusted_schema = on")
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute(statement)
    connection.close()


def parts(engine: Engine, *, quick: bool = False) -> set[LibraryPart]:
    return {found.part for found in damage(engine, quick=quick)}


@pytest.mark.parametrize("name", DAMAGE)
def test_the_check_finds_what_changed_and_the_repair_makes_it_anew(library: Bench, name: str) -> None:
    part, statement = DAMAGE[name]
    with library.opened() as engine:
        wanted = [hit.excerpt for hit in engine.search(Query("lamp tree", 10)).hits]
    damaged(library, statement)
    with library.opened() as engine:
        assert part in parts(engine)
        answer = db_check(engine, DbCheckRequest(), NoProgress())
        assert (answer.sound, answer.mode) == (False, None)
        found, left = mend(engine)
        assert found and left == ()
        assert [hit.excerpt for hit in engine.search(Query("lamp tree", 10)).hits] == wanted


def test_a_repair_names_the_step_that_failed(library: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged(library, DAMAGE["random vectors"][1])
    with library.opened() as engine:
        monkeypatch.setattr(type(engine.writer), "embed", _no_model)
        _, left = mend(engine)
        assert [(problem.part, problem.message) for problem in left] == [
            (LibraryPart.VECTORS, "vectors could not be mended: the model does not answer")
        ]


def _no_model(*_: object, **__: object) -> int:
    raise ProviderFailed("the model does not answer")


@pytest.mark.parametrize("name", ["random vectors", "blocks overwritten", "chunk end", "line numbers"])
def test_a_quick_check_of_a_small_library_finds_as_much(library: Bench, name: str) -> None:
    part, statement = DAMAGE[name]
    damaged(library, statement)
    with library.opened() as engine:
        assert part in parts(engine, quick=True)
        health = doctor(engine, DoctorRequest())
        assert not health.ok
        library.write({"new.md": "# Written after the damage\n"})
        assert index(engine, IndexRequest(), NoProgress()).damaged


def test_a_run_that_finds_nothing_to_do_writes_nothing_and_looks_for_no_damage(
    library: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with library.opened() as engine:
        generation = engine.store.generation()
        monkeypatch.setattr(engine.store, "damage", pytest.fail)
        assert index(engine, IndexRequest(), NoProgress()).damaged is None
        assert engine.store.generation() == generation


def test_reindexing_everything_mends_what_a_check_finds(library: Bench) -> None:
    for name in ("random vectors", "chunk end", "text", "blocks overwritten"):
        damaged(library, DAMAGE[name][1])
    with library.opened() as engine:
        reindex(engine, ReindexRequest(scope="full", wait=True), NoProgress())
        assert damage(engine) == ()


def test_words_survive_damaged_blocks_where_the_folders_are_gone(library: Bench) -> None:
    damaged(library, DAMAGE["blocks overwritten"][1])
    library.folder.rename(library.folder.with_name("elsewhere"))
    with open_engine(library.config()) as engine:
        _, left = mend(engine)
        assert left == ()
        assert engine.search(Query("lamp", 10), engine.retrieval_profile("lexical_only")).hits


def test_the_scope_prefix_needs_a_prefix(library: Bench) -> None:
    with library.opened() as engine, pytest.raises(InvalidArgument, match="needs a prefix") as caught:
        reindex(engine, ReindexRequest(scope="prefix", wait=True), NoProgress())
    assert caught.value.details["field"] == "prefix"


def test_a_check_is_not_quick_and_full_at_once(library: Bench) -> None:
    with library.opened() as engine, pytest.raises(InvalidArgument, match="not both"):
        db_check(engine, DbCheckRequest(quick=True, full=True), NoProgress())


def test_a_check_reports_its_progress(library: Bench) -> None:
    phases: list[str] = []

    class Watched(NoProgress):
        def start(self, phase: str, total: int | None, unit: str) -> None:
            phases.append(phase)

    with library.opened() as engine:
        db_check(engine, DbCheckRequest(), Watched())
    assert {"documents", "vectors", "words"} <= set(phases)


def test_every_column_is_computed_again_or_stored_twice(library: Bench) -> None:
    connection = apsw.Connection(str(library.library))
    named = "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
    alone = []
    for (table,) in connection.execute(named).fetchall():
        (counted,) = connection.execute("select not wr from pragma_table_list where name = ?", (table,)).fetchone()
        indexed = set()
        for stored in connection.execute(f"pragma index_list({table})").fetchall():
            if counted or stored[3] != "pk":  # the key of a table without row numbers is the table itself
                indexed |= {row[2] for row in connection.execute(f"pragma index_xinfo({stored[1]})")}
        columns = [row[1:6:4] for row in connection.execute(f"pragma table_info({table})")]
        known = RECOMPUTED.get(table, set()) | indexed | ({name for name, key in columns if key} if counted else set())
        alone += [f"{table}.{name}" for name, _ in columns if name not in known]
    connection.close()
    assert alone == []


RECOMPUTED = {
    "chunks": {"start", "end", "first_line", "last_line", "text_hash"},
    "chunk_inputs": {"start", "end", "context"},
    "documents": {"title_folded"},
    "lexical_blocks": {"data", "checksum"},
    "memory_texts": {"project", "hash", "data"},
    "sections": {"path", "path_folded"},
    "texts": {"data"},
    "vectors": {"data", "checksum"},
}
"""What a check compares with the text, or with a checksum beside it."""


@pytest.mark.parametrize(
    ("table", "old", "new"),
    [
        ("collections", b"/notes", b"/nates"),
        ("recipes", b"hashing", b"hishing"),
        ("ledger", b"bread.md", b"broad.md"),
        ("documents", b"kitchen", b"chicken"),
        ("sections", b"sec_", b"soc_"),
    ],
)
def test_a_byte_that_changes_in_what_nobody_can_compute_is_noticed(
    library: Bench, table: str, old: bytes, new: bytes
) -> None:
    connection = apsw.Connection(str(library.library))
    connection.execute("pragma wal_checkpoint(truncate)")
    pages = connection.execute("select pgoffset, pgsize from dbstat where name = ?", (table,)).fetchall()
    connection.close()
    data = bytearray(library.library.read_bytes())
    start = next(data.find(old, at, at + size) for at, size in pages if data.find(old, at, at + size) >= 0)
    data[start : start + len(new)] = new
    library.library.write_bytes(data)
    with library.opened() as engine:
        assert LibraryPart.FILE in parts(engine)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("update sqlite_sequence set seq = 0", "the counter of the keys of"),
        ("update lexical_config set v = 'bm25(1)' where k = 'rank'", "the schema of the file"),
        ("create table another (x)", "the schema of the file"),
    ],
)
def test_counters_of_keys_and_the_schema_are_checked_too(library: Bench, statement: str, said: str) -> None:
    damaged(library, statement)
    with library.opened() as engine:
        assert said in " ".join(found.message for found in damage(engine) if found.part is LibraryPart.FILE)


def test_counters_of_every_table_are_known(library: Bench) -> None:
    connection = apsw.Connection(str(library.library))
    named = "select name from sqlite_schema where sql like '%primary key autoincrement%'"
    tables = [row[0] for row in connection.execute(named).fetchall()]
    counted = {row[0] for row in connection.execute("select name from sqlite_sequence")}
    for table in set(tables) - counted:
        connection.execute("insert into sqlite_sequence (name, seq) values (?, 7)", (table,))
    connection.close()
    assert len(tables) >= 8
    with library.opened() as engine:
        assert damage(engine) == ()


def test_how_long_a_chunk_is_said_to_be_is_checked_and_mended(library: Bench) -> None:
    damaged(library, "update lexical_docsize set sz = x'01010101010101' where id = 1")
    with library.opened() as engine:
        assert parts(engine) == {LibraryPart.WORDS}
        assert mend(engine)[1] == ()


def test_settings_that_are_none_are_refused_by_name(library: Bench) -> None:
    damaged(library, """update collections set settings = replace(settings, '"ignore"', '"ignoble"')""")
    with open_engine(library.config()) as engine, pytest.raises(LibraryError, match="the settings of the collection"):
        engine.collections()


OF_BOILER = "hash in (select text_hash from memory_versions where title like 'The boiler%')"


@pytest.fixture
def remembered(library: Bench) -> tuple[Bench, str]:
    with library.opened() as engine:
        boiler = remember(engine, RememberRequest(text="The boiler stands in the cellar."))
        remember(engine, RememberRequest(text="The kettle stands on the shelf."))
    return library, boiler.item


def test_a_memory_whose_text_is_lost_is_named_and_keeps_nobody_from_the_others(remembered: tuple[Bench, str]) -> None:
    library, lost = remembered
    for table in ("texts", "memory_texts"):
        damaged(library, f"update {table} set data = x'00' where {OF_BOILER}")  # noqa: S608
    with library.opened() as engine:
        _, left = mend(engine)
        assert {problem.message for problem in left} == {f"the text of version 1 of {lost} is missing"}
        found = [hit.citation.uri for hit in engine.search(Query("kettle boiler bread", 10)).hits]
    assert "bread.md" in found and f"{lost}.md" not in found and len(found) >= 2


@pytest.mark.parametrize("table", ["texts", "memory_texts"])
@pytest.mark.parametrize("harm", ["update {table} set data = x'00' where", "delete from {table} where"])
def test_what_a_memory_says_is_put_back_from_its_other_copy(
    remembered: tuple[Bench, str], table: str, harm: str
) -> None:
    library, boiler = remembered
    damaged(library, f"{harm.format(table=table)} {OF_BOILER}")
    with library.opened() as engine:
        assert parts(engine)
        assert mend(engine)[1] == ()
        found = [(hit.citation.uri, hit.excerpt) for hit in engine.search(Query("boiler", 1)).hits]
    assert found == [(f"{boiler}.md", "The boiler stands in the cellar.")]


def test_a_server_puts_the_text_of_a_memory_back_too(remembered: tuple[Bench, str]) -> None:
    library, _ = remembered
    damaged(library, f"update texts set data = x'00' where {OF_BOILER}")  # noqa: S608
    with library.opened() as engine:
        mend_derived(engine)
        assert damage(engine) == ()
