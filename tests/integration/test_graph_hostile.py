"""Links made to hurt: circles, self-links, a note that everything links to, targets that come and go."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.model.link_graph import Walk
from octavo.operations.graph.links_entities_and_communities import graph_neighbors, graph_related
from octavo.operations.graph.requests import GraphNeighborsRequest, GraphRelatedRequest
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest

MANY = 100_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


@pytest.fixture
def engine(tmp_path: Path, folder: Path) -> Iterator[Engine]:
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        yield engine


def arrows(engine: Engine) -> set[tuple[str, str | None]]:
    uris = {node.document: node.uri for node in engine.store.graph.nodes(engine.project.id)}
    edges = engine.store.graph.edges(engine.project.id)
    return {(uris[edge.source], uris[edge.target] if edge.target else None) for edge in edges}


def write(folder: Path, **notes: str) -> None:
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, "utf-8")


def test_circles_and_self_links_are_edges_like_others_and_end(engine: Engine, folder: Path) -> None:
    write(folder, a="[[a]] [[b]] [[#Top]]\n# Top\n", b="[[c]]", c="[[a]] [[c]]")
    engine.index()
    assert arrows(engine) == {("a.md", "a.md"), ("a.md", "b.md"), ("b.md", "c.md"), ("c.md", "a.md"), ("c.md", "c.md")}
    found = graph_neighbors(engine, GraphNeighborsRequest("a.md", hops=4))
    assert {edge.place for edge in found.edges if edge.direction == "in"} == {"notes/c.md"}
    assert {document.place for document in graph_related(engine, GraphRelatedRequest("a.md")).documents} == {
        "notes/b.md",
        "notes/c.md",
    }


def test_a_target_may_go_and_come_back_and_links_with_it(engine: Engine, folder: Path) -> None:
    write(folder, a="see [[b]]", b="# B\n\nfirst text\n")
    engine.index()
    assert arrows(engine) == {("a.md", "b.md")}
    (folder / "b.md").unlink()
    engine.index()
    assert arrows(engine) == {("a.md", None)}
    assert [one.path for one in engine.store.graph.ghosts(engine.project.id, 9)] == ["b"]
    write(folder, b="# B\n\nsecond text\n")
    engine.index()
    assert arrows(engine) == {("a.md", "b.md")}
    assert engine.store.check() == ()


def test_links_do_not_follow_a_file_that_is_renamed_on_disk(engine: Engine, folder: Path) -> None:
    write(folder, a="see [[b]]", b="# B\n\nwhat b says, see [[a]]\n")
    engine.index()
    (folder / "deep").mkdir()
    (folder / "b.md").rename(folder / "deep" / "renamed.md")
    report = engine.index()
    assert report.collections[0].moved == 1
    assert arrows(engine) == {("a.md", None), ("deep/renamed.md", "a.md")}  # as in a library made anew
    write(folder, b="# Another b\n")
    engine.index()
    assert arrows(engine) == {("a.md", "b.md"), ("deep/renamed.md", "a.md")}


def test_what_points_at_a_document_is_told_with_it(engine: Engine, folder: Path) -> None:
    write(folder, a="# A\n\n[[hub]]\n", b="[[hub]] [[hub]]", hub="# Hub\n\n[[hub]]\n")
    engine.index()
    assert get(engine, GetRequest("hub.md")).backlinks == ("notes/a.md", "notes/b.md")
    assert get(engine, GetRequest("a.md")).backlinks == ()


def test_a_link_counts_however_many_others_there_are(engine: Engine, folder: Path) -> None:
    write(folder, hub="# Hub\n", **{f"n{number}": "[[hub]] again\n" * 60 for number in range(4)})
    engine.index()
    found = graph_related(engine, GraphRelatedRequest("hub.md", by_meaning=False)).documents
    assert {(one.place, one.score, one.why) for one in found} == {
        (f"notes/n{number}.md", 0.5, ("linked here",)) for number in range(4)
    }


def test_a_hundred_thousand_links_to_one_note_cost_bounded_time(engine: Engine, folder: Path) -> None:
    """From two hundred notes, five hundred links each; afterwards every look at the hub is as quick as at any other."""
    for number in range(200):
        lines = "\n".join(f"{number} see [[hub]] about it" for number in range(MANY // 200))
        (folder / f"n{number}.md").write_text(lines, "utf-8")
    started = time.process_time()
    engine.index(embed=False)
    first = time.process_time() - started
    write(folder, hub="# Hub\n\n[[n1]]\n")
    started = time.process_time()
    engine.index(embed=False)
    appeared = time.process_time() - started
    hub = engine.store.documents.find(engine.project.id, "hub.md")[0]
    assert engine.store.graph.back_count(engine.project.id, hub.id) == (MANY, 200)
    assert first < 120
    assert appeared < first / 2, "a target that appears settles its references, not every link"
    started = time.process_time()
    reached = engine.store.graph.walk(engine.project.id, {hub.id: 1.0}, Walk(hops=3))
    neighbours = graph_neighbors(engine, GraphNeighborsRequest("hub.md", hops=3))
    told = get(engine, GetRequest("hub.md"))
    assert time.process_time() - started < 5
    assert reached and len(neighbours.edges) <= 60 and neighbours.backlinks == MANY
    assert told.backlinks
    (folder / "hub.md").unlink()
    started = time.process_time()
    engine.index(embed=False)
    assert time.process_time() - started < first / 2
    assert arrows(engine) == {(f"n{number}.md", None) for number in range(200)}
