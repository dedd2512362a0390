"""Flags > environment > the folder's own library > project file > user file > the repository's library > defaults, each
value with its origin."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from platformdirs import user_cache_path, user_config_path, user_data_path

from octavo.bounded_file_reading import read_small
from octavo.config.folder_library_discovery import BY_ITSELF, ORIGIN, made_for_repository, trusted
from octavo.config.schema import Config
from octavo.config.setting_name_aliases import RENAMED, msrl_settings, setting_for, with_present_names
from octavo.errors import ConfigurationError, system_message
from octavo.fast_dataclass import replace
from octavo.model.language_model_settings import ROLES, ModelSettings
from octavo.model.library_location import DatabaseUrl, Location, location
from octavo.path_resolution_and_private_folders import expand_user, real_path

PROJECT_FILE = Path(".octavo") / "config.toml"
MSRL_FILE = Path(".msrl") / "config.json"
"""Read where a folder has no project file: what it says about the folder's own files, and nothing else of it."""
_PREFIX = "OCTAVO_"
# No misspelt settings: the first names the user's file, the second the virtual environment of a checkout (`./dev`).
_OTHER_VARIABLES = frozenset({"OCTAVO_CONFIG", "OCTAVO_VENV"})
_SEPARATOR = ","
_SEPARATORS = {"ingest.ignore": os.pathsep}  # patterns may have commas in them

# A project file travels with a repository that someone else may have written. It may narrow what is read and
# choose how it is cut and ranked; it may not choose a model to run, a place to write, or widen what is read.
_PROJECT_MAY_SET = ("project", "chunking", "retrieval", "ingest.ignore", "writing.lint_off")

# A library may hold more than the folder a project file stands in: what it says about files counts for those below it,
# wherever they are indexed from.
_OF_THE_FOLDER = ("chunking.", "ingest.ignore")

MODELS = "llm.models"
"""The one setting that is tables by names of the user's own, and so is kept whole."""


_Settings = TypeVar("_Settings")


class Loaded(NamedTuple):
    """A configuration and, for every setting, where its value came from."""

    config: Config
    origins: Mapping[str, str]


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    directory: Path | None = None,
    drafts: Mapping[Path, str] | None = None,
) -> Loaded:
    """`flags` maps dotted names to values. `drafts` are texts that files are about to have, read in their place."""
    environ = os.environ if environ is None else environ
    directory = directory or Path.cwd()
    loaded = _combined(_layers(flags or {}, environ, directory, drafts or {}))
    config = loaded.config
    # Absolute, because a server that is asked in place of this process runs in another folder.
    also = tuple(directory / expand_user(other) if isinstance(other, Path) else other for other in config.also_search)
    library = directory / expand_user(config.library) if isinstance(config.library, Path) else config.library
    return loaded._replace(config=replace(config, library=library, also_search=also))


def load_isolated(given: Path | Mapping[str, Any], flags: Mapping[str, Any]) -> Loaded:
    """From one TOML file, or from settings by name, and from nothing around this process."""
    layer = (str(given), _read(given, {})) if isinstance(given, Path) else ("config", dict(_flat(given)))
    return _combined((("isolation", {"ingest.project_files": False}), layer, ("argument", flags)))


def for_folder(config: Config, folder: Path, environ: Mapping[str, str] | None = None) -> Config:
    """The configuration for what lies in a folder: with what its project file says about cutting and skipping files."""
    file = project_file(folder, foreign=True) if config.ingest.project_files else None
    if file is None:
        return config
    environ = os.environ if environ is None else environ
    layer = {
        name: value
        for name, value in with_present_names(_read_project(file, {}), str(file)).items()
        if name.startswith(_OF_THE_FOLDER) and name in _NAMES and not environ.get(variable(name))
    }
    settings = _validated(layer, dict.fromkeys(layer, str(file)))
    sizes = {name.partition(".")[2] for name in layer if name.startswith("chunking.")}
    chunking = replace(config.chunking, **{name: getattr(settings.chunking, name) for name in sizes})
    ignore = tuple(dict.fromkeys((*config.ingest.ignore, *settings.ingest.ignore)))
    return replace(config, chunking=chunking, ingest=replace(config.ingest, ignore=ignore))


