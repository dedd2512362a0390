"""Summaries of sections and files: made without a model or by one, resumed, budgeted, and searched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from language_model_services import ModelService, model_served

from octavo.config.schema import Jobs
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument
from octavo.jobs.summary_making import estimate, make_summaries
from octavo.model.job import JobKind, JobState
from octavo.model.query import Filters, Query
from octavo.model.search_result import Result, StageTrace
from octavo.model.summary import NodeType, SummarySettings
from octavo.observability.progress import NoProgress
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.summaries.build_show_and_clear_summaries import summaries_build, summaries_clear
from octavo.operations.summaries.requests import MODEL, SummariesBuildRequest, SummariesClearRequest
from octavo.retrieval.built_in_profiles.notes_and_documentation import HYBRID
from octavo.retrieval.profiles_by_name import PROFILES
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.query_weighted_fusion import BalancedFusion
from octavo.retrieval.stages.summary_recall_and_fusion import FileRecall, LevelFusion, SectionRecall

LONG = " ".join(f"The furnace number {number} in the cellar heats water for the house." for number in range(20))
NOTES = {
    "boiler.md": f"# Boiler\n\n{LONG}\n\n## Pump\n\nThe pump hums.\n",
    "garden.md": "# Garden\n\nTomatoes want sun and warm water in the evening.\n",
    "tools/rake.md": "# Rake\n\nIt stands behind the shed.\n",
}


@pytest.fixture
def service() -> Iterator[ModelService]:
    with model_served() as running:
        running.replies = ["A furnace and its pump."]
        yield running


@pytest.fixture
def engine(tmp_path: Path, service: ModelService) -> Iterator[Engine]:
    for name, text in NOTES.items():
        path = tmp_path / "notes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    settings = {"embedding.provider": "hashing", **service.settings()}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as opened:
        opened.add_collection("notes", tmp_path / "notes")
        opened.index()
        yield opened


def texts(engine: Engine, uri: str) -> dict[tuple[str, ...], str]:
    (document,) = engine.store.documents.find(engine.project.id, uri)
    found = engine.store.summaries.of_document(engine.project.id, document.id)
    return {(summary.node.value, *summary.heading_path): summary.text for _, summary in found}


def stage(result: Result, name: str) -> StageTrace:
    (found,) = (entry for entry in result.trace if entry.stage == name)
    return found


def test_sections_and_files_get_sentences_of_their_own_without_a_model(engine: Engine, service: ModelService) -> None:
    made = make_summaries(engine, SummarySettings())
    assert (made.documents, made.sections, made.calls, made.left) == (3, 4, 0, 0)
    found = texts(engine, "boiler.md")
    assert found[(NodeType.SECTION, "Boiler", "Pump")] == "The pump hums."
    assert all(sentence in LONG for sentence in found[(NodeType.SECTION, "Boiler")].split(". ")[:2])
    assert not service.seen
    assert make_summaries(engine, SummarySettings()).documents == 0, "nothing is made twice"


def test_a_search_finds_sections_and_files_and_shows_their_best_chunks(engine: Engine) -> None:
    make_summaries(engine, SummarySettings())
    result = engine.search(Query("tomatoes in the evening sun"), PROFILES["multi_vector"])
    assert result.hits[0].citation.uri == "garden.md"
    for level in ("dense_sections", "dense_files"):
        assert stage(result, level).returned and stage(result, level).detail["summaries"]
    narrowed = Query("water", filters=Filters(path_prefix="tools/"))
    hits = engine.search(narrowed, PROFILES["multi_vector"]).hits
    assert {hit.citation.uri for hit in hits} <= {"tools/rake.md"}


def test_without_summaries_a_search_says_so_and_answers_as_hybrid_does(engine: Engine) -> None:
    plain = engine.search(Query("warm water"), PROFILES["hybrid"])
    result = engine.search(Query("warm water"), PROFILES["multi_vector"])
    assert [hit.citation for hit in result.hits] == [hit.citation for hit in plain.hits]
    assert any("octavo summaries build" in part for part in result.degraded)


def test_a_model_summarises_what_is_long_and_is_priced_before(engine: Engine, service: ModelService) -> None:
    would = estimate(engine, SummarySettings(by_model=True))
    assert (would.documents, would.calls) == (3, 2) and would.tokens > 300 and not service.seen
    with pytest.raises(InvalidArgument, match="called 2 times"):
        summaries_build(engine, SummariesBuildRequest(by=MODEL), NoProgress())
    built = summaries_build(engine, SummariesBuildRequest(by=MODEL, budget=10_000, wait=True), NoProgress())
    assert (built.documents, built.left) == (3, 0) and built.tokens
    assert built.calls == len(service.seen) == 1, "the file is its only section, and nobody is asked twice"
    found = texts(engine, "boiler.md")
    assert found[(NodeType.FILE,)] == "A furnace and its pump."
    assert found[(NodeType.SECTION, "Boiler", "Pump")] == "## Pump The pump hums.", "too short to ask anybody"
    assert "| The furnace number 0" in str(service.bodies[0])


def test_a_budget_that_is_used_up_leaves_the_rest_for_later(engine: Engine, service: ModelService) -> None:
    built = summaries_build(engine, SummariesBuildRequest(by=MODEL, budget=5, wait=True), NoProgress())
    assert (built.documents, built.left) == (0, 3) and "budget of 5 tokens" in built.stopped
    assert not service.seen


def test_a_model_that_fails_half_way_leaves_what_it_has_done(engine: Engine, service: ModelService) -> None:
    (engine.location.parent / "notes" / "zinc.md").write_text(f"# Zinc\n\n{LONG} And zinc.\n", "utf-8")  # type: ignore[union-attr]
    engine.index()
    service.replies = [lambda said: "" if "And zinc." in said else "A furnace."]
    settings = SummarySettings(by_model=True, budget=100_000)
    made = make_summaries(engine, settings)
    assert (made.documents, made.left) == (3, 1) and "wrote no summary" in made.stopped
    service.replies = ["A metal."]
    assert make_summaries(engine, settings).documents == 1
    assert texts(engine, "zinc.md")[(NodeType.FILE,)] == "A metal."


def test_jobs_keep_summaries_up_to_date_once_somebody_asked_for_them(engine: Engine, tmp_path: Path) -> None:
    def waiting() -> list[JobKind]:
        return [job.kind for job in engine.store.outbox.jobs(engine.project.id, (JobState.READY,))]

    note = tmp_path / "notes" / "garden.md"
    note.write_text("# Garden\n\nBeans.\n", "utf-8")
    engine.index()
    assert JobKind.SUMMARIES not in waiting(), "nobody asked"
    make_summaries(engine, SummarySettings(sections=False))
    note.write_text("# Garden\n\nBeans climb.\n", "utf-8")
    engine.index()
    assert waiting().count(JobKind.SUMMARIES) == 1
    work(engine, Jobs())
    assert texts(engine, "garden.md") == {(NodeType.FILE,): "Beans climb."}
    assert summaries_clear(engine, SummariesClearRequest()).summaries == 3
    note.write_text("# Garden\n\nPeas.\n", "utf-8")
    engine.index()
    assert JobKind.SUMMARIES not in waiting()


def test_ranks_of_all_levels_decide_the_order_and_scores_stay_those_of_chunks(engine: Engine) -> None:
    make_summaries(engine, SummarySettings())
    query = Query("water from the pump of the furnace", limit=20)
    chunks = RetrievalProfile("chunks", HYBRID.recall, BalancedFusion())
    levels = RetrievalProfile("levels", (*HYBRID.recall, SectionRecall(), FileRecall()), LevelFusion(sections=1_000.0))
    plain, fused = engine.candidates(query, chunks), engine.candidates(query, levels)
    assert [found.score for found in fused[: len(plain)]] == [found.score for found in plain]
    ranks = {step.rank: found.key for found in fused for step in found.steps if step.stage == "dense_sections"}
    assert fused[0].key == ranks[1]
