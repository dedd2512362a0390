"""What is read out of a PDF: its headings, paragraphs, links, forms and turned pages."""

from __future__ import annotations

import pytest
from conversions import converted, headings
from documents import pdf

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.pdf import read_pdf
from octavo.model.converted_file import RefusedFile

OFF = ConversionSettings()
LOCKED = pdf([["Bees"]], password=True)


def pageless(*pages: list[str]) -> bytes:
    return pdf(pages).replace(b"/Type /Page ", b"/Type /Rage ")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"hello", "damaged: it does not begin like a PDF"),
        (pdf([["Bees"]])[:300], "damaged: it cannot be opened"),
        (pageless(["Bees"]), "damaged: its page cannot be opened"),
        (pageless(["Bees"], ["Wax"]), "damaged: none of its 2 pages can be opened"),
        (pdf([[]]), "no text: nothing is drawn on its pages"),
        (pdf([["A"]], meant={"A": " "}), "no readable text: its fonts do not say which letters they draw; OCR is off"),
        (LOCKED, "encrypted: it needs a password"),
        (LOCKED.replace(b"/Standard", b"/Strange_"), "encrypted: in a way that cannot be read"),
    ],
)
def test_a_pdf_that_gives_no_text_says_what_is_the_matter(data: bytes, reason: str) -> None:
    assert read_pdf("a.pdf", data, OFF) == RefusedFile(reason)


def test_a_page_that_is_damaged_is_told_apart_from_one_without_text() -> None:
    data = pdf([["Bees"], ["Wax"], []])
    found = converted("a.pdf", data)
    assert found.warnings == ("1 of 3 pages without text (3); OCR is off",)
    at = data.index(b"/Type /Page ", data.index(b"/Type /Page ") + 1)
    found = converted("a.pdf", data[:at] + b"/Type /Rage " + data[at + 12 :])
    assert found.warnings == ("1 of 3 pages without text (3); OCR is off", "1 of 3 pages damaged (2)")


def test_a_pdf_says_what_it_links_to_and_all_it_knows_of_itself() -> None:
    about = {"Author": "Ann", "Creator": "Writer", "Producer": "LibreOffice", "ModDate": "D:20260302101112"}
    found = converted(
        "a.pdf", pdf([["Bees"], ["Wax"]], about=about, links=["https://bees.example/wax", "javascript:alert(1)"])
    )
    assert {name: found.metadata[name] for name in ("author", "program", "producer", "modified", "links")} == {
        "author": "Ann",
        "program": "Writer",
        "producer": "LibreOffice",
        "modified": "2026-03-02",
        "links": ["https://bees.example/wax"],
    }


def test_headings_of_a_pdf_come_from_its_outline() -> None:
    found = converted(
        "a.pdf",
        pdf([["Feeding the bees", "Syrup."], ["Winter", "Rest."]], outline=[("Feeding the bees", 1), ("Winter", 2)]),
    )
    assert headings(found) == [(1, "Feeding the bees"), (1, "Winter")]


def test_a_title_that_the_outline_cuts_off_is_read_to_its_end() -> None:
    whole = "Guidelines for keeping bees on roofs and terraces in large towns"
    listed = "Feeding bees in the late autumn before the first cold nights"
    pages = [[whole, "Mind the neighbours."], [f"{listed} 2", "Syrup."]]
    found = converted("a.pdf", pdf(pages, outline=[(whole[:60], 1), (listed, 2)]))
    assert headings(found) == [(1, whole), (1, listed)]


def test_an_outline_that_only_counts_pages_gives_no_headings() -> None:
    found = converted("a.pdf", pdf([["Syrup."], ["Rest."]], outline=[("bees.pdf", 1), ("Page 1", 1), ("Page 2", 2)]))
    assert headings(found) == []


