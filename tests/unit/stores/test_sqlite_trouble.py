"""A full disk, a crowd at the lock, a killed process, a damaged row: what the library is afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest
import samples
from library_samples import change, every_row, filled, seen

from octavo.errors import Busy, LibraryError, StorageError
from octavo.model.projects_and_collections import Collection
from octavo.stores.sqlite.store import SqliteStore

NOTES = samples.collection()

CHILD = """
import sys
from pathlib import Path
from octavo.stores.sqlite.store import SqliteStore
import samples

store = SqliteStore(Path(sys.argv[1]))
notes = samples.collection()

def write(number, words):
    samples.put(store, notes, samples.prepared(notes, f"late{number}.md", f"# Late {number}", words))

def report(line):
    print(line, flush=True)
    sys.stdin.readline()
"""


def child(path: Path, script: str) -> subprocess.Popen[str]:
    """Another process at the same library; it says one line and waits for one."""
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD + script, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready"
    return process


def finish(process: subprocess.Popen[str]) -> int:
    process.communicate("\n")
    return process.returncode


def add(store: SqliteStore, number: int, words: str = "late words", within: Collection = NOTES) -> None:
    with store.transaction():
        samples.put(store, within, samples.prepared(within, f"late{number}.md", f"# Late {number}", words))


def test_a_rolled_back_transaction_leaves_every_table_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    store = filled(path)
    before = every_row(path)
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.catalog.ensure_project("another")
        samples.put(store, NOTES, samples.prepared(NOTES, "new.md", "# New", "new words", tags=("n",)))
        samples.put(store, NOTES, samples.prepared(NOTES, "0.md", "# Changed", "other words"))
        samples.move(store, NOTES, "1.md", samples.prepared(NOTES, "moved.md", "# Note 1", "some words"))
        store.catalog.record_recipe(NOTES.project_id, samples.recipe("sample-2"))
        other = samples.embedding_profile("other")
        for key in store.embeddings.pending(NOTES.project_id, other):
            store.embeddings.put(NOTES.project_id, other, [samples.vector_row(key, other)])
        store.catalog.remove_collection(NOTES.project_id, NOTES.id)
        _ = 1 / 0
    assert every_row(path) == before
    store.close()


def test_a_full_disk_is_reported_and_costs_only_the_transaction(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    store = filled(path)
    before = seen(store)
    with store.database.connection() as connection:
        connection.execute(f"pragma max_page_count = {connection.pragma('page_count') + 4}")
    with pytest.raises(StorageError, match="disk is full") as caught, store.transaction():
        for number in range(200):
            words = " ".join(f"word{number * 1000 + offset}" for offset in range(100))
            samples.put(store, NOTES, samples.prepared(NOTES, f"late{number}.md", words))
    assert caught.value.code == "IO_ERROR"
    assert isinstance(caught.value.__cause__, apsw.FullError)
    assert seen(store) == before
    assert store.check() == ()
    connection.execute("pragma max_page_count = 1073741823")
    add(store, 1)
    assert len(store.lexical.containing(NOTES.project_id, ["late"])) == 2
    store.close()


def test_a_thread_that_waits_too_long_for_the_lock_is_told_to_try_again(tmp_path: Path) -> None:
    filled(tmp_path / "library.db").close()
    store = SqliteStore(tmp_path / "library.db", busy_timeout_ms=1)
    raised: list[BaseException] = []

    def write() -> None:
        try:
            add(store, 1)
        except Busy as error:
            raised.append(error)

    with store.transaction():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert [str(error) for error in raised] == [f"another thread is still writing to {tmp_path / 'library.db'}"]
    write()
    assert len(raised) == 1
    store.close()


def test_while_another_process_writes_readers_go_on_and_writers_are_told(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    filled(path).close()
    store = SqliteStore(path, busy_timeout_ms=1)
    before = seen(store)
    other = child(
        path,
        """
with store.transaction():
    write(1, "from the other process")
    report("ready")
