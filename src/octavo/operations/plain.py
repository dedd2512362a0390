"""An answer as plain data: what a client gets as JSON, made without the machinery that describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """Nested values become dicts and lists; what is null is left out, as everywhere in answers."""
    if is_dataclass(value):
        told = ((one.name, getattr(value, one.name)) for one in fields(value))
        return {name: plain(one) for name, one in told if one is not None}
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    return value.value if isinstance(value, Enum) else value
