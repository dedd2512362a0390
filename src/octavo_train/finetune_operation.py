"""Fine-tune the encoder or the reranker, or fit a fast table, on a library's own content."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from octavo.embedding.installed_models import bundled, free_name, model_named, models_folder
from octavo.engine.engine import Engine
from octavo.engine.maintenance.library_wide_job_states import FINETUNE, recorded_run
from octavo.errors import InvalidArgument
from octavo.observability.progress import Progress
from octavo.operations.models.list_fetch_train_and_activate import chosen_reranker, reranker_folder
from octavo.operations.models.requests import ModelsFinetuneRequest
from octavo.operations.models.results import FinetuneAnswer
from octavo.operations.query_log.query_logging_and_listing import opened_passages
from octavo_train.trainable_model_checks import (
    ModelDirectory,
    base_directory,
    require_torch,
    reranker_directory,
    teacher_directory,
)
from octavo_train.training_pairs_from_document import PairKind, TrainingPair
from octavo_train.training_pairs_from_library import harvest, read_pairs

_LEAST = 50  # pairs to learn from: fewer teach nothing that holds elsewhere


def train_model(
    engine: Engine,
    request: ModelsFinetuneRequest,
    settings: Mapping[str, Any],
    progress: Progress,
    *,
    least: int = _LEAST,
) -> FinetuneAnswer:
    """`settings` are those of training, by name; with fewer than `least` pairs there is nothing to learn from."""
    # Before anything is read, so that a wrong name costs nothing.
    collections = [engine.collection(name) for name in request.collections] or list(engine.collections())
    free_name(models_folder(), request.name, replace=request.replace)
    require_torch()
    base = _reranker_base(engine, request) if request.reranker else base_directory(_base(engine, request.base))
    teacher = _teacher(request)
    given = read_pairs(Path(request.pairs).expanduser()) if request.pairs else ()
    logged = (
        TrainingPair(opened.query, opened.text, PairKind.OPENED, opened.place) for opened in opened_passages(engine)
    )
    extra = (*given, *logged)
    harvested = harvest(engine.store, engine.project.id, collections, progress, extra=extra, least=least)
    # Imported only now: it needs torch.
    from octavo_train.model_training_and_installation import Training, train_encoder, train_reranker, train_table

    training = Training(request, settings, base, harvested, teacher, progress)
    with recorded_run(engine, FINETUNE):
        if request.reranker:
            return train_reranker(training, engine)
        return train_table(training) if request.static else train_encoder(training)


def _base(engine: Engine, named: str) -> Path:
    """The folder of the model to begin with."""
    if named and Path(named).is_dir():
        return Path(named)
    if named:
        return model_named(models_folder(), named).path
    engine.follow_active_profile()
    embedder = engine.embedder
    folder = getattr(embedder, "folder", None)
    if folder is None:
        raise InvalidArgument(
            f"{embedder.profile.name} is not a local model and cannot be trained",
            hint=f"begin with the bundled one: --base {bundled().path}",
        )
    return Path(folder)


def _reranker_base(engine: Engine, request: ModelsFinetuneRequest) -> ModelDirectory:
    """The reranker to begin with: the one that is named, or the one that reads this project's passages."""
    if request.static:
        raise InvalidArgument("a table is not a reranker", hint="leave out --static, or --reranker")
    if request.teacher:
        raise InvalidArgument("a reranker learns from the search alone", hint="leave out --teacher")
    if request.base and Path(request.base).is_dir():
        return reranker_directory(Path(request.base))
    return reranker_directory(reranker_folder(engine, request.base or chosen_reranker(engine)))


def _teacher(request: ModelsFinetuneRequest) -> ModelDirectory | None:
    if not request.teacher:
        return None
    if request.static:
        raise InvalidArgument("a table has its encoder for a teacher", hint="leave out --teacher, or --static")
    folder = Path(request.teacher)
    return teacher_directory(folder if folder.is_dir() else model_named(models_folder(), request.teacher).path)
