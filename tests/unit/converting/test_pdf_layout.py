"""What is left of a PDF's pages: running heads and feet."""

from __future__ import annotations

import pytest

from octavo.converting.pdf_layout import (
    Line,
    Page,
    drop_repeated,
    join_fractions,
    mark_bold_headings,
    mark_headings,
    mark_listed_headings,
)


def heads_and_feet_left(*heads: str) -> tuple[list[str], list[str]]:
    """Of a page for each head, with text of its own and a foot that counts pages; empty where it was dropped."""
    pages = []
    for number, head in enumerate(heads, 1):
        body = [Line(f"text {letter * number}", bottom=700 - 20 * at) for at, letter in enumerate("abcdefg")]
        pages.append(Page([Line(head, bottom=800), *body, Line(f"{number} of {len(heads)}", bottom=20)]))
    drop_repeated(pages)
    assert all(sum(line.text.startswith("text") for line in page.lines) == 7 for page in pages)
    ends = [(page.lines[0].text, page.lines[-1].text) for page in pages]
    return tuple(["" if line.startswith("text") else line for line in lines] for lines in zip(*ends, strict=True))  # type: ignore[return-value]


def test_a_head_that_every_page_repeats_stays_once() -> None:
    heads, feet = heads_and_feet_left(*["Manual of Bees"] * 5)
    assert heads == ["Manual of Bees", "", "", "", ""]
    assert feet == ["1 of 5", "", "", "", ""]


def test_page_numbers_go_and_what_else_a_head_counts_stays() -> None:
    heads, _ = heads_and_feet_left(
        "Part 3 page 7", "Part 3 page 8", "Part 4 page 9", "Part 4 page 10", "Part 9 page 11"
    )
    assert heads == ["Part 3 page 7", "", "Part 4 page 9", "", "Part 9 page 11"]


def test_roman_page_numbers_are_page_numbers() -> None:
    heads, _ = heads_and_feet_left("Preface iii", "Preface iv", "Preface v", "Preface vi", "Preface vii")
    assert heads == ["Preface iii", "", "", "", ""]


def page_of(*lines: tuple[str, float]) -> Page:
    """Lines from the top of a page to its foot, each with its height."""
    return Page([Line(text, bottom=760 - 30 * at, height=height) for at, (text, height) in enumerate(lines)])


def headings(pages: list[Page]) -> list[str]:
    drop_repeated(pages)
    mark_headings(pages)
    return [line.text for page in pages for line in page.lines if line.level]


def test_a_tall_running_head_is_no_heading_even_where_it_counts_sections() -> None:
    text = [("plain text of the page that goes on for a while", 10.0)] * 8
    pages = [page_of((f"Justice § 13.{number}", 14.0), *text, (f"Part {number}", 10.0)) for number in (1, 2, 3, 7)]
    pages[1].lines.insert(3, Line("Excluded products", bottom=690, height=14.0))
    assert headings(pages) == ["Excluded products"]


def test_what_a_table_of_contents_lists_is_no_heading() -> None:
    listed = [(title, 13.0) for title in ("Bees", "Wax", "Honey", "Swarms")]
    text = [("plain text of the page that goes on for a while", 10.0)] * 12
    pages = [page_of(("Contents", 16.0), *[line for pair in listed for line in (pair, ("on", 10.0))]), page_of(*text)]
    pages[1].lines.insert(0, Line("Bees", bottom=790, height=13.0))
    assert headings(pages) == ["Contents", "Bees"]


def test_a_numbered_bold_line_is_a_heading_and_other_bold_text_is_none() -> None:
    text = ["plain text of the page that goes on for a while and says something"] * 6
    lines = [
        "§ 13.4 Exempt ste-",
        "roids.",
        *text,
        "Note that this is bold",
        *text,
        "2.1 Wax",
        *text,
        "B. Honey ... 7",
    ]
    bold = {"§ 13.4 Exempt ste-", "roids.", "Note that this is bold", "2.1 Wax", "B. Honey ... 7"}
    page = Page([Line(line, bottom=760 - 12 * at, height=10, bold=line in bold) for at, line in enumerate(lines)])
    mark_bold_headings([page])
    found = [(line.level, line.text) for line in page.lines if line.level]
    assert found == [(1, "§ 13.4 Exempt steroids."), (2, "2.1 Wax")]


def test_what_follows_the_slash_of_a_fraction_stays_on_the_line_of_its_numerator() -> None:
    page = Page([Line("from 1"), Line("⁄4 inch to 3"), Line("⁄8 inch"), Line("and more"), Line("⁄ alone")])
    join_fractions([page])
    assert [line.text for line in page.lines] == ["from 1⁄4 inch to 3⁄8 inch", "and more", "⁄ alone"]


@pytest.mark.parametrize(
    "line",
    [
        "▪ Emphasis on training key policy makers focuses on agents",
        "Q: What is a swarm? A: A swarm is half of the bees that leave",
        "Figure 4.2: A swarm on a branch",
        "|Vζ − Vα| = 2δv . Let it be",
        "and the bees that stayed",
        "The queen leaves with the",
    ],
)
def test_a_tall_line_that_is_a_fragment_an_item_a_caption_or_a_formula_is_no_heading(line: str) -> None:
    text = [("plain text of the page that goes on for a while", 10.0)] * 8
    assert headings([page_of(("1. What is a swarm?", 14.0), *text, (line, 14.0), *text)]) == ["1. What is a swarm?"]


def test_a_line_that_the_printed_contents_list_with_its_number_is_a_heading() -> None:
    contents = page_of(
        ("Contents", 16.0), ("1 Bees ........ 2", 10.0), ("1.1 Wax ........ 2", 10.0), ("Honey .... 3", 10.0)
    )
    text = [("plain text of the page that goes on for a while", 10.0)] * 6
    page = page_of(("1 Bees", 14.0), *text, ("1.1 Wax", 10.5), *text, ("Honey", 10.0), ("1.1 Wax is not all", 10.0))
    pages = [contents, page]
    mark_headings(pages)
    mark_listed_headings(pages)
    assert [(line.level, line.text) for line in page.lines if line.level] == [(2, "1 Bees"), (3, "1.1 Wax")]
