"""A library that another model made, such as an earlier Octavo's: upgraded on request, and never mixed."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tiny import tiny_folder

from octavo.config.schema import Jobs
from octavo.embedding.bundled import bundled_embedder
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import RecipeMismatch
from octavo.model.query import Query
from octavo.operations.jobs.working import work
from octavo.operations.library.status import full_status
from octavo.operations.models.catalog import models_activate, models_list
from octavo.operations.models.requests import ModelsActivateRequest, ModelsListRequest
from octavo.retrieval.profiles import PROFILES

NOTES = {
    "rain.md": "# Rain\n\nThe shutter is closed when drops fall.\n",
    "bread.md": "# Bread\n\nThe dough rises in a warm kitchen.\n",
    "road.md": "# Road\n\nThe gravel is spread before winter.\n",
}


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Made with a model of its own, which is not there any more when the library is opened again."""
    vault, path = tmp_path / "vault", tmp_path / "library.db"
    vault.mkdir()
    for name, text in NOTES.items():
        (vault / name).write_text(text, encoding="utf-8")
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
        with pytest.raises(RecipeMismatch, match=r"built with octavo/tiny .* says octavo/octavo-encoder-1") as told:
            engine.index()
        assert "octavo models activate octavo-encoder-1" in (told.value.hint or "")
        assert engine.freshness().full_vectors == 0.0
        assert engine.store.catalog.recipe(engine.project.id) == made
        assert [advisory.command for advisory in full_status(engine).advisories] == [
            "octavo models activate octavo-encoder-1"
        ]


def test_vectors_of_another_model_are_never_compared(library: Path) -> None:
    with open_library(library) as engine:
        assert by_meaning(engine) == []


def test_a_library_of_another_model_is_upgraded_when_that_is_asked_for(library: Path) -> None:
    with open_library(library) as engine:
        assert state_of_bundled(engine) == "idle"
        assert models_activate(engine, ModelsActivateRequest("octavo-encoder-1")).job
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
