"""Balanced fusion: cosine plus BM25, with the weight of BM25 chosen for each query."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import islice

from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.search_result import Candidate, Ranking
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.score_and_rank_fusion import BEYOND, found, looked_up, with_cosines

_LOOKED_AT = 10
"""How many of a channel's best say what kind of thing was found."""
_WEAKEST, _STRONGEST = 0.75, 2.0
"""How far the strength of a match goes; in a small library, where every score is low, a weak one counts in full."""
_USUAL_AGREEMENT = 0.3
"""How much of the best of both channels is the same, mostly."""


@dataclass(frozen=True, slots=True)
class Balance:
    """What a point of BM25 is worth in cosine.

        weight = base · exp((standout · (gap - 0.4) + doubt · (usual_best - best)) · (1 - share))
               · (1 + series · share) · brevity · strength

    BM25 is taken as it is, because it already tells much: it grows with every word that matches and with its rarity, so
    a long and specific question gives words more say than three common ones. `strength` says so once more: it is the
    root of the best lexical score beside `usual_match`, except in a series, where every second turn has the same names.

    `gap` is how far the best lexical score stands above the tenth, as a share of the best: one passage that matches
    far better than the rest was found by rare words. `best` is the highest cosine: when the model sees nothing close,
    meaning is trusted less. `share` is how much of what was found is part of a series: a turn of a conversation means
    little without the others, and its words say more of it, whatever stands out. `brevity` holds back queries of more
    than `long_query` words, such as a pasted text, whose words add up beyond any cosine. `fast` is how much more words
    count where all that was found has only a fast vector, and `agreement` how much more than that where more than is
    usual of the ten best of both channels is the same: a fast vector says little then that words have not said.
    `beyond` is what a chunk that words did not find is taken to score, as a share of what it can score at most.

    What speaks for each, and what does not, is in docs/decisions/0004.
    """

    base: float = 0.01
    standout: float = 2.0
    doubt: float = 5.0
    usual_best: float = 0.65
    usual_match: float = 28.0
    series: float = 3.6
    long_query: int = 15
    fast: float = 0.9
    agreement: float = 2.0
    beyond: float = BEYOND

    def weight(
        self,
        lexical: Sequence[float],
        cosines: Sequence[float],
        words: int = 1,
        share: float = 0.0,
        small: bool = False,
    ) -> tuple[float, str]:
        """The weight and the reason, for the trace. Both lists are best first."""
        tenth = lexical[9] if len(lexical) > 9 else 0.0
        gap = (lexical[0] - tenth) / lexical[0] if lexical and lexical[0] > 0 else 0.0
        best = cosines[0] if cosines else 0.0
        brevity = math.sqrt(self.long_query / words) if words > self.long_query else 1.0
        signs = self.standout * (gap - 0.4) + self.doubt * (self.usual_best - best)
        reasons = [f"best word match {gap:.0%} above the tenth, best cosine {best:.2f}"]
        if share > 0.0:
            reasons.append(f"{share:.0%} in a series")
        if brevity < 1.0:
            reasons.append(f"{words} words")
        match = max(lexical[0], 0.0) if lexical else self.usual_match
        weakest = 1.0 if small else _WEAKEST
        strength = min(max(weakest, math.sqrt(brevity * match / self.usual_match)), _STRONGEST) ** (1.0 - share)
        told = math.exp(signs * (1.0 - share)) * (1.0 + self.series * share)
        return self.base * told * brevity * strength, ", ".join(reasons)

    def beside_fast(self, share: float, same: float) -> float:
        """How much more words count where so much of what was found has only a fast vector, and so much of the best of
        both channels is the same."""
        return (1.0 + self.fast * share) * math.exp(self.agreement * share * max(0.0, same - _USUAL_AGREEMENT))


@dataclass(frozen=True, slots=True)
class BalancedFusion:
    """Cosine plus BM25 at the weight the balance gives it, over the union of what the two channels found.

    A chunk only words found gets its exact cosine, or the mean of the others while it has no vector; a chunk they did
    not find holds none of them or, where they found more than was looked at, nearly as much as the last of these. When
    one channel found nothing, the other decides alone. Scores of different queries are on one scale: near the cosine,
    and above it by what words add.
    """

    balance: Balance = Balance()
    name: str = "balanced_fusion"

    def fuse(self, search: Search, rankings: Mapping[str, Ranking]) -> tuple[Candidate, ...]:
        lexical, dense = found(rankings, "lexical"), found(rankings, "dense")
        if not lexical or not dense:
            return looked_up(search, {**lexical, **dense}, rankings, self.name)
        cosines = with_cosines(search, dense, lexical)
        absent = sum(cosines.values()) / len(cosines)
        keys = sorted({*lexical, *cosines})
        known = search.library.candidates(keys)
        first = [*list(lexical)[:_LOOKED_AT], *list(dense)[:_LOOKED_AT]]
        share = sum(known[key].is_turn for key in first if key in known) / len(first)
        words = len(search.query.terms.words)
        weight, reason = self.balance.weight(
            list(lexical.values()), list(dense.values()), words, share, small=search.small
        )
        if (trust := rankings["dense"].trust) < 1.0:
            reason += f", {trust:.0%} trust in what the model reads"
            weight /= trust
        if fast := rankings["dense"].fast:
            reason += f", {fast:.0%} fast vectors"
            same = 0.0
            if not search.small:  # where there is little, both have the same few chunks to choose from
                same = _same(lexical, dense)
                reason += f", {same:.0%} of the best the same"
            weight *= self.balance.beside_fast(fast, same)
        search.notes |= {"weights": {"dense": 1.0, "lexical": round(weight, 5)}, "balance": reason}
        beyond = self.balance.beyond * rankings["lexical"].beyond
        total = {key: cosines.get(key, absent) + weight * lexical.get(key, beyond) for key in keys}
        return looked_up(search, total, rankings, self.name, known)


def _same(lexical: Mapping[ChunkKey, float], dense: Mapping[ChunkKey, float]) -> float:
    """How much of the best of one channel is among the best of the other."""
    most = min(_LOOKED_AT, len(lexical), len(dense))
    return len({*islice(lexical, most)} & {*islice(dense, most)}) / most
