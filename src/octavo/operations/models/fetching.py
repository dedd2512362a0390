"""Fetching a model's files that a manifest names, and nothing else."""

from __future__ import annotations

import os

from octavo.config.load import user_file
from octavo.embedding.model_download import FetchedModel, fetch_model
from octavo.engine.engine import Engine
from octavo.model.library_location import expand_user
from octavo.observability.progress import Progress
from octavo.operations.models.requests import ModelsFetchRequest


def models_fetch(engine: Engine, request: ModelsFetchRequest, progress: Progress | None = None) -> FetchedModel:
    # Next to the user's configuration: what is fetched is the user's own choice, never a project's.
    manifest = user_file(os.environ).parent / "models.toml"
    return fetch_model(request.name, manifest, expand_user(request.manifest) if request.manifest else None, progress)
