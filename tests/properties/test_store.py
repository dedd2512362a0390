"""SQLite against the formula, and against a library that holds nothing but the last state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import samples
from filter_oracle import OracleChunk
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_oracle import LexicalOracle
from long_runs import examples
from observation import observed
from set_clock import SetClock

from octavo.model.document import Kind
from octavo.model.prepared_document import LEXICAL_FIELDS, LexicalField, LexicalRow
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, Terms
from octavo.model.stored_rows import VectorRow
from octavo.sql_repositories.store import Store
from octavo.stores.sqlite.store import SqliteStore

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
def opened(clock: SetClock | None = None) -> Iterator[SqliteStore]:
    store = SqliteStore.in_memory(clock or SetClock())
    for room, project in zip(ROOMS, ("mine", "mine", "theirs", "theirs"), strict=True):
        samples.ensure(store, room.name, project)
    yield store
    store.close()


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


@settings(max_examples=examples(80), deadline=None)
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
    with opened() as store:
        chunks = {}
        with store.transaction():
            for number, (room, row, removed) in enumerate(corpus):
                tags = (("t/u",), ("v",), ())[number % 3]
                sample = samples.prepared(room, f"{number}.md", "text", tags=tags)
                (key,) = store.documents.put(room.project_id, room.id, sample)
                store.lexical.put(room.project_id, [(key, row)])
                if not removed:
                    indexed = sample.chunks[0]._replace(lexical=row)
                    chunks[key] = OracleChunk(room.project_id, room.name, sample.document, indexed)
        with store.transaction():
            for number, (room, _, removed) in enumerate(corpus):
                if removed:
                    gone = samples.prepared(room, f"{number}.md", "text").document.id
                    store.documents.remove(room.project_id, gone)
        oracle = LexicalOracle(chunks)
        for wanted, narrowed, limit, within in queries:
            for project in {room.project_id for room in ROOMS}:
                expected = oracle.search(project, wanted, narrowed, limit, within)
                found = store.lexical.search(project, wanted, narrowed, limit, within)
                assert [hit.key for hit in found] == [hit.key for hit in expected]
                assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], rel=1e-9)
                for phrase in (*wanted.phrases, *wanted.excluded, wanted.words):
                    inside = oracle.containing(project, phrase)
                    assert list(store.lexical.containing(project, phrase)) == list(inside)


@dataclass
class Model:
    """What a library should hold after some changes: contents and ledger rows, by collection and uri."""

    contents: dict[tuple[str, str], int] = field(default_factory=dict)
    ledger: set[tuple[str, str]] = field(default_factory=set)

    def drop(self, room: Collection, uri: str) -> None:
        self.contents.pop((room.id, uri), None)


@contextmanager
def filled(model: Model) -> Iterator[SqliteStore]:
    """A library that was told nothing else."""
    rooms = {room.id: room for room in ROOMS}
    with opened() as store:
        with store.transaction():
            for (room, uri), content in sorted(model.contents.items()):
                samples.put(store, rooms[room], samples.prepared(rooms[room], uri, *CONTENTS[content]))
            for room, uri in sorted(model.ledger):
                store.ledger.record(rooms[room].project_id, room, [samples.ledger_entry(uri)])
        yield store


@dataclass(frozen=True, slots=True)
class Put:
    room: Collection
    uri: str
    content: int

    def apply(self, store: Store) -> None:
        samples.put(store, self.room, samples.prepared(self.room, self.uri, *CONTENTS[self.content]))

    def note(self, model: Model) -> None:
        model.contents[self.room.id, self.uri] = self.content


@dataclass(frozen=True, slots=True)
class Move:
    room: Collection
    old: str
    new: str
    content: int

    def apply(self, store: Store) -> None:
        samples.move(store, self.room, self.old, samples.prepared(self.room, self.new, *CONTENTS[self.content]))

    def note(self, model: Model) -> None:
        model.drop(self.room, self.old)
        model.contents[self.room.id, self.new] = self.content


@dataclass(frozen=True, slots=True)
class Remove:
    room: Collection
    uri: str

    def apply(self, store: Store) -> None:
        document = samples.prepared(self.room, self.uri).document
        store.documents.remove(self.room.project_id, document.id)
        store.ledger.forget(self.room.project_id, self.room.id, [self.uri])

    def note(self, model: Model) -> None:
        model.drop(self.room, self.uri)
        model.ledger.discard((self.room.id, self.uri))


@dataclass(frozen=True, slots=True)
class Restart:
    """The collection leaves and comes back empty."""

    room: Collection

    def apply(self, store: Store) -> None:
        store.catalog.remove_collection(self.room.project_id, self.room.id)
        store.catalog.put_collection(self.room)

    def note(self, model: Model) -> None:
        model.contents = {key: content for key, content in model.contents.items() if key[0] != self.room.id}
        model.ledger = {key for key in model.ledger if key[0] != self.room.id}


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

    def note(self, model: Model) -> None:
        """Vectors are looked at by themselves."""


@dataclass(frozen=True, slots=True)
class Record:
    room: Collection
    uri: str

    def apply(self, store: Store) -> None:
        store.ledger.record(self.room.project_id, self.room.id, [samples.ledger_entry(self.uri)])

    def note(self, model: Model) -> None:
        model.ledger.add((self.room.id, self.uri))


rooms, uris, contents = st.sampled_from(ROOMS[:3]), st.sampled_from(URIS), st.integers(0, len(CONTENTS) - 1)
Change = Put | Move | Remove | Restart | Embed | Record
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


def apply(store: Store, several: list[Change], fails: bool) -> None:
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


def current(store: Store) -> dict[str, object]:
    """What a search can see, however it came about."""
    found = observed(store, [PROFILE], words=("red", "green", "blue", "deep"))
    return {
        project: {
            "chunks": sorted(held["chunks"], key=lambda chunk: (chunk.collection, chunk.uri, chunk.ordinal)),
            "documents": [replace(document, version=1) for document in held["documents"]],
            "sections": held["sections"],
            "words": {word: sorted(chunks) for word, chunks in held["words"].items()},
            "ledger": held["ledger"],
            "counts": held["counts"],
            "assignments": sorted(held["embeddings"][0]["assignments"]),
        }
        for project, held in found.items()
    }


def vectors_are_those_of_their_inputs(store: Store) -> bool:
    for project in observed(store, [PROFILE]).values():
        for name, row in project["embeddings"][0]["held"].items():
            if np.array(row, dtype="<f2").tobytes() != samples.vector_row(int(name[:4], 16), PROFILE).data:
                return False
    return True


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.tuples(st.lists(changes, min_size=1, max_size=6), st.sampled_from([False, False, True])), max_size=6)
)
def test_any_history_leaves_what_its_last_state_alone_would(history: list[tuple[list[Change], bool]]) -> None:
    clock, model = SetClock(), Model()
    with opened(clock) as store:
        before = seen(store)
        for several, fails in history:
            clock.now += 1
            apply(store, several, fails)
            after = seen(store)
            assert not fails or after == before
            before = after
            for change in () if fails else several:
                change.note(model)
        assert store.check() == ()
        assert vectors_are_those_of_their_inputs(store)
        with filled(model) as fresh:
            assert current(store) == current(fresh)


@settings(max_examples=examples(30), deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), max_size=5),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1),
)
def test_any_text_comes_back_as_it_was(paragraphs: list[str], uri: str) -> None:
    with opened() as store:
        room = ROOMS[0]
        sample = samples.prepared(room, uri, *paragraphs, description=uri, tags=(uri,), metadata={uri: paragraphs})
        with store.transaction():
            keys = samples.put(store, room, sample)
        (stored,) = store.documents.find(room.project_id, uri)
        assert (stored.uri, stored.description, stored.tags) == (uri, uri, (uri,))
        assert stored.metadata == {uri: paragraphs}
        texts = store.documents.texts(room.project_id, [stored.text_hash])
        found = store.documents.candidates(room.project_id, keys)
        assert [found[key].span.of(texts[stored.text_hash]) for key in keys] == paragraphs
