"""The word cache against the reference tokenizer: the same ids for anything a file can hold."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wordpiece_words import VOCABULARY, reference_tokenizer

from octavo.embedding.wordpiece import WordPieceCounter, load_vocabulary


@cache
def counter() -> WordPieceCounter:
    return WordPieceCounter(load_vocabulary(VOCABULARY))


def expected(text: str) -> list[int]:
    return list(reference_tokenizer().encode(text, add_special_tokens=False).ids)


WHITESPACE = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
CONTROL = "\x00\x01\x08\x7f\xad\u200d\u2060\ufffd\ue000\U000e0001"
INTERESTING = st.one_of(
    st.sampled_from("abcXYZ019'\"-_.,;:!?()[]{}<>#*`~|/\\@&%$^+="),
    st.sampled_from(WHITESPACE),
    st.sampled_from(CONTROL),
    st.sampled_from("éÉñüÅßſıİΣσςẞǅ①²ﬁＡ가각힣한の東京漢字々𠀀豈⺀ंािกำ\u0301\u0327\u302e👍👩‍👩‍👧🏽🇫🇷—…“”«»¿「」।"),
    st.sampled_from(
        ["[CLS]", "[SEP]", "[UNK]", "[PAD]", "[MASK]", "[sep]", "[SE\x0bP]", "[", "]", "##ing", "unaffable"]
    ),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.lists(INTERESTING, max_size=40).map("".join)


@given(TEXTS)
@example("[SE\x0bP] a\x0bb a\x85b a\u2028b")
@example("x" * 100 + " " + "x" * 101 + " " + "é" * 100 + " " + "e\u0301" * 60)
@example("ΟΔΟΣ ΣΑΣ İstanbul")
def test_ids_are_those_of_the_reference_tokenizer(text: str) -> None:
    assert counter().ids(text) == expected(text)


@given(TEXTS)
@example("l\u2019été › a\x0bb -\u0301x Σ.ΣΑΣ [SEP]")
def test_the_count_is_how_many_ids_there_are(text: str) -> None:
    assert counter().count(text) == len(expected(text))


@given(st.lists(TEXTS, max_size=4))
@example(["", "a-b", "", "\xff › \xff", "\x00"])
@example(["a", "[SEP] x"])
def test_several_texts_are_counted_as_each_is(texts: list[str]) -> None:
    assert counter().counts(texts) == [len(expected(text)) for text in texts]


@given(st.lists(TEXTS, max_size=4))
@example(["", "a-b", "", "[SEP] x", "\xff › \xff", "\x00"])
def test_bags_hold_the_ids_of_each_text(texts: list[str]) -> None:
    ids, whose = counter().bags(texts)
    assert [sorted(ids[whose == place].tolist()) for place in range(len(texts))] == [
        sorted(expected(text)) for text in texts
    ]


@given(TEXTS, st.integers(1, 8))
def test_the_first_few_ids_are_those_the_text_begins_with(text: str, limit: int) -> None:
    assert counter().ids(text, limit) == expected(text)[:limit]


@given(TEXTS)
def test_words_add_up_to_the_count_and_a_cut_at_a_word_end_cuts_the_count(text: str) -> None:
    words = counter().words(text)
    assert counter().count(text) == sum(tokens for _, tokens in words) == len(expected(text))
    ends = [end for end, _ in words]
    assert ends == sorted(set(ends))
    running = 0
    for end, tokens in words:
        running += tokens
        assert counter().count(text[:end]) == running


@given(TEXTS, st.integers(0, 12))
def test_a_limit_gives_the_first_ids(text: str, limit: int) -> None:
    assert counter().ids(text, limit) == expected(text)[:limit]


@given(st.text(st.characters(), max_size=20))
def test_lone_surrogates_are_dropped(text: str) -> None:
    valid = "".join(character for character in text if not "\ud800" <= character <= "\udfff")
    assert counter().ids(text) == expected(valid)


# The other planes hold no character yet, or private ones only.
@pytest.mark.parametrize("plane", [0, 1, 2, 3, 14])
def test_every_character_of_unicode_is_treated_as_by_the_reference(plane: int) -> None:
    block = 1024
    for first in range(plane << 16, (plane + 1) << 16, block):
        points = [point for point in range(first, first + block) if not 0xD800 <= point <= 0xDFFF]
        text = " ".join(f"a{chr(point)}b {chr(point)}" for point in points)
        assert counter().ids(text) == expected(text), f"in the {block} characters from {first:#x}"
