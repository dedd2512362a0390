"""How much a query's words should count beside its meaning, from what the two channels themselves show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Balance:
    """The weight of the lexical channel, the dense one having 1.

        weight = base · exp(standout · (gap - 0.4) + doubt · (usual_best - best))

    `gap` is how far the best lexical score stands above the tenth, as a share of the best: one passage that matches
    far better than the rest was found by rare words, and words can be trusted. `best` is the highest cosine: when the
    model sees nothing close, meaning can be trusted less. What
    speaks for the two signs, and what does not, is in docs/decisions/0004.
    """

    base: float = 0.45
    standout: float = 1.6
    doubt: float = 5.0
    usual_best: float = 0.65
    least: float = 0.1
    most: float = 2.0

    def weight(self, lexical: Sequence[float], cosines: Sequence[float]) -> tuple[float, str]:
        """The weight and the reason, for the trace. Both lists are best first."""
        tenth = lexical[9] if len(lexical) > 9 else 0.0
        gap = (lexical[0] - tenth) / lexical[0] if lexical and lexical[0] > 0 else 0.0
        best = cosines[0] if cosines else 0.0
        raw = self.base * math.exp(self.standout * (gap - 0.4) + self.doubt * (self.usual_best - best))
        weight = min(self.most, max(self.least, raw))
        return weight, f"best word match {gap:.0%} above the tenth, best cosine {best:.2f}"
