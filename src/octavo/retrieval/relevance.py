"""The relevance of what a search found, and how much of it is an answer at all."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.algorithms.calibration import AnswerEvidence, Calibration
from octavo.algorithms.phrase_prefilter import MaybePhrase
from octavo.dataclass import replace
from octavo.model.result import Candidate
from octavo.model.scores import rounded
from octavo.retrieval.stage import Search
from octavo.retrieval.stages.exact_match import EXACT, HOLDS_WORD
from octavo.retrieval.stages.steps import channel_score, given_title, shares, texts_of

BY_WORDS = Calibration(bias=-11.646, share=7.795, cosine=0.0, words=6.229)
"""Fitted on `lexical_only`; what scores mean too where meaning has nothing to say, as in scripts no model reads."""

_FLUENTLY = 0.9
"""The trust in a query from which cosines say whether there is an answer, where it is in another language."""
_FLOOR_BY_WORDS = 0.03
_LOOKED_AT, _COMPARED = 5, 3
"""Of so many passages, those that are best by words are compared with the query's words."""
_FAR_AHEAD = 0.3
"""Beyond this a lead says no more: of a few candidates the last has nothing, and everything else is far ahead."""
_SURE = frozenset({EXACT, "named_first"})
_LEAST_EXACT = 0.9
"""The relevance of what holds the query whole: that is no matter of likelihood."""


def with_relevance(
    search: Search,
    candidates: tuple[Candidate, ...],
    calibration: Calibration,
    *,
    floor: bool = True,
    most: int | None = None,
    first: int | None = None,
) -> tuple[Candidate, ...]:
    """The candidates in their order, or the `most` first of them, each scored by its relevance; with a floor, only
    those above it.

    The scale is that of the `first` candidates, or all: what follows in a longer list does not change theirs.
    """
    if not candidates:
        return ()
    known = candidates[:first]
    signs = evidence(search, known)
    if signs.cosine == 0.0:
        calibration = BY_WORDS
    elif calibration.encoder and search.in_another_language and search.trust < _FLUENTLY:
        # Its cosines are of no scale that was learnt: what has any of its words may be an answer, wherever it stands.
        calibration = replace(BY_WORDS, floor=min(calibration.floor, _FLOOR_BY_WORDS))
        signs = evidence(search, known, among=len(known))
    if floor and _is_no_answer(candidates[0], signs, calibration):
        return ()
    relevant: list[Candidate] = []
    highest = 1.0
    for candidate, share in zip(candidates[:most], shares(candidates, first), strict=False):
        kin = bool(relevant) and is_kin(candidate, candidates[0])
        relevance = max(calibration.relevance(share, signs, kin=kin), _least(candidate, share))
        highest = min(highest, rounded(relevance))
        if floor and relevant and highest < calibration.tail * relevant[0].score ** 2:
            break  # and so is all that follows
        relevant.append(candidate.scored(highest))
    return tuple(relevant)


def _is_no_answer(best: Candidate, signs: AnswerEvidence, calibration: Calibration) -> bool:
    """By what was found at all: how far the best is ahead says nothing here, something always is."""
    if signs.words >= 1.0:
        return False  # a passage with every word of the query is an answer
    return max(calibration.relevance(1.0, signs._replace(lead=0.0)), _least(best, 1.0)) < calibration.floor


def _lead(candidates: Sequence[Candidate]) -> float:
    """How far the best is ahead of the first about something else, as a share of its score."""
    hits = zip(candidates, shares(candidates), strict=True)
    others = (share for candidate, share in hits if not is_kin(candidate, candidates[0]))
    return min(_FAR_AHEAD, 1.0 - next(others, 1.0))


def is_kin(candidate: Candidate, best: Candidate) -> bool:
    """Whether both are of one document, or below one title: answers to one question, the days of one journey."""
    if candidate.document_id == best.document_id:
        return True
    return candidate.title == best.title and given_title(candidate) == given_title(best) != ""


def _least(candidate: Candidate, share: float) -> float:
    """What a hit is worth for holding what was typed. A plain word is in many passages: the best of them is sure."""
    least = 0.0
    for step in candidate.steps:
        if step.stage in _SURE:
            least = max(least, _LEAST_EXACT * (share if step.detail == HOLDS_WORD else 1.0))
    return least


def evidence(search: Search, candidates: Sequence[Candidate], among: int = _LOOKED_AT) -> AnswerEvidence:
    cosines = (step.score for candidate in candidates for step in candidate.steps if step.stage == "dense")
    by_words = sorted(candidates[:among], key=lambda candidate: -channel_score(candidate, "lexical"))
    return AnswerEvidence(max(cosines, default=0.0), _words(search, by_words[:_COMPARED]), _lead(candidates))


def _words(search: Search, candidates: Sequence[Candidate]) -> float:
    """The largest share of the query's words that a passage holds, its title and headings included."""
    terms = search.query.terms
    expected = frozenset((*terms.words, *(token for phrase in (*terms.phrases, *terms.preferred) for token in phrase)))
    if not expected:
        return 1.0 if terms.prefixes else 0.0
    other_forms = {token: {*word.forms, *word.compounds} for word in terms.forms for token in word.tokens}
    languages = {form.split("_", 2)[1] for word in terms.forms for form in word.forms}
    best, maybe = 0, MaybePhrase(tuple(expected))
    passages = [
        (" ".join((candidate.title, *candidate.heading_path)), text)
        for candidate, text in zip(candidates, texts_of(search, candidates), strict=True)
    ]
    most = [len(expected) if other_forms else maybe.most(" ".join(passage)) for passage in passages]
    for (named, text), count in sorted(zip(passages, most, strict=True), key=lambda known: -known[1]):
        if count <= best:
            break  # no other has more of them
        # Apart: the text was tokenised by others, or for the key that was typed before this one.
        tokens = f" {search.library.text.joined(named)} {search.library.text.joined(text)} "
        present = {token for token in expected if f" {token} " in tokens}
        if other_forms and len(present) < len(expected):
            passage = f"{named}\n{text}"
            forms = {form for language in languages for form in search.library.text.forms(passage, language)}
            present |= {token for token in expected - present if not forms.isdisjoint(other_forms.get(token, ()))}
        best = max(best, len(present))
    return best / len(expected)
