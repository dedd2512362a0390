"""How often writes merge the segments of the word index: seldom while a run writes many rows, as usual after it."""

from __future__ import annotations

import samples

from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import LexicalRow
from octavo.stores.sqlite.fts5_index import MOST_SEGMENTS
from octavo.stores.sqlite.store import SqliteStore


def merged_after(store: SqliteStore) -> list[int]:
    return [row[0] for row in store.database.rows("lexical_merged_after")]


def put(store: SqliteStore, rows: int) -> None:
    notes = samples.ensure(store)
    with store.transaction():
        words = [(ChunkKey(key), LexicalRow("", "", "", "", "", "", f"word{key}")) for key in range(1, rows + 1)]
        store.lexical.put(notes.project_id, words)


def test_merges_are_put_off_by_many_rows_alone_and_until_the_run_ends() -> None:
    store = SqliteStore.in_memory()
    put(store, 10)
    assert merged_after(store) == []
    put(store, 3_000)
    assert merged_after(store) == [MOST_SEGMENTS]
    store.compact()
    usual = merged_after(store)
    assert usual == [4]
    generation = store.generation()
    store.compact()
    assert (merged_after(store), store.generation()) == (usual, generation)
    store.close()
