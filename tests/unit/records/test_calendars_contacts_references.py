"""Calendars, contacts, references and outlines, as programs write them."""

from __future__ import annotations

import pytest

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.sandbox.conversion_worker import outcome_of
from octavo.model.converted_file import Converted, RefusedFile
from octavo.model.file_formats import format_of

CALENDAR = """BEGIN:VCALENDAR\r
BEGIN:VEVENT\r
SUMMARY:Harvest at the\r
  orchard\r
DTSTART;TZID=Europe/Berlin:20260302T101200\r
LOCATION:The barn\\, upstairs\r
ATTENDEE;CN=Ada:mailto:ada@example.org\r
DESCRIPTION:Bring ladders\\nand baskets.\r
BEGIN:VALARM\r
DESCRIPTION:A reminder\r
END:VALARM\r
END:VEVENT\r
END:VCALENDAR\r
"""
CONTACTS = """BEGIN:VCARD
FN:Ada Lovelace
ORG:Engines;Analysis
item1.EMAIL;TYPE=work:ada@example.org
NOTE:Met in London.
END:VCARD
"""
REFERENCES = """@string{x = "y"}
@article{lovelace1843,
  title = {Notes on the {Analytical} Engine},
  author = "Ada Lovelace",
  year = 1843,
  abstract = {Of numbers and of music.},
}
"""
OUTLINE = """<opml version="2.0"><head><title>Feeds</title></head><body>
<outline text="Science"><outline text="Bees" xmlUrl="https://example.org/feed"/></outline></body></opml>"""


def read(name: str, text: str) -> Converted | RefusedFile:
    known = format_of(name)
    assert known is not None
    return outcome_of(known.reader, name, text.encode(), ConversionSettings())


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("DTSTART:20261203T140000Z", "2026-12-03 14:00 UTC"),
        ("DTSTART;TZID=Europe/Berlin:20261203T140000", "2026-12-03 14:00 Europe/Berlin"),
        ('DTSTART;TZID="W. Europe Standard Time":20261203T140000', "2026-12-03 14:00 W. Europe Standard Time"),
        ("DTSTART:20261203T140000", "2026-12-03 14:00"),
        ("DTSTART;VALUE=DATE:20261203", "2026-12-03"),
    ],
)
def test_a_time_of_a_calendar_keeps_its_zone(written: str, shown: str) -> None:
    made = read("a.ics", f"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Call\n{written}\nEND:VEVENT\n")
    assert isinstance(made, Converted) and f"When: {shown}\n" in f"{made.text}\n"


def test_an_event_is_a_section_with_when_where_and_with_whom() -> None:
    made = read("a.ics", CALENDAR)
    assert isinstance(made, Converted) and [heading.title for heading in made.headings] == ["Harvest at the orchard"]
    for line in (
        "When: 2026-03-02 10:12 Europe/Berlin",
        "Where: The barn, upstairs",
        "With: Ada",
        "Bring ladders\nand baskets.",
    ):
        assert line in made.text
    assert "reminder" not in made.text


def test_a_person_is_a_section_with_where_they_work_and_how_they_are_reached() -> None:
    made = read("a.vcf", CONTACTS)
    assert isinstance(made, Converted) and [heading.title for heading in made.headings] == ["Ada Lovelace"]
    for line in ("Works at: Engines, Analysis", "Mail: ada@example.org", "Met in London."):
        assert line in made.text


def test_a_work_is_found_by_its_key_its_author_and_its_abstract() -> None:
    made = read("a.bib", REFERENCES)
    assert isinstance(made, Converted)
    assert [heading.title for heading in made.headings] == ["Notes on the Analytical Engine"]
    for line in ("Key: lovelace1843", "Author: Ada Lovelace", "Year: 1843", "Of numbers and of music."):
        assert line in made.text


def test_a_name_that_a_telephone_spells_out_in_bytes_is_read() -> None:
    spelt = "FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=D0=90=D0=B4=D0=B0=\r\n=20=D0=9B\r\n"
    made = read("a.vcf", f"BEGIN:VCARD\r\nVERSION:2.1\r\n{spelt}TEL;CELL:123\r\nEND:VCARD\r\n")
    assert isinstance(made, Converted) and [heading.title for heading in made.headings] == ["Ада Л"]


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("VERSION:2.1\nN:Lovelace;Ada;;Countess;\n", "Countess Ada Lovelace"),
        ("VERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C5=81uk;=C3=81ron;;;\n", "Áron Łuk"),
        ("VERSION:3.0\nN:;;;;\nFN:\nORG:Engines;Analysis\n", "Engines, Analysis"),
    ],
)
def test_a_person_without_a_formatted_name_is_named_by_its_parts_or_by_where_they_work(lines: str, name: str) -> None:
    made = read("a.vcf", f"BEGIN:VCARD\n{lines}TEL;VALUE=uri:tel:+1-555\nEND:VCARD\n")
    assert isinstance(made, Converted) and [heading.title for heading in made.headings] == [name]
    assert "Telephone: +1-555" in made.text


def test_a_collection_is_found_by_its_editor_and_a_journal_by_what_its_abbreviation_means() -> None:
    made = read(
        "a.bib",
        """@STRING(joot = "Journal of Odd Things")
@article{a, title = {Bees}, author = {{\\AA}str{\\"o}m, Karl}, journal = JOOT, year = 2019}
@book(b, title = "Hives", editor = "Jane Roe")
""",
    )
    assert isinstance(made, Converted)
    for line in ("Author: Åström, Karl", "Journal: Journal of Odd Things", "Editor: Jane Roe"):
        assert line in made.text


def test_an_outline_with_a_bare_ampersand_is_read_all_the_same() -> None:
    made = read("a.opml", OUTLINE.replace("Bees", "Bees & wasps"))
    assert isinstance(made, Converted) and made.text.endswith("- Bees & wasps https://example.org/feed\n")


def test_an_outline_is_a_list_of_its_branches() -> None:
    made = read("a.opml", OUTLINE)
    assert isinstance(made, Converted) and made.title == "Feeds"
    assert made.text == "- Science\n  - Bees https://example.org/feed\n"


@pytest.mark.parametrize("name", ["a.ics", "a.vcf", "a.bib", "a.opml"])
def test_a_file_of_something_else_is_refused_with_a_reason(name: str) -> None:
    assert isinstance(read(name, "nothing of the kind"), RefusedFile)
