"""Texts as a browser shows them."""

from __future__ import annotations

from octavo.fast_dataclass import replace
from octavo.interfaces.presenting.match_highlighting import marks_of
from octavo.interfaces.web import document_addresses
from octavo.interfaces.web.code_diffs_and_messages_as_html import differences
from octavo.interfaces.web.document_pages import prose
from octavo.interfaces.web.hit_excerpts import excerpt, source_excerpt
from octavo.interfaces.web.markdown_to_html import inline, markdown, ragged
from octavo.interfaces.web.rst_and_org_to_markdown import as_markdown
from octavo.operations.reading.results import OutlineSection

PLACE = document_addresses.DocumentPlace("notes", "a.md")


def test_a_difference_is_shown_by_lines_and_obeys_nothing() -> None:
    assert differences("--- a v1\n+++ a v2\n@@ -1 +1 @@\n-old\n+<b>new</b>\n same\n") == (
        '<span class="at">@@ -1 +1 @@</span><span class="removed">-old</span>'
        '<span class="added">+&lt;b&gt;new&lt;/b&gt;</span><span class="same"> same</span>'
    )


def test_a_call_out_is_a_box_with_a_title_and_a_quotation_stays_one() -> None:
    shown = markdown("> [!warning]- Mind <b>\n> the gap\n\n> [!tip]\n> rest\n\n> said\n", PLACE)
    assert '<blockquote class="callout caution">' in shown
    assert "<strong>Mind &lt;b&gt;</strong><br />\nthe gap" in shown
    assert "<strong>Tip</strong>" in shown
    assert "<blockquote>\n<p>said</p>" in shown


def test_code_in_a_document_is_coloured_and_obeys_nothing() -> None:
    shown = markdown("```python\ndef f(): '<b>'\n```\n\n```nonsense\n<i>\n```\n", PLACE)
    assert '<span class="k">def</span>' in shown
    assert "<b>" not in shown
    assert "&lt;i&gt;" in shown


def shown(passage: str, query: str, *titles: str) -> str:
    return str(excerpt(passage, PLACE, marks_of(query), titles=titles, first_line=1))


def test_a_hit_is_rendered_and_its_words_are_marked_in_it() -> None:
    passage = "---\ntags: [a]\n---\n# Dome\n\n> [!info] Mind **[[The dome|it]]**\n> It turns.\n\nSee `dome` and <b>.\n"
    html = shown(passage, "dome turns", "Dome")
    assert "<h3" not in html and "tags" not in html
    assert '<blockquote class="callout hint-box">' in html
    assert '<a href="/find/notes/The%20dome" rel="noopener noreferrer">it</a>' in html
    assert "It <mark>turns</mark>." in html
    assert "<code><mark>dome</mark></code> and &lt;b&gt;" in html
    assert "[!info]" not in html and "**" not in html and "[[" not in html


def test_a_hit_begins_at_the_sentence_that_answers() -> None:
    filler = "Nothing of it is said in this long sentence about the weather and the garden. " * 8
    html = shown(f"{filler}The pump has a red switch. {filler}", "pump switch")
    assert html.startswith("<p>… The <mark>pump</mark> has a red <mark>switch</mark>. Nothing")
    assert html.rstrip().endswith("garden. …</p>")


def test_a_hit_that_begins_within_a_link_shows_its_words_alone() -> None:
    assert "]]" not in shown("Credit]] is not refundable.", "refundable")


def test_what_answers_stands_near_the_beginning_of_a_hit() -> None:
    steps = "".join(f"{number}. Turn knob number {number} of the panel and wait.\n" for number in range(1, 7))
    html = shown(f"{steps}7. Start the pump.\n", "pump")
    assert html.index("<mark>pump</mark>") < 300 and "number 1 " not in html


def test_rows_of_a_table_are_shown_below_its_header() -> None:
    rows = "".join(f"| reading {number} | {number} m/s of wind over ten minutes |\n" for number in range(30))
    html = shown(f"| what | limit |\n|---|---|\n{rows}| humidity | 85 % |\n", "humidity")
    assert "<th>what</th>" in html and "<td><mark>humidity</mark></td>" in html
    assert "reading 3 " not in html


def test_code_after_what_is_left_out_stays_code() -> None:
    filler = "Nothing of it is said in this long sentence about the weather and the garden. " * 8
    html = shown(f"{filler}\n\n```md\n# The pump switch\n```\n", "pump switch")
    assert html == "<pre># The <mark>pump</mark> <mark>switch</mark></pre>\n"


def test_words_within_others_are_not_marked() -> None:
    assert "<mark>cat</mark> in the catalogue" in shown("The cat in the catalogue.", "cat")


def test_a_paragraph_without_full_stops_is_cut() -> None:
    text = "\n".join(["nothing here"] * 60 + ["the pump switch"] + ["nor here"] * 60)
    html = shown(text, "pump switch")
    assert "<mark>pump</mark> <mark>switch</mark>" in html
    assert html.startswith("<p>… ") and html.rstrip().endswith(" …</p>")
    assert len(html) < len(text)


