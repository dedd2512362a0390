"""Blocks that are too long for a chunk: where they are cut, and where they are not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from chunk_samples import SIZES, WordCounter, assert_sound, built, chunked, texts, words

from octavo.chunking.indivisible_pieces import ATOMIC_LIMIT, CHARACTERS_PER_TOKEN
from octavo.chunking.section_chunker import SectionChunker


def sentence(number: int, word: str) -> str:
    return words(number - 1, word) + " end."


def test_a_long_paragraph_is_cut_at_sentence_ends() -> None:
    a, b, c, d = (sentence(9, word) for word in "abcd")

    assert texts(built(f"{a} {b} {c}\n{d}")) == [f"{a} {b}", f"{c}\n{d}"]


def test_a_sentence_ends_with_its_closing_quote_and_bracket() -> None:
    first = words(14, "a") + ' "end.")'

    assert texts(built(f"{first} {words(14, 'b')}"))[0] == first


def test_a_stop_inside_a_word_ends_no_sentence() -> None:
    assert texts(built(words(12, "a") + " example.com " + words(9, "b") + ". " + words(9, "c"))) == [
        words(12, "a") + " example.com " + words(9, "b") + ".",
        words(9, "c"),
    ]


def test_chinese_is_cut_after_its_full_stops_and_counted_exactly() -> None:
    one = "一二三四五六七八九。"

    assert texts(built(one * 6)) == [one * 2] * 3


def test_a_sentence_without_end_is_cut_between_words() -> None:
    assert texts(built(words(50))) == [" ".join(words(50).split()[at : at + 20]) for at in range(0, 50, 20)]


def test_html_without_sentences_is_cut_at_line_ends() -> None:
    rows = [f"<tr><td> {words(7, word)} </td></tr>" for word in "abcdef"]

    assert texts(built("\n".join(rows))) == ["\n".join(rows[:2]), "\n".join(rows[2:4]), "\n".join(rows[4:])]


@pytest.mark.parametrize("start", ["```\n", "    ", "| a |\n", "- "])
def test_code_tables_and_items_are_whole_however_long_within_reason(start: str) -> None:
    block = start + "\n".join(words(6, f"l{line}") for line in range(20))
    document = built("# A", words(8), block, words(9))

    assert texts(document) == [f"# A\n\n{words(8)}", block, words(9)]


def test_a_long_block_right_below_its_heading_keeps_it() -> None:
    block = "```\n" + words(60) + "\n```"

    assert texts(built("# A", block)) == [f"# A\n\n{block}"]


def test_a_few_words_in_front_of_a_long_block_stay_with_it() -> None:
    block = "```\n" + words(60) + "\n```"

    assert texts(built(words(3, "a"), block)) == [f"{words(3, 'a')}\n\n{block}"]
    assert texts(built(words(4, "a"), block)) == [words(4, "a"), block]
    assert texts(built(words(3, "a"), "```\n" + words(20) + "\n```")) == [words(3, "a"), "```\n" + words(20) + "\n```"]


def test_a_paragraph_right_below_its_heading_is_cut_rather_than_parted_from_it() -> None:
    a, b = sentence(12, "a"), sentence(12, "b")

    assert texts(built("# A", f"{a} {b}")) == [f"# A\n\n{a}", b]


def test_an_atomic_block_beyond_all_measure_is_cut_at_line_ends() -> None:
    limit = ATOMIC_LIMIT * SIZES.hard_max
    lines = [words(10, f"l{line}x") for line in range(2 * limit // 10)]

    chunks = chunked(built("```\n" + "\n".join(lines) + "\n```"))

    assert "\n".join(chunk.text for chunk in chunks) == "```\n" + "\n".join(lines) + "\n```"
    assert limit // 2 < max(chunk.tokens for chunk in chunks) <= limit


def test_a_word_that_is_too_long_is_torn_only_from_itself() -> None:
    first, *rest, last = texts(built(words(9, "a") + " " + "x" * 12 * 70 + " " + words(12, "b")))

    assert first == words(9, "a")
    assert set("".join(rest)) == {"x"}
    assert last.lstrip("x ") == words(12, "b")


def test_text_the_tokenizer_makes_little_of_has_bulk_all_the_same() -> None:
    class Unknowing(WordCounter):
        """Calls any word one token, however long."""

        def count(self, text: str) -> int:
            return len(text.split())

    document = built("y" * 100_000)
    chunks = SectionChunker(SIZES, Unknowing()).chunk(document)

    assert "".join(chunk.text for chunk in chunks) == "y" * 100_000
    assert max(len(chunk.text) for chunk in chunks) <= CHARACTERS_PER_TOKEN * SIZES.hard_max


@pytest.mark.parametrize("unit", ["x", "word ", "一", "a.b,c;", "word. ", "| "])
@pytest.mark.parametrize("start", ["", "```\n", "> "])
def test_no_line_is_so_long_that_it_is_counted_over_and_over(unit: str, start: str) -> None:
    class Metered(WordCounter):
        seen = 0

        def count(self, text: str) -> int:
            self.seen += len(text)
            return super().count(text)

    counter = Metered()
    document = built(start + unit * (100_000 // len(unit)))
    chunks = SectionChunker(SIZES, counter).chunk(document)

    assert counter.seen < 6 * len(document.text)
    assert_sound(document, chunks, SIZES, counter)


def test_chunks_of_a_torn_word_are_in_order_and_touch() -> None:
    chunks = chunked(built("```\n" + "z" * 200_000 + "\n```"))

    assert all(one.span.end <= other.span.start <= one.span.end + 1 for one, other in pairwise(chunks))
