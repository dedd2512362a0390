"""Reads calendars, contacts and references (a section each event, person or work) and outlines (nested items)."""

from __future__ import annotations

import quopri
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from xml.etree.ElementTree import Element

from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.text_builder import TextBuilder, TooLong, one_line
from octavo.converting.zipped_xml import below, child, local, parsed
from octavo.lazy_regex import regex
from octavo.model.converted_file import Converted, RefusedFile
from octavo_records.publication_of_file import bib_entries

CONVERTER = "records-2"
_FOLDED = regex(r"\r?\n[ \t]")
_SOFT_BREAK = regex(r"(?<==[0-9A-F]{2})=\r?\n[ \t]?")  # of quoted-printable, within what it spells out
_ESCAPED = regex(r"\\([nN,;\\])")
_BARE_AMPERSAND = regex(rb"&(?!(?:\w+|#\d+|#x[0-9a-fA-F]+);)")
_MOMENT = regex(r"^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z| .+)?)?$")
_TIME_ZONE = regex(r';TZID="?([^";:]+)')
_EVENT = {
    "DTSTART": "When",
    "DTEND": "Until",
    "DUE": "Due",
    "RRULE": "Repeats",
    "LOCATION": "Where",
    "ORGANIZER": "By",
    "ATTENDEE": "With",
}
_PERSON = {"ORG": "Works at", "TITLE": "As", "EMAIL": "Mail", "TEL": "Telephone", "ADR": "Address", "BDAY": "Born"}
_FIELDS = "author editor year date journal journaltitle booktitle publisher doi url keywords file"
_WORK = tuple(_FIELDS.split())

Writer = Callable[[TextBuilder], int]


def read_calendar(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    return _written(lambda builder: _cards(builder, data, ("VEVENT", "VTODO", "VJOURNAL"), "SUMMARY", _EVENT))


def read_contacts(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    return _written(lambda builder: _cards(builder, data, ("VCARD",), "FN", _PERSON))


def read_references(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    """A work is found by its key too, as papers cite it."""
    return _written(lambda builder: _works(builder, data.decode("utf-8", "replace")))


def read_outline(name: str, data: bytes, settings: ConversionSettings) -> Converted | RefusedFile:
    # Feed readers write addresses and titles with a bare ampersand, which XML forbids.
    root = parsed(_BARE_AMPERSAND.sub(b"&amp;", data), "it")
    title = next(below(root, "title"), None)
    body = child(root, "body")
    return _written(
        lambda builder: _branches(builder, body, 0) if body is not None else 0,
        "" if title is None else title.text or "",
    )


def _written(write: Writer, title: str = "") -> Converted | RefusedFile:
    builder = TextBuilder()
    with suppress(TooLong):
        if not write(builder):
            return RefusedFile("it holds no entries")
    return builder.converted(CONVERTER, title)


def _cards(builder: TextBuilder, data: bytes, kinds: tuple[str, ...], named: str, shown: Mapping[str, str]) -> int:
    """Components of iCalendar and vCard, which are written alike."""
    number = 0
    for card in _components(data.decode("utf-8", "replace"), kinds):
        number += 1
        builder.heading(2, next(iter(card.get(named, ())), "") or _name(card) or f"Entry {number}")
        facts = [f"{label}: {_shown(value)}" for key, label in shown.items() for value in card.get(key, ())]
        builder.paragraph("\n".join(facts))
        for key in ("DESCRIPTION", "NOTE", "CATEGORIES", "URL"):
            for value in card.get(key, ()):
                builder.paragraph(value)
    return number


def _components(text: str, kinds: tuple[str, ...]) -> Iterator[dict[str, list[str]]]:
    """Of nested components (an alarm of an event) only the outer one counts."""
    card: dict[str, list[str]] | None = None
    kind, inner = "", 0
    for line in _FOLDED.sub("", _SOFT_BREAK.sub("", text)).splitlines():
        head, _, value = line.partition(":")
        if "QUOTED-PRINTABLE" in head.upper():  # vCard 2.1, as telephones write it
            value = quopri.decodestring(value.encode()).decode("utf-8", "replace")
        name = head.partition(";")[0].rpartition(".")[2].upper()
        if name == "BEGIN":
            inner += card is not None
            if card is None and value.strip().upper() in kinds:
                kind, card = value.strip().upper(), {}
        elif name == "END" and card is not None:
            if inner == 0 and value.strip().upper() == kind:
                yield card
                card = None
            inner = max(0, inner - 1)
        elif card is not None and inner == 0 and value.strip():
            said = _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)
            zone = _TIME_ZONE.search(head)
            if zone and "T" in said and not said.strip().endswith("Z"):
                said = f"{said.strip()} {zone[1]}"
            person = re.search(r'CN="?([^";:]+)', head) if name in ("ATTENDEE", "ORGANIZER") else None
            card.setdefault(name, []).append(person[1] if person else said.strip())


def _name(card: Mapping[str, list[str]]) -> str:
    """`Lovelace;Ada;;Countess;`, which is all that vCard 2.1 asks for; a firm has no other name than its own."""
    last, first, middle, before, behind, *_ = [*next(iter(card.get("N", ())), "").split(";"), *[""] * 5]
    return one_line(f"{before} {first} {middle} {last} {behind}") or ", ".join(map(_shown, card.get("ORG", ())))


def _shown(value: str) -> str:
    moment = _MOMENT.match(value)
    if moment:
        day = "-".join(moment.group(1, 2, 3))
        zone = " UTC" if moment[6] == "Z" else moment[6] or ""
        return f"{day} {moment[4]}:{moment[5]}{zone}" if moment[4] else day
    return one_line(re.sub(r";+", ", ", value).strip(", ").removeprefix("mailto:").removeprefix("tel:"))


def _works(builder: TextBuilder, text: str) -> int:
    entries = list(bib_entries(text))
    for key, values in entries:
        builder.heading(2, values.get("title") or key)
        facts = [f"{name.capitalize()}: {values[name].strip('{}')}" for name in _WORK if values.get(name)]
        builder.paragraph("\n".join((f"Key: {key}", *facts)))
        for name in ("abstract", "note", "annote"):
            builder.paragraph(values.get(name, ""))
    return len(entries)


def _branches(builder: TextBuilder, node: Element, depth: int) -> int:
    number = 0
    for branch in node:
        if local(branch) == "outline":
            words = (
                branch.get("text") or branch.get("title"),
                branch.get("xmlUrl") or branch.get("url"),
                branch.get("_note"),
            )
            builder.item(" ".join(filter(None, words)), depth)
            number += 1 + _branches(builder, branch, depth + 1)
    return number
