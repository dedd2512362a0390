"""The types of what a library's methods answer with, found where the operations answer; `answers.pyi` lists them."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from octavo.operations.operation_lookup import DEFINITIONS


@cache
def answer_types() -> dict[str, type]:
    """Every dataclass that an answer is made of, by name, in the order of imports."""
    types: dict[str, type] = {}

    def visit(hint: Any) -> None:
        if not (isinstance(hint, type) and is_dataclass(hint)):
            for inner in get_args(hint):
                visit(inner)
        elif hint.__name__ not in types:
            types[hint.__name__] = hint
            for inner in get_type_hints(hint).values():
                visit(inner)
        elif types[hint.__name__] is not hint:
            raise TypeError(f"two types of answers are called {hint.__name__}")

    for operation in DEFINITIONS:
        visit(operation.gives)
    return dict(sorted(types.items(), key=lambda named: named[0].lower()))


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(answer_types())
    if name.startswith("_") or name not in answer_types():
        raise AttributeError(f"module 'octavo.answers' has no attribute {name!r}")
    return answer_types()[name]


def __dir__() -> list[str]:
    return sorted(answer_types())
