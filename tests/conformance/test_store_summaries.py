"""Summaries of sections and files: what they are of, and what becomes of them as documents change."""

from __future__ import annotations

import samples

from octavo.model.ids import document_id
from octavo.model.normalised_text_and_spans import Span
from octavo.model.projects_and_collections import Collection
from octavo.model.summary import NodeType, Summarised, Summary, Unsummarised
from octavo.sql_repositories.store import Store

PROFILE = samples.embedding_profile()
MAKER = "extract-1"


def put(store: Store, notes: Collection, uri: str = "a.md", text: str = "# A\n\nOne.\n\n# B\n\nTwo.") -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, uri, text))


def missing(store: Store, notes: Collection, maker: str = MAKER) -> tuple[Unsummarised, ...]:
    return store.summaries.missing(notes.project_id, PROFILE, maker)


def summarised(store: Store, notes: Collection, of: Unsummarised) -> bool:
    (first, *_) = store.summaries.chunks(notes.project_id, of.document_id)
    made = [
        Summary(NodeType.FILE, Span(0, 10_000), (), "All of it → here.", bytes(8)),
        Summary(NodeType.SECTION, first.span, ("A",), "One.", b"\x00\x3c" + bytes(6)),
    ]
    with store.transaction():
        return store.summaries.put(notes.project_id, PROFILE, of, MAKER, made)


def test_a_document_is_missing_until_its_summaries_are_put(store: Store, notes: Collection) -> None:
    put(store, notes)
    put(store, notes, "b.md")
    a, b = missing(store, notes)
    assert summarised(store, notes, a)
    assert missing(store, notes) == (b,)
    assert missing(store, notes, "another model") == (a, b)
    assert store.summaries.summarised(notes.project_id, PROFILE) == Summarised(1, 2, 1, 1)
    (maker, whole), (_, section) = store.summaries.of_document(notes.project_id, a.document_id)
    assert (maker, whole.text, section.heading_path) == (MAKER, "All of it → here.", ("A",))


def test_the_chunks_below_a_summary_are_those_that_begin_in_it(store: Store, notes: Collection) -> None:
    put(store, notes)
    (a,) = missing(store, notes)
    summarised(store, notes, a)
    chunks = store.summaries.chunks(notes.project_id, a.document_id)
    files = store.summaries.vectors(notes.project_id, PROFILE, NodeType.FILE)
    sections = store.summaries.vectors(notes.project_id, PROFILE, NodeType.SECTION)
    assert files.data == bytes(8) and sections.data == b"\x00\x3c" + bytes(6)
    below = store.summaries.chunks_below(notes.project_id, [*files.keys, *sections.keys])
    assert below == {files.keys[0]: tuple(chunk.key for chunk in chunks), sections.keys[0]: (chunks[0].key,)}


def test_a_changed_document_has_no_summaries_and_a_removed_one_leaves_none(store: Store, notes: Collection) -> None:
    put(store, notes)
    (a,) = missing(store, notes)
    summarised(store, notes, a)
    before = store.summaries.state(notes.project_id, PROFILE)
    put(store, notes)
    assert store.summaries.state(notes.project_id, PROFILE) == before, "the text is the same"
    put(store, notes, text="Three.")
    assert store.summaries.state(notes.project_id, PROFILE) == (0, 0)
    assert not summarised(store, notes, a), "made of a text that is no longer there"
    (changed,) = missing(store, notes)
    summarised(store, notes, changed)
    with store.transaction():
        store.documents.remove(notes.project_id, document_id(notes.project_id, notes.id, "a.md"))
    assert store.summaries.state(notes.project_id, PROFILE) == (0, 0)


def test_summaries_are_a_projects_own_and_can_be_cleared(store: Store, notes: Collection) -> None:
    other = samples.ensure(store, project="other")
    put(store, notes)
    put(store, other)
    for within in (notes, other):
        summarised(store, within, missing(store, within)[0])
    keys = store.summaries.vectors(notes.project_id, PROFILE, NodeType.FILE).keys
    assert store.summaries.chunks_below(other.project_id, keys) == {}
    with store.transaction():
        assert store.summaries.clear(notes.project_id) == 2
    assert not missing(store, other) and len(missing(store, notes)) == 1
