"""Fetches the files of a model that a manifest names; lists and removes the language models fetched so.

They answer once a configuration names them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn

from octavo.embedding.installed_models import ModelShown, checked_name, models_folder
from octavo.embedding.model_folder import BESIDE_GRAPH, FORMAT, GRAPH
from octavo.errors import ConfigurationError, Conflict, InvalidArgument, ModelUnavailable, NotFound, StorageError
from octavo.fast_dataclass import Value
from octavo.model.language_model_settings import ROLES, LanguageModels
from octavo.observability.progress import Progress
from octavo.path_resolution_and_private_folders import expand_user, real_path
from octavo.services.file_and_page_download import RemoteFile, fetch

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


KNOWN_MODELS = resources.files("octavo.embedding") / "known_models.toml"
"""The manifest that ships with Octavo."""
_RECORDED = (GRAPH, "tokenizer.json", *BESIDE_GRAPH)


class FetchedModel(Value):
    """`path` is the folder of an encoder, or the GGUF file of a language model; `fetched` of the files were missing."""

    name: str
    form: str
    path: str
    licence: str
    bytes: int
    files: int
    fetched: int


def fetch_model(name: str, users: Path, manifest: Path | None = None, progress: Progress | None = None) -> FetchedModel:
    """The files of one model, into a folder of its name. What is there and unchanged is not looked at again.

    The user's own manifest comes before the one that ships; a manifest that was asked for stands alone.
    """
    files, licence, pooling = manifest_entry(name, users, manifest)
    folder = models_folder() / checked_name(name)
    checked = _checked(folder)
    fetched = 0
    for path, file in files.items():
        target = folder / path
        if checked.get(path) == [file.sha256, *_stamp(target)]:
            continue
        try:
            fetch(file, target, progress)
        except ModelUnavailable:
            _leave_nothing_empty(folder)
            raise
        fetched += 1
        checked[path] = [file.sha256, *_stamp(target)]
        (folder / FETCHED).write_text(json.dumps(checked, indent=2) + "\n", "utf-8")
    gguf = next((folder / path for path in files if path.endswith(".gguf")), None)
    if fetched:
        (folder / CARD).write_text(_card(name, licence, files), "utf-8")
    if gguf is None:
        if fetched and "model.json" not in files:
            (folder / "model.json").unlink(missing_ok=True)  # it would describe the files that were there before
        describe_folder(folder, name, pooling)
    return FetchedModel(
        name=name,
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


def manifest_entry(name: str, users: Path, asked: Path | None) -> tuple[dict[str, RemoteFile], str, str]:
    """The files of a model, its licence, and its pooling where the manifest says it."""
    manifest = asked or users
    if asked is not None:
        if not asked.is_file():
            raise NotFound(
                f"there is no manifest {asked}", hint="write one, or name one with --manifest (docs: models)"
            )
        models = _read(asked)
    else:
        models = tomllib.loads(KNOWN_MODELS.read_text("utf-8"))["models"]
        models |= _read(users) if users.is_file() else {}
    if name not in models:
        known = ", ".join(models) or "none"
        where = str(manifest) if asked else f"neither Octavo nor {manifest}"
        raise NotFound(f"{where} names {'no' if asked else 'a'} model {name}", hint=f"known: {known}")
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


def describe_folder(folder: Path, name: str, pooled: str = "") -> Path:
    """Writes `model.json`, unless there is one.

    Pooling is what whoever fetched it says, or that of `1_Pooling/config.json`, else the mean.
    """
    target = folder / "model.json"
    if target.is_file():
        return target
    config = _json(folder / "config.json")
    if "hidden_size" not in config or not (folder / GRAPH).is_file() or not (folder / "tokenizer.json").is_file():
        raise ModelUnavailable(
            f"{folder} is no embedding model: it needs {GRAPH}, tokenizer.json and config.json",
            hint="fetch these files too",
        )
    pooling, limits = _json(folder / "1_Pooling" / "config.json"), _json(folder / "sentence_bert_config.json")
    prompts = _json(folder / "config_sentence_transformers.json").get("prompts") or {}
    positions = int(config.get("max_position_embeddings") or 512)
    # RoBERTa's positions begin after the padding's: two of them are no places for tokens.
    usable = positions - 2 if config.get("model_type") in ("roberta", "xlm-roberta") else positions
    files = {each: _record(folder / each) for each in _RECORDED if (folder / each).is_file()}
    about = {
        "format": FORMAT,
        "name": name,
        "model": str(config.get("_name_or_path") or name),
        "revision": files[GRAPH]["sha256"][:12],
        "dimensions": int(pooling.get("word_embedding_dimension") or config["hidden_size"]),
        "window": min(int(limits.get("max_seq_length") or usable), usable),
        "pooling": pooled or ("cls" if pooling.get("pooling_mode_cls_token") else "mean"),
        "tokenizer": "tokenizers",
        "query_prefix": str(prompts.get("query") or ""),
        "document_prefix": str(prompts.get("passage") or prompts.get("document") or ""),
        "files": files,
    }
    target.write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n", "utf-8")
    return target


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _record(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        return {"bytes": path.stat().st_size, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}
