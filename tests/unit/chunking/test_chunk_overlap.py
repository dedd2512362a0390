"""How far a chunk reaches back into the one before it."""

from __future__ import annotations

from dataclasses import replace

from chunk_samples import SIZES, built, chunked, texts, words

OVERLAP = replace(SIZES, hard_max=30, overlap=6)


def test_without_overlap_chunks_do_not_share_text() -> None:
    first, second = chunked(built(words(18, "a"), words(18, "b")))

    assert first.span.end <= second.span.start


def test_the_next_chunk_starts_at_a_block_boundary_about_the_overlap_back() -> None:
    document = built(words(9, "a"), words(7, "b"), words(15, "c"))

    assert texts(document, OVERLAP) == [
        f"{words(9, 'a')}\n\n{words(7, 'b')}",
        f"{words(7, 'b')}\n\n{words(15, 'c')}",
    ]


def test_several_short_blocks_are_shared_until_they_come_to_the_overlap() -> None:
    document = built(words(9, "a"), words(3, "b"), words(3, "c"), words(3, "d"), words(15, "e"))

    assert texts(document, OVERLAP)[1] == f"{words(3, 'c')}\n\n{words(3, 'd')}\n\n{words(15, 'e')}"


def test_where_no_block_boundary_is_near_whole_words_are_shared() -> None:
    document = built(words(18, "a"), words(15, "b"))

    assert texts(document, OVERLAP)[1] == f"a12 a13 a14 a15 a16 a17\n\n{words(15, 'b')}"


def test_shared_words_start_with_a_sentence_if_one_begins_among_the_first_of_them() -> None:
    early = words(13, "a") + " end. " + words(4, "b")
    late = words(16, "a") + " end. b0"

    assert texts(built(early, words(15, "c")), OVERLAP)[1] == f"{words(4, 'b')}\n\n{words(15, 'c')}"
    assert texts(built(late, words(15, "c")), OVERLAP)[1] == f"a12 a13 a14 a15 end. b0\n\n{words(15, 'c')}"


def test_an_atomic_block_is_shared_whole_or_not_at_all() -> None:
    assert texts(built(words(12, "a"), "- " + words(5, "b"), words(15, "c")), OVERLAP)[1].startswith("- b0")
    assert texts(built(words(4, "a"), "- " + words(14, "b"), words(15, "c")), OVERLAP)[1] == words(15, "c")


def test_overlap_leaves_a_chunk_within_the_hard_maximum() -> None:
    document = built(words(18, "a"), words(28, "b"))

    assert texts(document, OVERLAP)[1] == f"a16 a17\n\n{words(28, 'b')}"


def test_an_oversized_block_has_nothing_in_front() -> None:
    block = "```\n" + words(60) + "\n```"

    assert texts(built(words(18, "a"), block), OVERLAP) == [words(18, "a"), block]


def test_nothing_is_shared_between_sections_or_across_a_heading() -> None:
    document = built("# A", words(16, "a"), "## B", words(16, "b"))

    for sizes in (OVERLAP, replace(OVERLAP, max_heading_depth=1)):
        first, second = chunked(document, sizes)
        assert second.text.startswith("## B")
        assert first.span.end <= second.span.start


def test_a_section_cut_into_many_never_repeats_its_heading() -> None:
    chunks = texts(built("# A", *(words(6, word) for word in "abcdefgh")), OVERLAP)

    assert [chunk.startswith("# A") for chunk in chunks] == [True] + [False] * (len(chunks) - 1)


def test_chinese_sentences_are_shared_though_no_space_parts_them() -> None:
    one = "一二三四五。"

    assert texts(built(one * 6), OVERLAP) == [one * 3, one * 4]
