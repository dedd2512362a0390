"""A damaged word index is seen by the check and made anew by the repair, from what is kept beside it."""

from __future__ import annotations

import apsw
import pytest
from workbench import GOOD, Bench

from octavo.errors import LibraryError
from octavo.observability.progress import NoProgress
from octavo.operations.database.requests import DbRepairRequest
from octavo.operations.database.upgrade_repair_and_prune import db_repair
from octavo.operations.library.doctor import health_checks

DAMAGE = {
    "structure": "update lexical_data set block = x'00' where id = 10",
    "leaves": "update lexical_data set block = zeroblob(length(block)) where id > 100",
    "sizes": "delete from lexical_docsize",
    "unopenable": "drop table lexical_config",
    "emptied": "insert into lexical (lexical) values ('delete-all')",
}


def statements(bench: Bench) -> list[tuple[str, str]]:
    connection = apsw.Connection(str(bench.library))
    try:
        return connection.execute("select name, sql from sqlite_schema order by name").fetchall()  # type: ignore[return-value]
    finally:
        connection.close()


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_word_index_is_made_anew_without_the_folders(bench: Bench, statement: str) -> None:
    bench.write(GOOD)
    bench.index()
    before = statements(bench)
    with bench.opened() as engine:
        expected = engine.store.lexical.containing(engine.project.id, ["prune"])
        assert expected
    connection = apsw.Connection(str(bench.library))
    connection.execute(statement)
    connection.close()
    for name in GOOD:
        (bench.folder / name).unlink()
    with bench.opened() as engine:
        library = health_checks(engine)[0]
        assert not library.ok
        assert "`octavo db repair`" in str(library.hint)
        done = db_repair(engine, DbRepairRequest(), NoProgress())
        assert done.found
        assert done.left == ()
        assert engine.store.lexical.containing(engine.project.id, ["prune"]) == expected
        assert health_checks(engine)[0].ok
        assert health_checks(engine)[0].hint is None
    assert statements(bench) == before


def test_an_error_about_a_damaged_word_index_names_the_command_that_repairs_it(bench: Bench) -> None:
    bench.write(GOOD)
    bench.index()
    connection = apsw.Connection(str(bench.library))
    connection.execute(DAMAGE["leaves"])
    connection.close()
    with bench.opened() as engine, pytest.raises(LibraryError) as caught:
        engine.store.lexical.containing(engine.project.id, ["prune"])
    assert caught.value.hint == "run `octavo db repair`, or restore a backup"
