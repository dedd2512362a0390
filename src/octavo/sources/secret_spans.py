"""Where in a text a secret was recognised, and of which kind it is."""

from __future__ import annotations

from collections.abc import Iterable

from octavo.fast_dataclass import dataclass
from octavo.model.normalised_text_and_spans import Span


@dataclass(frozen=True, slots=True)
class SecretMatch:
    """What was recognised and where. The secret itself is not stored, so that a message cannot leak it."""

    kind: str
    span: Span


def without_overlaps(matches: Iterable[SecretMatch]) -> tuple[SecretMatch, ...]:
    """In the order of the text; of overlapping ones only the first."""
    apart: list[SecretMatch] = []
    for match in sorted(matches, key=lambda match: (match.span.start, -match.span.end)):
        if not apart or match.span.start >= apart[-1].span.end:
            apart.append(match)
    return tuple(apart)
