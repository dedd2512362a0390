"""The answer of `augment`: code quoted in front of a task, and where each quotation comes from."""

from __future__ import annotations

from octavo.fast_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where a piece of the context comes from. `shown` lines of it are there, counted from `start_line`."""

    uri: str
    collection: str
    start_line: int
    end_line: int
    shown: int


@dataclass(frozen=True, slots=True)
class AugmentAnswer:
    """`text` is the context with the task below it, ready for a model; `context` is the part above."""

    text: str
    context: str
    tokens: int
    quotations: tuple[Quotation, ...]
    degraded: tuple[str, ...] | None = None
