"""Changes to a configuration file: comments and order stay, and only what can be loaded is written."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import AbstractTable

from octavo.config.folder_library_discovery import write_config
from octavo.config.layered_config_loading import (
    PROJECT_FILE,
    load,
    parsed,
    project_file,
    read_flat,
    user_file,
    variable,
)
from octavo.config.setting_descriptions import NAMES, describe, plain
from octavo.errors import ConfigurationError, InvalidArgument
from octavo.fast_dataclass import dataclass
from octavo.model.library_location import DatabaseUrl


@dataclass(frozen=True, slots=True)
class Change:
    """A setting in a file: `value` is None where it was taken out. `overridden` names what counts before the file."""

    name: str
    value: Any
    file: Path
    overridden: str | None = None


def target(environ: Mapping[str, str], directory: Path, *, project: bool) -> Path:
    """The user's file, or the project's: the nearest upward, else a new one in this directory."""
    if project:
        return project_file(directory) or directory / PROJECT_FILE
    return user_file(environ)


def set_value(file: Path, name: str, values: Sequence[str], environ: Mapping[str, str], directory: Path) -> Change:
    """Puts a setting into a file; of a list, every value is given, or one array as TOML writes it."""
    setting = describe(name)
    if setting.type == "tables by name":
        raise InvalidArgument(f"{name} is a table for each name", hint="write them with `octavo config edit`")
    is_list = setting.type.startswith("list of ") or (setting.type == NAMES and (len(values) > 1 or "[" in values[0]))
    if not is_list and len(values) != 1:
        raise InvalidArgument(f"{name} takes one value, not {len(values)}", hint=f"its type: {setting.type}")
    given: Any = _list_items(values) if is_list else values[0]
    return _changed(file, name, parsed(name, given, "the new value"), environ, directory)


def _list_items(values: Sequence[str]) -> list[Any]:
    if len(values) == 1 and values[0].startswith("["):
        # A pattern may begin so too, and is then no array: `[ab]*.md`.
        with suppress(tomllib.TOMLDecodeError):
            return list(tomllib.loads(f"items = {values[0]}")["items"])
    return list(values)


def unset(file: Path, name: str, environ: Mapping[str, str], directory: Path) -> Change:
    describe(name)
    return _changed(file, name, None, environ, directory)


def replace(file: Path, text: str, environ: Mapping[str, str], directory: Path) -> None:
    """Writes a whole file that somebody edited, if it can be loaded."""
    load(environ=environ, directory=directory, drafts={file: text})
    write_config(file, text)


def _changed(file: Path, name: str, value: Any, environ: Mapping[str, str], directory: Path) -> Change:
    text = file.read_text("utf-8") if file.is_file() else ""
    before = read_flat(text, file)
    new = _edited(text, name, value)
    expected = {**before, name: _toml(value)} if value is not None else {k: v for k, v in before.items() if k != name}
    if read_flat(new, file) != expected:
        raise ConfigurationError(f"{name} cannot be changed in {file} as it is written", hint="change it in an editor")
    origin = load(environ=environ, directory=directory, drafts={file: new}).origins[name]
    if new != text:
        write_config(file, new)
    overridden = None if value is None or origin == str(file) else origin
    return Change(name, plain(value), file, variable(name) if overridden == "environment" else overridden)


def _edited(text: str, name: str, value: Any) -> str:
    document = tomlkit.parse(text)
    *above, leaf = name.split(".")
    table: Any = document
    for section in above:
        if not isinstance(table.get(section), AbstractTable | Mapping):
            if value is None:
                return text
            table[section] = tomlkit.table()
        table = table[section]
    if value is not None:
        table[leaf] = _toml(value)
    elif leaf in table:
        del table[leaf]
    edited = tomlkit.dumps(document)
    return edited if text.startswith("\n") else edited.lstrip("\n")


def _toml(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_toml(item) for item in value]
    return value.secret if isinstance(value, DatabaseUrl) else plain(value)
