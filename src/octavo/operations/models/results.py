"""Answers about models: installed, removed and fine-tuned ones."""

from __future__ import annotations

from collections.abc import Mapping

from octavo.embedding.installed_models import ModelShown
from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ModelsAnswer:
    models: tuple[ModelShown, ...]


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """`card` is what was written down when it was made; `job` fills it in the background."""

    model: ModelShown
    card: str = ""
    job: int | None = None


@dataclass(frozen=True, slots=True)
class ModelRemoved:
    model: ModelShown


@dataclass(frozen=True, slots=True)
class FinetuneAnswer:
    """What was made and how good it is. `better` says whether it may be activated without force; `refused` that it was
    to be and was not, because it is worse. `job` embeds the library with it; a reranker is `activated` at once."""

    name: str
    form: str
    path: str
    revision: str
    pairs: Mapping[str, int]
    held: int
    dropped: int
    figures: Mapping[str, Mapping[str, float]]
    better: bool
    batch: int
    device: str
    refused: bool = False
    job: int | None = None
    activated: bool = False
