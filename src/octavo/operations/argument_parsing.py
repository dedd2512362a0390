"""Arguments from a client → a request: aliases understood, everything unknown refused by the nearest name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, to_json

from octavo.errors import InvalidArgument
from octavo.operations.argument_types import TIME, TIMES
from octavo.operations.json_schemas import adapter, input_schema, kind

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("q",),
    "limit": ("k", "top_k", "top_n", "max_results"),
    "max_results": ("k", "top_k", "top_n", "limit"),
    "top_n": ("k", "top_k", "max_results", "limit"),
    "reference": ("uri", "path", "file", "file_path", "filepath"),
    "references": ("uris", "paths", "files"),
    "path_prefix": ("path",),
    "item": ("id", "memory_id"),
    "text": ("content",),
}
"""What other tools call the same thing. An alias counts where the operation has no argument of that name itself."""


_LONGEST_NAME = 100
_LONGEST_VALUE = 200


def names(model: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(model))


def aliases(model: type) -> dict[str, str]:
    """Alias → argument."""
    known = names(model)
    return {alias: name for name in known for alias in ALIASES.get(name, ()) if alias not in known}


def request(operation: str, model: type, given: Mapping[str, Any], *, forgiving: bool = False) -> Any:
    """Makes the operation's request, or says what is wrong with it.

    `forgiving` is for language models: null means unsaid, "5" is a number, and one value stands for a list of one.
    """
    known, also = names(model), aliases(model)
    values: dict[str, Any] = {}
    for written, value in given.items():
        name = also.get(written, written)
        if name not in known:
            raise _unknown(operation, model, written, (*known, *also))
        if name in values:
            raise InvalidArgument(f"{operation} was given {name} twice", details=_details(name, value))
        values[name] = value
    if forgiving:
        values = {name: _listed(model, name, value) for name, value in values.items() if value is not None}
    elif None in values.values():
        name = next(name for name in values if values[name] is None)
        raise InvalidArgument(
            f"{name} of {operation} is null", hint="leave it out instead", details=_details(name, None)
        )
    # To JSON, 5.0 is an integer.
    values = {name: _whole(value) for name, value in values.items()}
    try:
        if forgiving:
            return adapter(model).validate_python(values)
        # As JSON, so that strict means what JSON says: an array is a tuple, a string is not a number.
        return adapter(model).validate_json(to_json(values, inf_nan_mode="constants"), strict=True)
    except ValidationError as error:
        raise _invalid(operation, model, error.errors(include_url=False)[0]) from None
    except ValueError as error:  # what cannot be JSON at all: half a character
        raise InvalidArgument(f"{operation} was given something that is not text: {error}") from None


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _listed(model: type, name: str, value: Any) -> Any:
    many = input_schema(model)["properties"][name].get("type") == "array"
    return (value,) if many and not isinstance(value, list | tuple) else value


def _unknown(operation: str, model: type, written: str, known: tuple[str, ...]) -> InvalidArgument:
    # Likeness takes time by the square of the length, and no argument's name is long.
    near = difflib.get_close_matches(written, known, n=1, cutoff=0.5) if len(written) <= _LONGEST_NAME else ()
    hint = f"did you mean {near[0]}?" if near else f"it takes: {', '.join(_explained(model)) or 'no arguments'}"
    return InvalidArgument(
        f"{operation} has no argument {written[:100]!r}",
        hint=hint,
        details=_details(written[:100], None, "there is no such argument", list(known)),
    )


def _explained(model: type) -> list[str]:
    """An operation's arguments, those it needs first, each of these with what it is."""
    schema = input_schema(model)
    required = schema.get("required", [])
    needed = [f"{name} ({schema['properties'][name].get('description', '').rstrip('.')})" for name in required]
    return [*needed, *(name for name in names(model) if name not in required)]


def _invalid(operation: str, model: type, error: ErrorDetails) -> InvalidArgument:
    place = ".".join(str(part) for part in error["loc"]) or "the request"
    # Pydantic names its own classes in a few messages; a caller knows arguments only.
    if error["type"] in ("missing", "missing_argument"):
        schema = input_schema(model)["properties"].get(place)
        hint = f"{place} takes {kind(schema)}: {schema.get('description', '')}".rstrip(": ") if schema else None
        details = _details(place, None, "it is required")
        return InvalidArgument(f"{operation} needs {place}", hint=hint, details=details)
    if error["type"] == "literal_error":
        return _no_such_choice(operation, model, str(error["loc"][0]), error["input"])
    if error["type"] == "string_pattern_mismatch":
        return _unfitting(operation, model, place, str(error["input"]), error.get("ctx", {}).get("pattern", ""))
    reason = error["msg"][0].lower() + error["msg"][1:]
    details = _details(place, error["input"], reason, _options(model, place))
    return InvalidArgument(f"{place} of {operation}: {reason}", details=details)


def _no_such_choice(operation: str, model: type, name: str, value: Any) -> InvalidArgument:
    options = _options(model, name) or []
    reason = f"there is no {str(value)[:100]}"
    return InvalidArgument(
        f"{name} of {operation}: {reason}",
        hint=f"choose one of: {', '.join(options)}",
        details=_details(name, value, reason, options),
    )


def _unfitting(operation: str, model: type, place: str, written: str, pattern: str) -> InvalidArgument:
    """A pattern is for machines: people are told what it stands for."""
    described = input_schema(model)["properties"].get(place, {}).get("description")
    reason, hint = f"{written[:100]!r} is not written as it has to be", f"give this: {described}" if described else None
    if pattern.startswith(TIME):
        reason, hint = f"{written[:100]!r} is not a time since the year 1000", TIMES
    details = _details(place, written, reason)
    return InvalidArgument(f"{place} of {operation}: {reason}", hint=hint, details=details)


def _details(field: str, value: Any, reason: str | None = None, options: list[Any] | None = None) -> dict[str, Any]:
    """The value as far as it can be told in a line: a client knows what it sent."""
    shown = value if value is None or isinstance(value, bool | int | float) else str(value)[:_LONGEST_VALUE]
    details = {"field": field, "value": shown, "valid_options": options}
    return details if reason is None else {**details, "reason": reason}


def _options(model: type, place: str) -> list[Any] | None:
    schema = input_schema(model)["properties"].get(place.partition(".")[0], {})
    choices = schema.get("enum") or schema.get("items", {}).get("enum")
    return list(choices) if choices else None
