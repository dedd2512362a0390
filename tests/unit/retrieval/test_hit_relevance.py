"""What a score says: how far the best hit is ahead, what stands below its title, what holds what was typed."""

from __future__ import annotations

from dataclasses import replace

from stage_samples import asking, library, listed, note

from octavo.algorithms.ranking.relevance_calibration import AnswerEvidence, Calibration, HitSigns
from octavo.model.document import Kind
from octavo.model.ids import DocumentId
from octavo.model.search_result import Candidate, ScoreStep
from octavo.retrieval.hit_relevance import answers, by_relevance, judged, scale_of
from octavo.retrieval.stages.exact_match_boost import EXACT, HOLDS_PHRASE, HOLDS_WORD

LED = Calibration(bias=-5.0, share=4.0, cosine=1.0, words=0.0, lead=6.0)
KIN = Calibration(bias=-5.0, share=4.0, cosine=1.0, words=0.0, lead=10.0)
EXACTLY = Calibration(bias=-5.0, share=4.0, cosine=1.0, words=0.0, exact=3.0)
BY_MEANING = (ScoreStep("dense", 0.6, 1),)
THREAD = (
    note("t1", "tildes around the words", title="How to strike text"),
    note("t2", "a tag of the page", title="How to strike text"),
    note("t3", "two stars around them", title="How to write in bold"),
)


def _candidates(*scores: float) -> tuple[Candidate, ...]:
    return tuple(candidate._replace(steps=BY_MEANING) for candidate in listed(library(*THREAD), *scores))


def _scored(candidates: tuple[Candidate, ...], calibration: Calibration, floor: bool = False) -> list[Candidate]:
    scale = scale_of(asking(library(*THREAD), "zebra"), candidates, calibration)
    hits = by_relevance(candidates, scale)
    return list(answers(hits, scale) if floor else hits)


def _found(*scores: float, calibration: Calibration, floor: bool = False) -> list[float]:
    return [candidate.score for candidate in _scored(_candidates(*scores), calibration, floor)]


def test_the_further_the_best_is_ahead_of_another_subject_the_surer_it_is() -> None:
    near, far = (_found(1.0, 0.9, other, calibration=LED) for other in (0.85, 0.75))
    assert near[0] < far[0] and near[1] < far[1]
    assert far[0] < _found(1.0, 0.9, 0.6, calibration=LED)[0] == _found(1.0, 0.9, 0.1, calibration=LED)[0]


def test_a_lead_says_nothing_of_what_stands_below_another_title() -> None:
    with_lead, without = (_found(1.0, 0.9, 0.7, calibration=replace(LED, lead=lead)) for lead in (6.0, 0.0))
    assert with_lead[1] > without[1]
    assert with_lead[2] == without[2]


def test_a_turn_of_a_conversation_stands_for_itself() -> None:
    """Its title is its talk's, in which much else was said."""
    turns = tuple(candidate._replace(in_series=True) for candidate in _candidates(1.0, 1.0, 0.8))
    alone = _found(1.0, 1.0, 0.8, calibration=replace(KIN, lead=0.0))
    assert [hit.score for hit in _scored(turns, KIN)] == alone


def test_a_question_that_is_the_title_of_the_best_is_answered_more_surely() -> None:
    titled = Calibration(bias=-5.0, share=4.0, cosine=1.0, words=0.0, title=2.0)
    texts = library(*THREAD)
    by_question = [
        by_relevance(_candidates(1.0, 0.5, 0.4), scale_of(asking(texts, question), _candidates(1.0, 0.5, 0.4), titled))
        for question in ("zebra", "how to draw and strike", "how do I strike a text")
    ]
    first, second, third = (hits[0].score for hits in by_question)
    assert first < second < third