def test_source_shows_the_lines_that_answer() -> None:
    text = "\n".join(["nothing here"] * 20 + ["the pump switch"] + ["nor < here"] * 20)
    shown_lines = str(source_excerpt(text, marks_of("pump switch")))
    assert shown_lines.startswith(
        "…\nthe <mark>pump</mark> <mark>switch</mark>\nnor &lt; here\n"
    ) and shown_lines.endswith("\n…")
    assert len(shown_lines) < len(text) / 2


def test_pictures_that_are_files_are_shown_and_others_are_named() -> None:
    files = {"dome.png": "photos/the dome.png", "x/door.webp": "x/door.webp"}
    place = document_addresses.DocumentPlace("my notes", "a.md", None, files)
    html = str(markdown("![[dome.png|300]] ![A <door>](x/door.webp) ![[gone.png]] ![two](other.png)\n", place))
    assert '<img src="/file/my%20notes/photos/the%20dome.png" alt="the dome" width="300" loading="lazy">' in html
    assert '<img src="/file/my%20notes/x/door.webp" alt="A &lt;door&gt;" loading="lazy">' in html
    assert "Picture: gone.png" in html
    assert html.count("<img") == 2


def test_lines_of_a_converted_text_end_where_their_author_ended_them() -> None:
    letter = "Ann Larkfield\nThe Observatory\n\nDear Sir, the dome was closed in the night, and\nnobody was there.\n"
    html = str(markdown(ragged(letter), PLACE, pages={1: "1", 4: "2"}))
    assert "Ann Larkfield<br />\nThe Observatory" in html
    assert "night, and\nnobody" in html
    assert html.index('id="page-1"') < html.index("Ann") < html.index('id="page-2"') < html.index("Dear Sir")


def test_other_markup_is_paragraphs_below_its_headings() -> None:
    sections = (OutlineSection("Dome", 1, "dome", 1, 9), OutlineSection("Doors", 2, "doors", 5, 9))
    note = "Dome\n====\nIt turns <slowly>.\n\nDoors\n-----\n\n- one\n- two\n"
    html = str(prose(note, sections, replace(PLACE, lines=(8, 8))))
    assert html == (
        '<h2 id="h-dome">Dome</h2>\n<p>It turns &lt;slowly&gt;.</p>\n'
        '<h3 id="h-doors">Doors</h3>\n<p id="cited" class="verse cited">- one\n- two</p>'
    )


def rendered(text: str, suffix: str, sections: tuple[OutlineSection, ...] = (), cited: tuple[int, int] = (0, 0)) -> str:
    lines = as_markdown(text, suffix, sections)
    numbers = [line.number for line in lines]
    return str(markdown("\n".join(line.text for line in lines), replace(PLACE, lines=cited), numbers=numbers))


def test_restructured_text_is_rendered_and_cites_its_own_lines() -> None:
    note = """Dome
====

It turns :func:`~dome.turn` by ``hand`` <slowly>, see `the site <https://e.org>`_ and [1]_.

.. note::

   Mind the *shutter*.

.. code-block:: python
   :linenos:

   turn(dome)

An example::

    $ turn

.. image:: dome.png
   :alt: The dome

.. a comment

+------+-------+
| part | price |
+======+=======+
| left | two   |
| door |       |
+------+-------+

=====  =====
a      b
=====  =====
1      2
=====  =====

term
    what it means

.. [1] A note.
"""
    html = rendered(note, ".rst", (OutlineSection("Dome", 1, "dome", 1, 40),), cited=(26, 26))
    for shown in (
        '<h2 id="h-dome">Dome</h2>',
        "<code>turn</code> by <code>hand</code> &lt;slowly&gt;",
        '<a href="https://e.org" rel="noopener noreferrer">the site</a>',
        "<strong>Note</strong>",
        "Mind the <em>shutter</em>.",
        'class="language-python"',
        "<p>An example:</p>",
        "$ turn",
        "<th>part</th>",
        "<td>left door</td>",
        "<th>a</th>",
        "<td>2</td>",
        "<strong>term</strong>",
        "A note.",
    ):
        assert shown in html, shown
    for hidden in ("::", "``", ":func:", "====", "a comment", "+---", "_.", "linenos"):
        assert hidden not in html, hidden
    assert html.index('id="cited"') < html.index("left door") and html.count("cited") == 2


