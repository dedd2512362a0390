"""The in-memory store and SQLite, side by side: whatever is done to both, they stay the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recto.model.collection import Collection
from recto.model.document import Kind
from recto.model.index import LEXICAL_FIELDS, LexicalField, LexicalRow
from recto.model.query import Filters, Terms
from recto.model.stored import VectorRow
from recto.ports import Store
from recto.stores.sqlite.store import SqliteStore
from recto.testing import samples
from recto.testing.clock import SetClock
from recto.testing.memory_store import MemoryStore
from recto.testing.observation import observed

PROFILE = samples.embedding_profile()
ROOMS = tuple(samples.collection(name, project) for project in ("mine", "theirs") for name in ("notes", "docs"))
URIS = ("a.md", "b.md", "c/d.md")
CONTENTS: tuple[tuple[str, ...], ...] = (
    ("# Red", "green blue"),
    ("# Red", "green blue", "## Deep\nred"),
    ("green", "blue", "green"),
    ("# Red\n\ngreen blue",),
    (),
)


@contextmanager
def both() -> Iterator[tuple[Store, Store, SetClock]]:
    clock = SetClock()
    memory, sqlite = MemoryStore(clock=clock), SqliteStore(Path(":memory:"), clock=clock)
    for store in (memory, sqlite):
        for room, project in zip(ROOMS, ("mine", "mine", "theirs", "theirs"), strict=True):
            samples.ensure(store, room.name, project)
    yield memory, sqlite, clock
    sqlite.close()


words = st.sampled_from(["red", "green", "blue", "re", "redder", "gree", "x_y", "été", "日本", "a.b", "++", "RED", ""])
# Few words in few fields: a word that stands in most rows scores next to nothing, whatever the formula.
texts = st.lists(words, max_size=4).map(" ".join)
fields = st.dictionaries(st.sampled_from(LEXICAL_FIELDS), texts, max_size=3)
rows = fields.map(lambda some: LexicalRow(**dict.fromkeys(LEXICAL_FIELDS, "") | some))
phrases = st.lists(words, max_size=3).map(tuple)
terms = st.builds(
    Terms,
    text=st.just(""),
    words=st.lists(words, max_size=4).map(tuple),
    phrases=st.just(()) | st.lists(phrases, max_size=2).map(tuple),
    prefixes=st.lists(words, max_size=2).map(tuple),
    excluded=st.just(()) | st.lists(phrases, max_size=2).map(tuple),
)
filters = st.builds(
    Filters,
    collections=st.sampled_from([(), ("notes",), ("docs", "notes")]),
    path_prefix=st.sampled_from([None, "", "1"]),
    kinds=st.sampled_from([(), (), (Kind.NOTE,), (Kind.CODE,)]),
    tags_any=st.sampled_from([(), (), ("t",), ("t/u", "v")]),
)


@settings(max_examples=80, deadline=None)
@given(
    corpus=st.lists(
        st.tuples(st.sampled_from(ROOMS), rows, st.sampled_from([False] * 3 + [True])), min_size=6, max_size=24
    ),
    queries=st.lists(
        st.tuples(
            terms,
            st.just(Filters()) | filters,
            st.sampled_from([0, 2, 50, 50]),
            st.just(()) | st.permutations(LEXICAL_FIELDS).map(lambda all_: tuple(all_[:3])),
        ),
        min_size=4,
        max_size=8,
    ),
)
def test_sqlite_ranks_and_scores_as_the_formula_does(
    corpus: list[tuple[Collection, LexicalRow, bool]],
    queries: list[tuple[Terms, Filters, int, tuple[LexicalField, ...]]],
) -> None:
    with both() as (memory, sqlite, _):
        for store in (memory, sqlite):
            with store.transaction():
                for number, (room, row, _) in enumerate(corpus):
                    tags = (("t/u",), ("v",), ())[number % 3]
                    sample = samples.prepared(room, f"{number}.md", "text", tags=tags)
                    keys = store.documents.put(room.project_id, room.id, sample)
                    store.lexical.put(room.project_id, [(keys[0], row)])
            with store.transaction():
                for number, (room, _, removed) in enumerate(corpus):
                    if removed:
                        gone = samples.prepared(room, f"{number}.md", "text").document.id
                        store.documents.remove(room.project_id, gone)
        for wanted, narrowed, limit, within in queries:
            for project in {room.project_id for room in ROOMS}:
                expected = memory.lexical.search(project, wanted, narrowed, limit, within)
                found = sqlite.lexical.search(project, wanted, narrowed, limit, within)
                assert [one.key for one in found] == [one.key for one in expected]
                assert [one.score for one in found] == pytest.approx([one.score for one in expected], rel=1e-9)
                for phrase in (*wanted.phrases, *wanted.excluded, wanted.words):
                    inside = memory.lexical.containing(project, phrase)
                    assert list(sqlite.lexical.containing(project, phrase)) == list(inside)


@dataclass(frozen=True, slots=True)
class Put:
    room: Collection
    uri: str
    content: int

    def apply(self, store: Store) -> None:
        samples.put(store, self.room, samples.prepared(self.room, self.uri, *CONTENTS[self.content]))


@dataclass(frozen=True, slots=True)
class Move:
    room: Collection
    old: str
    new: str
    content: int

    def apply(self, store: Store) -> None:
        samples.move(store, self.room, self.old, samples.prepared(self.room, self.new, *CONTENTS[self.content]))


@dataclass(frozen=True, slots=True)
class Remove:
    room: Collection
    uri: str

    def apply(self, store: Store) -> None:
        document = samples.prepared(self.room, self.uri).document
        store.documents.remove(self.room.project_id, document.id)
        store.ledger.forget(self.room.project_id, self.room.id, [self.uri])


@dataclass(frozen=True, slots=True)
class Restart:
    """The collection leaves and comes back empty."""

    room: Collection

    def apply(self, store: Store) -> None:
        store.catalog.remove_collection(self.room.project_id, self.room.id)
        store.catalog.put_collection(self.room)


@dataclass(frozen=True, slots=True)
class Embed:
    room: Collection
    count: int

    def apply(self, store: Store) -> None:
        pending = store.embeddings.pending(self.room.project_id, PROFILE)[: self.count]
        # The vector follows from the input's hash: its key is the store's own affair.
        rows = [
            VectorRow(one.input_key, samples.vector_row(int(one.hash[:4], 16), PROFILE).data)
            for one in store.embeddings.describe(self.room.project_id, pending)
        ]
        store.embeddings.put(self.room.project_id, PROFILE, rows)


@dataclass(frozen=True, slots=True)
class Record:
    room: Collection
    uri: str

    def apply(self, store: Store) -> None:
        store.ledger.record(self.room.project_id, self.room.id, [samples.ledger_entry(self.uri)])


rooms, uris, contents = st.sampled_from(ROOMS[:3]), st.sampled_from(URIS), st.integers(0, len(CONTENTS) - 1)
changes = st.one_of(
    st.builds(Put, rooms, uris, contents),
    st.builds(Move, rooms, uris, uris, contents),
    st.builds(Remove, rooms, uris),
    st.builds(Restart, rooms),
    st.builds(Embed, rooms, st.integers(0, 5)),
    st.builds(Record, rooms, uris),
)


class Trouble(Exception):
    pass


def apply(store: Store, several: list[Put | Move | Remove | Restart | Embed | Record], fails: bool) -> None:
    try:
        with store.transaction():
            for change in several:
                change.apply(store)
            if fails:
                raise Trouble
    except Trouble:
        pass


def seen(store: Store) -> object:
    named = [(room.project_id, samples.prepared(room, uri).document.id) for room in ROOMS for uri in URIS]
    return observed(store, [PROFILE], named, ("red", "green", "blue", "deep")), store.generation()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.lists(changes, min_size=1, max_size=6), st.sampled_from([False, False, True])), max_size=6)
)
def test_the_same_history_leaves_both_stores_the_same(
    history: list[tuple[list[Put | Move | Remove | Restart | Embed | Record], bool]],
) -> None:
    with both() as (memory, sqlite, clock):
        before = seen(sqlite)
        for several, fails in history:
            clock.now += 1
            for store in (memory, sqlite):
                apply(store, several, fails)
            after = seen(sqlite)
            assert after == seen(memory)
            assert not fails or after == before
            before = after
        assert (sqlite.check(), memory.check()) == ((), ())


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), max_size=5),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
)
def test_any_text_comes_back_as_it_was(paragraphs: list[str], uri: str) -> None:
    with both() as (memory, sqlite, _):
        room = ROOMS[0]
        sample = samples.prepared(room, uri, *paragraphs, description=uri, tags=(uri,), metadata={uri: paragraphs})
        for store in (memory, sqlite):
            with store.transaction():
                keys = samples.put(store, room, sample)
            (stored,) = store.documents.find(room.project_id, uri)
            assert (stored.uri, stored.description, stored.tags) == (uri, uri, (uri,))
            assert stored.metadata == {uri: paragraphs}
            texts = store.documents.texts(room.project_id, [stored.text_hash])
            found = store.documents.candidates(room.project_id, keys)
            assert [found[key].span.of(texts[stored.text_hash]) for key in keys] == paragraphs
        assert observed(memory) == observed(sqlite)
