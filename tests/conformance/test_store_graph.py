"""The graph: links as written, what they mean as documents come, go and move, and what is computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import samples
from set_clock import SetClock

from octavo.graph.edge_extraction import linked
from octavo.model.document import Document, Kind, Link, LinkKind
from octavo.model.ids import DocumentId, document_id
from octavo.model.link_graph import (
    COMMUNITIES,
    THEMATIC_LINKS,
    Drift,
    Edge,
    EdgeType,
    Ghost,
    Reached,
    ThematicLink,
    Walk,
)
from octavo.model.normalised_text_and_spans import Span
from octavo.model.prepared_document import PreparedDocument
from octavo.model.projects_and_collections import Collection
from octavo.sql_repositories.store import Store


def sample(within: Collection, uri: str, *targets: str, **values: object) -> tuple[PreparedDocument, Document]:
    """A note that is nothing but its links, and the same with them."""
    text = " ".join(f"see [[{target}]] about it." for target in targets) or "nothing"
    prepared = samples.prepared(within, uri, text, **values)  # type: ignore[arg-type]
    links = []
    for target in targets:
        start = prepared.document.text.index(f"[[{target}]]")
        path, _, anchor = target.partition("#")
        links.append(Link(LinkKind.WIKILINK, path, anchor or None, None, Span(start, start + len(target) + 4)))
    return prepared, replace(prepared.document, links=tuple(links))


def put(store: Store, within: Collection, *notes: Sequence[str], **values: object) -> None:
    """Notes in one transaction: the uri, then what it links to."""
    with store.transaction():
        documents = []
        for uri, *targets in notes:
            prepared, document = sample(within, uri, *targets, **values)
            samples.put(store, within, prepared)
            documents.append(document)
        store.graph.put(within.project_id, within.id, [linked(document) for document in documents])


def remove(store: Store, within: Collection, uri: str) -> None:
    with store.transaction():
        store.documents.remove(within.project_id, name(within, uri))
        store.graph.resolve_references(within.project_id)


def move(store: Store, within: Collection, old: str, new: str, *targets: str) -> None:
    with store.transaction():
        prepared, document = sample(within, new, *targets)
        samples.move(store, within, old, prepared)
        store.graph.put(within.project_id, within.id, [linked(document)])


def name(within: Collection, uri: str) -> DocumentId:
    return document_id(within.project_id, within.id, uri)


def arrows(store: Store, within: Collection) -> set[tuple[str, str | None]]:
    """Who points at whom, by uri; None for what is not there."""
    uris = {one.document: one.uri for one in store.graph.nodes(within.project_id)}
    edges = store.graph.edges(within.project_id)
    return {(uris[edge.source], uris[edge.target] if edge.target else None) for edge in edges}


def uris(store: Store, within: Collection, edges: Sequence[Edge]) -> set[str]:
    known = {one.document: one.uri for one in store.graph.nodes(within.project_id)}
    return {known[edge.source] for edge in edges}


def test_a_link_is_an_edge_with_its_type_anchor_context_and_place(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b#Part"), ("b.md",))
    edge = Edge(
        source=name(notes, "a.md"),
        target=name(notes, "b.md"),
        type=EdgeType.LINKS_TO,
        weight=1.0,
        path="b",
        anchor="Part",
        context="see [[b#Part]] about it.",
        span=Span(4, 14),
        lookup=store.graph.edges(notes.project_id)[0].lookup,
    )
    assert store.graph.edges(notes.project_id) == (edge,)
    assert store.graph.out(notes.project_id, name(notes, "a.md")) == (edge,)
    assert store.graph.out(notes.project_id, name(notes, "b.md")) == ()
    assert store.graph.back(notes.project_id, name(notes, "b.md")) == (edge,)
    assert store.graph.back(notes.project_id, name(notes, "b.md"), types=[EdgeType.EMBEDS]) == ()
    assert store.graph.out(notes.project_id, name(notes, "a.md"), types=[EdgeType.LINKS_TO]) == (edge,)


def test_a_ghost_takes_shape_when_its_target_appears_and_is_one_again_when_it_goes(
    store: Store, notes: Collection
) -> None:
    put(store, notes, ("a.md", "b"), ("c.md", "B", "b"))
    assert arrows(store, notes) == {("a.md", None), ("c.md", None)}
    assert store.graph.ghosts(notes.project_id, 9) == (Ghost("B", 3, "a.md"),)
    pointing = store.graph.back_to_ghost(notes.project_id, "b.md")
    assert [(edge.target, edge.path.lower()) for edge in pointing] == [(None, "b")] * 3
    assert store.graph.back_to_ghost(notes.project_id, "elsewhere/b") == ()
    put(store, notes, ("deep/b.md",))
    assert arrows(store, notes) == {("a.md", "deep/b.md"), ("c.md", "deep/b.md")}
    assert store.graph.ghosts(notes.project_id, 9) == ()
    remove(store, notes, "deep/b.md")
    assert arrows(store, notes) == {("a.md", None), ("c.md", None)}
    put(store, notes, ("deep/b.md",))
    assert arrows(store, notes) == {("a.md", "deep/b.md"), ("c.md", "deep/b.md")}
    assert store.check() == ()


def test_a_better_target_takes_over_and_gives_back(store: Store, notes: Collection) -> None:
    put(store, notes, ("x/a.md", "b"), ("y/z/b.md",))
    assert arrows(store, notes) == {("x/a.md", "y/z/b.md")}
    put(store, notes, ("x/b.md",))
    assert arrows(store, notes) == {("x/a.md", "x/b.md")}
    remove(store, notes, "x/b.md")
    assert arrows(store, notes) == {("x/a.md", "y/z/b.md")}


def test_a_link_to_a_renamed_target_leads_nowhere_until_another_takes_its_name(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"), ("b.md", "a"))
    move(store, notes, "b.md", "new/name.md", "a")
    assert arrows(store, notes) == {("a.md", None), ("new/name.md", "a.md")}
    move(store, notes, "new/name.md", "newer/title.md", "a")
    assert arrows(store, notes) == {("a.md", None), ("newer/title.md", "a.md")}
    put(store, notes, ("b.md",))
    assert arrows(store, notes) == {("a.md", "b.md"), ("newer/title.md", "a.md")}
    move(store, notes, "newer/title.md", "deep/b.md", "a")
    remove(store, notes, "b.md")
    assert arrows(store, notes) == {("a.md", "deep/b.md"), ("deep/b.md", "a.md")}
    assert store.check() == ()


def test_what_a_document_pointed_at_before_is_forgotten_when_it_is_put_again(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b", "nowhere"), ("b.md",))
    put(store, notes, ("a.md", "c"))
    assert arrows(store, notes) == {("a.md", None)}
    assert store.graph.ghosts(notes.project_id, 9) == (Ghost("c", 1, "a.md"),)
    put(store, notes, ("a.md",))
    assert arrows(store, notes) == set()


def test_aliases_come_and_go_with_their_document(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "Nickname"))
    put(store, notes, ("b.md",), aliases=["Nickname"])
    assert arrows(store, notes) == {("a.md", "b.md")}
    put(store, notes, ("b.md",), aliases=["Other"])
    assert arrows(store, notes) == {("a.md", None)}


def test_backlinks_leave_out_the_document_itself_and_are_counted(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "a", "a#x"), ("b.md", "a", "a#y"), ("c.md", "a"))
    back = store.graph.back(notes.project_id, name(notes, "a.md"))
    assert uris(store, notes, back) == {"b.md", "c.md"}
    assert store.graph.back_count(notes.project_id, name(notes, "a.md")) == (3, 2)
    assert len(store.graph.back(notes.project_id, name(notes, "a.md"), limit=2)) == 2
    assert store.graph.back_count(notes.project_id, name(notes, "b.md")) == (0, 0)


def test_a_walk_goes_both_ways_and_fades_with_every_hop(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"), ("b.md", "c"), ("c.md", "d"), ("d.md",), ("z.md", "b"))
    reached = store.graph.walk(notes.project_id, {name(notes, "a.md"): 2.0}, Walk(hops=2, decay=0.5))
    assert reached == (
        Reached(name(notes, "b.md"), 1.0, 1),
        Reached(name(notes, "a.md"), 0.5, 2),
        Reached(name(notes, "c.md"), 0.5, 2),
        Reached(name(notes, "z.md"), 0.5, 2),
    )
    assert store.graph.walk(notes.project_id, {}, Walk()) == ()
    assert store.graph.walk(notes.project_id, {DocumentId("doc_none"): 1.0}, Walk()) == ()
    only = Walk(types=(EdgeType.EMBEDS,))
    assert store.graph.walk(notes.project_id, {name(notes, "a.md"): 2.0}, only) == ()


def test_a_walk_in_circles_ends(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b", "a"), ("b.md", "c"), ("c.md", "a"))
    reached = store.graph.walk(notes.project_id, {name(notes, "a.md"): 1.0}, Walk(hops=6, decay=1.0))
    assert {one.document for one in reached} == {name(notes, uri) for uri in ("a.md", "b.md", "c.md")}


def test_memories_mention_what_they_link_to(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"), kind=Kind.MEMORY)
    put(store, notes, ("b.md",))
    assert [one.type for one in store.graph.edges(notes.project_id)] == [EdgeType.MENTIONS]


def test_links_cross_into_other_collections_of_the_project_and_no_further(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"))
    other = samples.ensure(store, name="other")
    foreign = samples.ensure(store, project="foreign")
    put(store, foreign, ("b.md",))
    assert arrows(store, notes) == {("a.md", None)}
    put(store, other, ("b.md",))
    assert arrows(store, notes) == {("a.md", "b.md")}
    with store.transaction():
        store.catalog.remove_collection(notes.project_id, other.id)
        store.graph.resolve_references(notes.project_id)
    assert arrows(store, notes) == {("a.md", None)}
    assert store.graph.edges(foreign.project_id) == ()
    assert store.check() == ()


def test_nodes_are_documents_with_their_tags(store: Store, notes: Collection) -> None:
    put(store, notes, ("b.md",), ("a.md",), tags=["Sea", "sky/moon"])
    nodes = store.graph.nodes(notes.project_id)
    assert [(node.collection, node.uri, node.kind, node.tags) for node in nodes] == [
        ("notes", "a.md", "note", ("Sea", "sky/moon")),
        ("notes", "b.md", "note", ("Sea", "sky/moon")),
    ]
    assert [one.uri for one in store.graph.nodes(notes.project_id, [name(notes, "b.md")])] == ["b.md"]


def test_thematic_links_are_replaced_whole_and_walked(store: Store, notes: Collection, clock: SetClock) -> None:
    put(store, notes, ("a.md",), ("b.md",), ("c.md",))
    a, b, c = (name(notes, uri) for uri in ("a.md", "b.md", "c.md"))
    with store.transaction():
        store.graph.put_thematic(notes.project_id, [ThematicLink(a, b, 0.5), ThematicLink(a, c, 0.9)], {})
    with store.transaction():
        store.graph.put_thematic(notes.project_id, [ThematicLink(a, b, 0.8)], {"threshold": 0.7})
    assert store.graph.thematic(notes.project_id) == (ThematicLink(a, b, 0.8),)
    assert store.graph.thematic(notes.project_id, b) == (ThematicLink(a, b, 0.8),)
    assert store.graph.thematic(notes.project_id, c) == ()
    assert store.graph.walk(notes.project_id, {b: 1.0}, Walk(hops=1, decay=0.5)) == (Reached(a, 0.4, 1),)
    links_only = Walk(hops=1, types=(EdgeType.LINKS_TO,))
    assert store.graph.walk(notes.project_id, {b: 1.0}, links_only) == ()
    assert store.graph.runs(notes.project_id)[THEMATIC_LINKS].facts == {"threshold": 0.7}
    assert store.graph.runs(notes.project_id)[THEMATIC_LINKS].at == clock.now
    remove(store, notes, "b.md")
    assert store.graph.thematic(notes.project_id) == ()


def test_communities_are_replaced_whole_and_lose_what_goes(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md",), ("b.md",), ("c.md",))
    a, b, c = (name(notes, uri) for uri in ("a.md", "b.md", "c.md"))
    with store.transaction():
        store.graph.put_communities(notes.project_id, {a: 9, b: 9}, {})
    with store.transaction():
        store.graph.put_communities(notes.project_id, {a: 0, b: 1, c: 1}, {"modularity": 0.5})
    assert store.graph.communities(notes.project_id) == {a: 0, b: 1, c: 1}
    assert store.graph.communities(notes.project_id, [c]) == {c: 1}
    assert store.graph.runs(notes.project_id)[COMMUNITIES].facts == {"modularity": 0.5}
    remove(store, notes, "b.md")
    assert store.graph.communities(notes.project_id) == {a: 0, c: 1}


def test_a_graph_drifts_by_what_comes_changes_and_goes(store: Store, notes: Collection, clock: SetClock) -> None:
    put(store, notes, ("a.md",), ("b.md", "a"), ("c.md",))
    put(store, notes, ("1.commit",), kind=Kind.COMMIT)
    numbers = {name(notes, uri): 0 for uri in ("a.md", "b.md", "c.md")}
    with store.transaction():
        store.graph.put_communities(notes.project_id, numbers, {})
    found_at = clock.now
    assert store.graph.drift(notes.project_id, found_at) == Drift(documents=3, changed=0, grouped=3, links=1)
    clock.now += 60
    put(store, notes, ("b.md", "c"), ("d.md",))
    put(store, notes, ("2.commit",), kind=Kind.COMMIT)
    remove(store, notes, "c.md")
    assert store.graph.drift(notes.project_id, found_at) == Drift(documents=3, changed=2, grouped=2, links=0)


def test_edges_are_told_without_some_of_their_types(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"), ("b.md",))
    assert store.graph.edges(notes.project_id, (EdgeType.CHANGES,)) == store.graph.edges(notes.project_id)
    assert store.graph.edges(notes.project_id, (EdgeType.CHANGES, EdgeType.LINKS_TO)) == ()


def test_what_is_rolled_back_leaves_no_edge(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"))
    try:
        with store.transaction():
            prepared, document = sample(notes, "b.md", "a")
            samples.put(store, notes, prepared)
            store.graph.put(notes.project_id, notes.id, [linked(document)])
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert arrows(store, notes) == {("a.md", None)}


def test_references_are_stale_from_a_change_until_they_are_resolved(store: Store, notes: Collection) -> None:
    put(store, notes, ("a.md", "b"))
    assert not store.graph.has_stale_references(notes.project_id)
    with store.transaction():
        prepared, document = sample(notes, "b.md")
        samples.put(store, notes, prepared)
        store.graph.put(notes.project_id, notes.id, [linked(document)], resolve=False)
    assert store.graph.has_stale_references(notes.project_id)
    with store.transaction():
        store.graph.resolve_references(notes.project_id)
    assert not store.graph.has_stale_references(notes.project_id)
    assert arrows(store, notes) == {("a.md", "b.md")}


def test_chunks_are_told_with_the_documents_they_are_of(store: Store, notes: Collection) -> None:
    with store.transaction():
        first = samples.put(store, notes, samples.prepared(notes, "a.md", "one", "two"))
        second = samples.put(store, notes, samples.prepared(notes, "b.md", "three"))
    of_first = [(key, name(notes, "a.md")) for key in first]
    assert set(store.graph.chunks(notes.project_id)) == {*of_first, (second[0], name(notes, "b.md"))}
    assert set(store.graph.chunks(notes.project_id, name(notes, "a.md"))) == set(of_first)


def test_a_run_that_is_forgotten_leaves_the_others(store: Store, notes: Collection) -> None:
    with store.transaction():
        store.graph.note_run(notes.project_id, "summaries", {"made": 1})
        store.graph.note_run(notes.project_id, "entities", {"made": 2})
    with store.transaction():
        store.graph.forget_run(notes.project_id, "summaries")
    assert list(store.graph.runs(notes.project_id)) == ["entities"]
