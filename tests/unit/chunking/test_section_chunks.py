"""Which text ends up together in a chunk, and which section a chunk belongs to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chunk_samples import SIZES, built, chunked, paths, texts, words

from octavo.model.chunk import ContentType
from octavo.model.document import Source
from octavo.model.ids import DocumentId
from octavo.parsing.rst_asciidoc_org_latex_parser import RST


def test_an_empty_document_has_no_chunks() -> None:
    assert chunked(built()) == ()


def test_a_short_section_is_one_chunk_that_begins_with_its_heading() -> None:
    document = built("# Title", words(5), words(6))

    (chunk,) = chunked(document)

    assert chunk.text == document.text.rstrip("\n")
    assert chunk.heading_path == ("Title",)
    assert (chunk.lines.first, chunk.lines.last) == (1, 5)


def test_sections_of_a_fair_size_are_not_mixed() -> None:
    document = built(words(8), "# A", words(6), "## B", words(6), "# C", words(6))

    assert paths(document) == ["", "A", "A/B", "C"]


def test_a_long_section_is_cut_between_blocks_once_the_target_is_reached() -> None:
    document = built("# A", words(9, "a"), words(9, "b"), words(9, "c"), words(9, "d"), words(9, "e"))

    assert texts(document) == [
        f"# A\n\n{words(9, 'a')}\n\n{words(9, 'b')}",
        f"{words(9, 'c')}\n\n{words(9, 'd')}",
        words(9, "e"),
    ]
    assert paths(document) == ["A", "A", "A"]


def test_a_run_still_short_of_its_minimum_goes_past_the_target_but_not_past_the_hard_maximum() -> None:
    assert texts(built(words(9, "a"), words(14, "b"))) == [f"{words(9, 'a')}\n\n{words(14, 'b')}"]
    assert texts(built(words(9, "a"), words(16, "b"))) == [words(9, "a"), words(16, "b")]


def test_a_small_tail_joins_the_chunk_before_it_up_to_the_hard_maximum() -> None:
    assert texts(built(words(19, "a"), words(3, "b"))) == [f"{words(19, 'a')}\n\n{words(3, 'b')}"]


def test_a_small_tail_that_cannot_join_takes_a_block_back() -> None:
    document = built(words(10, "a"), words(8, "b"), words(4, "c"), "- " + words(20, "d"), words(3, "e"))

    assert texts(document, replace(SIZES, hard_max=22, min_preferred=5)) == [
        f"{words(10, 'a')}\n\n{words(8, 'b')}\n\n{words(4, 'c')}",
        "- " + words(20, "d"),
        words(3, "e"),
    ]
    assert texts(document, replace(SIZES, hard_max=21, min_preferred=5)) == [
        words(10, "a"),
        f"{words(8, 'b')}\n\n{words(4, 'c')}",
        "- " + words(20, "d"),
        words(3, "e"),
    ]


def test_twenty_headings_with_a_line_each_are_not_twenty_chunks() -> None:
    document = built(*(line for index in range(20) for line in (f"## H{index}", "one")))

    chunks = chunked(document)

    assert [chunk.heading_path for chunk in chunks] == [("H0",), ("H6",), ("H12",), ("H18",)]


def test_the_last_small_sections_join_the_small_ones_before_them_up_to_the_hard_maximum() -> None:
    document = built(*(line for index in range(7) for line in (f"## H{index}", "one")))

    assert paths(document) == ["H0"]
    assert paths(document, replace(SIZES, hard_max=20)) == ["H0", "H6"]


def test_small_sections_are_not_merged_out_of_the_section_that_holds_them() -> None:
    document = built("# A", words(8), "## B", "b", "# C", "c", "# D", words(8))

    assert paths(document) == ["A", "A/B", "C", "D"]


def test_a_small_section_does_not_swallow_a_large_one() -> None:
    assert paths(built("# A", "a", "# B", words(8))) == ["A", "B"]


def test_a_bare_heading_goes_with_the_section_below_it_and_the_chunk_is_that_sections() -> None:
    document = built("# A", "## B", words(8, "b"), "## C", words(8, "c"))

    assert texts(document) == [f"# A\n\n## B\n\n{words(8, 'b')}", f"## C\n\n{words(8, 'c')}"]
    assert paths(document) == ["A/B", "A/C"]


def test_a_chunk_with_several_sections_below_a_bare_heading_is_that_headings() -> None:
    assert paths(built("# A", "## B", "b", "## C", "c")) == ["A"]


def test_a_bare_heading_is_not_left_behind_at_the_end_of_a_merged_chunk() -> None:
    document = built("# A", "a", "# B", "## C", words(8, "c"))

    assert texts(document) == ["# A\n\na", f"# B\n\n## C\n\n{words(8, 'c')}"]
    assert paths(document) == ["A", "B/C"]


def test_a_bare_heading_with_nothing_after_it_stays_with_the_text_before_it() -> None:
    assert texts(built("# A", words(8), "# B")) == [f"# A\n\n{words(8)}\n\n# B"]
    assert paths(built("# A", words(8), "## B", words(8), "### C", "# D", words(8))) == ["A", "A/B", "D"]
    assert paths(built("# A", words(22), "# B")) == ["A", "B"]


def test_a_document_of_headings_alone_is_still_covered() -> None:
    chunks = chunked(built(*(f"# H{index}" for index in range(50))))

    assert len(chunks) < 12


def test_front_matter_is_in_no_chunk() -> None:
    document = built("---\ntitle: A\n---", "# A", words(5))

    assert texts(document) == [f"# A\n\n{words(5)}"]


def test_front_matter_alone_is_one_chunk_of_the_root_section() -> None:
    (chunk,) = chunked(built("---\ntitle: A\n---"))

    assert chunk.text == "---\ntitle: A\n---"
    assert chunk.heading_path == ()


def test_headings_deeper_than_the_depth_are_text_of_their_ancestor() -> None:
    document = built("# A", words(4), "## B", words(4), "### C", words(4), "#### D", words(4), "## E", words(4))

    assert paths(document) == ["A", "A/B", "A/B/C", "A/B/C/D", "A/E"]
    assert paths(document, replace(SIZES, max_heading_depth=2)) == ["A", "A/B", "A/E"]
    assert paths(document, replace(SIZES, max_heading_depth=1, hard_max=99, target_max=99)) == ["A"]
    assert paths(document, replace(SIZES, max_heading_depth=0, hard_max=99, target_max=99)) == [""]


def test_a_heading_inside_a_chunk_opens_the_next_one_rather_than_closing_its_own() -> None:
    document = built("# A", words(12, "a"), "## B", words(12, "b"))

    assert texts(document, replace(SIZES, max_heading_depth=1)) == [
        f"# A\n\n{words(12, 'a')}",
        f"## B\n\n{words(12, 'b')}",
    ]


def test_with_intelligent_depth_a_document_that_fits_is_one_chunk() -> None:
    document = built("# A", words(4), "## B", words(4), "## C", words(4))

    assert paths(document) == ["A", "A/B", "A/C"]
    assert paths(document, replace(SIZES, intelligent_heading_depth=True)) == ["A"]


def test_with_intelligent_depth_only_what_does_not_fit_is_cut_at_its_subheadings() -> None:
    document = built(
        "# A", words(6), "## B", words(6), "### C", words(6), "## D", words(6), "### E", words(6), "### F", words(6)
    )

    assert paths(document, replace(SIZES, intelligent_heading_depth=True)) == ["A", "A/B", "A/D", "A/D/E", "A/D/F"]


def test_equal_texts_in_one_document_have_different_ids() -> None:
    one, other = chunked(built("# A", words(8), "# A", words(8)))

    assert one.text_hash == other.text_hash
    assert one.id != other.id


def test_an_edit_elsewhere_does_not_rename_a_chunk() -> None:
    (before, *_) = chunked(built("# A", words(8), "# B", words(8)))
    (*_, after) = chunked(built("# Z", words(9, "z"), "# A", words(8)))

    assert before.id == after.id


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (("# A", words(3), "```\n" + words(9) + "\n```"), ContentType.CODE),
        (("# A", words(3), "    " + words(9)), ContentType.CODE),
        (("# A", words(3), "|" + words(9) + "|"), ContentType.TABLE),
        (("# A", words(9), "```\na\n```"), ContentType.PROSE),
    ],
)
def test_a_chunk_is_code_or_table_if_more_than_half_of_it_is(blocks: tuple[str, ...], expected: ContentType) -> None:
    (chunk,) = chunked(built(*blocks))

    assert chunk.content_type is expected


def test_text_below_a_section_that_has_ended_belongs_to_the_one_around_it() -> None:
    text = "Hives\n=====\n\n.. data:: TILT\n\n   One two three four five.\n\nSix seven eight nine ten.\n"
    document = RST.parse(Source(DocumentId("doc_1"), "a.rst", text, 0.0))

    assert paths(document) == ["Hives/TILT", "Hives"]
