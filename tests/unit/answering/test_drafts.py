"""What a model wrote is read as sentences with numbers, whatever it looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.answering.llm_answer_writing import DraftSentence, drafts


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("It closes. [1] It opens [2].", [("It closes.", (1,)), ("It opens.", (2,))]),
        ("It closes.[1][3] It opens.", [("It closes.", (1, 3)), ("It opens.", ())]),
        ("It closes [1, 2]. It opens [2-4].", [("It closes.", (1, 2)), ("It opens.", (2, 3, 4))]),
        ("- It closes [passage 2].\n- It opens 【1】.\n", [("It closes.", (2,)), ("It opens.", (1,))]),
        ("It was 5 [units] in 2019 [1].", [("It was 5 [units] in 2019.", (1,))]),
        ("[1]\n\n***\n", []),
        ("", []),
    ],
)
def test_marks_become_numbers_wherever_they_stand(reply: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert [(draft.text, draft.numbers) for draft in drafts(reply)] == expected


def test_a_conclusion_and_an_unanswered_question_are_known_as_such() -> None:
    assert drafts("Inferred: It rains [1].") == (DraftSentence("It rains.", (1,), inferred=True),)
    assert all(drafts(said)[0].unknown for said in ("I don't know.", "I do not know", "I don’t know. Sorry."))


@given(st.text(max_size=300))
def test_any_reply_has_a_reading(reply: str) -> None:
    for draft in drafts(reply):
        assert draft.text.strip()
        assert len(draft.numbers) <= 8
