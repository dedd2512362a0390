"""Lists, installs and removes models, each a folder with its card, in one place for all libraries."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Literal

from octavo.embedding.bundled_embedder import FAST_DIRECTORY, MODEL_DIRECTORY
from octavo.embedding.bundled_embedder import REMEDY as REINSTALL
from octavo.embedding.model_folder import read_directory
from octavo.errors import Conflict, InvalidArgument, ModelUnavailable, NotFound, StorageError
from octavo.fast_dataclass import Value
from octavo.model.embedding_profile import EmbeddingProfile, EmbeddingProfileState

REMEDY = "make it again with `octavo models finetune`, or remove it with `octavo models remove NAME`"
NO_RERANKER = "no-reranker"
"""Activated like a model, it leaves the choice of a reranker to the configuration."""
RERANKER_HINT = (
    "set reranking.model to the folder of a cross-encoder, or give a rerank service the role: docs/guides/models"
)
Form = Literal["encoder", "table", "reranker"]
_PARTIAL = ".partial"


class InstalledModel(Value):
    """`figures` are nDCG@10 on each check, before and after; a table has `space`, its encoder's revision."""

    name: str
    path: Path
    form: Form
    profile: EmbeddingProfile
    bytes: int
    base: str = ""
    space: str = ""
    made_at: str = ""
    figures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    damage: tuple[str, ...] = ()

    @property
    def worse(self) -> tuple[str, ...]:
        """The checks on which it finds less than what it was made from."""
        return tuple(name for name, pair in self.figures.items() if pair["after"] < pair["before"])


class ModelShown(Value):
    """`state` is for this project: active, filling or idle; `figures` are nDCG@10 before and after, by check."""

    name: str
    form: str
    state: str
    revision: str
    dimensions: int
    bytes: int
    base: str
    made_at: str
    figures: Mapping[str, Mapping[str, float]]
    problems: tuple[str, ...] = ()


def shown(model: InstalledModel, state: str) -> ModelShown:
    return ModelShown(
        name=model.name,
        form=model.form,
        state=state or EmbeddingProfileState.IDLE.value,
        revision=model.profile.revision,
        dimensions=model.profile.dimensions,
        bytes=model.bytes,
        base=model.base,
        made_at=model.made_at,
        figures=model.figures,
        problems=model.damage,
    )


def models_folder() -> Path:
    """Where models made here are kept, for all libraries."""
    from platformdirs import user_data_path

    return user_data_path("octavo") / "models"


def installed(root: Path) -> tuple[InstalledModel, ...]:
    """By name. A folder that is no model is not listed; one whose files are damaged is, and says so."""
    if not root.is_dir():
        return ()
    folders = sorted(path for path in root.iterdir() if (path / "model.json").is_file() and path.suffix != _PARTIAL)
    return tuple(model for folder in folders if (model := _read(folder)) is not None)


def model_named(root: Path, name: str) -> InstalledModel:
    for model in installed(root):
        if model.name == name:
            return model
    raise NotFound(f"there is no model {name}", hint="`octavo models list` shows the models")


def bundled() -> InstalledModel:
    """The encoder that ships with Octavo, checked by its sha256."""
    directory = read_directory(MODEL_DIRECTORY, REINSTALL)
    size = sum(file.stat().st_size for file in MODEL_DIRECTORY.iterdir())
    profile = directory.profile
    return InstalledModel(profile.name, MODEL_DIRECTORY, "encoder", profile, size, damage=directory.damage())


def bundled_table() -> InstalledModel:
    """The table that ships with Octavo, in the space of that encoder."""
    model = _read(FAST_DIRECTORY)
    if model is None:
        raise ModelUnavailable(f"{FAST_DIRECTORY} is not a model", hint=REINSTALL)
    return model


def card_of(model: InstalledModel) -> str:
    for name in ("CARD.md", "PROVENANCE.md"):
        if (model.path / name).is_file():
            return (model.path / name).read_text("utf-8")
    raise NotFound(f"{model.path} has no card")


def table_for(root: Path, revision: str) -> Path | None:
    """The folder of the newest whole table in the space of the encoder with this revision."""
    tables = (model for model in installed(root) if model.form == "table" and not model.damage)
    models = [model for model in tables if model.space == revision]
    return max(models, key=lambda model: (model.made_at, model.name)).path if models else None


def install(root: Path, name: str, files: Mapping[str, bytes], *, replace: bool = False) -> Path:
    """Writes a model's files into a temporary folder, then renames it: there is never half a model."""
    folder = free_name(root, name, replace=replace)
    partial = root / f"{name}{_PARTIAL}"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for file_name, data in files.items():
            (partial / file_name).write_bytes(data)
        if folder.exists():
            shutil.rmtree(folder)
        partial.rename(folder)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise StorageError(
            f"{folder} cannot be written: {error.strerror or error}", hint="free some disk space, then run it again"
        ) from error
    return folder


def free_name(root: Path, name: str, *, replace: bool = False) -> Path:
    """Where a model of this name would be; an error if it cannot be there."""
    folder = root / checked_name(name)
    if folder.exists() and not replace:
        raise Conflict(f"there is a model {name} already", hint="give another --name, or say --replace")
    return folder


def remove(model: InstalledModel) -> None:
    try:
        shutil.rmtree(model.path)
    except OSError as error:
        raise StorageError(f"{model.path} cannot be removed: {error.strerror or error}") from error


def checked_name(name: str) -> str:
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not plain.isalnum() or name.startswith(".") or name.endswith(_PARTIAL) or len(name) > 100:
        raise InvalidArgument(f"{name!r} cannot name a model", hint="use letters, digits, -, _ and .")
    return name


def _form(about: Mapping[str, Any]) -> Form:
    """A reranker gives one number a pair."""
    if "space" in about:
        return "table"
    return "reranker" if about["dimensions"] == 1 else "encoder"


def _read(folder: Path) -> InstalledModel | None:
    try:
        about: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
        directory = read_directory(folder, REMEDY)
    except (OSError, ValueError, ModelUnavailable):
        return None
    size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
    return InstalledModel(
        name=folder.name,
        path=folder,
        form=_form(about),
        profile=directory.profile,
        bytes=size,
        base=str(about.get("base", "")),
        space=str(about.get("space", "")),
        made_at=str(about.get("made_at", "")),
        figures=about.get("figures", {}),
        damage=tuple(problem for name in directory.files if (problem := directory.missing(name))),
    )
