"""From a score to a relevance between 0 and 1: logistic regression on what speaks for a hit.

    relevance = 1 / (1 + exp(-logit))
    logit = bias + share · s + cosine · c + words · w + title · t + exact · e + lead · k · l

`s` is a hit's score as a share of the best, so the order of hits stays; `c` is the best cosine that was found and `w`
the largest share of the query's words that one of the first passages holds: they say whether there is an answer at all.
`t` is how much of the best hit's title and of the query is the same: a question that has been asked before. `e` is 1
for a hit that holds what was typed or is what it names, a half for one that holds its only word. `k` is 1 for what
stands below the best one's title, and `l` is how far that is ahead of the first one below another: where ten passages
are equally good most of them are no answer, unless they are ten of one subject. The title of code is its declaration: a
file has many, of which one is what was asked for. A turn of a conversation stands for itself: `k` is 0.
`scripts/fit_calibration.py` fits the coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from octavo.fast_dataclass import dataclass, replace

_LEAST = 0.05  # the relevance of a hit that is shown beside any other
_STEEPEST = 500.0  # beyond this, exp overflows


class AnswerEvidence(NamedTuple):
    """What speaks for there being an answer, and for the best hit and its kin being one."""

    cosine: float
    words: float
    lead: float = 0.0
    title: float = 0.0


class HitSigns(NamedTuple):
    """What speaks for one hit: its share of the best score, whether it is of the best one's subject, and how far it
    holds what was typed."""

    share: float
    kin: bool = False
    exact: float = 0.0


@dataclass(frozen=True, slots=True)
class Calibration:
    """The coefficients of a profile. Where a best hit that is ahead of nobody is below `floor` nothing matches; at 0
    there is no floor, and every hit is shown.

    A hit below `ends` of the best one's relevance says nothing more, unless it is relevant by itself.

    `encoder` names the model whose cosines they were fitted on; empty where none takes part. `code` is what counts
    where a declaration is the best hit: fewer are right, and their cosines to what a person writes are lower.

    >>> round(Calibration(-4.0, 2.0, 3.0, 1.0).relevance(AnswerEvidence(cosine=0.5, words=1.0), HitSigns(1.0)), 3)
    0.622
    """

    bias: float
    share: float
    cosine: float
    words: float
    floor: float = 0.0
    encoder: str = ""
    lead: float = 0.0
    title: float = 0.0
    exact: float = 0.0
    ends: float = 0.1
    code: Calibration | None = None

    def without_floor(self) -> Calibration:
        return replace(self, floor=0.0, code=self.code and self.code.without_floor())

    def is_shown(self, score: float, best: float) -> bool:
        """Whether a hit of this relevance says anything beside one of the best relevance."""
        return score >= min(_LEAST, self.ends * best)

    def relevance(self, evidence: AnswerEvidence, signs: HitSigns) -> float:
        return self.relevances(evidence, (signs,))[0]

    def relevances(self, evidence: AnswerEvidence, several: Iterable[HitSigns]) -> list[float]:
        """That of each of several hits; what speaks for all of them is added up once."""
        answer = self.bias + self.cosine * evidence.cosine + self.words * evidence.words + self.title * evidence.title
        share_weight, exact_weight, of_kin = self.share, self.exact, self.lead * evidence.lead
        relevances = []
        exponential = math.exp
        for share, kin, exact in several:
            logit = answer + (share_weight * share + exact_weight * exact)
            if kin:
                logit += of_kin
            logit = logit if -_STEEPEST < logit < _STEEPEST else max(-_STEEPEST, min(_STEEPEST, logit))
            relevances.append(1.0 / (1.0 + exponential(-logit)))
        return relevances

    def is_answered(self, evidence: AnswerEvidence, exact: float) -> bool:
        """Whether something answers: a passage with every word of the query does. How far the best is ahead of others
        says nothing, since something always is; `exact` is how far a hit holds what was typed."""
        if evidence.words >= 1.0 or self.floor == 0.0:
            return True
        return self.relevance(evidence._replace(lead=0.0), HitSigns(1.0, kin=True, exact=exact)) >= self.floor
