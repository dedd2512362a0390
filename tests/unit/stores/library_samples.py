"""Libraries to break, and eyes that look past the store's own methods."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest
import samples
from observation import observed

from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore

PROFILE = samples.embedding_profile()


def filled(path: Path, documents: int = 3) -> SqliteStore:
    """An open library with some documents, half of their vectors, a recipe and a ledger."""
    store = SqliteStore(path)
    notes = samples.ensure(store)
    with store.transaction():
        for number in range(documents):
            uri = f"{number}.md"
            samples.put(store, notes, samples.prepared(notes, uri, f"# Note {number}", "some words", tags=("t",)))
            store.ledger.record(notes.project_id, notes.id, [samples.ledger_entry(uri)])
        pending = store.embeddings.pending(notes.project_id, PROFILE)
        rows = [samples.vector_row(key, PROFILE) for key in pending[::2]]
        store.embeddings.put(notes.project_id, PROFILE, rows)
        store.catalog.record_recipe(notes.project_id, samples.recipe())
    return store


def seen(store: Store) -> object:
    return observed(store, [PROFILE], words=("some", "note", "late")), store.generation()


def every_row(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, the lexical index's own tables among them."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        query = "select name from sqlite_schema where type = 'table' and name <> 'lexical'"
        names = [name for (name,) in connection.execute(query)]
        statement = 'select * from "{}" order by 1'
        return {name: connection.execute(statement.format(name)).fetchall() for name in names}
    finally:
        connection.close()


def change(path: Path, statement: str) -> None:
    """Reaches into a library behind the store's back."""
    connection = apsw.Connection(str(path))
    connection.execute(statement)
    connection.close()


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that a user without privileges can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def without_privileges(folder: Path) -> Iterator[None]:
    """File permissions bind everyone but the superuser, so the superuser becomes nobody for a while."""
    if not hasattr(os, "geteuid"):
        pytest.skip("this system has no user ids")
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        if not os.access(folder, os.R_OK | os.X_OK, effective_ids=True):
            pytest.skip("the temporary folder is closed to a user without privileges")
        yield
    finally:
        os.seteuid(0)
