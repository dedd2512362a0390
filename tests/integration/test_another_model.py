"""A library that another model made, such as an earlier Octavo's: upgraded on request, and never mixed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tiny import tiny_folder

from octavo.config.schema import Jobs
from octavo.embedding.bundled_embedder import bundled_embedder
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import NotIndexed, RecipeMismatch
from octavo.model.query import Query
from octavo.model.search_result import Result
from octavo.observability.progress import NoProgress
from octavo.operations.graph.graph_export_and_cluster_map import cluster_build
from octavo.operations.graph.requests import ClusterBuildRequest
from octavo.operations.jobs.list_retry_and_run_jobs import work
from octavo.operations.library.status import full_status
from octavo.operations.models.list_fetch_train_and_activate import models_activate, models_list
from octavo.operations.models.requests import ModelsActivateRequest, ModelsListRequest
from octavo.retrieval.profiles_by_name import PROFILES

if TYPE_CHECKING:
    from postgres_server import Server

NOTES = {
    "rain.md": "# Rain\n\nThe shutter is closed when drops fall.\n",
    "bread.md": "# Bread\n\nThe dough rises in a warm kitchen.\n",
    "road.md": "# Road\n\nThe gravel is spread before winter.\n",
}


def vault_in(folder: Path) -> Path:
    vault = folder / "vault"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, encoding="utf-8")
    return vault


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Made with a model of its own, which is not there any more when the library is opened again."""
    vault, path = vault_in(tmp_path), tmp_path / "library.db"
    base = tiny_folder(tmp_path / "tiny", list(NOTES.values()))
    settings = {"embedding.provider": "onnx", "embedding.model": str(base)}
    with open_library(path, create=True, settings=settings) as engine:
        engine.add_collection("vault", vault)
        engine.index()
    return path


def by_meaning(engine: Engine) -> list[str]:
    return [hit.title for hit in engine.search(Query("baking"), PROFILES["dense_only"]).hits]


def state_of_bundled(engine: Engine) -> str:
    return models_list(engine, ModelsListRequest()).models[0].state


def test_another_model_is_refused_by_name_and_nothing_is_embedded_beside_the_old_vectors(library: Path) -> None:
    with open_library(library) as engine:
        made = engine.store.catalog.recipe(engine.project.id)
        with pytest.raises(RecipeMismatch, match=r"built with octavo/tiny .* says octavo/octavo-encoder-2") as told:
            engine.index()
        assert "octavo models activate octavo-encoder-2" in (told.value.hint or "")
        assert engine.freshness().full_vectors == 0.0
        assert engine.store.catalog.recipe(engine.project.id) == made
        assert [advisory.command for advisory in full_status(engine).advisories] == [
            "octavo models activate octavo-encoder-2"
        ]


def test_vectors_of_another_model_are_never_compared(library: Path) -> None:
    with open_library(library) as engine:
        assert by_meaning(engine) == []


def test_a_library_of_another_model_is_upgraded_when_that_is_asked_for(library: Path) -> None:
    with open_library(library) as engine:
        assert state_of_bundled(engine) == "idle"
        assert models_activate(engine, ModelsActivateRequest("octavo-encoder-2")).job
        work(engine, Jobs(), threading.Event())
        engine.follow_active_profile()
        recipe = engine.store.catalog.recipe(engine.project.id)
        assert recipe is not None
        assert recipe.embedding == bundled_embedder().profile
        assert engine.freshness().full_vectors == 1.0
        assert state_of_bundled(engine) == "active"
        assert by_meaning(engine)[0] == "Bread"
        engine.index()
        assert engine.freshness().full_vectors == 1.0


@pytest.fixture(params=["sqlite", "postgresql"])
def of_the_encoder_before(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Made with the encoder that shipped before, by its name."""
    server: Server | None = None if request.param == "sqlite" else request.getfixturevalue("postgres")
    url = None if server is None else server.database()
    location = str(tmp_path / "library.db") if url is None else url.secret
    base = tiny_folder(tmp_path / "before", list(NOTES.values()))
    described = json.loads((base / "model.json").read_text("utf-8"))
    described |= {"name": "octavo-encoder-1", "model": "octavo/octavo-encoder-1"}
    (base / "model.json").write_text(json.dumps(described), "utf-8")
    settings = {"embedding.provider": "onnx", "embedding.model": str(base)}
    with open_library(location, create=True, settings=settings) as engine:
        engine.add_collection("vault", vault_in(tmp_path))
        engine.index()
    yield location
    if server is not None and url is not None:
        server.drop(url)


def test_a_library_of_the_encoder_before_is_searched_by_words_and_told_what_to_do(
    of_the_encoder_before: str,
) -> None:
    with open_library(of_the_encoder_before) as engine:
        answer = engine.search(Query("gravel"), PROFILES["hybrid"])
        assert [hit.title for hit in answer.hits] == ["Road"]
        assert by_meaning(engine) == []
        (degraded,) = answer.degraded
        assert "octavo/octavo-encoder-1" in degraded and "`octavo index` embeds it anew" in degraded
        advised = full_status(engine).advisories
        assert [advisory.command for advisory in advised] == ["octavo index"]
        assert "octavo/octavo-encoder-1" in advised[0].message
        with pytest.raises(NotIndexed, match="made by octavo/octavo-encoder-1") as refused:
            cluster_build(engine, ClusterBuildRequest())
        assert "`octavo index`" in str(refused.value.hint)


class SearchedMeanwhile(NoProgress):
    """Searches by another connection after every step of a run."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.answers = engine, list[Result]()

    def advance(self, n: int = 1, note: str = "") -> None:
        self.answers.append(self.engine.search(Query("gravel"), PROFILES["hybrid"]))


def test_a_library_of_the_encoder_before_is_embedded_anew_by_indexing_while_it_is_searched(
    of_the_encoder_before: str,
) -> None:
    with open_library(of_the_encoder_before) as engine, open_library(of_the_encoder_before) as reader:
        assert by_meaning(reader) == []
        meanwhile = SearchedMeanwhile(reader)
        engine.index(progress=meanwhile)
        assert len(meanwhile.answers) > 1
        assert {answer.hits[0].title for answer in meanwhile.answers} == {"Road"}
        recipe = engine.store.catalog.recipe(engine.project.id)
        assert recipe is not None
        assert recipe.embedding == bundled_embedder().profile
        assert engine.freshness().full_vectors == 1.0
        assert by_meaning(reader)[0] == "Bread"
        assert reader.search(Query("gravel"), PROFILES["hybrid"]).degraded == ()
        assert full_status(engine).advisories == ()


def test_a_library_goes_on_with_the_encoder_before_where_its_folder_is_kept(
    of_the_encoder_before: str, tmp_path: Path
) -> None:
    settings = {"embedding.provider": "onnx", "embedding.model": str(tmp_path / "before")}
    with open_library(of_the_encoder_before, settings=settings) as engine:
        engine.index()
        assert engine.freshness().full_vectors == 1.0
        assert engine.search(Query("gravel"), PROFILES["hybrid"]).degraded == ()
