"""Entities: who names them, what they link, and that they go with the documents that named them."""

from __future__ import annotations

import samples

from octavo.model.entity import Entity, EntityKind, Mention, MentionRole, ReadDocument
from octavo.model.ids import DocumentId, document_id
from octavo.model.normalised_text_and_spans import Span
from octavo.model.projects_and_collections import Collection
from octavo.model.query import Filters, PropertyCondition
from octavo.sql_repositories.store import Store

JANE = Entity(EntityKind.PERSON, "jane doe", "Jane Doe")
PAPER = Entity(EntityKind.DOI, "10.1000/a_b", "10.1000/A_B")
MAKER = "rules-1"


def put(store: Store, notes: Collection, uri: str, text: str = "# A\n\nJane Doe.") -> DocumentId:
    with store.transaction():
        samples.put(store, notes, samples.prepared(notes, uri, text))
    return document_id(notes.project_id, notes.id, uri)


def read(store: Store, notes: Collection, mentions: dict[str, list[tuple[Entity, MentionRole]]]) -> None:
    """Every unread document as one that names these, by its uri."""
    unread = store.entities.unread(notes.project_id, MAKER)
    uris = {one: source.uri for one, source in store.entities.sources(notes.project_id).items()}
    done = [
        ReadDocument(
            one, tuple(Mention(entity, role, 2, Span(1, 5)) for entity, role in mentions.get(uris[one.document_id], []))
        )
        for one in unread
    ]
    with store.transaction():
        assert store.entities.put(notes.project_id, MAKER, done) == len(done)


def test_a_document_is_unread_until_its_entities_are_put(store: Store, notes: Collection) -> None:
    put(store, notes, "a.md")
    put(store, notes, "b.md")
    assert store.entities.unread_count(notes.project_id, MAKER) == 2
    read(store, notes, {"a.md": [(JANE, MentionRole.MENTION)]})
    assert store.entities.unread(notes.project_id, MAKER) == ()
    assert len(store.entities.unread(notes.project_id, "another", 1)) == 1
    (listed,) = store.entities.listed(notes.project_id)
    assert listed == (JANE, 1, 2)


def test_entities_are_listed_by_kind_name_and_documents(store: Store, notes: Collection) -> None:
    a, b = put(store, notes, "a.md"), put(store, notes, "b.md")
    both = [(JANE, MentionRole.AUTHOR), (PAPER, MentionRole.MENTION)]
    read(store, notes, {"a.md": both, "b.md": [(JANE, MentionRole.AUTHOR), (PAPER, MentionRole.OWN)]})
    project, entities = notes.project_id, store.entities
    assert [one.entity for one in entities.listed(project, [EntityKind.DOI])] == [PAPER]
    assert [one.entity for one in entities.listed(project, contains="A_b")] == [PAPER]
    assert entities.listed(project, contains="a%b") == () and entities.listed(project, least=3) == ()
    assert [one.documents for one in entities.listed(project, documents=[a])] == [1, 1]
    assert {(one.document, one.mention.role) for one in entities.mentions(project, "  JANE Doe")} == {
        (a, MentionRole.AUTHOR),
        (b, MentionRole.AUTHOR),
    }
    shared = {(one.document, one.entity, one.role, one.other_role) for one in entities.shared(project, a, 10)}
    assert shared == {
        (b, JANE, MentionRole.AUTHOR, MentionRole.AUTHOR),
        (b, PAPER, MentionRole.MENTION, MentionRole.OWN),
    }
    assert entities.shared(project, a, 1) == ()
    assert len(entities.everywhere(project)) == 4 and len(entities.of_document(project, b)) == 2


def test_an_entity_goes_with_the_last_document_that_names_it(store: Store, notes: Collection) -> None:
    a, b = put(store, notes, "a.md"), put(store, notes, "b.md")
    read(
        store,
        notes,
        {"a.md": [(JANE, MentionRole.MENTION), (PAPER, MentionRole.MENTION)], "b.md": [(JANE, MentionRole.MENTION)]},
    )
    with store.transaction():
        store.documents.remove(notes.project_id, a)
    assert [one.entity for one in store.entities.listed(notes.project_id)] == [JANE]
    put(store, notes, "b.md", "# A\n\nNobody.")
    assert store.entities.count(notes.project_id) == 0
    assert [one.document_id for one in store.entities.unread(notes.project_id, MAKER)] == [b]


def test_what_was_read_from_another_text_is_not_written(store: Store, notes: Collection) -> None:
    put(store, notes, "a.md")
    (before,) = store.entities.unread(notes.project_id, MAKER)
    put(store, notes, "a.md", "# A\n\nAnother.")
    with store.transaction():
        read_before = [ReadDocument(before, (Mention(JANE, MentionRole.MENTION, 1, Span(0, 4)),))]
        assert store.entities.put(notes.project_id, MAKER, read_before) == 0
    assert store.entities.count(notes.project_id) == 0


def test_documents_are_filtered_by_what_they_name(store: Store, notes: Collection) -> None:
    a, b = put(store, notes, "a.md"), put(store, notes, "b.md")
    read(store, notes, {"a.md": [(JANE, MentionRole.MENTION)]})

    def met(comparison: str, value: str = "") -> set[DocumentId]:
        filters = Filters(where=(PropertyCondition("mentions", comparison, value),))  # type: ignore[arg-type]
        return {document.id for document in store.documents.listed(notes.project_id, filters)}

    assert met("=", "JANE  doe") == {a} and met("!=", "Jane Doe") == {b}
    assert met("has") == {a} and met("lacks") == {b} and met("=", "John Doe") == set()


def test_links_between_sections_last_as_long_as_both(store: Store, notes: Collection) -> None:
    a, b = put(store, notes, "a.md", "# Keys\n\nOne."), put(store, notes, "b.md", "# Locks\n\nTwo.")
    sections = {
        document: section for _, document, section, level in store.entities.section_chunks(notes.project_id) if level
    }
    with store.transaction():
        store.entities.put_section_links(notes.project_id, [(a, sections[a], b, sections[b], 0.9)])
    (link,) = store.entities.section_links(notes.project_id, b)
    assert (link.source, link.source_title, link.target, link.target_title, link.weight) == (a, "Keys", b, "Locks", 0.9)
    put(store, notes, "b.md", "# Doors\n\nTwo.")
    assert store.entities.section_links(notes.project_id) == ()


def test_clearing_leaves_nothing_and_everything_to_read(store: Store, notes: Collection) -> None:
    put(store, notes, "a.md")
    read(store, notes, {"a.md": [(JANE, MentionRole.MENTION)]})
    with store.transaction():
        assert store.entities.clear(notes.project_id) == 1
    assert store.entities.count(notes.project_id) == 0
    assert store.entities.unread_count(notes.project_id, MAKER) == 1