def test_a_passage_below_the_title_of_the_best_is_an_answer_before_another_of_its_score() -> None:
    first, same_title, other = _found(1.0, 0.8, 0.8, calibration=KIN)
    assert first > same_title > other
    alone = _found(1.0, 0.8, 0.8, calibration=replace(KIN, lead=0.0))
    assert alone[1] == alone[2] == other


def test_where_a_declaration_is_the_best_another_of_its_file_is_another_subject() -> None:
    first, second, third = (
        candidate._replace(kind=Kind.CODE, document_id=DocumentId("file"), section=section)
        for candidate, section in zip(_candidates(1.0, 0.8, 0.8), (1, 1, 2), strict=True)
    )
    by_code = replace(KIN, bias=-50.0, code=KIN)
    found = [hit.score for hit in _scored((first, second, third), by_code)]
    assert found[0] > found[1] > found[2] == _found(1.0, 0.8, 0.8, calibration=replace(KIN, lead=0.0))[2]
    assert [hit.score for hit in _scored((first, second, third), replace(by_code, code=None))] == [0.0, 0.0, 0.0]


def test_hits_are_in_the_order_of_their_relevance() -> None:
    first, second, third = _candidates(1.0, 0.6, 0.5)
    found = _scored((first, third.scored(0.6), second.scored(0.5)), KIN)
    assert [candidate.uri for candidate in found] == ["t1", "t2", "t3"]
    assert [candidate.score for candidate in found] == sorted((hit.score for hit in found), reverse=True)


def test_what_holds_the_words_is_surer_but_not_surer_than_anything() -> None:
    first, second, _ = _candidates(1.0, 0.5, 0.4)

    def second_with(detail: str) -> float:
        marked = second._replace(steps=(*BY_MEANING, ScoreStep(EXACT, 0.5, 1, detail)))
        return next(hit.score for hit in _scored((first, marked), EXACTLY) if hit.uri == "t2")

    plain = _found(1.0, 0.5, 0.4, calibration=EXACTLY)[1]
    assert plain < second_with(HOLDS_WORD) < second_with(HOLDS_PHRASE) < 0.9


def test_a_lead_makes_no_answer_of_what_is_none() -> None:
    """Of any list something is ahead: whether there is an answer is said by what was found at all."""
    least = LED.relevance(AnswerEvidence(cosine=0.6, words=0.0), HitSigns(1.0, kin=True))
    assert _found(1.0, 0.1, 0.05, calibration=replace(LED, floor=least + 0.01), floor=True) == []
    assert _found(1.0, 0.1, 0.05, calibration=replace(LED, floor=least - 0.01), floor=True)


def test_a_hit_is_shown_if_it_is_a_tenth_of_the_best_or_relevant_by_itself() -> None:
    assert LED.is_shown(0.05, 1.0) and not LED.is_shown(0.049, 0.6)
    assert LED.is_shown(0.011, 0.1) and not LED.is_shown(0.009, 0.1)
    assert replace(LED, ends=0.05).is_shown(0.009, 0.1)


def test_what_holds_the_only_word_is_shown_below_others_unless_it_says_nothing() -> None:
    candidates = _candidates(0.9, 0.02, 0.004)
    scale = scale_of(asking(library(*THREAD), "zebra"), candidates, replace(LED, floor=0.01))
    with_word = replace(scale, with_only_word=frozenset(candidate.key for candidate in candidates))
    assert [hit.score for hit in answers(candidates, scale)] == [0.9]
    assert [hit.score for hit in answers(candidates, with_word)] == [0.9, 0.02]


def test_a_hit_found_in_the_whole_library_keeps_its_score_among_fewer() -> None:
    search, candidates = asking(library(*THREAD), "zebra"), _candidates(1.0, 0.8, 0.5)
    whole = scale_of(search, candidates, KIN)
    own = scale_of(search, candidates[2:], KIN)
    (alone,) = judged(search, candidates[2:], own, whole)
    assert alone.score == by_relevance(candidates, whole)[2].score < by_relevance(candidates[2:], own)[0].score
