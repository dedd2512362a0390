"""Writes the Python API from the table of operations; with --check, says whether it is up to date.

src/octavo/answers.py                           every type that an operation answers with
src/octavo/interfaces/python/methods.py         a typed method for every operation
src/octavo/interfaces/python/async_methods.py   the same as coroutines
docs/reference/python.md                        every method, with its example
"""

from __future__ import annotations

import enum
import importlib
import pkgutil
import sys
import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from generated import ROOT, main

import octavo.model
from octavo.interfaces.python.arguments import is_paged
from octavo.operations.fields import TIME
from octavo.operations.operation import Operation
from octavo.operations.request_fields import RequestField, request_fields
from octavo.operations.schemas import input_schema, limits
from octavo.operations.table import EVERY

PACKAGE = ROOT / "src" / "octavo"
WRITTEN = "Written by scripts/make_python_api.py from the table of operations: change that, not this file."
BY_HAND = frozenset({"watch"})
"""Operations whose methods in `interfaces/python/library.py` do more than call them."""

_WIDTH = 120
_PATH_LENGTH = 4_096  # what is at most so long is a path or a uri


def methods() -> tuple[Operation, ...]:
    return tuple(operation for name, operation in EVERY.items() if name not in BY_HAND)


def answer_types() -> dict[str, type]:
    """Every dataclass that an answer is made of, by name."""
    found: dict[str, type] = {}

    def visit(hint: Any) -> None:
        if isinstance(hint, type) and is_dataclass(hint):
            if found.setdefault(hint.__name__, hint) is not hint:
                raise SystemExit(f"two types of answers are called {hint.__name__}")
            for inner in get_type_hints(hint).values():
                if inner not in found.values():
                    visit(inner)
        else:
            for inner in get_args(hint):
                visit(inner)

    for operation in EVERY.values():
        visit(operation.gives)
    return dict(sorted(found.items(), key=lambda one: one[0].lower()))  # as ruff sorts imports


def answers_module() -> str:
    homes: dict[str, list[str]] = defaultdict(list)
    for name, kind in answer_types().items():
        homes[kind.__module__].append(name)
    lines = [f'"""The types of what a library\'s methods answer with.\n\n{WRITTEN}\n"""\n', _FUTURE]
    lines += [_imported(module, names) for module, names in sorted(homes.items())]
    names = [f'    "{name}",' for name in sorted(answer_types())]
    return "\n".join([*lines, "", "__all__ = [", *names, "]", ""])


_FUTURE = "from __future__ import annotations\n"


def _imported(module: str, names: list[str]) -> str:
    line = f"from {module} import {', '.join(names)}"
    return line if len(line) <= _WIDTH else _broken(f"from {module} import (", names, ")", "")


def methods_module() -> str:
    answers = sorted({operation.gives.__name__ for operation in methods()}, key=str.lower)
    bodies = [_method(operation) for operation in methods()]
    kinds = [f"{name} = Literal[{', '.join(map(repr, values))}]" for name, values in _enums_used().items()]
    return "\n".join(
        [
            f'"""A method for every operation.\n\n{WRITTEN}\n"""\n',
            _FUTURE,
            "from collections.abc import Iterable",
            "from datetime import date, timedelta",
            "from os import PathLike",
            "from typing import TYPE_CHECKING, Literal\n",
            "from octavo.interfaces.python.calling import Caller\n",
            "if TYPE_CHECKING:",
            textwrap.indent(_imported("octavo.answers", answers), "    "),
            "    from octavo.interfaces.python.progress import ProgressCallback\n",
            *(_wrapped_literal(line) for line in kinds),
            "StrPath = str | PathLike[str]",
            "Time = str | date | timedelta",
            '"""A date or a time, as text or as Python\'s own, or how long ago."""\n\n',
            "class Methods(Caller):",
            '    """The operations of an open library."""\n',
            "\n\n".join(bodies),
            "",
            *(f"    {alias} = {operation.name}" for operation in methods() for alias in operation.aliases),
            "",
        ]
    )


def async_methods_module() -> str:
    return "\n".join(
        [
            f'"""The same methods as coroutines.\n\n{WRITTEN}\n"""\n',
            _FUTURE,
            "from octavo.interfaces.python.awaiting import AsyncCaller, awaited",
            "from octavo.interfaces.python.library import Library\n\n",
            "class AsyncMethods(AsyncCaller):",
            '    """The operations of an open library, each awaited."""\n',
            *(
                f"    {name} = awaited(Library.{name})"
                for operation in methods()
                for name in (operation.name, *operation.aliases)
            ),
            "",
        ]
    )


def _method(operation: Operation) -> str:
    parameters = list(_parameters(operation))
    answer = operation.gives.__name__
    head = f"    def {operation.name}({', '.join(parameters)}) -> {answer}:"
    if len(head) > _WIDTH:
        joined = f"        {', '.join(parameters)}"
        head = (
            f"    def {operation.name}(\n{joined}\n    ) -> {answer}:"
            if len(joined) <= _WIDTH
            else _broken(f"    def {operation.name}(", parameters, f") -> {answer}:", "    ")
        )
    body = f'        answer: {answer} = self._call("{operation.name}", locals())\n        return answer'
    return f"{head}\n{_docstring(operation)}\n{body}"


