"""Answers made of values that have fields of the same names, and as plain data for JSON without loading pydantic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from octavo.algorithms.text.time_parsing_and_formatting import when


def plain(value: Any) -> Any:
    """Nested values become dicts and lists; what is null is left out, as everywhere in answers."""
    if is_dataclass(value):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        return {name: plain(inner) for name, inner in named if inner is not None}
    if isinstance(value, Mapping):
        return {str(name): plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value.value if isinstance(value, Enum) else value


_A = TypeVar("_A")
_TEXT = frozenset({"str", "str | None"})


def filled(kind: type[_A], *values: object, written: Callable[[float], str] = when, **given: Any) -> _A:
    """What is not `given` is that of the first value that has it, else the default.

    A member of an enum becomes its value; a number where a text is to be is a time.

    >>> from octavo.model.memory import MemorySession, SessionId
    >>> from octavo.model.ids import ProjectId
    >>> from octavo.operations.projects.projects_and_sessions import SessionState
    >>> session = MemorySession(SessionId("ses_1"), ProjectId("prj_1"), "Mirrors", "ann", 0.0)
    >>> filled(SessionState, session, session=session.id, memories=2).started_at
    '1970-01-01T00:00:00+00:00'
    """
    for field in fields(kind):  # type: ignore[arg-type]
        if field.name not in given:
            for value in values:
                if hasattr(value, field.name):
                    given[field.name] = _plain(getattr(value, field.name), field.type in _TEXT, written)
                    break
    return kind(**given)


def _plain(value: Any, is_text: bool, written: Callable[[float], str]) -> Any:
    if isinstance(value, Enum):
        return value.value
    return written(value) if is_text and isinstance(value, float) else value
