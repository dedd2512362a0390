"""Writes the Python API from the table of operations; with --check, says whether it is up to date.

src/octavo/answers.pyi                     every type that an operation answers with
src/octavo/interfaces/python/method_lookup.pyi   the types of every method, and of the coroutines
docs/reference/python.md                   every method, with its example
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
import subprocess
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import Parameter
from pathlib import Path
from typing import Any

from generated import ROOT, main

import octavo.model
from octavo.answers import answer_types
from octavo.interfaces.python.operation_methods import (
    argument_meanings,
    docstring,
    positional_fields,
    signature,
)
from octavo.operations.argument_types import TIME
from octavo.operations.names_and_hints_by_interface import methods
from octavo.operations.operation import Operation
from octavo.operations.request_fields import RequestField, request_fields

PACKAGE = ROOT / "src" / "octavo"
WRITTEN = "Written by scripts/make_python_api.py from the table of operations: change that, not this file."

_WIDTH = 120
_PATH_LENGTH = 4_096  # what is at most so long is a path or a uri


def answers_module() -> str:
    homes: dict[str, list[str]] = defaultdict(list)
    for name, kind in answer_types().items():
        homes[kind.__module__].append(name)
    lines = [f'"""The types of what a library\'s methods answer with.\n\n{WRITTEN}\n"""\n']
    lines += [_imported(module, names) for module, names in sorted(homes.items())]
    names = [f'    "{name}",' for name in sorted(answer_types())]
    return "\n".join([*lines, "", "__all__ = [", *names, "]", ""])


def _imported(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    return line if len(line) <= _WIDTH else _broken(f"from {module} import (", names, ")", "")


def stub() -> str:
    answers = sorted({operation.gives.__name__ for operation in methods().values()}, key=str.lower)
    choices = [f"{name} = Literal[{', '.join(map(repr, values))}]" for name, values in _enums_used().items()]
    return _formatted(
        "\n".join(
            [
                f'"""The methods of a library by their types.\n\n{WRITTEN}\n"""\n',
                "from collections.abc import Callable, Iterable",
                "from datetime import date, timedelta",
                "from os import PathLike",
                "from typing import Any, Literal\n",
                f"from octavo.answers import {', '.join(answers)}",
                "from octavo.interfaces.python.progress_callbacks import ProgressCallback",
                "from octavo.interfaces.python.shared_engine_handle import Handle\n",
                *choices,
                "StrPath = str | PathLike[str]",
                "Time = str | date | timedelta",
                '"""A date or a time, as text or as Python\'s own, or how long ago."""',
                *(_class(noun, is_async) for is_async in (False, True) for noun in ("", *_nouns())),
            ]
        ),
        "method_lookup.pyi",
    )


def _formatted(code: str, name: str) -> str:
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", name, "-"]
    return subprocess.run(ruff, input=code, capture_output=True, encoding="utf-8", check=True, cwd=ROOT).stdout


def _nouns() -> list[str]:
    return sorted({method.partition(".")[0] for method in methods() if "." in method})


def _class(noun: str, is_async: bool) -> str:
    kind = "AsyncMethods" if is_async else "Methods"
    lines = [f"class {_class_name(noun, kind)}:"]
    if not noun:
        lines.append(f"    def __init__(self, caller: {'Callable[..., Any]' if is_async else 'Handle'}) -> None: ...")
        lines += [f"    @property\n    def {noun}(self) -> {_class_name(noun, kind)}: ..." for noun in _nouns()]
    for method, operation in methods().items():
        below, _, name = method.rpartition(".")
        if below == noun:
            lines.append(_method(name, operation, is_async))
    return "\n".join(lines)


def _class_name(noun: str, kind: str) -> str:
    return f"{noun.capitalize()}{kind}"


def _method(name: str, operation: Operation, is_async: bool) -> str:
    """A coroutine has the summary alone: the whole text stands at the method."""
    head = (
        f"{'async ' if is_async else ''}def {name}({', '.join(_parameters(operation))}) -> {operation.gives.__name__}:"
    )
    text = operation.summary if is_async else docstring(operation)
    text = f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'
    return textwrap.indent(f"{head}\n{textwrap.indent(text, '    ')}", "    ", lambda line: bool(line.strip()))


def _broken(before: str, items: list[str], after: str, indent: str) -> str:
    """One item a line, as ruff would have it."""
    inner = [f"{indent}    {item}," for item in items]
    return "\n".join([before, *inner, indent + after])


def _parameters(operation: Operation) -> Iterator[str]:
    yield "self"
    is_named = False
    for parameter in signature(operation.name).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and not is_named:
            is_named = True
            yield "*"
        yield f"{parameter.name}: {_annotated(operation, parameter)}"


def _annotated(operation: Operation, parameter: Parameter) -> str:
    """How the parameter is annotated: what is accepted, which is more than what the request holds."""
    if operation.watched and parameter.name == "progress":
        return "ProgressCallback | None = None"
    said = next(said for said in request_fields(operation.takes) if said.name == parameter.name)
    item = _item(said)
    hint = f"{item} | Iterable[{item}]" if said.several else item
    if parameter.default is Parameter.empty:
        return hint
    return f"{hint}{' | None' if parameter.default is None else ''} = {_literal(parameter.default)}"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _item(said: RequestField) -> str:
    if said.type is not str:
        return said.type.__name__
    choices = next((limit.choices for limit in said.limits if limit.choices and not limit.complete), ())
    if choices:
        return _choices(choices)
    if str(said.check("pattern") or "").startswith(TIME):
        return "Time"
    shown = f"{said.first('metavar')} {said.first('argument')}"
    is_long = any(limit.checks.get("max_length") == _PATH_LENGTH for limit in said.limits)
    return "StrPath" if is_long or "FILE" in shown or "FOLDER" in shown else "str"


def _choices(values: tuple[str, ...]) -> str:
    """The values a text is one of: an enum's, by its name, or as they are."""
    return _enums().get(frozenset(values)) or f"Literal[{', '.join(map(_literal, values))}]"


@cache
def _enums() -> Mapping[frozenset[str], str]:
    """The enums of the model by their values."""
    modules = (
        importlib.import_module(one.name) for one in pkgutil.iter_modules(octavo.model.__path__, "octavo.model.")
    )
    kinds = (
        kind
        for module in modules
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, enum.Enum) and kind.__module__ == module.__name__
    )
    return {frozenset(str(member.value) for member in kind): kind.__name__ for kind in kinds}