def test_a_labelled_title_is_shown_once_and_a_described_object_is_a_heading() -> None:
    note = """.. _dome:

The ``Dome``
============

.. function:: turn(angle)

   Turns it.

   .. data:: TILT

      How far.

   .. versionchanged:: 2.3

      Faster.
"""
    sections = (
        OutlineSection("The Dome", 1, "the-dome", 1, 13),
        OutlineSection("turn", 2, "turn", 6, 13),
        OutlineSection("TILT", 3, "tilt", 10, 13),
    )
    html = rendered(note, ".rst", sections)
    headings = '<h2 id="h-the-dome">The Dome</h2>', '<h3 id="h-turn"><code>turn</code></h3>'
    assert [html.count(heading) for heading in headings] == [1, 1]
    assert html.count("Dome") == 1 and "<p>Turns it.</p>" in html
    assert '<h4 id="h-tilt"><code>TILT</code></h4>' in html and "<strong>Changed in version 2.3</strong>" in html


def test_org_is_rendered_and_cites_its_own_lines() -> None:
    note = """#+TITLE: Dome
* Doors :tag:
:PROPERTIES:
:ID: 7
:END:
Run =make= and *then* /slowly/ see [[https://e.org][the site]].

#+begin_src sh
make all
#+end_src

#+begin_quote
Mind the shutter.
#+end_quote

| part | price |
|------+-------|
| left | 2     |

- [ ] one
- Door :: the left one
"""
    html = rendered(note, ".org", (OutlineSection("Doors", 1, "doors", 2, 20),), cited=(18, 18))
    for shown in (
        '<h2 id="h-doors">Doors</h2>',
        "<code>make</code> and <strong>then</strong> <em>slowly</em>",
        'class="language-sh"',
        "<blockquote>\n<p>Mind the shutter.</p>",
        "<th>part</th>",
        "<td>2</td>",
        "☐ one",
        "<strong>Door</strong> the left one",
    ):
        assert shown in html, shown
    for hidden in ("#+", ":ID:", ":END:", "[[", "|--", "make all</p>"):
        assert hidden not in html, hidden
    assert html.count("cited") == 2


def test_html_that_lays_out_a_note_is_read_and_obeys_nothing() -> None:
    note = (
        "<table><td>\n<a href='https://e.org'>Site</a></td><td>two</td></table>\n\n"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>&lt;script&gt;x&lt;/script&gt;</td></tr></table>\n\n"
        '<div align="center">\n\n**bold** <kbd>k</kbd>\n\n</div>\n\n'
        '<div><script>alert(1)</script><p onclick="x()"><a href="javascript:alert(1)">word</a></p></div>\n\n'
        "<script>alert(2)</script>\n"
    )
    html = str(markdown(note, PLACE))
    assert '<a href="https://e.org" rel="noopener noreferrer">Site</a>' in html and "<th>a</th>" in html
    assert "<strong>bold</strong> &lt;kbd&gt;" in html and "word" in html
    assert "<script" not in html and "javascript" not in html and "onclick" not in html and "align=" not in html
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in html


def test_footnotes_lead_to_what_they_say() -> None:
    note = "Seen.[^1] And.[^b]\n\n[^1]: https://example.org\n[^b]: *Two*\nlines\n\n    and more\n\nAfter.\n"
    shown = markdown(note, PLACE)
    assert 'Seen.<sup><a href="#note-1" rel="noopener noreferrer">1</a></sup>' in shown
    assert '<p class="footnote" id="note-1"><strong>1</strong> https://example.org</p>' in shown
    assert '<p class="footnote" id="note-b"><strong>b</strong> <em>Two</em>\nlines</p>' in shown
    assert '<p class="footnote">and more</p>\n<p>After.</p>' in shown
    assert inline("Seen.[^1]", PLACE) == "Seen."


def test_tasks_have_boxes_and_highlighted_words_are_marked() -> None:
    shown = markdown("- [ ] sweep\n- [x] oil\n- [link]\n\nSee ==the [[dome]]==.\n", PLACE)
    assert '<li class="task">☐ sweep</li>\n<li class="task">☑ oil</li>\n<li>[link]</li>' in shown
    assert '<mark>the <a href="/find/notes/dome" rel="noopener noreferrer">dome</a></mark>' in shown


def test_columns_are_aligned_without_styles_in_elements() -> None:
    shown = markdown("| a | b | c |\n|--:|:-:|---|\n| 1 | 2 | 3 |\n", PLACE)
    assert '<td class="align-right">1</td>\n<td class="align-center">2</td>\n<td>3</td>' in shown
    assert "style=" not in shown


def test_text_that_runs_from_the_right_says_so_and_other_text_does_not() -> None:
    assert '<ul dir="auto">\n<li>שלום</li>' in markdown("- שלום\n", PLACE)
    assert "dir=" not in markdown("- hello\n", PLACE)


def test_a_heading_is_led_to_by_the_anchor_it_gives_itself_and_does_not_show_it() -> None:
    place = document_addresses.DocumentPlace("notes", "a.md", None, {})
    page = str(markdown("## Request `files` { #upload }\n\n## Other {#other}\n", place))
    assert '<h2 id="h-request-files"><a id="h-upload"></a>Request <code>files</code></h2>' in page
    assert '<h2 id="h-other">Other</h2>' in page
