"""What stands beside a chunk."""

from __future__ import annotations

import samples

from octavo.model.stored_rows import Neighbour
from octavo.sql_repositories.store import Store


def test_the_neighbours_of_a_chunk_are_those_of_its_document(store: Store) -> None:
    within = samples.ensure(store)
    with store.transaction():
        keys = samples.put(store, within, samples.prepared(within, "a.md", "one", "two", "three", "four"))
        samples.put(store, within, samples.prepared(within, "b.md", "five", "six"))
    found = store.documents.neighbours(within.project_id, [keys[1]], reach=1)
    assert found == (Neighbour(keys[1], keys[0], -1, 4), Neighbour(keys[1], keys[2], 1, 4))
    assert {one.distance for one in store.documents.neighbours(within.project_id, [keys[0]], reach=2)} == {1, 2}


def test_the_neighbours_of_a_turn_are_the_turns_beside_it_in_its_sequence(store: Store) -> None:
    within = samples.ensure(store)
    with store.transaction():
        keys = [
            samples.put(store, within, samples.prepared(within, f"{number}.md", f"turn {number}", metadata=metadata))[0]
            for number, metadata in enumerate(
                [{"sequence": "talk", "position": place} for place in range(4)] + [{"sequence": "other", "position": 1}]
            )
        ]
        samples.put(
            store,
            within,
            samples.prepared(within, "long.md", "a", "b", metadata={"sequence": "talk", "position": 4}),
        )
    found = store.documents.neighbours(within.project_id, [keys[2], keys[4]], reach=2)
    assert found == (
        Neighbour(keys[2], keys[0], -2, 1),
        Neighbour(keys[2], keys[1], -1, 1),
        Neighbour(keys[2], keys[3], 1, 1),
    )


def test_a_chunk_that_is_not_there_has_no_neighbours(store: Store) -> None:
    within = samples.ensure(store)
    assert store.documents.neighbours(within.project_id, [], reach=2) == ()
    assert store.documents.neighbours(within.project_id, [samples.ChunkKey(99)], reach=2) == ()


def test_the_length_of_a_chunks_document_is_its_number_of_chunks(store: Store) -> None:
    within = samples.ensure(store)
    with store.transaction():
        long = samples.put(store, within, samples.prepared(within, "a.md", "one", "two", "three", "four"))
        short = samples.put(store, within, samples.prepared(within, "b.md", "five"))
    found = store.documents.lengths(within.project_id, [long[2], short[0], samples.ChunkKey(99)])
    assert found == {long[2]: 4, short[0]: 1}
    assert store.documents.lengths(within.project_id, []) == {}
