"""A method of a library: the arguments of a call bound to an operation's request."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, fields
from functools import cache, partial
from importlib import import_module
from inspect import Parameter, Signature
from typing import Any, get_type_hints

from octavo.interfaces.python.argument_conversion import is_paged, run
from octavo.interfaces.python.shared_engine_handle import Handle
from octavo.operations.json_schemas import input_schema, limits
from octavo.operations.names_and_hints_by_interface import method_of, methods
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import EVERY, called
from octavo.operations.request_fields import request_fields

_WIDTH = 120


class Method:
    """An operation of an open library, to be called with Python values."""

    def __init__(self, library: object, caller: Handle | Callable[..., Any], operation: Operation) -> None:
        self._library = library  # stays open as long as one of its methods is used
        self._call = partial(run, caller) if isinstance(caller, Handle) else caller
        self._operation = operation
        self.__name__ = method_of(operation)
        self.__signature__ = signature(operation.name)

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return docstring(self._operation)

    def __repr__(self) -> str:
        return f"<method {self.__name__}{self.__signature__} of a library>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            arguments = self.__signature__.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{self.__name__}() {error}{self._what_it_takes(kwargs)}") from None
        progress = arguments.pop("progress", None)
        return self._call(self._operation.name, arguments, progress)

    def _what_it_takes(self, given: Iterable[str]) -> str:
        """The argument that a wrong name is nearest to, or else which are taken by position."""
        parameters = self.__signature__.parameters
        for name in given:
            if name not in parameters:
                near = import_module("difflib").get_close_matches(name, parameters, n=1)
                return f"; did you mean {near[0]}?" if near else f"; it takes {', '.join(parameters)}"
        by_position = [name for name, each in parameters.items() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        by_name = [name for name in parameters if name not in by_position]
        return f"; by position it takes {' and '.join(by_position) or 'none'}, by name {', '.join(by_name) or 'none'}"


def method_or_noun(noun: str, name: str) -> Operation | str | None:
    """The operation that is called so below the noun; None for a noun; else what to say of a name that is neither."""
    path = f"{noun}.{name}" if noun else name
    if operation := methods().get(path):
        return operation
    if not noun and names_below(name):
        return None
    renamed = called(name)
    where = f"library.{noun}" if noun else "a library"
    return f"{where} has no {name!r}" + (f": it is library.{method_of(renamed)}" if renamed else "")


@cache
def names_below(noun: str) -> frozenset[str]:
    """The methods below a noun; below none, those on top and the nouns."""
    if not noun:
        return frozenset(path.partition(".")[0] for path in methods())
    return frozenset(path.removeprefix(f"{noun}.") for path in methods() if path.startswith(f"{noun}."))


@cache
def signature(name: str) -> Signature:
    """Required arguments by position or by name, the others by name."""
    operation = EVERY[name]
    positional = [field.name for field in positional_fields(operation.takes)]
    every = [
        Parameter(
            field.name,
            Parameter.POSITIONAL_OR_KEYWORD if field.name in positional else Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else default(operation.takes, field),
        )
        for field in fields(operation.takes)
    ]
    if operation.watched:
        every.append(Parameter("progress", Parameter.KEYWORD_ONLY, default=None))
    return Signature(sorted(every, key=lambda parameter: parameter.kind))


def positional_fields(request: type) -> list[Field[Any]]:
    """The required fields and the arguments of the command; where there are none, a first field that is text."""
    every = fields(request)
    arguments = {field.name for field in request_fields(request) if field.first("argument") and not field.several}
    leading = [field for field in every if field.default is MISSING or field.name in arguments]
    first = [field for field in every[:1] if get_type_hints(request)[field.name] in (str, str | None)]
    return leading or first


def default(request: type, field: Field[Any]) -> Any:
    return None if _is_unlimited(request, field.name) else field.default


def _is_unlimited(request: type, name: str) -> bool:
    return name == "max_tokens" and is_paged(request)


def docstring(operation: Operation) -> str:
    paragraphs = [operation.summary]
    if operation.description.rstrip(".") != operation.summary.rstrip("."):
        paragraphs.append(_filled(operation.description, ""))
    described = [_filled(f"{name}: {meaning}".rstrip(": "), "    ") for name, meaning in argument_meanings(operation)]
    if described:
        paragraphs.append("\n".join(["Args:", *described]))
    return "\n\n".join(paragraphs)


def _filled(text: str, indent: str) -> str:
    """The docstring of a method in a class is indented by eight."""
    after = indent and indent + "    "
    return textwrap.fill(text, _WIDTH - 8, initial_indent=indent, subsequent_indent=after, break_on_hyphens=False)


def argument_meanings(operation: Operation) -> Iterator[tuple[str, str]]:
    """Each argument's name and meaning."""
    properties = input_schema(operation.takes)["properties"]
    for field in fields(operation.takes):
        schema = properties[field.name]
        words = [schema.get("description", "")]
        # Of its limits only a range: the type shows the choices, and a length is rarely met.
        words += [limit for limit in limits(schema) if limit[0].isdigit()]
        words += ["Without it the answer is not cut."] if _is_unlimited(operation.takes, field.name) else []
        yield field.name, " ".join(word for word in words if word)
    if operation.watched:
        yield "progress", "Called with a `ProgressUpdate` now and then."
