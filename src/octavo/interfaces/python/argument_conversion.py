"""Python values as an operation's arguments: a path, a time, an enum member or any iterable as what it means."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache
from pathlib import PurePath
from types import NoneType, UnionType
from typing import Any, SupportsFloat, SupportsIndex, Union, get_args, get_origin, get_type_hints

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.python.progress_callbacks import ProgressCallback, Reporter
from octavo.interfaces.python.shared_engine_handle import Handle
from octavo.model.document import Kind
from octavo.operations import argument_types
from octavo.operations.argument_parsing import request
from octavo.operations.json_schemas import input_schema, kind, limits
from octavo.operations.names_and_hints_by_interface import for_python
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import EVERY
from octavo.operations.search.results import SearchAnswer

_UNLIMITED = 2**40  # tokens


def request_for(operation: Operation, given: Mapping[str, Any]) -> Any:
    """The operation's request; None is an argument that was not given, and one value stands for a list of one.

    Here an answer is as long as it is: only a caller that gives `max_tokens` gets it in pages.
    """
    model = operation.takes
    values = {name: _plain(operation, name, value) for name, value in given.items() if value is not None}
    try:
        made = request(operation.name, model, values)
    except InvalidArgument as error:
        hint = error.hint or _hint(model, str(error.details.get("field", "")))
        raise InvalidArgument(error.message, hint=hint, details=error.details) from error
    if "max_tokens" not in values and is_paged(model):
        return replace(made, max_tokens=_UNLIMITED)
    return made


def _plain(operation: Operation, name: str, value: Any) -> Any:
    try:
        plain = argument(value)
    except TypeError as error:
        hint = _hint(operation.takes, name)
        raise InvalidArgument(f"{name} of {operation.name} {error}", hint=hint, details={"field": name}) from error
    is_list = isinstance(plain, list | Mapping)
    return [plain] if name in list_arguments(operation.takes) and not is_list else plain


def argument(value: Any) -> Any:
    """One value as JSON would have it. A time without a zone is local, as everywhere in Python."""
    match value:
        case None | bool() | int() | float() | str() if not isinstance(value, Enum):
            return value
        case Enum():
            return argument(value.value)
        case datetime():
            return _zoned(value).isoformat()
        case date():
            return value.isoformat()
        case timedelta():
            return _ago(value).isoformat()
        case PurePath():
            return value.as_posix()
        case os.PathLike():
            return os.fspath(value)
        case Mapping():
            return {str(key): argument(item) for key, item in value.items()}
        case bytes() | bytearray():
            raise TypeError("is bytes, not text")
        case Iterable():
            return [argument(item) for item in value]
        case SupportsIndex():  # numpy's integers
            return int(value)
        case SupportsFloat():
            return float(value)
    raise TypeError(f"is of type {type(value).__name__}")


def _ago(age: timedelta) -> datetime:
    try:
        return datetime.now(UTC) - age
    except OverflowError:
        raise TypeError(f"is {age}, which is longer ago than any date") from None


def _zoned(moment: datetime) -> datetime:
    try:
        return moment if moment.tzinfo else moment.astimezone()
    except (OverflowError, ValueError):  # so near the first or the last year that a zone would leave the calendar
        return moment


@cache
def list_arguments(model: type) -> frozenset[str]:
    """The arguments that take several values, and never one by itself."""
    return frozenset(name for name, hint in get_type_hints(model).items() if _is_list(hint))


def _is_list(hint: Any) -> bool:
    alternatives = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return all(get_origin(kind) is tuple for kind in alternatives if kind is not NoneType)


@cache
def is_paged(model: type) -> bool:
    """Whether an answer is cut where `max_tokens` ends, to be read on with its cursor."""
    return get_type_hints(model, include_extras=True).get("max_tokens") == argument_types.MaxTokens


def _hint(model: type, place: str) -> str | None:
    """What the argument is, in the words of its field."""
    name = place.partition(".")[0]
    schema = input_schema(model)["properties"].get(name)
    if schema is None:
        return None
    return " ".join([f"{name} takes {kind(schema)}: {schema.get('description', '')}".rstrip(": "), *limits(schema)])


def run(handle: Handle, name: str, arguments: Mapping[str, Any], callback: ProgressCallback | None = None) -> Any:
    """The operation's answer. A library that is closed says so before anything else is wrong."""
    operation = EVERY[name]
    try:
        with handle.use() as engine:
            request = request_for(operation, arguments)
            answer = operation.run(engine, request, None if callback is None else Reporter(callback))
            return _with_paths(answer, engine) if isinstance(answer, SearchAnswer) else answer
    except OctavoError as error:
        error.hint = error.hint and for_python(error.hint, operation)
        raise


def _with_paths(answer: SearchAnswer, engine: Engine) -> SearchAnswer:
    """With the file of each hit that is in one: a program mostly opens it next."""
    roots = engine.roots()
    hits = (
        replace(hit, path=str(roots[hit.collection] / hit.uri))
        if hit.collection in roots and hit.kind != Kind.COMMIT
        else hit
        for hit in answer.hits
    )
    return replace(answer, hits=tuple(hits))