def _combined(layers: Iterable[tuple[str, Mapping[str, Any]]]) -> Loaded:
    """What every layer says; of two that set the same, the later."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in layers:
        for name, value in with_present_names(layer, origin).items():
            _refuse_unknown(name, origin)
            if name == MODELS and isinstance(value, Mapping):
                _refuse_unknown_of_models(value, origin)
            # The patterns of all files count. A value that is no list is left for validation to refuse.
            joined = name == "ingest.ignore" and isinstance(value, list | tuple)
            values[name] = (*values.get(name, ()), *value) if joined else value
            origins[name] = origin
    config = _consistent(_validated(values, origins), origins)
    return Loaded(config, {name: origins.get(name, "default") for name, _ in settings(config)})


def parsed(name: str, given: Any, origin: str) -> Any:
    """One setting's value from what somebody wrote, by itself."""
    return dict(settings(_validated({name: given}, {name: origin})))[name]


def validated(kind: type[_Settings], values: Mapping[str, Any]) -> _Settings:
    """Settings from what someone wrote; whatever is wrong with it is a `pydantic.ValidationError`."""
    checked: _Settings = _validator(kind).validate_python(values)  # type: ignore[arg-type]  # a class has a hash
    return checked


@cache
def _validator(kind: Any) -> Any:
    """Built once: it takes longer than all the rest of opening a library."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def library_location(config: Config) -> Location:
    """Where the configuration says the library is: a file, or a database on a server."""
    if isinstance(config.library, DatabaseUrl):
        return config.library
    return expand_user(config.library) if config.library else user_data_path("octavo") / "library.db"


def conversions_folder() -> Path:
    """Where converted documents are kept for the next time."""
    return user_cache_path("octavo") / "conversions"


def journals_folder(place: Location | None, root: Path) -> Path:
    """Where the pending writes to a folder are kept: beside the library, with its access.

    A database on a server has folders on several machines, and what lies in the folder itself may come from anyone:
    these are kept in the user's data folder of this machine.
    """
    if isinstance(place, Path) and not real_path(place).is_relative_to(real_path(root)):
        return place.with_name(f"{place.name}.writes")
    return user_data_path("octavo") / "writes"


def user_file(environ: Mapping[str, str]) -> Path:
    named = environ.get("OCTAVO_CONFIG")
    return Path(named) if named else user_config_path("octavo") / "config.toml"


def project_file(directory: Path, *, foreign: bool = False) -> Path | None:
    """The nearest one; a file that another program left in its place only where `foreign` ones count."""
    names = (PROJECT_FILE, MSRL_FILE) if foreign else (PROJECT_FILE,)
    for folder in (directory, *directory.parents):
        if (file := next((folder / name for name in names if (folder / name).is_file()), None)) is not None:
            return file
    return None


def profile_folders(environ: Mapping[str, str] | None = None, directory: Path | None = None) -> tuple[Path, ...]:
    """The folders with retrieval profiles of one's own: next to the user's configuration, and to the project's."""
    user = user_file(os.environ if environ is None else environ)
    project = project_file(directory or Path.cwd())
    return tuple(file.parent / "profiles" for file in (user, project) if file is not None)


