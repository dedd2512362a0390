"""Fetching a model's files that a manifest names, and nothing else."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from octavo.config.load import user_file
from octavo.embedding.hub_folder import describe_folder
from octavo.embedding.installed import checked_name, models_folder
from octavo.engine.engine import Engine
from octavo.errors import ConfigurationError, ModelUnavailable, NotFound
from octavo.model.location import expand_user
from octavo.observability.progress import Progress
from octavo.operations.models.answers import FetchedModel
from octavo.operations.models.language_files import CARD, FETCHED
from octavo.operations.models.requests import ModelsFetchRequest
from octavo.services.download import RemoteFile, fetch

KNOWN_MODELS = resources.files("octavo.operations.models") / "known.toml"
"""The manifest that ships with Octavo."""


def models_fetch(engine: Engine, request: ModelsFetchRequest, progress: Progress | None = None) -> FetchedModel:
    """The files of one model, into a folder of its name. What is there and unchanged is not looked at again."""
    files, licence, pooling = catalog_entry(request)
    folder = models_folder() / checked_name(request.name)
    checked = _checked(folder)
    fetched = 0
    for name, file in files.items():
        target = folder / name
        if checked.get(name) == [file.sha256, *_stamp(target)]:
            continue
        try:
            fetch(file, target, progress)
        except ModelUnavailable:
            _leave_nothing_empty(folder)
            raise
        fetched += 1
        checked[name] = [file.sha256, *_stamp(target)]
        (folder / FETCHED).write_text(json.dumps(checked, indent=2) + "\n", "utf-8")
    gguf = next((folder / name for name in files if name.endswith(".gguf")), None)
    if fetched:
        (folder / CARD).write_text(_card(request.name, licence, files), "utf-8")
    if gguf is None:
        if fetched and "model.json" not in files:
            (folder / "model.json").unlink(missing_ok=True)  # it would describe the files that were there before
        describe_folder(folder, request.name, pooling)
    return FetchedModel(
        name=request.name,
        form="encoder" if gguf is None else "gguf",
        path=str(folder if gguf is None else gguf),
        licence=licence,
        bytes=sum(file.size for file in files.values()),
        files=len(files),
        fetched=fetched,
    )


def _card(name: str, licence: str, files: Mapping[str, RemoteFile]) -> str:
    fetched = "\n".join(
        f"- {path}: {file.size:,} bytes, sha256 {file.sha256}, {file.url}" for path, file in files.items()
    )
    return f"# {name}\n\nLicence: {licence}. Fetched:\n\n{fetched}\n"


def _leave_nothing_empty(folder: Path) -> None:
    """What was begun stays, so that it can go on; a folder without any of it does not."""
    for path in (*sorted(folder.rglob("*"), reverse=True), folder):
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def user_manifest() -> Path:
    """Next to the user's configuration: what is fetched is the user's own choice, never a project's."""
    return user_file(os.environ).parent / "models.toml"


def catalog_entry(request: ModelsFetchRequest) -> tuple[dict[str, RemoteFile], str, str]:
    """The files of a model, its licence, and its pooling where the manifest says it.

    The user's own manifest comes before the one that ships; a manifest that was asked for stands alone.
    """
    manifest, name = user_manifest(), request.name
    if request.manifest:
        manifest = expand_user(request.manifest)
        if not manifest.is_file():
            raise NotFound(
                f"there is no manifest {manifest}", hint="write one, or name one with --manifest (docs: models)"
            )
        models = _read(manifest)
    else:
        models = tomllib.loads(KNOWN_MODELS.read_text("utf-8"))["models"]
        models |= _read(manifest) if manifest.is_file() else {}
    if name not in models:
        known = ", ".join(models) or "none"
        where = str(manifest) if request.manifest else f"neither Octavo nor {manifest}"
        raise NotFound(f"{where} names {'no' if request.manifest else 'a'} model {name}", hint=f"known: {known}")
    try:
        files = dict(_file(entry) for entry in models[name]["files"])
        licence, pooling = str(models[name]["licence"]), str(models[name].get("pooling", ""))
        if pooling not in ("", "cls", "mean"):
            raise ValueError(f"the pooling {pooling!r} is neither cls nor mean")
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigurationError(
            f"{manifest}: models.{name} is not whole: {error}",
            hint="it needs a licence, and for each file url, sha256 and size",
        ) from error
    return files, licence, pooling


def _read(manifest: Path) -> dict[str, Any]:
    try:
        models = tomllib.loads(manifest.read_text("utf-8")).get("models", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{manifest} cannot be read: {error}") from error
    return models if isinstance(models, dict) else {}


def _file(entry: Any) -> tuple[str, RemoteFile]:
    name = str(entry.get("name") or Path(str(entry["url"])).name)
    parts = Path(name).parts
    if (
        not parts
        or Path(name).is_absolute()
        or any(part in ("..", ".") or "\\" in part or ":" in part for part in parts)
    ):
        raise ValueError(f"{name!r} is no file inside the model's folder")
    digest = str(entry["sha256"]).lower()
    if len(digest) != 64:
        raise ValueError(f"the sha256 of {name} is not one")
    return name, RemoteFile(str(entry["url"]), digest, int(entry["size"]))


def _checked(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / FETCHED).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _stamp(path: Path) -> list[int]:
    """Size and time: a file is hashed again once one of them changes."""
    try:
        stat = path.stat()
    except OSError:
        return []
    return [stat.st_size, stat.st_mtime_ns]
