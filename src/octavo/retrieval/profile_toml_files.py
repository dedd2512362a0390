"""Profiles in TOML: every stage by its name, every field by its own, nothing else.

    name = "mine"

    [[recall]]
    stage = "lexical"
    depth = 50

    [fuse]
    stage = "single"

    [[refine]]
    stage = "cap_per_document"
    limit = 2

A field that is left out keeps its default; "none" unsets one that may be unset.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from octavo.algorithms.ranking.relevance_calibration import Calibration
from octavo.bounded_file_reading import read_small
from octavo.errors import ConfigurationError, system_message
from octavo.retrieval.profiles_by_name import PROFILES, profile_named
from octavo.retrieval.stage import RetrievalProfile
from octavo.retrieval.stages.registry import SHAPES, stage_of, stages

_STAGE = "stage"
_UNSET = "none"
_CALIBRATION, _SCOPED = "calibration", "scoped"


def read_profile(text: str, where: str = "profile") -> RetrievalProfile:
    """A profile as TOML; `where` names it in errors."""
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{where} is not TOML: {error}") from error
    return profile_from(table, where)


def find_profile(name: str, folders: Sequence[Path]) -> RetrievalProfile:
    """A built-in profile, or one that a file in one of the folders describes."""
    return PROFILES[name] if name in PROFILES else profile_named(name, own_profiles(folders))


def own_profiles(folders: Sequence[Path]) -> dict[str, RetrievalProfile]:
    """Those that files in these folders describe, by name."""
    return {name: profile for folder in folders for name, profile in read_profiles(folder).items()}


def read_profiles(folder: Path) -> dict[str, RetrievalProfile]:
    """Every `*.toml` of a folder as a profile, by name, in the order of the files."""
    profiles: dict[str, RetrievalProfile] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            text = read_small(path, links=True).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} cannot be read: {system_message(error)}") from error
        profile = read_profile(text, str(path))
        if profile.name in PROFILES:
            raise ConfigurationError(
                f"{path} has the name of a built-in profile, {profile.name}", hint="give it another name"
            )
        if profile.name in profiles:
            raise ConfigurationError(f"{path} is a second profile with the name {profile.name}")
        profiles[profile.name] = profile
    return profiles


def profile_from(table: Mapping[str, Any], where: str = "profile") -> RetrievalProfile:
    """A profile as the tables that TOML reads into."""
    _only(table, ("name", *SHAPES, _CALIBRATION, _SCOPED), where, "part")
    name = table.get("name")
    if not isinstance(name, str) or not name:
        raise ConfigurationError(f"{where} has no name", hint='start it with: name = "mine"')
    for needed in ("recall", "fuse"):
        if not table.get(needed):
            raise ConfigurationError(f"{where} has no {needed} stage", hint=_choices(needed))
    made: dict[str, tuple[Any, ...]] = {}
    for shape in SHAPES:
        given = table.get(shape, [])
        several = [given] if shape == "fuse" else given
        if not isinstance(several, list):
            raise ConfigurationError(f"{where}: {shape} is not a list", hint=f"write [[{shape}]] above each stage")
        made[shape] = tuple(
            _stage(stage, shape, f"{where}, {shape} {number}") for number, stage in enumerate(several, 1)
        )
    given = table.get(_CALIBRATION)
    calibration = None if given is None else _value(Calibration, given, f"{where}, {_CALIBRATION}")
    scoped = bool(table.get(_SCOPED, False))
    return RetrievalProfile(name, made["recall"], made["fuse"][0], made["refine"], made["expand"], calibration, scoped)


def write_profile(profile: RetrievalProfile) -> str:
    """The profile with all its fields, as `read_profile` reads it."""
    parts = [f"name = {_written(profile.name)}\n"]
    parts += [f"{_SCOPED} = true\n"] if profile.scoped else []
    for shape in SHAPES:
        if shape == "fuse":
            parts.append("\n".join(_table(profile.fuse, "fuse", "[fuse]")))
            continue
        for stage in getattr(profile, shape):
            parts.append("\n".join(_table(stage, shape, f"[[{shape}]]")))
    if profile.calibration is not None:
        parts.append("\n".join(_table(profile.calibration, _CALIBRATION, f"[{_CALIBRATION}]")))
    return "\n".join(parts)


def _stage(table: object, shape: str, where: str) -> Any:
    if not isinstance(table, Mapping):
        raise ConfigurationError(f"{where} is not a table")
    name = table.get(_STAGE)
    if not isinstance(name, str):
        raise ConfigurationError(f"{where} does not say which stage it is", hint=_choices(shape))
    kind = stage_of(shape, name)
    if kind is None:
        other = next((shape for shape in SHAPES if stage_of(shape, name)), None)
        if other:
            raise ConfigurationError(f"{where}: {name} is a stage of {other}", hint=_choices(shape))
        raise ConfigurationError(f"{where}: there is no stage {name}", hint=_nearest(name, stages(shape)))
    given = {key: value for key, value in table.items() if key != _STAGE}
    return _value(kind, given, f"{where} ({name})")


def _value(kind: type[Any], table: Mapping[str, Any], where: str) -> Any:
    """A dataclass from a table: unknown fields and values of another type are errors."""
    hints = get_type_hints(kind)
    _only(table, [field.name for field in fields(kind)], where, "field")
    return kind(**{name: _field(hints[name], value, f"{where}: {name}") for name, value in table.items()})


def _field(hint: Any, value: Any, where: str) -> Any:
    kinds = get_args(hint) if NoneType in get_args(hint) else (hint,)
    if value == _UNSET and NoneType in kinds:
        return None
    if isinstance(value, Mapping):
        if _STAGE in value:
            return _stage(value, "fuse", where)
        nested = next((kind for kind in kinds if is_dataclass(kind)), None)
        if isinstance(nested, type):
            return _value(nested, value, where)
    from pydantic import TypeAdapter, ValidationError
    from pydantic.errors import PydanticSchemaGenerationError

    try:
        # As JSON, so that a list may be a tuple but a string is never a number.
        return TypeAdapter(hint).validate_json(json.dumps(value, default=str), strict=True)
    except ValidationError as error:
        raise ConfigurationError(f"{where} cannot be {value!r}: {error.errors()[0]['msg']}") from error
    except PydanticSchemaGenerationError:
        raise ConfigurationError(f"{where} is a stage, not {value!r}", hint=_choices("fuse")) from None


def _only(table: Mapping[str, Any], known: Sequence[str], where: str, what: str) -> None:
    for name in table:
        if name not in known:
            raise ConfigurationError(f"{where}: there is no {what} {name}", hint=_nearest(name, known))


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name[:100], names, n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else f"choose one of: {', '.join(names)}"


def _choices(shape: str) -> str:
    return f"choose a stage of: {', '.join(stages(shape))}"


def _table(value: Any, path: str, header: str) -> Iterator[str]:
    """A stage or a nested value: its own fields first, since TOML gives everything after a header to that header."""
    yield header
    shape = path.partition(".")[0]
    known = SHAPES.get(shape)
    if known and (registered := _registered(value, known) or _registered(value, stages(shape))):
        yield f"{_STAGE} = {_written(registered)}"
    nested: list[tuple[str, Any]] = []
    for field in fields(value):
        setting = getattr(value, field.name)
        if is_dataclass(setting):
            nested.append((f"{path}.{field.name}", setting))
        elif setting is None:
            if _default(field) is not None:
                yield f"{field.name} = {_written(_UNSET)}"
        elif not (field.name == "name" and setting == _default(field)):
            yield f"{field.name} = {_written(setting)}"
    yield ""
    for inner, setting in nested:
        yield from _table(setting, inner, f"[{inner}]")


def _registered(value: object, known: Mapping[str, type[Any]]) -> str | None:
    return next((name for name, kind in known.items() if kind is type(value)), None)


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


def _written(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return json.dumps(str(value), ensure_ascii=False)
