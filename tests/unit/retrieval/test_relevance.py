"""What a score says: how far the best hit is ahead, what stands below its title, and where nothing matches."""

from __future__ import annotations

from dataclasses import replace

from stage_samples import asking, library, listed, note

from octavo.algorithms.calibration import AnswerEvidence, Calibration
from octavo.model.result import Candidate, ScoreStep
from octavo.retrieval.relevance import with_relevance

LED = Calibration(bias=-5.0, share=4.0, cosine=1.0, words=0.0, lead=6.0)
KIN = Calibration(bias=-5.0, share=4.0, cosine=1.0, words=0.0, kin=2.0)
THREAD = (
    note("t1", "tildes around the words", title="How to strike text"),
    note("t2", "a tag of the page", title="How to strike text"),
    note("t3", "two stars around them", title="How to write in bold"),
)


def _scores(found: tuple[Candidate, ...]) -> list[float]:
    return [candidate.score for candidate in found]


def _found(*scores: float, calibration: Calibration, floor: bool = False) -> list[float]:
    held = library(*THREAD)
    by_meaning = (ScoreStep("dense", 0.6, 1),)
    candidates = tuple(candidate._replace(steps=by_meaning) for candidate in listed(held, *scores))
    return _scores(with_relevance(asking(held, "zebra"), candidates, calibration, floor=floor))


def test_the_further_the_best_is_ahead_of_another_subject_the_surer_it_is() -> None:
    near, far = (_found(1.0, 0.9, other, calibration=LED)[0] for other in (0.85, 0.75))
    assert near < far
    assert far < _found(1.0, 0.9, 0.7, calibration=LED)[0] == _found(1.0, 0.9, 0.1, calibration=LED)[0]


def test_a_passage_below_the_title_of_the_best_is_an_answer_before_another_of_its_score() -> None:
    first, same_title, other = _found(1.0, 0.8, 0.8, calibration=KIN)
    assert first >= same_title > other
    alone = _found(1.0, 0.8, 0.8, calibration=replace(KIN, kin=0.0))
    assert alone[1] == alone[2] == other


def test_scores_never_rise_whatever_stands_below_the_first_title() -> None:
    held = library(THREAD[0], THREAD[2], THREAD[1])
    by_meaning = (ScoreStep("dense", 0.6, 1),)
    candidates = tuple(candidate._replace(steps=by_meaning) for candidate in listed(held, 1.0, 0.5, 0.49))
    found = with_relevance(asking(held, "zebra"), candidates, replace(KIN, kin=9.0), floor=False)
    assert [candidate.uri for candidate in found] == [candidate.uri for candidate in candidates]
    assert _scores(found) == sorted(_scores(found), reverse=True)


def test_a_lead_makes_no_answer_of_what_is_none() -> None:
    """Of any list something is ahead: whether there is an answer is said by what was found at all."""
    floor = replace(LED, floor=LED.relevance(1.0, AnswerEvidence(cosine=0.6, words=0.0)) + 0.01)
    assert _found(1.0, 0.1, 0.05, calibration=floor, floor=True) == []
    assert _found(1.0, 0.1, 0.05, calibration=replace(floor, floor=floor.floor - 0.02), floor=True)