""",
    )
    assert seen(store) == before
    with pytest.raises(Busy) as caught:
        add(store, 2)
    assert (caught.value.code, caught.value.hint) == ("INDEX_BUSY", "try again in a moment")
    assert seen(store) == before
    assert finish(other) == 0
    add(store, 2)
    assert len(store.lexical.containing(NOTES.project_id, ["late"])) == 4
    assert len(store.lexical.containing(NOTES.project_id, ["other", "process"])) == 1
    assert store.check() == ()
    store.close()


def test_the_generation_and_new_collections_are_seen_from_another_handle(tmp_path: Path) -> None:
    one = filled(tmp_path / "library.db")
    two = SqliteStore(tmp_path / "library.db")
    generation = two.generation()
    with one.transaction():
        one.catalog.remove_collection(NOTES.project_id, NOTES.id)
        one.catalog.put_collection(NOTES)
    assert two.generation() == generation + 1
    # The collection has another key now, and the second handle had remembered the first.
    add(two, 1)
    assert [found.collection for found in one.documents.find(NOTES.project_id, "late1.md")] == ["notes"]
    assert one.check() == ()
    one.close()
    two.close()


def test_a_handle_that_remembers_a_removed_collection_does_not_see_the_next_one(tmp_path: Path) -> None:
    one = filled(tmp_path / "library.db")
    two = SqliteStore(tmp_path / "library.db")
    assert len(two.ledger.entries(NOTES.project_id, NOTES.id)) == 3
    other = samples.collection("other")
    with one.transaction():
        one.catalog.remove_collection(NOTES.project_id, NOTES.id)
        one.catalog.put_collection(other)
        one.ledger.record(other.project_id, other.id, [samples.ledger_entry("theirs.md")])
    assert two.ledger.entries(NOTES.project_id, NOTES.id) == {}
    one.close()
    two.close()


def test_a_process_killed_in_the_middle_of_a_transaction_leaves_the_library_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    store = filled(path)
    before = seen(store)
    store.close()
    victim = child(
        path,
        """
store.database.pragma("cache_size = 10")  # so that much is on disk before the end
with store.transaction():
    for number in range(50):
        write(number, " ".join(f"late{number * 100 + offset}" for offset in range(100)))
    report("ready")
""",
    )
    assert (tmp_path / "library.db-wal").stat().st_size > 100_000
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    again = SqliteStore(path)
    assert seen(again) == before
    assert again.check() == ()
    add(again, 1)
    again.close()


def test_what_a_killed_process_had_committed_is_there(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    filled(path).close()
    victim = child(
        path,
        """
with store.transaction():
    write(1, "committed")
report("ready")
""",
    )
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    store = SqliteStore(path)
    assert len(store.lexical.containing(NOTES.project_id, ["committed"])) == 1
    assert store.check() == ()
    store.close()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("delete from lexical where rowid = 2", ["1 chunks are missing from the lexical index"]),
        ("insert into lexical (rowid, body) values (999, 'x')", ["1 rows of the lexical index belong to no chunk"]),
        (
            "delete from lexical where rowid = 2; insert into lexical (rowid, body) values (999, 'x')",
            ["1 chunks are missing from the lexical index", "1 rows of the lexical index belong to no chunk"],
        ),
        ("delete from texts where key = 1", ["the text of version 1 of 0.md is missing"]),
        ("update texts set data = x'00' where key = 1", ["is damaged"]),
        ("update texts set data = (select data from texts where key = 2) where key = 1", ["is damaged"]),
        ("delete from document_versions where document = 2", ["version 1 of 1.md is missing"]),
        ("delete from documents where key = 1", ["points at a missing row of documents"]),
    ],
)
def test_the_check_says_what_is_wrong(tmp_path: Path, damage: str, said: list[str]) -> None:
    path = tmp_path / "library.db"
    store = filled(path)
    assert store.check() == ()
    change(path, damage)
    problems = store.check()
    assert all(any(sentence in problem for problem in problems) for sentence in said), problems
    store.close()


def test_a_damaged_text_is_a_damaged_library_and_no_foreign_error(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    store = filled(path)
    change(path, "update texts set data = x'00ff'")
    (stored,) = store.documents.find(NOTES.project_id, "0.md")
    with pytest.raises(LibraryError, match="damaged"):
        store.documents.texts(NOTES.project_id, [stored.text_hash])
    store.close()
