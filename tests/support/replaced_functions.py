"""Operations that a test has done by a function of its own: slow, broken, or waiting for the test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from octavo.fast_dataclass import replace
from octavo.operations.operation import Operation


def done_by(function: Callable[..., Any], operation: Operation) -> Operation:
    row = replace(operation)
    vars(row).update(function=function, gives=operation.gives)  # where a row keeps what it found by its name
    return row
