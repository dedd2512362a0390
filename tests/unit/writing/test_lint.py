"""What the linter reports of notes, and what it does not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from octavo.model.lint_rules import RULES
from octavo.note_editing.note_link_resolution import LinkedNotes, link_names, mentions
from octavo.note_editing.note_lint import linted


def found(texts: Mapping[str, str], others: Iterable[str] = (), **options: object) -> list[tuple[str, int, str]]:
    notes = LinkedNotes(texts, others)
    for uri in texts:
        notes.document(uri)
    findings = linted(notes, RULES, **options)  # type: ignore[arg-type]
    return [(finding.uri, finding.start_line, finding.rule) for finding in findings]


LINKED = "[[B]] [[A]]\n"


@pytest.mark.parametrize(
    "text",
    [
        "[[B]] [[b]] [[sub/C]] ![[pic.png]] [[B#Two]] [[B#One#Two]] [[B#^id]]\n",
        "[B](B.md) [C](sub/C.md) [C](<sub/C.md>) [p](pic.png) [two](B.md#two) [own](#own)\n\n# Own\n",
        "[x](https://example.org/nope) [mail](mailto:a@b.c) [site](/docs/nope) `[[Nope]]`\n\n    [[Nope]]\n",
        '<a id="here"></a> [x](#here) [top](#top) [[B]]\n',
        '---\nup: "[[B]]"\n---\ntext\n',
        "\ufeff[[B]]\r\n\r\n[[#Own]]\r\n\r\n# Own\r\n",
        "[folder](sub) [[B]]\n",
    ],
)
def test_links_that_lead_somewhere_are_not_reported(text: str) -> None:
    notes = {"A.md": text, "B.md": "# One\n\n## Two\n\nx ^id\n\n[[A]] [[C]]\n", "sub/C.md": "[[B]]\n"}
    assert found(notes, ["pic.png", "sub"]) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("[[B]]\n[[Nope]]\n", "broken-wikilink"),
        ("[[B]]\n![[nope.png]]\n", "broken-wikilink"),
        ('---\nup: "[[Nope]]"\n---\n[[B]]\n', "broken-wikilink"),
        ("[[B]]\n[x](nope.md)\n", "broken-link"),
        ("[[B]]\n[x](../B.md)\n", "broken-link"),
        ("[[B]]\n[[B#Nope]]\n", "missing-anchor"),
        ("[[B]]\n[[B#^nope]]\n", "missing-anchor"),
        ("[[B]]\n[x](B.md#nope)\n", "missing-anchor"),
        ("[[B]]\r\n[x](#nope)\r\n", "missing-anchor"),
        ("\ufeff[[B]]\n[[#Nope]]\n", "missing-anchor"),
        ("[[B]]\n# A1\n### A3\n", "heading-jump"),
        ("[[B]]\n# A1\n## X\n## X\n", "duplicate-sibling"),
        ("[[B]]\n# A1\n# A2\n", "single-h1"),
    ],
)
def test_each_rule_reports_its_line(text: str, rule: str) -> None:
    line = {"single-h1": 3, "duplicate-sibling": 4, "heading-jump": 3}.get(rule, 2)
    assert found({"A.md": text, "B.md": "[[A]]\n"}) == [("A.md", line, rule)]


def test_front_matter_that_cannot_be_read_is_reported_on_the_first_line() -> None:
    assert found({"A.md": "---\na: [1\n---\n[[B]]\n", "B.md": "[[A]]\n"}) == [("A.md", 1, "unreadable-front-matter")]


def test_each_later_note_of_the_same_title_is_reported_whatever_the_case() -> None:
    notes = {"A.md": "# Same\n\n[[B]]\n", "B.md": "---\ntitle: same\n---\n[[A]]\n", "C.md": "[[A]]\n"}
    assert found(notes) == [("B.md", 1, "duplicate-title")]


def test_a_note_is_an_orphan_when_no_link_leads_to_it_or_from_it_to_a_note() -> None:
    notes = {"A.md": "[[B]]\n", "B.md": "x\n", "C.md": "![[pic.png]] [[C]]\n", "templates/T.md": "x\n"}
    assert found(notes, ["pic.png"], templates="templates") == [("C.md", 1, "orphan-note")]


def test_only_the_wanted_notes_are_reported_and_only_by_the_rules_asked_for() -> None:
    notes = LinkedNotes({"A.md": "[[Nope]]\n", "B.md": "[[Nope]] [[A]]\n"})
    assert [one.uri for one in linted(notes, {"broken-wikilink"}, only=["B.md"])] == ["B.md"]
    assert list(linted(notes, {"heading-jump"})) == []


def test_a_text_that_could_link_to_a_note_is_told_by_its_names() -> None:
    names = link_names("sub/My Note.md")
    assert mentions("see [[my note]]", names)
    assert mentions("see [x](../sub/My%20Note.md)", names)
    assert not mentions("see [[another]]", names)
