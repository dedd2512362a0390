"""Entities of a whole library: found, shown, kept up with the documents, and by a model only within its budget."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.engine.maintenance.maintenance_advisories import advisories
from octavo.engine.wiring import open_library
from octavo.errors import NotFound, OctavoError
from octavo.jobs.entity_finding import EntitySettings, find_entities
from octavo.jobs.handlers import handlers
from octavo.model.entity import EntityKind
from octavo.model.job import JobKind, JobState
from octavo.model.language_model_calls import Completion, Usage
from octavo.model.language_model_settings import Prices
from octavo.model.link_graph import ENTITIES, EdgeType
from octavo.observability.progress import NoProgress
from octavo.operations.graph.graph_export_and_cluster_map import graph_export
from octavo.operations.graph.links_entities_and_communities import (
    graph_build,
    graph_entities,
    graph_mentions,
    graph_neighbors,
    graph_related,
)
from octavo.operations.graph.requests import (
    GraphBuildRequest,
    GraphEntitiesRequest,
    GraphExportRequest,
    GraphMentionsRequest,
    GraphNeighborsRequest,
    GraphRelatedRequest,
)
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

NOTES = {
    "paper.md": "---\nauthor: Jane Doe\ndoi: 10.1000/heron\n---\n# Herons\n\nHerons stand in the shallow water.\n",
    "plan.md": "---\nauthor: Doe, Jane\n---\n# Plan\n\nPeter Kowalski reads 10.1000/HERON in Lisbon, OPS-17.\n",
    "diary.md": "# Diary\n\nMet Peter Kowalski again; the tides were low.\n",
}
ONLY_ENTITIES = GraphBuildRequest(communities=False, thematic_links=False, wait=True)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        yield engine


def build(engine: Engine, request: GraphBuildRequest = ONLY_ENTITIES) -> int | None:
    return graph_build(engine, request, NoProgress()).entities


def names(engine: Engine, **values: object) -> list[str]:
    return [found.name for found in graph_entities(engine, GraphEntitiesRequest(**values)).entities]  # type: ignore[arg-type]


def test_entities_are_listed_once_somebody_has_looked_for_them(engine: Engine) -> None:
    assert graph_entities(engine, GraphEntitiesRequest()).found_at is None
    assert graph_mentions(engine, GraphMentionsRequest("Jane Doe")).found_at is None
    assert build(engine) == 5
    assert names(engine) == ["10.1000/heron", "Jane Doe", "Peter Kowalski", "Lisbon", "OPS-17"]
    assert names(engine, entity_kinds=("place",)) == ["Lisbon"] and names(engine, contains="kowal") == [
        "Peter Kowalski"
    ]
    assert names(engine, where=("author=Jane Doe",)) == ["10.1000/heron", "Jane Doe"]


def test_a_mention_is_shown_with_its_line_and_the_words_around_it(engine: Engine) -> None:
    build(engine)
    found = graph_mentions(engine, GraphMentionsRequest("peter kowalski"))
    assert (found.name, found.kinds, found.documents) == ("Peter Kowalski", ("person",), 2)
    assert [(one.place, one.line) for one in found.mentions] == [("notes/diary.md", 3), ("notes/plan.md", 6)]
    assert found.mentions[0].context == "# Diary Met Peter Kowalski again; the tides were low."
    with pytest.raises(NotFound):
        graph_mentions(engine, GraphMentionsRequest("Nobody"))


def test_neighbours_have_entities_authors_in_common_and_what_their_references_lead_to(engine: Engine) -> None:
    build(engine)
    edges = graph_neighbors(engine, GraphNeighborsRequest("plan.md")).edges
    assert {(edge.direction, edge.type, edge.target, edge.entity) for edge in edges} == {
        ("in", "mentioned_in", "Jane Doe", "person"),
        ("in", "mentioned_in", "Peter Kowalski", "person"),
        ("in", "mentioned_in", "Lisbon", "place"),
        ("in", "mentioned_in", "OPS-17", "identifier"),
        ("out", "references", "10.1000/heron", "doi"),
        ("both", "same_author", "paper.md", "person"),
        ("out", "references", "paper.md", "doi"),
    }
    back = graph_neighbors(
        engine, GraphNeighborsRequest("paper.md", types=(EdgeType.REFERENCES.value,), direction="in")
    )
    assert [(edge.direction, edge.place) for edge in back.edges] == [("in", "notes/plan.md")]


def test_documents_are_related_by_what_they_name(engine: Engine) -> None:
    build(engine)
    why = {
        one.place: one.why for one in graph_related(engine, GraphRelatedRequest("plan.md", by_meaning=False)).documents
    }
    assert why == {"notes/paper.md": ("referred to from here",), "notes/diary.md": ("also names Peter Kowalski",)}


def test_a_search_is_confined_to_what_names_somebody(engine: Engine) -> None:
    asked = SearchRequest("tides water heron Lisbon", where=("mentions=peter kowalski",))
    before = search(engine, asked)
    assert not before.hits
    assert before.excluding == "no document is known to mention peter kowalski"
    assert before.degraded == ("mentions: nobody has looked for entities yet; run `octavo graph build`",)
    build(engine)
    found = search(engine, asked)
    assert {hit.uri for hit in found.hits} <= {"plan.md", "diary.md"} and found.hits
    assert not found.degraded


def test_an_export_has_the_entities_that_two_documents_name(engine: Engine) -> None:
    build(engine)
    text = graph_export(engine, GraphExportRequest()).text or ""
    assert "entity:person:jane doe" in text and "same_author" in text and "Lisbon" not in text
    assert "entity:" not in (graph_export(engine, GraphExportRequest(entities=False)).text or "")


def test_what_comes_changes_or_goes_is_read_again_by_a_job(engine: Engine, tmp_path: Path) -> None:
    build(engine)
    (tmp_path / "notes" / "diary.md").write_text("# Diary\n\nMet Anna Lindqvist.\n", "utf-8")
    (tmp_path / "notes" / "plan.md").unlink()
    engine.index()
    assert names(engine) == ["10.1000/heron", "Jane Doe"]
    (job,) = [
        job for job in engine.store.outbox.jobs(engine.project.id, (JobState.READY,)) if job.kind is JobKind.ENTITIES
    ]
    handlers(engine)[JobKind.ENTITIES](job)
    assert names(engine) == ["10.1000/heron", "Anna Lindqvist", "Jane Doe"]


def test_a_note_about_somebody_makes_them_known_in_what_was_read_before(engine: Engine, tmp_path: Path) -> None:
    build(engine)
    (tmp_path / "notes" / "tides.md").write_text("---\ntype: project\n---\n# Tides\n\nAll about them.\n", "utf-8")
    (tmp_path / "notes" / "log.md").write_text("# Log\n\nTides is late.\n", "utf-8")
    engine.index()
    assert build(engine) == 6
    assert names(engine, entity_kinds=("project",)) == ["Tides"]


class _Finder:
    """A model that finds one name that is there and one that is not."""

    maker, prices = "scripted", Prices()

    def tokens(self, title: str, text: str) -> int:
        return 100

    def names(self, title: str, text: str) -> tuple[tuple[tuple[EntityKind, str], ...], Completion]:
        found = ((EntityKind.PROJECT, "shallow water"), (EntityKind.PERSON, "Invented Person"))
        return found, Completion("", Usage(60, 40))


class _Work:
    def __init__(self, engine: Engine, finder: _Finder | None) -> None:
        self.store, self.project, self._finder = engine.store, engine.project, finder

    def entity_finder(self) -> _Finder | None:
        return self._finder


def test_what_a_model_finds_counts_where_it_stands_and_within_the_budget(engine: Engine) -> None:
    found = find_entities(_Work(engine, _Finder()), EntitySettings(by_model=True, budget=250))
    assert (found.documents, found.calls, found.left) == (2, 2, 1) and "budget" in found.stopped
    find_entities(_Work(engine, _Finder()), EntitySettings(by_model=True, budget=1_000))
    assert "shallow water" in names(engine) and "Invented Person" not in names(engine)
    assert engine.store.graph.runs(engine.project.id)[ENTITIES].facts == {"by_model": 1, "budget": 900}


def test_a_model_is_not_asked_without_one_or_without_a_budget(engine: Engine) -> None:
    with pytest.raises(OctavoError, match="summarise"):
        build(engine, replace(ONLY_ENTITIES, entities_by="model"))


def test_a_job_of_entities_that_was_given_up_is_told(engine: Engine) -> None:
    with engine.store.transaction():
        engine.store.outbox.enqueue(engine.project.id, JobKind.ENTITIES, ENTITIES, {})
        claimed = engine.store.outbox.claim(engine.project.id, "w", lease_seconds=9, limit=9, max_attempts=2)
        for job in claimed:
            engine.store.outbox.fail(job, "broken", None)
    said = [advisory.message for advisory in advisories(engine, engine.store.embeddings.chunks(engine.project.id))]
    assert "looking for entities was given up" in said
