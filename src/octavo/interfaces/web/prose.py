"""Texts in other markup than Markdown, as paragraphs below their headings: reStructuredText, Org, AsciiDoc, LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from octavo.interfaces.web.html_text import DocumentPlace, heading_id
from octavo.operations.reading.results import OutlineSection

_SHAPED = re.compile(r"\s|[^\w\s\"'“‘(\[`*_]|\w+:\s|\d+[.)]\s")
"""A line that ends where its author wanted it to: indented, an item, a field."""
_UNDERLINE = re.compile(r"\s*([^\w\s])\1{2,}\s*")


def prose(text: str, sections: Sequence[OutlineSection], place: DocumentPlace, first_line: int = 1) -> Markup:
    """Every line as it is, with the headings that the outline knows set as such; cited paragraphs carry a class."""
    headings = {section.start_line: section for section in sections}
    shown: list[Markup] = []
    anchored = False
    for number, lines in _paragraphs(text.removesuffix("\n").split("\n"), headings, first_line):
        cited = place.cites(number, number + len(lines) - 1)
        marks = Markup(' class="cited"') if cited else Markup("")
        identity = "cited" if cited and not anchored else ""
        anchored |= cited
        if section := headings.get(number):
            level = min(6, max(2, section.level + 1))
            name = Markup(' id="{}"').format(identity or heading_id(section.title))
            shown.append(Markup("<h{0}{1}{2}>{3}</h{0}>").format(level, name, marks, section.title))
            lines = [line for line in lines if section.title not in line and not _UNDERLINE.fullmatch(line)]
            identity, marks = "", Markup("")
        if any(line.strip() for line in lines):
            kinds = ("verse" if any(map(_SHAPED.match, lines)) else "", "cited" if cited else "")
            names = Markup(' class="{}"').format(" ".join(filter(None, kinds))) if any(kinds) else Markup("")
            name = Markup(' id="{}"').format(identity) if identity else Markup("")
            shown.append(Markup("<p{}{}>{}</p>").format(name, names, "\n".join(lines)))
    return Markup("\n").join(shown)


def _paragraphs(
    lines: Sequence[str], headings: dict[int, OutlineSection], first: int
) -> Iterator[tuple[int, list[str]]]:
    """Lines between blank ones and headings, with the number of their first."""
    gathered: list[str] = []
    start = first
    for number, line in enumerate(lines, first):
        if gathered and (not line.strip() or number in headings):
            yield start, gathered
            gathered = []
        if line.strip() or number in headings:
            if not gathered:
                start = number
            gathered.append(line)
    if gathered:
        yield start, gathered
