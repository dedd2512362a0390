"""Documents as they are now: what is put is what is read."""

from __future__ import annotations

import samples

from octavo.model.document import Kind
from octavo.model.ids import ChunkId, ChunkKey, DocumentId, text_hash
from octavo.model.normalised_text_and_spans import Span
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters
from octavo.model.search_result import Candidate
from octavo.model.stored_rows import LibraryCounts, StoredDocument
from octavo.sql_repositories.store import Store


def test_a_document_comes_back_whole(store: Store, notes: Collection) -> None:
    sample = samples.prepared(
        notes,
        "folder/a.md",
        "before",
        "# Ärger\nmit Umlaut",
        "## Below\nmore",
        kind=Kind.DOC,
        modified_at=1234.5,
        language="de",
        description="What it is about",
        tags=("Work/Deep", "b"),
        aliases=("other name",),
        metadata={"b": [1, 2.5, None, True], "a": {"nested": "ü"}},
    )
    with store.transaction():
        samples.put(store, notes, sample)
    document = sample.document
    expected = StoredDocument(
        id=document.id,
        collection_id=notes.id,
        collection="notes",
        uri="folder/a.md",
        kind=Kind.DOC,
        title="Ärger",
        language="de",
        description="What it is about",
        tags=("Work/Deep", "b"),
        aliases=("other name",),
        text_hash=document.content_hash,
        modified_at=1234.5,
        version=1,
        metadata={"a": {"nested": "ü"}, "b": [1, 2.5, None, True]},
    )
    project = notes.project_id
    assert store.documents.get(project, document.id) == expected
    assert store.documents.find(project, "folder/a.md") == (expected,)
    assert store.documents.sections(project, document.id) == document.sections
    assert store.documents.texts(project, [document.content_hash]) == {document.content_hash: document.text}


