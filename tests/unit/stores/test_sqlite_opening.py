"""What a library file may be, and what is said of a file that is none."""

from __future__ import annotations

import gzip
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest
import samples
from later_schema import add_migration
from library_samples import change, filled, open_folder, seen, without_privileges

import octavo
from octavo.errors import LibraryError, NewerLibrary, NotALibrary, NotFound, OctavoError, StorageError
from octavo.sql_repositories.named_sql_queries import load_migrations
from octavo.stores.sqlite.database import APPLICATION_ID, save_older
from octavo.stores.sqlite.store import SqliteStore

GOLDEN = Path(__file__).parents[2] / "golden" / "formats"
MIGRATIONS = load_migrations("octavo.stores.sqlite")


def schema(path: Path) -> list[tuple[object, ...]]:
    connection = apsw.Connection(str(path))
    rows = connection.execute("select type, name, tbl_name, sql from sqlite_schema order by name").fetchall()
    rows.append((connection.pragma("user_version"), connection.pragma("application_id")))
    connection.close()
    return rows


def test_a_missing_library_is_made_with_the_folders_above_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "library.db"
    SqliteStore(path).close()
    assert schema(path)[-1] == (MIGRATIONS[-1][0], APPLICATION_ID)


def test_a_missing_library_that_must_not_be_made_is_not_found_and_not_made(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "library.db"
    with pytest.raises(NotFound, match=r"library\.db") as caught:
        SqliteStore(path, create=False)
    assert caught.value.hint and "octavo init" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_library_opens_again_as_it_was_left(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    store = filled(path)
    before = seen(store)
    store.close()
    again = SqliteStore(path, create=False)
    assert seen(again) == before
    assert again.check() == ()
    again.close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["library.db"]


def test_an_empty_file_becomes_a_library(tmp_path: Path) -> None:
    path, fresh = tmp_path / "empty.db", tmp_path / "fresh.db"
    path.touch()
    SqliteStore(path, create=False).close()
    SqliteStore(fresh).close()
    assert schema(path) == schema(fresh)


def shape(path: Path) -> dict[str, object]:
    """Tables by their columns, everything else by its words: what a schema says, however it was written."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found: dict[str, object] = {}
    for kind, name, sql in connection.execute("select type, name, sql from sqlite_schema").fetchall():
        columns = connection.execute("select * from pragma_table_xinfo(?)", (name,)).fetchall()
        words = re.sub(r"--.*|if not exists|[\s()]+", " ", sql or "").split()
        found[name] = columns if kind == "table" else words
    connection.close()
    return found


@pytest.fixture
def oldest(tmp_path: Path) -> Path:
    """The oldest library that still opens, as the Octavo of its time wrote it."""
    path = tmp_path / "oldest.db"
    path.write_bytes(gzip.decompress((GOLDEN / f"library-schema-{MIGRATIONS[0][0]}.db.gz").read_bytes()))
    return path


def test_the_oldest_library_opens_and_becomes_what_a_fresh_one_is(
    oldest: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_EMBEDDING_PROVIDER", "hashing")
    with octavo.open(oldest) as library:
        assert library.search("winter pump").hits[0].uri == "pump.md"
        assert library.recall("spare key").memories[0].text == "The spare key hangs behind the dome."
    store = SqliteStore(oldest)
    assert store.check() == ()
    store.close()
    SqliteStore(tmp_path / "fresh.db").close()
    assert shape(oldest) == shape(tmp_path / "fresh.db")


def test_a_library_of_before_the_first_release_is_refused_and_stays_as_it_is(oldest: Path) -> None:
    first = MIGRATIONS[0][0]
    change(oldest, f"pragma user_version = {first - 1}")
    content = oldest.read_bytes()
    for attempt in (SqliteStore, save_older):
        with pytest.raises(LibraryError, match=rf"schema {first - 1}; the oldest that still opens is {first}") as told:
            attempt(oldest)
        assert told.value.hint and "index its folders into a new library" in told.value.hint
    assert oldest.read_bytes() == content
    assert [path.name for path in oldest.parent.iterdir() if "schema" in path.name] == []


@pytest.mark.parametrize("size", [2, 99, 100, 511, 512, 5_000])
def test_a_text_file_is_no_library_and_stays_as_it_is(tmp_path: Path, size: int) -> None:
    path = tmp_path / "notes.md"
    content = (b"# A note\n" * 600)[:size]
    path.write_bytes(content)
    with pytest.raises(NotALibrary, match=r"notes\.md is not a database") as caught:
        SqliteStore(path)
    assert caught.value.code == "INDEX_CORRUPT"
    assert caught.value.hint and "--library" in caught.value.hint
    assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["notes.md"]


@pytest.mark.parametrize("statement", ["create table theirs (x)", "pragma user_version = 1"])
def test_another_programs_database_is_no_library_and_stays_as_it_is(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "theirs.db"
    change(path, statement)
    content = path.read_bytes()
    with pytest.raises(NotALibrary, match="not an Octavo library"):
        SqliteStore(path)
    assert path.read_bytes() == content
    assert [entry.name for entry in tmp_path.iterdir()] == ["theirs.db"]


def test_a_library_of_a_later_version_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    filled(path).close()
    newest = MIGRATIONS[-1][0]
    change(path, f"pragma user_version = {newest + 1}")
    content = path.read_bytes()
    with pytest.raises(NewerLibrary, match=rf"schema {newest + 1}, this one knows {newest}") as caught:
        SqliteStore(path)
    assert caught.value.hint and "upgrade Octavo" in caught.value.hint
    assert path.read_bytes() == content


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(NotALibrary, match="is a folder; a library is a file"):
        SqliteStore(tmp_path)


def test_a_path_through_a_file_is_no_library(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotALibrary, match="is a file, not a folder"):
        SqliteStore(tmp_path / "file" / "library.db")


def test_a_read_only_library_is_read_and_a_write_to_it_is_refused() -> None:
    with open_folder() as folder:
        path = folder / "library.db"
        store = filled(path)
        before = seen(store)
        store.close()
        path.chmod(0o444)
        folder.chmod(0o777)
        with without_privileges(folder):
            store = SqliteStore(path, create=False)
            assert seen(store) == before
            with pytest.raises(StorageError, match="cannot be written") as caught, store.transaction():
                store.catalog.ensure_project("new")
            assert caught.value.hint and "permissions" in caught.value.hint
            assert seen(store) == before
            store.close()
        path.chmod(0o644)


def test_a_library_in_a_folder_that_cannot_be_written_is_refused_with_a_reason() -> None:
    with open_folder() as folder:
        folder.chmod(0o555)
        with without_privileges(folder):
            for path in (folder / "library.db", folder / "below" / "library.db"):
                with pytest.raises(StorageError) as caught:
                    SqliteStore(path)
                assert caught.value.code == "IO_ERROR"
                assert str(path) in caught.value.message
        folder.chmod(0o755)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_library_cut_short_is_called_damaged(tmp_path: Path, share: float) -> None:
    path = tmp_path / "library.db"
    filled(path, documents=40).close()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    problems = _problems(path)
    assert problems != ()


@pytest.mark.parametrize("page", [1, 3, 5, 10])
def test_a_library_with_a_page_of_noise_is_called_damaged(tmp_path: Path, page: int) -> None:
    path = tmp_path / "library.db"
    filled(path, documents=40).close()
    content = bytearray(path.read_bytes())
    content[page * 4096 : (page + 1) * 4096] = bytes(range(256)) * 16
    path.write_bytes(content)
    assert _problems(path) != ()


def _problems(path: Path) -> tuple[str, ...]:
    """What the check says, or what opening says, but never a foreign error."""
    try:
        store = SqliteStore(path)
    except OctavoError as error:
        assert isinstance(error, LibraryError)
        return (error.message,)
    found = store.check()
    store.close()
    return found


def test_an_older_library_is_kept_beside_itself_before_it_is_upgraded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "library.db"
    SqliteStore(path).close()
    change(path, "insert into projects (id, name, created_at) values ('prj_1', 'kept', 0)")
    before = add_migration(monkeypatch, "octavo.stores.sqlite", "create table later (name text)")
    SqliteStore(path, create=False).close()
    assert sorted(path.name for path in tmp_path.iterdir() if "schema" in path.name) == [f"library.db.schema-{before}"]
    kept = apsw.Connection(str(tmp_path / f"library.db.schema-{before}"), flags=apsw.SQLITE_OPEN_READONLY)
    assert (kept.pragma("user_version"), kept.execute("select name from projects").get) == (before, "kept")
    kept.close()
    opened = apsw.Connection(str(path))
    assert (opened.pragma("user_version"), opened.execute("select count(*) from later").get) == (before + 1, 0)
    opened.close()


def test_a_library_in_memory_is_one_for_all_threads_and_another_for_every_opening() -> None:
    store, other = SqliteStore.in_memory(), SqliteStore.in_memory()
    notes = samples.ensure(store)
    with ThreadPoolExecutor(1) as elsewhere:
        assert elsewhere.submit(store.catalog.collections, notes.project_id).result() == (notes,)
    assert other.catalog.projects() == ()
    store.close()
    other.close()


def test_a_thread_that_has_ended_leaves_no_connection_open(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    for _ in range(3):
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(store.catalog.projects).result() == ()
    assert store.database.connections.open == 1
    store.close()
    assert store.database.connections.open == 0


def test_a_connection_in_use_when_the_library_is_closed_is_closed_once_it_is_not(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")
    with store.reading():
        with ThreadPoolExecutor(1) as elsewhere:
            elsewhere.submit(store.close).result()
        assert store.catalog.projects() == ()
    assert store.database.connections.open == 0


def test_many_short_lived_threads_leave_no_more_descriptors_open_than_one(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "library.db")

    def read_and_write() -> None:
        with store.reading():
            store.catalog.projects()
        with store.transaction():
            store.catalog.ensure_project("sample")

    before = None
    for number in range(60):
        thread = threading.Thread(target=read_and_write)
        thread.start()
        thread.join()
        if number == 0:
            before = store.database.connections.open
    assert (before, store.database.connections.open) == (1, 1)
    store.close()


def test_a_backup_ends_while_another_connection_keeps_writing(tmp_path: Path) -> None:
    store, other = SqliteStore(tmp_path / "library.db"), SqliteStore(tmp_path / "library.db")
    notes = samples.ensure(store)
    with store.transaction():
        for number in range(4):  # several steps of the backup
            samples.put(store, notes, samples.prepared(notes, f"{number}.md", " ".join(map(str, range(200_000)))))
    saved, commits, trouble = threading.Event(), [0], []

    def write() -> None:
        try:
            while not saved.is_set():
                with other.transaction():
                    samples.put(other, notes, samples.prepared(notes, "busy.md", f"commit {commits[0]}"))
                commits[0] += 1
        except Exception as error:
            trouble.append(error)

    writer = threading.Thread(target=write)
    writer.start()
    store.database.backup(tmp_path / "copy.db")
    saved.set()
    writer.join()
    assert (trouble, commits[0] > 0) == ([], True)
    copy = SqliteStore(tmp_path / "copy.db", create=False)
    assert copy.check() == ()
    for opened in (copy, store, other):
        opened.close()
