"""The word cache of byte-level BPE against the reference tokenizer: the same ids for anything a file can hold."""

from __future__ import annotations

import unicodedata
from array import array
from functools import cache

import pytest
from bpe_words import VOCABULARY, reference_tokenizer
from hypothesis import example, given
from hypothesis import strategies as st

from octavo.embedding.bpe import IDS, BpeCounter, counter_of
from octavo.embedding.huggingface_tokenizer import without_surrogates


@cache
def counter() -> BpeCounter:
    return counter_of(VOCABULARY)


def expected(text: str) -> list[int]:
    return list(reference_tokenizer().encode(text, add_special_tokens=False).ids)


WHITESPACE = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
INTERESTING = st.one_of(
    st.sampled_from("abcXYZ019'\"-_.,;:!?()[]{}<>#*`~|/\\@&%$^+="),
    st.sampled_from(WHITESPACE),
    st.sampled_from(["  ", "\n\n", "\n\n\n", " \n", "\n ", "\r\n", "\t\t", "    return x\n"]),
    st.sampled_from(
        ["'s", "'ll", "don't", " 'tis", "['d']", "unaffable", " the", "```python\n", "<s>", "</s>", "<mask>"]
    ),
    st.sampled_from("\x00\x01\x02\x08\x7f\xad\u200d\u2060\ufffd\ue000"),
    st.sampled_from("éÉñüÅßſıİΣσςẞǅ①²½Ⅷ٣ﬁＡ가각힣한の東京漢字一々𠀀豈⺀ंािกำ\u0301\u0327\u302e👍👩‍👩‍👧🏽🇫🇷—…“”«»¿「」।"),
    st.sampled_from(["Привет, мир", "e\u0301", "\u1100\u1161", "こんにちは 世界", "مرحبا", "नमस्ते"]),
)
TEXTS = st.lists(INTERESTING, max_size=40).map("".join)


@given(TEXTS)
@example("x" * 300 + " " + "=" * 300 + "\n" + "é" * 100)
@example("a \n b\n \n\n c  \n\n\n\nd \t e\n")
def test_ids_are_those_of_the_reference_tokenizer(text: str) -> None:
    assert counter().ids(text) == expected(text)


@pytest.mark.parametrize("text", ["a question in few words", "unaffable zzyzx", "<s> naïve 東京", "don't"])
def test_the_first_words_have_the_ids_that_all_have_later(text: str) -> None:
    assert BpeCounter(VOCABULARY.read_bytes()).ids(text) == expected(text)


@given(st.lists(TEXTS, max_size=4))
@example(["", "a-b", "", "\x00", "\x01 a", " a ", "\n"])
def test_several_texts_are_read_as_each_is(texts: list[str]) -> None:
    assert [array(IDS, ids).tolist() for ids in counter().packed(texts)] == [expected(text) for text in texts]
    assert counter().counts(texts) == [counter().count(text) for text in texts]


@given(TEXTS)
def test_a_count_is_that_of_the_words_behind_blanks(text: str) -> None:
    assert counter().count(text) == sum(len(expected(f" {word}")) for word in text.split())


@given(TEXTS, st.integers(1, 30))
def test_what_is_fitted_into_a_window_has_all_words_that_it_is_counted_to_hold(text: str, room: int) -> None:
    found = counter().fitted(text, room)
    assert len(found) <= room
    whole = expected(text)
    assert found == (whole if len(whole) <= room else expected(" ".join(text.split()))[:room])


@given(TEXTS, st.integers(0, 12))
def test_a_limit_gives_the_first_ids(text: str, limit: int) -> None:
    assert counter().ids(text * 3, limit) == expected(text * 3)[:limit]


@given(TEXTS)
def test_words_add_up_to_the_count_and_a_cut_at_a_word_end_cuts_the_count(text: str) -> None:
    words = counter().words(text)
    assert counter().count(text) == sum(tokens for _, tokens in words)
    ends = [end for end, _ in words]
    assert ends == sorted(set(ends))
    running = 0
    for end, tokens in words:
        running += tokens
        assert counter().count(text[:end]) == running


@given(st.text(st.characters(), max_size=20))
def test_lone_surrogates_count_as_replacement_characters(text: str) -> None:
    assert counter().ids(text) == counter().ids(without_surrogates(text))


# Of the other planes hardly a character is in use; those that are newer than Python's tables may differ.
@pytest.mark.parametrize("block", range(0, 0x2000, 0x400))
def test_the_characters_of_most_alphabets_are_cut_as_by_the_reference(block: int) -> None:
    points = [
        chr(point) for point in range(block, block + 0x400) if unicodedata.category(chr(point)) not in ("Cn", "Cs")
    ]
    text = " ".join(f"a{character}b {character}1" for character in points)
    assert counter().ids(text) == expected(text)
