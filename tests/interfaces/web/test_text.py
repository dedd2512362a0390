"""Texts as a browser shows them."""

from __future__ import annotations

from octavo.interfaces.marks import marks_of
from octavo.interfaces.web import text


def test_lines_of_prose_run_on_and_everything_else_keeps_its_lines() -> None:
    passage = "## Pruning\n\nPrune in late\nwinter.\n\n- a list\n- of two\n| a | table |\n# Heading\nunder it"
    assert text.readable(passage, "Pruning") == (
        "Prune in late winter.\n\n- a list\n- of two\n| a | table |\n# Heading\nunder it"
    )
    assert text.readable("# Other\n\ntext", "Pruning") == "# Other\n\ntext"
    assert text.readable("", "") == ""


def test_a_difference_is_shown_by_lines_and_obeys_nothing() -> None:
    assert text.differences("--- a v1\n+++ a v2\n@@ -1 +1 @@\n-old\n+<b>new</b>\n same\n") == (
        '<span class="at">@@ -1 +1 @@</span><span class="removed">-old</span>'
        '<span class="added">+&lt;b&gt;new&lt;/b&gt;</span><span class="same"> same</span>'
    )


def test_a_call_out_is_a_box_with_a_title_and_a_quotation_stays_one() -> None:
    place = text.Place("notes", "a.md")
    shown = text.markdown("> [!warning]- Mind <b>\n> the gap\n\n> [!tip]\n> rest\n\n> said\n", place)
    assert '<blockquote class="callout caution">' in shown
    assert "<strong>Mind &lt;b&gt;</strong><br />\nthe gap" in shown
    assert "<strong>Tip</strong>" in shown
    assert "<blockquote>\n<p>said</p>" in shown


def test_code_in_a_document_is_coloured_and_obeys_nothing() -> None:
    shown = text.markdown("```python\ndef f(): '<b>'\n```\n\n```nonsense\n<i>\n```\n", text.Place("notes", "a.md"))
    assert '<span class="k">def</span>' in shown
    assert "<b>" not in shown
    assert "&lt;i&gt;" in shown


def test_an_excerpt_begins_with_words() -> None:
    passage = "one\n\n" * 6 + "here\n" + "two\n" * 12
    assert text.excerpt(passage, marks_of("here"), most=4).startswith("… ")
    assert not text.excerpt(passage, marks_of("here"), most=4).startswith("… \n")