def test_running_heads_and_page_numbers_are_left_out_of_a_pdf() -> None:
    subjects = ("honey", "wax", "brood", "queens", "drones", "frames")
    pages = [
        ["The Beekeeper", "", f"This page is about {subject}.", "", f"Page {n}"]
        for n, subject in enumerate(subjects, 1)
    ]
    found = converted("a.pdf", pdf(pages))
    assert found.text.count("The Beekeeper") == 1
    assert "Page 4" not in found.text
    assert all(f"about {subject}." in found.text for subject in subjects)


def test_a_word_that_a_pdf_breaks_at_the_end_of_a_line_is_whole() -> None:
    found = converted(
        "a.pdf", pdf([["Bees are social in-", "sects, and the well-", "known ones make honey. A well-known fact."]])
    )
    assert "insects" in found.text and "well-known ones" in found.text


def test_a_title_that_a_pdf_breaks_over_lines_is_one_heading_and_a_fragment_is_none() -> None:
    body = [f"Line {number} of the text stands here in its usual size and ends the page." for number in range(12)]
    found = converted(
        "a.pdf", pdf([[("Keeping and", 20), ("feeding the bees", 20), *body, ("A quotation that ends with the", 20)]])
    )
    assert headings(found) == [(1, "Keeping and feeding the bees")]


def test_a_pdf_says_what_is_filled_into_its_form_and_noted_on_it() -> None:
    found = converted("form.pdf", pdf([["Order form"]], fields={"Name": "Ann Bee", "Empty": ""}, notes=["Paid"]))
    assert found.text == "Order form\n\nNote: Paid\n\nName: Ann Bee\n"


def test_a_hyphen_that_waits_for_a_second_word_stays_in_a_pdf() -> None:
    text = converted(
        "a.pdf", pdf([["Templates for Word-", "and Excel-based plans, with a know-", "ledge of both."]])
    ).text
    assert "Word- and Excel-based" in text and "knowledge" in text


def test_an_empty_page_that_is_turned_costs_a_pdf_nothing() -> None:
    found = converted("a.pdf", pdf([["Honey."], [], ["Wax."]], turned={2}))
    assert found.text == "Honey.\n\nWax.\n"
    assert [mark.label for mark in found.marks] == ["1", "2", "3"]


def test_a_page_that_is_turned_keeps_its_text_below_the_headings_of_the_outline() -> None:
    found = converted("a.pdf", pdf([["Yields", "Forty jars.", "Nine frames."]], outline=[("Yields", 1)], turned={1}))
    assert found.text == "# Yields\n\nForty jars.\nNine frames.\n"


def test_a_page_that_is_turned_has_paragraphs_and_headings_by_size_like_any_other() -> None:
    lines = [("Yields of the year", 20), *["Jars are counted in autumn, when all is done."] * 9, "", "", "Later."]
    upright, turned = (converted("a.pdf", pdf([lines], turned=turned)) for turned in ((), {1}))
    assert headings(upright) == [(1, "Yields of the year")]
    assert turned.text == upright.text
    assert headings(turned) == headings(upright)


def test_letters_beyond_the_first_plane_cost_a_page_none_of_its_headings() -> None:
    lines = [("Yields of ~", 20), *["Jars ~ are counted in autumn, when all is done ~."] * 9]
    found = converted("a.pdf", pdf([lines], meant={"~": "𝑥"}))
    assert headings(found) == [(1, "Yields of 𝑥")]
    assert "done 𝑥." in found.text


def test_an_initial_makes_no_heading_of_its_line() -> None:
    text = ["Jars are counted in autumn, when all is done."] * 9
    drawn = pdf([["I", "n spring the bees are hungry again", *text]])
    # The second line is drawn behind the first one, which is a large letter.
    drawn = drawn.replace(b"/F1 11 Tf 72 740.0 Td (I)", b"/F1 30 Tf 72 725.7 Td (I)").replace(
        b"Tf 72 725.7 Td (n spring", b"Tf 81 725.7 Td (n spring"
    )
    found = converted("a.pdf", drawn)
    assert found.text.startswith("In spring the bees are hungry again")
    assert headings(found) == []
