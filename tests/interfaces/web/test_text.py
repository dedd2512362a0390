"""Texts as a browser shows them."""

from __future__ import annotations

from octavo.interfaces.presenting.marks import marks_of
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
    place = text.DocumentPlace("notes", "a.md")
    shown = text.markdown("> [!warning]- Mind <b>\n> the gap\n\n> [!tip]\n> rest\n\n> said\n", place)
    assert '<blockquote class="callout caution">' in shown
    assert "<strong>Mind &lt;b&gt;</strong><br />\nthe gap" in shown
    assert "<strong>Tip</strong>" in shown
    assert "<blockquote>\n<p>said</p>" in shown


def test_code_in_a_document_is_coloured_and_obeys_nothing() -> None:
    shown = text.markdown(
        "```python\ndef f(): '<b>'\n```\n\n```nonsense\n<i>\n```\n", text.DocumentPlace("notes", "a.md")
    )
    assert '<span class="k">def</span>' in shown
    assert "<b>" not in shown
    assert "&lt;i&gt;" in shown


def test_an_excerpt_begins_with_words() -> None:
    passage = "one\n\n" * 6 + "here\n" + "two\n" * 12
    assert text.excerpt(passage, marks_of("here"), most=4).startswith("… ")
    assert not text.excerpt(passage, marks_of("here"), most=4).startswith("… \n")


def test_footnotes_lead_to_what_they_say() -> None:
    note = "Seen.[^1] And.[^b]\n\n[^1]: https://example.org\n[^b]: *Two*\nlines\n\n    and more\n\nAfter.\n"
    shown = text.markdown(note, text.DocumentPlace("notes", "a.md"))
    assert 'Seen.<sup><a href="#note-1" rel="noopener noreferrer">1</a></sup>' in shown
    assert '<p class="footnote" id="note-1"><strong>1</strong> https://example.org</p>' in shown
    assert '<p class="footnote" id="note-b"><strong>b</strong> <em>Two</em>\nlines</p>' in shown
    assert '<p class="footnote">and more</p>\n<p>After.</p>' in shown
    assert text.inline("Seen.[^1]", text.DocumentPlace("notes", "a.md")) == "Seen."


def test_tasks_have_boxes_and_highlighted_words_are_marked() -> None:
    shown = text.markdown(
        "- [ ] sweep\n- [x] oil\n- [link]\n\nSee ==the [[dome]]==.\n", text.DocumentPlace("notes", "a.md")
    )
    assert '<li class="task">☐ sweep</li>\n<li class="task">☑ oil</li>\n<li>[link]</li>' in shown
    assert '<mark>the <a href="/find/notes/dome" rel="noopener noreferrer">dome</a></mark>' in shown


def test_columns_are_aligned_without_styles_in_elements() -> None:
    shown = text.markdown("| a | b | c |\n|--:|:-:|---|\n| 1 | 2 | 3 |\n", text.DocumentPlace("notes", "a.md"))
    assert '<td class="align-right">1</td>\n<td class="align-center">2</td>\n<td>3</td>' in shown
    assert "style=" not in shown


def test_text_that_runs_from_the_right_says_so_and_other_text_does_not() -> None:
    place = text.DocumentPlace("notes", "a.md")
    assert '<ul dir="auto">\n<li>שלום</li>' in text.markdown("- שלום\n", place)
    assert "dir=" not in text.markdown("- hello\n", place)
