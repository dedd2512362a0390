"""Flags > environment > the folder's own library > project file > user file > defaults, each value with its origin."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

from platformdirs import user_config_path, user_data_path

from recto.config.here import ORIGIN, known_here
from recto.config.schema import Config
from recto.errors import ConfigurationError
from recto.model.location import DatabaseUrl, Location, location

PROJECT_FILE = Path(".recto") / "config.toml"
_PREFIX = "RECTO_"
_SEPARATORS = {"ingest.ignore": os.pathsep, "serve.allow_hosts": ",", "serve.allow_origins": ","}

# A project file travels with a repository that someone else may have written. It may narrow what is read and
# choose how it is cut and ranked; it may not choose a model to run, a place to write, or widen what is read.
_PROJECT_MAY_SET = ("project", "chunking", "retrieval", "ingest.ignore")


_Settings = TypeVar("_Settings")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A configuration and, for every setting, where its value came from."""

    config: Config
    origins: Mapping[str, str]


def load(
    flags: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> Loaded:
    """`flags` maps dotted names to values; unset flags are left out by the caller."""
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    for origin, layer in _layers(flags or {}, environ, directory or Path.cwd()):
        for name, value in layer.items():
            _known(name, origin)
            # Patterns of all files count. What is no list is refused as it is.
            joined = name == "ingest.ignore" and isinstance(value, list | tuple)
            values[name] = (*values.get(name, ()), *value) if joined else value
            if name == "library" and isinstance(value, str | Path):
                values[name] = location(value)
            origins[name] = origin
    config = _checked(values, origins)
    return Loaded(config, {name: origins.get(name, "default") for name, _ in settings(config)})


def _checked(values: Mapping[str, Any], origins: Mapping[str, str]) -> Config:
    # A place to look is all that most searches are told, and any path will do: there is nothing to check.
    if values.keys() <= {"library"}:
        return Config(values.get("library"))
    from pydantic import ValidationError

    try:
        config = validated(Config, _nested(values))
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        where = next((origins[known] for known in origins if name.startswith(known)), "the configuration")
        raise ConfigurationError(
            f"{name} in {where}: {first['msg']}", hint="see `recto config show --origin` for every setting"
        ) from error
    if config.embedding.model is not None and config.embedding.provider != "onnx":
        raise ConfigurationError(
            f"embedding.model in {origins['embedding.model']} names a folder, but embedding.provider is "
            f"{config.embedding.provider}, which takes none",
            hint='set embedding.provider to "onnx", or leave embedding.model out',
        )
    return config


def validated(kind: type[_Settings], values: Mapping[str, Any]) -> _Settings:
    """Settings from what someone wrote; whatever is wrong with it is a `pydantic.ValidationError`."""
    from pydantic import TypeAdapter

    return TypeAdapter(kind).validate_python(values)


def library_location(config: Config) -> Location:
    """Where the configuration says the library is: a file, or a database on a server."""
    if isinstance(config.library, DatabaseUrl):
        return config.library
    return config.library.expanduser() if config.library else user_data_path("recto") / "library.db"


def user_file(environ: Mapping[str, str]) -> Path:
    named = environ.get("RECTO_CONFIG")
    return Path(named) if named else user_config_path("recto") / "config.toml"


def settings(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of the tree with its dotted name."""
    for field in fields(tree):
        value = getattr(tree, field.name)
        if is_dataclass(value) and not isinstance(value, DatabaseUrl):
            yield from settings(value, f"{prefix}{field.name}.")
        else:
            yield prefix + field.name, value


_NAMES = tuple(name for name, _ in settings(Config()))


def _layers(
    flags: Mapping[str, Any], environ: Mapping[str, str], directory: Path
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    user = user_file(environ)
    if user.is_file():
        yield str(user), _read(user)
    elif "RECTO_CONFIG" in environ:
        raise ConfigurationError(f"RECTO_CONFIG names {user}, which is not a file")
    project = project_file(directory)
    if project:
        layer = _read(project)
        for name in layer:
            if not name.startswith(_PROJECT_MAY_SET):
                _known(name, str(project))
                raise ConfigurationError(
                    f"{project} sets {name}, which a project file may not",
                    hint=f"move it to {user}; a project file may set: {', '.join(_PROJECT_MAY_SET)}",
                )
        yield str(project), layer
    library = known_here(directory)
    if library:
        yield ORIGIN, {"library": library}
    yield "environment", _from_environment(environ)
    yield "flag", flags


def profile_folders(environ: Mapping[str, str] | None = None, directory: Path | None = None) -> tuple[Path, ...]:
    """Where retrieval profiles of one's own lie: beside the user's configuration, and beside the project's."""
    user = user_file(os.environ if environ is None else environ)
    project = project_file(directory or Path.cwd())
    return tuple(file.parent / "profiles" for file in (user, project) if file is not None)


def project_file(directory: Path) -> Path | None:
    for folder in (directory, *directory.parents):
        if (folder / PROJECT_FILE).is_file():
            return folder / PROJECT_FILE
    return None


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return dict(_flat(tomllib.loads(path.read_text("utf-8"))))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{path} cannot be read: {error}") from error


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    """`RECTO_LIBRARY`, `RECTO_RETRIEVAL_LIMIT`: the dotted name in capitals, dots as underscores."""
    names = {_PREFIX + name.upper().replace(".", "_"): name for name in _NAMES}
    found = {}
    for variable, raw in environ.items():
        if not variable.startswith(_PREFIX):
            continue
        name = names.get(variable)
        if name is None:
            import difflib

            # Other variables may begin so as well; one that is nearly a setting was meant to be it.
            near = difflib.get_close_matches(variable, names, n=1, cutoff=0.85)
            if near:
                raise ConfigurationError(f"{variable} is not a setting", hint=f"did you mean {near[0]}?")
        elif raw != "":
            found[name] = raw.split(_SEPARATORS[name]) if name in _SEPARATORS else raw
    return found


def _known(name: str, origin: str) -> None:
    if name not in _NAMES:
        raise unknown(name, f"{origin} sets {name}, which is not a setting")


def unknown(name: str, message: str) -> ConfigurationError:
    import difflib

    near = difflib.get_close_matches(name, _NAMES, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}?" if near else "`recto config show` lists every setting"
    return ConfigurationError(message, hint=hint)


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in values.items():
        *above, leaf = name.split(".")
        branch = tree
        for part in above:
            branch = branch.setdefault(part, {})
        branch[leaf] = value
    return tree