def _enums_used() -> dict[str, tuple[str, ...]]:
    every = (
        limit.choices
        for operation in methods().values()
        for said in request_fields(operation.takes)
        for limit in said.limits
    )
    used = {_enums()[frozenset(values)]: values for values in every if frozenset(values) in _enums()}
    return dict(sorted(used.items()))


_INTRODUCTION = """\
# Python

<!-- Written by scripts/make_python_api.py from the table of operations: change that, not this page. -->

What is done daily is a method of `octavo.Library`, the rest is below nouns: `library.memory.history`. The same are
coroutines of `octavo.AsyncLibrary`.
[The guide](../guides/python.md) says how a library is opened, what arguments may be, and what goes wrong. Required
arguments may be given by position, the others by name. Answers are frozen dataclasses: `octavo.answers` has their
types, [the operations](operations.md) their fields. Examples speak of the vault in `examples/vault`, as a collection
called `observatory`; a test runs them.

`StrPath` is `str | os.PathLike[str]`, and `Time` is `str | datetime.date | datetime.timedelta`: a date or a time, as
text or as Python's own, or how long ago.
"""


def reference() -> str:
    sections = [line for method, operation in methods().items() for line in _section(method, operation)]
    return "\n".join([_INTRODUCTION, *sections])


def _section(method: str, operation: Operation) -> Iterator[str]:
    yield f"## {method}\n"
    yield f"{operation.description}\n"
    if operation.example is not None:
        yield f"```python\n{_example(method, operation, operation.example)}\n```\n"
    rows = list(argument_meanings(operation))
    if rows:
        hints = dict(_hints(operation))
        yield "| argument | type | meaning |"
        yield "| --- | --- | --- |"
        for name, meaning in rows:
            yield f"| `{name}` | {hints[name]} | {meaning.replace('|', chr(92) + '|')} |"
        yield ""
    yield f"Answers with `{operation.gives.__name__}`.\n"


def _hints(operation: Operation) -> Iterator[tuple[str, str]]:
    for parameter in _parameters(operation):
        name, _, hint = parameter.partition(": ")
        if hint:
            yield name, f"`{hint}`".replace("|", "\\|")


def _example(method: str, operation: Operation, example: Mapping[str, Any]) -> str:
    """The operation's example as a call of its method."""
    given = dict(example)
    arguments = [repr(given.pop(field.name)) for field in positional_fields(operation.takes) if field.name in given]
    arguments += [f"{name}={value!r}" for name, value in given.items()]
    line = f"library.{method}({', '.join(arguments)})"
    return line if len(line) <= 100 else _broken(f"library.{method}(", arguments, ")", "")


def written() -> dict[Path, str]:
    python = PACKAGE / "interfaces" / "python"
    return {
        PACKAGE / "answers.pyi": answers_module(),
        python / "method_lookup.pyi": stub(),
        ROOT / "docs" / "reference" / "python.md": reference(),
    }


if __name__ == "__main__":
    sys.exit(main(written()))