def test_keys_come_back_in_the_order_of_the_chunks_and_lead_to_exact_slices(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one", "# Two\n2", "three", "## Four", modified_at=5.0)
    with store.transaction():
        keys = samples.put(store, notes, sample)
    found = store.documents.candidates(notes.project_id, keys)
    assert list(keys) == sorted(set(keys))
    assert [found[key] for key in keys] == [
        Candidate(
            key=key,
            chunk_id=indexed.chunk.id,
            document_id=sample.document.id,
            collection="notes",
            uri="a.md",
            kind=Kind.NOTE,
            title="Two",
            heading_path=indexed.chunk.heading_path,
            span=indexed.chunk.span,
            lines=indexed.chunk.lines,
            text_hash=sample.document.content_hash,
            modified_at=5.0,
            ordinal=indexed.chunk.ordinal,
            section=[section.id for section in sample.document.sections].index(indexed.chunk.section_id),
        )
        for key, indexed in zip(keys, sample.chunks, strict=True)
    ]
    texts = store.documents.texts(notes.project_id, [sample.document.content_hash])
    assert [found[key].span.of(texts[found[key].text_hash]) for key in keys] == ["one", "# Two\n2", "three", "## Four"]
    assert [found[key].heading_path for key in keys] == [(), ("Two",), ("Two",), ("Two", "Four")]


def test_a_chunk_is_found_by_its_id_until_it_is_gone(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one", "two")
    with store.transaction():
        keys = samples.put(store, notes, sample)
    ids = [indexed.chunk.id for indexed in sample.chunks]
    assert tuple(store.documents.chunk_key(notes.project_id, id_) for id_ in ids) == keys
    assert store.documents.chunk_key(notes.project_id, ChunkId("chk_unknown")) is None
    with store.transaction():
        store.documents.remove(notes.project_id, sample.document.id)
    assert store.documents.chunk_key(notes.project_id, ids[0]) is None


def test_the_same_uri_is_found_in_every_collection_unless_one_is_named(store: Store) -> None:
    b, a = samples.ensure(store, "b"), samples.ensure(store, "a")
    with store.transaction():
        for within in (b, a):
            samples.put(store, within, samples.prepared(within, "index.md", within.name))
    found = store.documents.find(a.project_id, "index.md")
    assert [one.collection for one in found] == ["a", "b"]
    assert [one.collection for one in store.documents.find(a.project_id, "index.md", b.id)] == ["b"]
    assert store.documents.find(a.project_id, "Index.md") == ()
    assert store.documents.find(a.project_id, "index") == ()


def test_sections_are_found_by_the_places_they_share_a_character_with(store: Store, notes: Collection) -> None:
    first = samples.prepared(notes, "a.md", "before", "# One\nfirst", "## Below\nmore", "# Two\nlast")
    other = samples.prepared(notes, "b.md", "# Other", "text")
    with store.transaction():
        samples.put(store, notes, first)
        samples.put(store, notes, other)
    sections, whole = first.document.sections, Span(0, len(first.document.text))
    below = next(section for section in sections if section.title == "Below")
    places = [
        (other.document.id, Span(0, 1)),
        (first.document.id, Span(below.span.start, below.span.start + 1)),
        (DocumentId("doc_unknown"), whole),
        (first.document.id, Span(below.span.end, below.span.end)),
        (first.document.id, whole),
    ]
    found = store.documents.sections_touching(notes.project_id, places)
    expected = [
        tuple(s for s in held if s.span.start < span.end and s.span.end > span.start)
        for held, (_, span) in zip((other.document.sections, sections, (), (), sections), places, strict=True)
    ]
    assert list(found) == expected
    assert [len(each) > 0 for each in found] == [True, True, False, False, True]
    assert store.documents.sections_touching(notes.project_id, []) == ()


def test_putting_again_replaces_sections_tags_and_chunks(store: Store, notes: Collection) -> None:
    old = samples.prepared(notes, "a.md", "# Old", "## Deep", "olden", tags=("old",), title="Old", kind=Kind.DOC)
    new = samples.prepared(notes, "a.md", "# New", tags=("new",), description="d", language="en")
    with store.transaction():
        samples.put(store, notes, old)
    with store.transaction():
        keys = samples.put(store, notes, new)
    project = notes.project_id
    stored = store.documents.get(project, new.document.id)
    assert stored is not None
    assert (stored.title, stored.kind, stored.description, stored.language) == ("New", Kind.NOTE, "d", "en")
    assert store.documents.sections(project, new.document.id) == new.document.sections
    assert store.documents.admitted(project, Filters()) == list(keys)
    assert store.documents.admitted(project, Filters(tags_any=("old",))) == []
    assert store.documents.admitted(project, Filters(tags_any=("new",))) == list(keys)
    assert store.lexical.containing(project, ["olden"]) == []
    assert store.embeddings.assignments(project)[:, 0].tolist() == list(keys)
    assert store.counts(project).sections == 2


def test_a_chunk_key_is_never_used_twice(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one", "two", "three")
    seen: list[ChunkKey] = []
    for _ in range(3):
        with store.transaction():
            seen += samples.put(store, notes, sample)
        with store.transaction():
            seen += samples.put(store, notes, sample)
        with store.transaction():
            store.documents.remove(notes.project_id, sample.document.id)
    assert len(set(seen)) == len(seen) == 18
    assert seen == sorted(seen)


def test_a_document_without_text_is_a_document_without_chunks(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "empty.md")
    with store.transaction():
        assert samples.put(store, notes, sample) == ()
    stored = store.documents.get(notes.project_id, sample.document.id)
    assert stored is not None and stored.title == "empty.md"
    assert store.documents.texts(notes.project_id, [text_hash("")]) == {text_hash(""): ""}
    assert store.check() == ()


def test_a_removed_document_leaves_search_embeddings_and_counts_and_no_trace_but_its_versions(
    store: Store, notes: Collection
) -> None:
    gone = samples.prepared(notes, "gone.md", "# Gone", "shared word", tags=("t",))
    kept = samples.prepared(notes, "kept.md", "shared word too", tags=("t",))
    with store.transaction():
        samples.put(store, notes, gone)
        (key,) = samples.put(store, notes, kept)
    with store.transaction():
        store.documents.remove(notes.project_id, gone.document.id)
    project = notes.project_id
    assert store.documents.get(project, gone.document.id) is None
    assert store.documents.find(project, "gone.md") == ()
    assert store.documents.sections(project, gone.document.id) == ()
    assert store.documents.admitted(project, Filters(tags_all=("t",))) == [key]
    assert [one.key for one in store.lexical.search(project, samples.terms("shared word"), Filters(), 10)] == [key]
    assert store.lexical.containing(project, ["shared", "word"]) == [key]
    assert store.embeddings.assignments(project)[:, 0].tolist() == [key]
    size = len(kept.document.text)
    assert store.counts(project) == LibraryCounts(1, 1, 1, indexed=0, skipped=0, failed=0, text_bytes=size)
    assert len(store.documents.versions(project, gone.document.id)) == 1
    assert store.check() == ()


def test_removing_what_is_not_there_changes_nothing(store: Store, notes: Collection) -> None:
    with store.transaction():
        store.documents.remove(notes.project_id, DocumentId("doc_unknown"))
    assert store.counts(notes.project_id).documents == 0


def test_unknown_hashes_keys_and_ids_are_left_out(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one")
    with store.transaction():
        (key,) = samples.put(store, notes, sample)
    project, known = notes.project_id, sample.document.content_hash
    assert store.documents.texts(project, [known, text_hash("never"), "not a hash", known]) == {
        known: sample.document.text
    }
    assert list(store.documents.candidates(project, [ChunkKey(key + 1), key, ChunkKey(0), key])) == [key]
    assert store.documents.get(project, DocumentId("doc_unknown")) is None
    assert store.documents.sections(project, DocumentId("doc_unknown")) == ()
    assert store.documents.versions(project, DocumentId("doc_unknown")) == ()


def test_the_same_text_in_two_documents_is_counted_for_each(store: Store, notes: Collection) -> None:
    with store.transaction():
        for uri in ("a.md", "b.md"):
            samples.put(store, notes, samples.prepared(notes, uri, "größer"))
    assert store.counts(notes.project_id).text_bytes == 2 * len("größer\n".encode())


def test_nothing_asked_for_is_nothing_done(store: Store, notes: Collection) -> None:
    project, profile = notes.project_id, samples.embedding_profile()
    with store.transaction():
        store.lexical.put(project, [])
        store.embeddings.expect(project, [])
        store.embeddings.put(project, profile, [])
        store.ledger.record(project, notes.id, [])
        store.ledger.forget(project, notes.id, [])
    assert store.documents.texts(project, []) == {}
    assert store.documents.candidates(project, []) == {}
    assert list(store.documents.admitted(project, Filters())) == []
    assert store.lexical.search(project, samples.terms(""), Filters(), 10) == ()
    assert list(store.lexical.containing(project, [])) == []
    assert store.embeddings.pending(project, profile) == ()
    assert store.embeddings.describe(project, []) == ()
    assert store.embeddings.assignments(project).shape == (0, 2)
    vectors = store.embeddings.vectors(project, profile, 0)
    assert (vectors.keys.shape, vectors.inputs.shape, vectors.matrix.shape) == ((0,), (0,), (0, profile.dimensions))
    assert store.embeddings.coverage(project, profile) == (0, 0)
    assert store.ledger.entries(project, notes.id) == {}
    assert store.counts(project) == LibraryCounts(0, 0, 0, 0, 0, 0, 0)


def test_it_is_known_whether_there_are_more_chunks_than_that(store: Store, notes: Collection) -> None:
    sample = samples.prepared(notes, "a.md", "one", "## Two\ntwo", "## Three\nthree")
    with store.transaction():
        samples.put(store, notes, sample)
    many = len(sample.chunks)
    assert store.documents.more_than(notes.project_id, many - 1)
    assert not store.documents.more_than(notes.project_id, many)


def test_a_document_that_was_only_touched_has_another_time_and_the_same_version(
    store: Store, notes: Collection
) -> None:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "text"))
    (before,) = store.documents.find(notes.project_id, "a.md")
    with store.transaction():
        store.documents.touch(notes.project_id, [(before.id, samples.MODIFIED + 60)])
    (after,) = store.documents.find(notes.project_id, "a.md")
    assert after.modified_at == samples.MODIFIED + 60
    assert len(store.documents.versions(notes.project_id, before.id)) == 1


def test_the_last_changed_come_first_and_neither_commits_nor_memories_among_them(
    store: Store, notes: Collection
) -> None:
    kinds = [("old.md", Kind.NOTE), ("b.md", Kind.NOTE), ("a.py", Kind.CODE), ("c1", Kind.COMMIT), ("m1", Kind.MEMORY)]
    with store.transaction():
        for uri, kind in kinds:
            modified_at = samples.MODIFIED + 60 * (uri != "old.md")
            samples.put(store, notes, samples.prepared(notes, uri, "text", kind=kind, modified_at=modified_at))
    assert [document.uri for document in store.documents.recent(notes.project_id, 9)] == ["a.py", "b.md", "old.md"]
    assert [document.uri for document in store.documents.recent(notes.project_id, 1)] == ["a.py"]


def test_a_kind_is_there_while_a_document_of_the_project_has_it(store: Store, notes: Collection) -> None:
    elsewhere = samples.ensure(store, project="other")
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, "a.md", "text"))
        samples.put(store, elsewhere, samples.prepared(elsewhere, "b.py", "code", kind=Kind.CODE))
    assert store.documents.any_of(notes.project_id, Kind.NOTE)
    assert not store.documents.any_of(notes.project_id, Kind.CODE)
    assert store.documents.any_of(elsewhere.project_id, Kind.CODE)
    (gone,) = store.documents.find(elsewhere.project_id, "b.py")
    with store.transaction():
        store.documents.remove(elsewhere.project_id, gone.id)
    assert not store.documents.any_of(elsewhere.project_id, Kind.CODE)
