"""What a request's fields say of themselves, read without pydantic: a command line has no time to import it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from dataclasses import Field as DataclassField
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from octavo.model.field_constraints_and_cli_options import Field


class RequestField(NamedTuple):
    """What a request says of one of its fields: the type of a value, whether there are several, and its limits."""

    name: str
    type: type
    several: bool
    default: Any
    limits: tuple[Field, ...]

    def first(self, attribute: str) -> Any:
        """What the outermost of its limits says, if any does."""
        return next((value for limit in self.limits if (value := getattr(limit, attribute))), "")

    @property
    def required(self) -> bool:
        return self.default is MISSING

    @property
    def on_command_line(self) -> bool:
        return all(limit.option is not None for limit in self.limits)

    @property
    def spelled(self) -> str:
        """How a command line spells it: its options with slashes between them."""
        dashed = "--" + self.name.replace("_", "-")
        if self.type is bool and self.default is not False:
            # What is on by default, or not said, can be turned off: `--embed/--no-embed`.
            dashed = f"{dashed}/--no-{dashed[2:]}"
        return str(self.first("option") or dashed)

    def check(self, *names: str) -> Any:
        return next((limit.checks[name] for limit in self.limits for name in names if name in limit.checks), None)


@cache
def request_fields(request: type) -> tuple[RequestField, ...]:
    """What a request's fields say, in their order; what may only be given by name comes last."""
    return tuple(_described(request))


def _described(request: type) -> Iterator[RequestField]:
    hints = get_type_hints(request, include_extras=True)
    for field in sorted(fields(request), key=lambda field: field.kw_only is True):
        limits: list[Field] = []
        kind = _unwrapped(hints[field.name], limits)
        several = get_origin(kind) is tuple
        if several:
            kind = _unwrapped(get_args(kind)[0], limits)
        yield RequestField(field.name, kind, several, _default(field, hints[field.name]), tuple(limits))


def _unwrapped(hint: Any, limits: list[Field]) -> Any:
    """The type inside `Annotated` and `| None`; what is said of it is added to `limits`, outermost first."""
    while True:
        if get_origin(hint) is Annotated:
            hint, *metadata = get_args(hint)
            limits += (limit for limit in reversed(metadata) if isinstance(limit, Field))
        elif get_origin(hint) in (Union, UnionType):
            hint = next(inner for inner in get_args(hint) if inner is not NoneType)
        else:
            return hint


def _default(field: DataclassField[Any], hint: Any) -> Any:
    """A value that may be None and has no default stays unsaid."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return None if field.default is MISSING and NoneType in get_args(hint) else field.default
