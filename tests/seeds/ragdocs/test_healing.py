"""ragdocs, "Self-healing indices": a server puts a damaged file in order by itself where nothing of it is lost."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from octavo.config.layered_config_loading import load
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import LibraryError
from octavo.interfaces.execution.async_operation_calls import Calls, opened
from octavo.model.query import Query
from octavo.operations.library.collections import add
from octavo.operations.library.requests import AddRequest
from octavo.operations.memory.memory_reading_and_writing import remember
from octavo.operations.memory.requests import RememberRequest

_BOTH = {"Harbour", "The boiler stands in the cellar."}
_SETTINGS = {"embedding.provider": "hashing", "watch.enabled": False}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("# Harbour\n\nIt closes at ten.\n", "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings=_SETTINGS) as engine:
        add(engine, AddRequest(str(tmp_path / "notes")))
        engine.index()
        remember(engine, RememberRequest("The boiler stands in the cellar."))
    return tmp_path / "library.db"


def _served(library: Path) -> Calls:
    config = load({**_SETTINGS, "library": str(library)}).config
    return Calls(lambda: opened(config), threads=1)


def _join(name: str) -> None:
    for thread in threading.enumerate():
        if thread.name == name:
            thread.join()


def _titles(engine: Engine) -> set[str]:
    return {hit.title for question in ("harbour", "boiler") for hit in engine.search(Query(question)).hits}


def test_a_file_that_cannot_be_opened_is_healed_at_the_start_and_kept_and_said(
    library: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with library.open("r+b") as file:
        file.seek(44)  # the number of the schema's format
        file.write(b"\x7f\x7f\x7f\x7f")
    with pytest.raises(LibraryError, match="damaged"):
        open_library(library).close()
    calls = _served(library)
    calls.engine()
    _join("octavo-read-again")
    assert calls.run(_titles) >= _BOTH
    assert calls.run(lambda engine: engine.store.check()) == ()
    assert calls.close(30)
    assert library.with_name("library.db.damaged").is_file()
    assert "everything in it could be read" in caplog.text


def test_a_file_that_is_damaged_meanwhile_is_healed_once_a_call_meets_it(library: Path) -> None:
    calls = _served(library)
    assert calls.run(_titles) >= _BOTH
    with closing(apsw.Connection(str(library))) as connection:
        ((page,),) = connection.execute("select rootpage from sqlite_schema where name = 'chunks'").fetchall()
        connection.execute("pragma wal_checkpoint(truncate)").fetchall()
    with library.open("r+b") as file:
        file.seek((page - 1) * 4096)
        file.write(b"\x7f" * 4096)
    with pytest.raises(LibraryError):
        calls.run(_meets_damage)
    _join("octavo-heal")
    _join("octavo-read-again")
    assert calls.run(_titles) >= _BOTH
    assert calls.close(30)
    assert library.with_name("library.db.damaged").is_file()


def _meets_damage(engine: Engine) -> None:
    raise LibraryError(f"the library {engine.location} is damaged")


def test_a_file_of_which_something_is_lost_is_left_as_it_is(library: Path) -> None:
    with library.open("r+b") as file:
        file.write(bytes(4096))
    before = library.read_bytes()
    with pytest.raises(LibraryError) as told:
        _served(library).engine()
    assert "octavo db repair" in str(told.value.hint)
    assert library.read_bytes() == before and not library.with_name("library.db.damaged").exists()


def test_a_library_that_is_only_too_old_is_left_as_it_is(library: Path) -> None:
    connection = apsw.Connection(str(library))
    connection.execute("pragma user_version = 1")
    connection.close()
    with pytest.raises(LibraryError, match="before Octavo's first release"):
        _served(library).engine()
    assert not library.with_name("library.db.damaged").exists()
