"""What narrows a request, read: names of collections, kinds and languages, and conditions on properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

from octavo.algorithms.language_names import language_named
from octavo.algorithms.properties import read_condition
from octavo.errors import InvalidArgument, no_such_choice
from octavo.model.document import Kind
from octavo.model.query import PropertyCondition

if TYPE_CHECKING:
    from octavo.engine.engine import Engine


def collections_named(engine: Engine, collections: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(engine.collection(name).name for name in collections)


def languages_named(name: str | None) -> tuple[str, ...]:
    """By whatever name: `py`, `c++`. What stands for no language is nobody's."""
    return () if name is None else (language_named(name) or name,)


def conditions(typed: tuple[str, ...]) -> tuple[PropertyCondition, ...]:
    return tuple(_condition(text) for text in typed)


def _condition(text: str) -> PropertyCondition:
    found = read_condition(text)
    if found is None:
        raise InvalidArgument(
            f"{text} is no condition", hint="write status=draft, rating>=4, date<2025-03, done or !done"
        )
    return found


def kinds_named(names: tuple[str, ...]) -> tuple[Kind, ...]:
    return tuple(_kind(name) for name in names)


def _kind(name: str) -> Kind:
    try:
        return Kind(name)
    except ValueError:
        raise no_such_choice("kind", "kinds", name, [kind.value for kind in Kind]) from None
