"""Language models fetched to this machine: found, described, removed. They answer once a configuration names them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NoReturn

from octavo.embedding.installed_models import ModelShown, models_folder
from octavo.errors import Conflict, InvalidArgument, StorageError
from octavo.model.language_model_settings import ROLES, LanguageModels
from octavo.path_resolution_and_private_folders import expand_user, real_path

FETCHED = "fetched.json"
"""What was fetched into a model's folder: the sha256, size and time of each file."""
CARD = "CARD.md"


def fetched_language_models(llm: LanguageModels) -> tuple[ModelShown, ...]:
    """By name. One is active where a configured model that has a role is this file."""
    root = models_folder()
    files = sorted(root.glob("*/*.gguf")) if root.is_dir() else []
    return tuple(_language_model(llm, file) for file in files if (file.parent / FETCHED).is_file())


def language_model(llm: LanguageModels, name: str) -> ModelShown | None:
    return next((model for model in fetched_language_models(llm) if model.name == name), None)


def card_of_language_model(name: str) -> str:
    card = models_folder() / name / CARD
    return card.read_text("utf-8") if card.is_file() else ""


def refuse_activation(name: str) -> NoReturn:
    file = next((models_folder() / name).glob("*.gguf"))
    raise InvalidArgument(
        f"{name} is a language model: it makes no vectors, and answers once your configuration names it",
        hint=f'[llm.models.{name}] with provider = "gguf" and path = "{file}" (docs: models)',
    )


def remove_language_model(llm: LanguageModels, model: ModelShown) -> None:
    if users := _configured_as(llm, models_folder() / model.name):
        raise Conflict(
            f"{model.name} is configured as llm.models.{users[0]}",
            hint="take it out of your configuration first: `octavo config edit`",
        )
    folder = models_folder() / model.name
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise StorageError(f"{folder} cannot be removed: {error.strerror or error}") from error


def _language_model(llm: LanguageModels, file: Path) -> ModelShown:
    names = _configured_as(llm, file.parent)
    used = {name for role in ROLES for name in llm.all_named_for(role)}
    try:
        digest = str(json.loads((file.parent / FETCHED).read_text("utf-8"))[file.name][0])[:12]
    except (OSError, ValueError, LookupError, TypeError):
        digest = ""
    state = "active" if used & {*names} else "idle"
    return ModelShown(file.parent.name, "gguf", state, digest, 0, file.stat().st_size, "", "", {})


def _configured_as(llm: LanguageModels, folder: Path) -> tuple[str, ...]:
    """The names under which models in this folder are configured."""
    paths = {name: real_path(expand_user(each.path)) for name, each in llm.models.items() if each.path is not None}
    return tuple(name for name, path in paths.items() if path.parent == real_path(folder))