def _broken(before: str, items: list[str], after: str, indent: str) -> str:
    """One item a line, as ruff would have it."""
    inner = [f"{indent}    {item}," for item in items]
    return "\n".join([before, *inner, indent + after])


def _parameters(operation: Operation) -> Iterator[str]:
    yield "self"
    positional = _positional(operation.takes)
    for field in positional:
        yield _parameter(operation.takes, field)
    rest = [field for field in fields(operation.takes) if field not in positional]
    if rest or operation.watched:
        yield "*"
    for field in rest:
        yield _parameter(operation.takes, field)
    if operation.watched:
        yield "progress: ProgressCallback | None = None"


def _positional(request: type) -> list[Field[Any]]:
    """The required fields; where none is required, a first field that is text."""
    every = fields(request)
    required = [field for field in every if field.default is MISSING]
    first = [field for field in every[:1] if get_type_hints(request)[field.name] in (str, str | None)]
    return required or first


def _parameter(request: type, field: Field[Any]) -> str:
    hint = _hint(request, field)
    if field.default is MISSING:
        return f"{field.name}: {hint}"
    default = None if _is_unlimited(request, field.name) else field.default
    optional = " | None" if default is None else ""
    return f"{field.name}: {hint}{optional} = {_literal(default)}"


def _is_unlimited(request: type, name: str) -> bool:
    return name == "max_tokens" and is_paged(request)


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _hint(request: type, field: Field[Any]) -> str:
    """How the parameter is annotated: what is accepted, which is more than what the request holds."""
    said = next(said for said in request_fields(request) if said.name == field.name)
    item = _item(said)
    return f"{item} | Iterable[{item}]" if said.several else item


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
        limit.choices for operation in methods() for said in request_fields(operation.takes) for limit in said.limits
    )
    used = {_enums()[frozenset(values)]: values for values in every if frozenset(values) in _enums()}
    return dict(sorted(used.items()))


def _wrapped_literal(line: str) -> str:
    line = line.replace("'", '"')
    if len(line) <= _WIDTH:
        return line
    before, _, values = line.removesuffix("]").partition("[")
    return _broken(f"{before}[", values.split(", "), "]", "")


def _docstring(operation: Operation) -> str:
    paragraphs = [operation.summary]
    if operation.description.rstrip(".") != operation.summary.rstrip("."):
        paragraphs.append(_wrapped(operation.description, 8))
    described = [_described(name, text) for name, text in _arguments(operation)]
    if described:
        paragraphs.append("\n".join(["Args:", *described]))
    text = "\n\n".join(paragraphs)
    if len(paragraphs) == 1:
        return f'        """{text}"""'
    return textwrap.indent(f'"""{text}\n"""', "        ", lambda line: bool(line.strip()))


def _arguments(operation: Operation) -> Iterator[tuple[str, str]]:
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


def _described(name: str, meaning: str) -> str:
    return textwrap.fill(
        f"{name}: {meaning}".rstrip(": "),
        _WIDTH - 8,
        initial_indent="    ",
        subsequent_indent="        ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _wrapped(text: str, indent: int) -> str:
    return textwrap.fill(text, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)


_INTRODUCTION = """\
# Python

<!-- Written by scripts/make_python_api.py from the table of operations: change that, not this page. -->

Every operation as a method of `octavo.Library`, and of `octavo.AsyncLibrary` as a coroutine.
[The guide](../guides/python.md) says how a library is opened, what arguments may be, and what goes wrong. Required
arguments may be given by position, the others by name. Answers are frozen dataclasses: `octavo.answers` has their
types, [the operations](operations.md) their fields. Examples speak of the vault in `examples/vault`, as a collection
called `observatory`; a test runs them.

`StrPath` is `str | os.PathLike[str]`, and `Time` is `str | datetime.date | datetime.timedelta`: a date or a time, as
text or as Python's own, or how long ago.
"""


def reference() -> str:
    sections = [line for operation in methods() for line in _section(operation)]
    return "\n".join([_INTRODUCTION, *sections])


def _section(operation: Operation) -> Iterator[str]:
    yield f"## {operation.name}\n"
    yield f"{operation.description}\n"
    if operation.example is not None:
        yield f"```python\n{_example(operation, operation.example)}\n```\n"
    rows = list(_arguments(operation))
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


def _example(operation: Operation, example: Mapping[str, Any]) -> str:
    """The operation's example as a call of its method."""
    positional = [field.name for field in _positional(operation.takes)]
    given = dict(example)
    arguments = [repr(given.pop(name)) for name in positional if name in given]
    arguments += [f"{name}={value!r}" for name, value in given.items()]
    line = f"library.{operation.name}({', '.join(arguments)})"
    return line if len(line) <= 100 else _broken(f"library.{operation.name}(", arguments, ")", "")


def written() -> dict[Path, str]:
    python = PACKAGE / "interfaces" / "python"
    return {
        PACKAGE / "answers.py": answers_module(),
        python / "methods.py": methods_module(),
        python / "async_methods.py": async_methods_module(),
        ROOT / "docs" / "reference" / "python.md": reference(),
    }


if __name__ == "__main__":
    sys.exit(main(written()))
