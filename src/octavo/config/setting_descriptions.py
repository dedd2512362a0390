"""What each setting is: its type, default, meaning and variable, read from the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from octavo.config.layered_config_loading import MODELS, project_may_set, settings, unknown, variable
from octavo.config.schema import Config
from octavo.fast_dataclass import dataclass, replace
from octavo.model.language_model_settings import ModelSettings
from octavo.model.library_location import DatabaseUrl

NAMES = "string, or list of strings"
"""The type of a setting that is one name or several."""
_ABOVE_TABLES = "Which library and project commands work in, and what servers and workers write to their log."


@dataclass(frozen=True, slots=True)
class Setting:
    """One key of the configuration. `default` is None where leaving it out means something else than any value."""

    name: str
    type: str
    default: Any
    meaning: str
    variable: str
    in_project_file: bool
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingsTable:
    """A table of the TOML file, or with the name "" the keys above all tables."""

    name: str
    meaning: str
    settings: tuple[Setting, ...]


@cache
def described() -> Mapping[str, Setting]:
    """Every setting by its dotted name, in the order of the schema."""
    schema = TypeAdapter(Config).json_schema()
    return {name: _setting(name, default, _leaf(schema, name)) for name, default in settings(Config())}


def describe(name: str) -> Setting:
    setting = described().get(name)
    if setting is None:
        raise unknown(name, f"{name} is not a setting")
    return setting


def sections() -> Iterator[SettingsTable]:
    """The tables of the file. That of a language model stands for as many as there are."""
    every = described().values()
    yield SettingsTable("", _ABOVE_TABLES, tuple(setting for setting in every if "." not in setting.name))
    for name, value in _tables(Config()):
        inside = tuple(setting for setting in every if setting.name.rpartition(".")[0] == name)
        yield SettingsTable(name, (type(value).__doc__ or "").strip(), inside)
        if any(setting.name == MODELS for setting in inside):
            yield SettingsTable(f"{MODELS}.NAME", (ModelSettings.__doc__ or "").strip(), tuple(_of_a_model()))


def _tables(tree: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for field in fields(tree):
        value = getattr(tree, field.name)
        if is_dataclass(value) and not isinstance(value, DatabaseUrl):
            yield prefix + field.name, value
            yield from _tables(value, f"{prefix}{field.name}.")


def _of_a_model() -> Iterator[Setting]:
    schema = TypeAdapter(ModelSettings).json_schema()["properties"]
    for field in fields(ModelSettings):
        name = f"{MODELS}.NAME.{field.name}"
        yield replace(
            _setting(name, None if field.default is MISSING else field.default, schema[field.name]), variable=""
        )


def template(*, in_project_file: bool = False) -> str:
    """A configuration file in which every setting it may have stands as a comment, with its default."""
    lines = ["# Octavo's configuration. Take the # away from a line to set it.", ""]
    for section in sections():
        offered = [setting for setting in section.settings if setting.in_project_file or not in_project_file]
        if not offered:
            continue
        if section.name:
            # The table of a model is a comment too: one with nothing in it would be a model without a provider.
            mark = "# " if section.name.startswith(f"{MODELS}.") else ""
            lines += [f"# {section.meaning}", f"{mark}[{section.name}]"]
        for setting in offered:
            key = setting.name.rpartition(".")[2]
            example = "…" if setting.default is None else written(setting.default)
            lines += [f"# {setting.meaning} ({setting.type})", f"# {key} = {example}"]
        lines.append("")
    return "\n".join(lines)


def plain(value: Any) -> Any:
    """A setting's value as JSON and TOML have it; of a database's URL, what may be shown."""
    if isinstance(value, Path | DatabaseUrl):
        return str(value)
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, ModelSettings):
        given = ((field, getattr(value, field.name)) for field in fields(value))
        return {field.name: plain(inner) for field, inner in given if inner != field.default}
    return [plain(item) for item in value] if isinstance(value, tuple) else value


def written(value: Any) -> str:
    """A value as it stands in TOML, which for most of these types is JSON; nothing for None."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(name)} = {written(inner)}" for name, inner in value.items()) + "}"
    return "" if value is None else json.dumps(plain(value), ensure_ascii=False)


def _setting(name: str, default: Any, schema: Mapping[str, Any]) -> Setting:
    # What may be left out is a choice between a type and null, and the type has the bounds.
    kinds = [kind for kind in schema.get("anyOf", [schema]) if kind.get("type") != "null"]
    kind = kinds[0] if len(kinds) == 1 else _union(kinds)
    choices = tuple(kind.get("enum", ()))
    return Setting(
        name=name,
        type=_type(kind),
        default=plain(default),
        meaning=schema["description"],
        variable=variable(name),
        in_project_file=project_may_set(name),
        choices=choices or (("true", "false") if kind.get("type") == "boolean" else ()),
    )


def _union(kinds: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    listed = any(kind.get("type") == "array" for kind in kinds)
    return {"format": "names"} if listed else {"format": "location"}


def _leaf(schema: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    *above, leaf = name.split(".")
    properties = schema["properties"]
    for section in above:
        reference = properties[section]["$ref"].rpartition("/")[2]
        properties = schema["$defs"][reference]["properties"]
    described: Mapping[str, Any] = properties[leaf]
    return described


def _type(kind: Mapping[str, Any]) -> str:
    if "enum" in kind:
        *others, last = (f'"{choice}"' for choice in kind["enum"])
        return f"{', '.join(others)} or {last}"
    match kind:
        case {"format": "location"}:
            return "path or URL"
        case {"format": "names"}:
            return NAMES
        case {"format": "path"}:
            return "path"
        case {"type": "object"}:
            return "tables by name"
        case {"type": "array"}:
            return "list of integers" if kind.get("items", {}).get("type") == "integer" else "list of strings"
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "integer" | "number" as number}:
            return _bounded(number, kind)
    return "string"


def _bounded(number: str, kind: Mapping[str, Any]) -> str:
    if "minimum" in kind and "maximum" in kind:
        return f"{number}, {kind['minimum']:,} to {kind['maximum']:,}"
    if "minimum" in kind:
        return f"{number}, {kind['minimum']:,} or more"
    if "exclusiveMinimum" in kind:
        return f"{number} above {kind['exclusiveMinimum']:,}, up to {kind['maximum']:,}"
    return number