def settings(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of the tree with its dotted name."""
    for field in fields(tree):
        value = getattr(tree, field.name)
        if is_dataclass(value) and not isinstance(value, DatabaseUrl):
            yield from settings(value, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name, value


_NAMES = tuple(name for name, _ in settings(Config()))
_LISTS = frozenset(name for name, default in settings(Config()) if isinstance(default, tuple))


def variable(name: str) -> str:
    """`OCTAVO_RETRIEVAL_LIMIT` for `retrieval.limit`: the dotted name in capitals, dots as underscores."""
    return _PREFIX + name.upper().replace(".", "_")


def project_may_set(name: str) -> bool:
    return name.startswith(_PROJECT_MAY_SET)


def read_flat(text: str, path: Path) -> dict[str, Any]:
    """What a file of this text sets, by dotted names."""
    import tomllib

    try:
        return dict(_flat(tomllib.loads(text)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def unknown(name: str, message: str) -> ConfigurationError:
    return _nearest_of(name, _NAMES, message)


def _nearest_of(name: str, known: Iterable[str], message: str) -> ConfigurationError:
    import difflib

    names = [*known]
    if here := setting_for(name):
        return ConfigurationError(message, hint=f"here it is {here}")
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.75 if "." in name else 0.5)
    if not near:  # in another section, most often: `search.limt` is `retrieval.limit`
        leaves = {setting.rpartition(".")[2] for setting in names}
        leaf = difflib.get_close_matches(name.rpartition(".")[2], sorted(leaves), n=1, cutoff=0.75)
        near = [setting for setting in names if setting.rpartition(".")[2] in leaf]
    hint = f"did you mean {' or '.join(near)}?" if 0 < len(near) < 4 else "`octavo config show` lists every setting"
    return ConfigurationError(message, hint=hint)


def _validated(values: Mapping[str, Any], origins: Mapping[str, str]) -> Config:
    library = values.get("library")
    if isinstance(library, str | Path):
        values = {**values, "library": location(library)}
    for name in ("also_search", "postgres.reads"):
        if places := values.get(name):
            given = [places] if isinstance(places, str | Path) else places
            values = {**values, name: [location(item) if isinstance(item, str) else item for item in given]}
    # Most searches name a library and nothing else, and any path will do: pydantic need not be imported for that.
    if values.keys() <= {"library"}:
        return Config(values.get("library"))
    from pydantic import ValidationError

    try:
        return validated(Config, _nested(values))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        where = next((origins[known] for known in origins if name.startswith(known)), "the configuration")
        raise ConfigurationError(
            f"{name} in {where}: {first['msg']}", hint="see `octavo config describe` for every setting"
        ) from error


def _consistent(config: Config, origins: Mapping[str, str]) -> Config:
    if config.embedding.model is not None and config.embedding.provider != "onnx":
        raise ConfigurationError(
            f"embedding.model in {origins['embedding.model']} names a folder, but embedding.provider is "
            f"{config.embedding.provider}, which takes none",
            hint='set embedding.provider to "onnx", or leave embedding.model out',
        )
    for role in ROLES:
        names = config.llm.all_named_for(role)
        if len(names) > 1 and role != "rerank":
            raise ConfigurationError(
                f"llm.roles.{role} in {origins[f'llm.roles.{role}']} names {len(names)} models, and takes one",
                hint="only llm.roles.rerank takes several",
            )
        for name in names:
            where = f"llm.roles.{role} in {origins[f'llm.roles.{role}']}"
            if name not in config.llm.models:
                known = ", ".join(config.llm.models) or "none"
                raise ConfigurationError(
                    f"{where} names the model {name}, which is not there",
                    hint=f"describe it in a table [llm.models.{name}]; there are: {known}",
                )
            if len(names) > 1 and config.llm.is_rerank_service(name):
                raise ConfigurationError(
                    f"{where} names {name} among others, which is a rerank service",
                    hint="name the service alone, or language models alone",
                )
    return config


def _layers(
    flags: Mapping[str, Any], environ: Mapping[str, str], directory: Path, drafts: Mapping[Path, str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    by_itself = made_for_repository(directory)
    if by_itself:
        yield BY_ITSELF, {"library": by_itself}
    user = user_file(environ)
    if user in drafts or user.is_file():
        yield str(user), _read(user, drafts)
    elif "OCTAVO_CONFIG" in environ:
        raise ConfigurationError(f"OCTAVO_CONFIG names {user}, which is not a file")
    project = project_file(directory, foreign=True) or next((file for file in drafts if file != user), None)
    if project:
        layer = with_present_names(_read_project(project, drafts), str(project))
        for name in layer:
            if not project_may_set(name):
                _refuse_unknown(name, str(project))
                raise ConfigurationError(
                    f"{project} sets {name}, which a project file may not",
                    hint=f"move it to {user}; a project file may set: {', '.join(_PROJECT_MAY_SET)}",
                )
        of_the_folder = {name: value for name, value in layer.items() if name.startswith(_OF_THE_FOLDER)}
        _validated(of_the_folder, dict.fromkeys(of_the_folder, str(project)))  # a mistake is told where it is made
        yield str(project), {name: value for name, value in layer.items() if name not in of_the_folder}
    library = trusted(directory)
    if library:
        yield ORIGIN, {"library": library}
    yield "environment", _from_environment(environ)
    yield "flag", flags


def _read(path: Path, drafts: Mapping[Path, str]) -> dict[str, Any]:
    if path in drafts:
        return read_flat(drafts[path], path)
    try:
        text = read_small(path, links=True).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {system_message(error)}") from error
    return read_flat(text, path)


def _read_project(path: Path, drafts: Mapping[Path, str]) -> dict[str, Any]:
    folder = path.parent.parent
    if path not in drafts and not real_path(path).is_relative_to(real_path(folder)):
        raise ConfigurationError(
            f"{path} is a link out of {folder}", hint="remove it; no file elsewhere is read for it"
        )
    return _read(path, drafts) if path.name == PROJECT_FILE.name else _read_msrl(path)


def _read_msrl(path: Path) -> dict[str, Any]:
    try:
        return msrl_settings(read_small(path, links=True))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(f"{path} cannot be read: {system_message(error)}") from error


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, Mapping) and prefix + name != MODELS:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    names = {variable(name): name for name in (*_NAMES, *RENAMED)}
    settings = {}
    for given, raw in environ.items():
        if not given.startswith(_PREFIX) or given in _OTHER_VARIABLES:
            continue
        name = names.get(given)
        if name is None:
            import difflib

            # Other variables may have the prefix as well; one that is nearly a setting was meant to be it.
            near = difflib.get_close_matches(given, names, n=1, cutoff=0.85)
            if near:
                raise ConfigurationError(f"{given} is not a setting", hint=f"did you mean {near[0]}?")
        elif raw != "":
            settings[name] = _items(raw, _SEPARATORS.get(name, _SEPARATOR)) if name in _LISTS else raw
    return settings


def _items(raw: str, separator: str) -> list[str]:
    return [item.strip() for item in raw.split(separator) if item.strip()]


def _refuse_unknown(name: str, origin: str) -> None:
    if name not in _NAMES:
        raise unknown(name, f"{origin} sets {name}, which is not a setting")


def _refuse_unknown_of_models(models: Mapping[str, Any], origin: str) -> None:
    """A key in the file is refused like any other setting there is not: it would be copied along with the file."""
    known = [field.name for field in fields(ModelSettings)]
    for name, table in models.items():
        for given in table if isinstance(table, Mapping) else ():
            if "key" in given and given not in known:
                raise ConfigurationError(
                    f"{origin} sets {MODELS}.{name}.{given}, and keys do not belong in files",
                    hint="put it into an environment variable, and that one's name into key_variable",
                )
            if given not in known:
                raise _nearest_of(given, known, f"{origin} sets {MODELS}.{name}.{given}, which is not a setting")


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in values.items():
        *above, leaf = name.split(".")
        branch = tree
        for part in above:
            branch = branch.setdefault(part, {})
        branch[leaf] = value
    return tree
