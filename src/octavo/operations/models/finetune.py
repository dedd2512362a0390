"""Trains a model on a library's own content, and activates it on request."""

from __future__ import annotations

from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.observability.progress import Progress
from octavo.operations.models.registry import models_activate
from octavo.operations.models.requests import ModelsActivateRequest, ModelsFinetuneRequest
from octavo.operations.models.results import FinetuneAnswer
from octavo.plugins import TRAINERS, load


def models_finetune(engine: Engine, request: ModelsFinetuneRequest, progress: Progress) -> FinetuneAnswer:
    """Trains, measures and registers a model; activates it on request, if it is no worse."""
    names = ("epochs", "batch", "rate", "seed")
    settings = {name: value for name in names if (value := getattr(request, name)) is not None}
    if request.static and request.epochs is not None:
        settings["epochs"] = max(1, round(request.epochs))
    done: FinetuneAnswer = load(TRAINERS, "finetune")(engine, request, settings, progress)
    if not request.activate or request.static:
        return done
    if not done.better and not request.force:
        return replace(done, refused=True)
    activated = models_activate(engine, ModelsActivateRequest(done.name, request.force))
    return replace(done, job=activated.job, activated=done.form == "reranker")
