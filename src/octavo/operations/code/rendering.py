"""The answer of `augment` as lines: a task behind the code that matters for it, marked as quoted already."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.code.results import AugmentAnswer
from octavo.operations.styled_answer_lines import Block, Part, degraded_lines


def augment_lines(answer: AugmentAnswer) -> Iterator[Block]:
    yield from ((Part(line),) for line in answer.text.split("\n"))
    yield from degraded_lines(answer.degraded)
