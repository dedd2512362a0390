"""Records and resolves a project's reranker: one activated by name, or else the configuration's."""

from __future__ import annotations

from pathlib import Path

from octavo.embedding.installed_models import (
    NO_RERANKER,
    RERANKER_HINT,
    InstalledModel,
    ModelShown,
    model_named,
    models_folder,
)
from octavo.engine.engine import Engine
from octavo.errors import ModelUnavailable
from octavo.path_resolution_and_private_folders import expand_user


def activate_reranker(engine: Engine, name: str | None) -> None:
    """At once: nothing has to be embedded anew. None leaves the choice to the configuration."""
    with engine.store.transaction():
        engine.store.catalog.choose_reranker(engine.project.id, name)


def activate_none(engine: Engine) -> ModelShown:
    activate_reranker(engine, None)
    return ModelShown(NO_RERANKER, "reranker", "active", "", 1, 0, "", "", {})


def chosen_reranker(engine: Engine) -> str:
    """The name of the one that was activated; empty where the configuration decides."""
    return engine.store.catalog.reranker(engine.project.id) or ""


def reranker_folder(engine: Engine, name: str) -> Path:
    """Of a reranker by its name; without one, of the configuration's."""
    if name:
        return model_named(models_folder(), name).path
    if (configured := _configured(engine)) is None:
        raise ModelUnavailable("no reranker is configured", hint=RERANKER_HINT)
    return configured


def is_active(engine: Engine, model: InstalledModel) -> bool:
    chosen = chosen_reranker(engine)
    return model.name == chosen or (not chosen and _configured(engine) == model.path)


def _configured(engine: Engine) -> Path | None:
    config = engine.library.config
    return None if config is None or config.reranking.model is None else expand_user(config.reranking.model)


def users_of(engine: Engine, name: str) -> list[str]:
    """The projects of the library that have a reranker activated."""
    catalog = engine.store.catalog
    return [project.name for project in catalog.projects() if catalog.reranker(project.id) == name]
