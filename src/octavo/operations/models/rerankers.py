"""Which reranker reads a project's best passages again: one made here, or else the configuration's."""

from __future__ import annotations

from pathlib import Path

from octavo.embedding.installed_models import InstalledModel, bundled_cross_encoder, model_named, models_folder
from octavo.engine.engine import Engine
from octavo.model.location import expand_user


def activate_reranker(engine: Engine, name: str | None) -> None:
    """At once: nothing has to be embedded anew. None leaves the choice to the configuration."""
    with engine.store.transaction():
        engine.store.catalog.choose_reranker(engine.project.id, name)


def chosen_reranker(engine: Engine) -> str:
    """The name of the one that was activated; empty where the configuration decides."""
    return engine.store.catalog.reranker(engine.project.id) or ""


def reranker_folder(engine: Engine, name: str) -> Path:
    """Of a reranker by its name; without one, of the configuration's."""
    shipped = bundled_cross_encoder()
    if name and name != shipped.name:
        return model_named(models_folder(), name).path
    config = engine.library.config
    configured = None if config is None or name else config.reranking.model
    return shipped.path if configured is None else expand_user(configured)


def is_active(engine: Engine, model: InstalledModel) -> bool:
    chosen = chosen_reranker(engine)
    return model.name == chosen or (not chosen and reranker_folder(engine, "") == model.path)


def users_of(engine: Engine, name: str) -> list[str]:
    """The projects of the library that have a reranker activated."""
    catalog = engine.store.catalog
    return [project.name for project in catalog.projects() if catalog.reranker(project.id) == name]
