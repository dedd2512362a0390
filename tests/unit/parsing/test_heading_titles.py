"""Sections: readable titles, paths, anchors, and ids that tell equal titles apart."""

from __future__ import annotations

import pytest

from octavo.model.document import Section, Source
from octavo.model.ids import DocumentId, section_id
from octavo.parsing.markdown.heading_anchors import Anchors
from octavo.parsing.markdown.inline_to_plain_text import plain_text
from octavo.parsing.markdown.parser import MarkdownParser

DOCUMENT = DocumentId("doc")


def sections(text: str) -> tuple[Section, ...]:
    return MarkdownParser().parse(Source(DOCUMENT, "a.md", text, 0.0)).sections


@pytest.mark.parametrize(
    ("inline", "title"),
    [
        ("Plain words", "Plain words"),
        ("*a* **b** ***c*** _d_ __e__ ~~f~~ ==g==", "a b c d e f g"),
        ("snake_case and 2 * 3 * 4 and a*b", "snake_case and 2 * 3 * 4 and a*b"),
        ("**bold `co*de` text**", "bold co*de text"),
        ("`` a ` b `` and `<tag>`", "a ` b and <tag>"),
        ("[text](url) ![image](url) [text][ref] [alone]", "text image text [alone]"),
        ("[![a](b)](c)", "a"),
        ("[a (b)](c_(d))", "a (b)"),
        ("[[Note]] [[Note|shown]] [[Note#Part]] [[#Part]] ![[x.png]]", "Note shown Note > Part Part x.png"),
        ("<kbd>Ctrl</kbd>+<b>C</b> <https://x.y> 1 < 2", "Ctrl+C https://x.y 1 < 2"),
        ("\\*not\\* \\`em\\`", "*not* `em`"),
        ("a &amp; b &lt;c&gt;", "a & b <c>"),
        ("two\n  lines", "two lines"),
        ("title ^block-id", "title"),
        ("title %%hidden%%", "title"),
        ("", ""),
        ("`", "`"),
        ("[", "["),
    ],
)
def test_a_title_reads_without_its_markup(inline: str, title: str) -> None:
    assert plain_text(inline) == title


def test_a_section_runs_to_the_next_heading_of_its_rank() -> None:
    text = "intro\n# A\na\n## B\nb\n### C\n## D\n# E\n"
    assert [(section.path, section.level, section.span.of(text)) for section in sections(text)] == [
        ((), 0, "intro\n"),
        (("A",), 1, "# A\na\n## B\nb\n### C\n## D\n"),
        (("A", "B"), 2, "## B\nb\n### C\n"),
        (("A", "B", "C"), 3, "### C\n"),
        (("A", "D"), 2, "## D\n"),
        (("E",), 1, "# E\n"),
    ]


def test_a_text_without_headings_is_one_section() -> None:
    assert [(section.path, section.anchor, section.span.of("text\n")) for section in sections("text\n")] == [
        ((), "", "text\n")
    ]


def test_the_root_is_empty_when_the_text_begins_with_a_heading() -> None:
    assert sections("# A\n")[0].span.length == 0


def test_a_skipped_rank_leaves_no_gap_in_the_path() -> None:
    assert [section.path for section in sections("### A\n# B\n#### C\n## D\n")] == [
        (),
        ("A",),
        ("B",),
        ("B", "C"),
        ("B", "D"),
    ]


def test_equal_paths_have_different_ids_counted_in_order() -> None:
    found = sections("# A\n## B\n## B\n# A\n## B\n")
    assert [section.id for section in found] == [
        section_id(DOCUMENT, (), 0),
        section_id(DOCUMENT, ("A",), 0),
        section_id(DOCUMENT, ("A", "B"), 0),
        section_id(DOCUMENT, ("A", "B"), 1),
        section_id(DOCUMENT, ("A",), 1),
        section_id(DOCUMENT, ("A", "B"), 2),
    ]


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ("Read me!", "read-me"),
        ("C++ & C#", "c--c"),
        ("a_b-c  d", "a_b-c--d"),
        ("Ünïcödé 見出し", "ünïcödé-見出し"),
        ("हिन्दी", "हिन्दी"),
        ("🎉", "-1"),
        ("", "-1"),
    ],
)
def test_an_anchor_is_the_one_github_makes(title: str, anchor: str) -> None:
    assert Anchors().take(title) == anchor


def test_equal_titles_get_anchors_with_numbers_that_never_collide() -> None:
    anchors = Anchors()
    assert [anchors.take(title) for title in ("A", "A", "A-1", "A", "a 1", "A-1")] == [
        "a",
        "a-1",
        "a-1-1",
        "a-2",
        "a-1-2",
        "a-1-3",
    ]


@pytest.mark.parametrize(
    ("heading", "title", "anchor"),
    [
        ("Request files { #files }", "Request files", "files"),
        ("`UploadFile` {#upload-file}", "UploadFile", "upload-file"),
        ("Files {: #files .wide }", "Files", "files"),
        ("Files {.wide lang=en #files}", "Files", "files"),
        ("Files {/* #files */}", "Files", "files"),
        ("Files {.unnumbered}", "Files", "files"),
        ("GET /users/{id}", "GET /users/{id}", "get-usersid"),
        ("A set {a, b}", "A set {a, b}", "a-set-a-b"),
        ("{#files}", "{#files}", "files"),
        (r"Not \{#files}", "Not {#files}", "not-files"),
        ("Code `{#files}`", "Code {#files}", "code-files"),
    ],
)
def test_what_a_heading_has_for_its_publisher_is_no_part_of_its_title(heading: str, title: str, anchor: str) -> None:
    section = sections(f"# {heading}\n\ntext\n")[1]
    assert (section.title, section.anchor) == (title, anchor)
