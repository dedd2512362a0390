"""A new note's text: from a title and content, or from a template."""

from __future__ import annotations

import tomllib

import pytest

from octavo.errors import InvalidArgument
from octavo.note_editing.new_note_text import from_template, new_note
from octavo.parsing.markdown.front_matter_parsing import front_matter

TITLES = (
    *("plain words", "Ann: plans?", "# one", "- item", "[draft]", "{x}", 'say "hi"', "it's", "true", "123", "@home"),
    *("50 % #done", "ends:", "back\\slash", "a\u2028b", "~", "---", "2026-01-31", "`code`", "*bold*", "&a", "!tag"),
    *("| x", "a, b", "{{content}}"),
)


def test_a_note_is_its_title_and_its_content_with_lf_and_one_final_newline() -> None:
    assert new_note("T", "") == "# T\n"
    assert new_note("T", "\n\na\r\nb\n\n\n") == "# T\n\na\nb\n"


def test_front_matter_of_the_content_goes_to_the_top_with_a_blank_line_below() -> None:
    assert new_note("T", "---\r\na: 1\r\n---\r\nx") == "---\na: 1\n---\n\n# T\n\nx\n"
    assert new_note("T", "\n---\na: 1\n...\n\n\n") == "---\na: 1\n...\n\n# T\n"
    assert new_note("T", "---\nnot closed") == "# T\n\n---\nnot closed\n"


def test_a_first_heading_that_repeats_the_title_is_dropped() -> None:
    assert new_note("T", "# T\n\nx") == "# T\n\nx\n"
    assert new_note("T", "T\n===\nx") == "# T\n\nx\n"
    assert new_note("T", "---\na: 1\n---\n# T #\nx") == "---\na: 1\n---\n\n# T\n\nx\n"
    assert new_note("T", "# Other\n\nx") == "# T\n\n# Other\n\nx\n"


def test_a_template_is_filled_in_one_pass_and_other_braces_stay() -> None:
    template = "\ufeff---\r\ntype: x\r\n---\r\n# {{title}}\r\n\r\n{{content}}\r\n\r\n{{other}} {{ title }} {x}\r\n\r\n"
    assert from_template(template, "{{content}}", "{{title}}") == (
        "---\ntype: x\n---\n# {{content}}\n\n{{title}}\n\n{{other}} {{ title }} {x}\n"
    )


def test_without_a_place_for_it_the_content_follows_at_the_end() -> None:
    assert from_template("# {{title}}\n\nx\n\n\n", "T", "\nc\n\n") == "# T\n\nx\n\nc\n"
    assert from_template("# {{title}}", "T", "") == "# T\n"


def test_a_repeated_title_is_dropped_where_the_template_has_it() -> None:
    assert from_template("# {{title}}\n\n{{content}}\n", "T", "# T\n\nc") == "# T\n\nc\n"
    assert from_template("{{content}}\n", "T", "# T\n\nc") == "# T\n\nc\n"


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ("title: {{title}}", "title", "{}"),
        ("title: Meeting {{title}}, {{date}} # {{title}}", "title", "Meeting {}, 2026-01-31"),
        ('up: "[[{{title}}]] # {{title}}"', "up", "[[{0}]] # {0}"),
        ("title: 'of {{title}}'", "title", "of {}"),
        ("aliases: [{{title}}, b]", "aliases", ["{}", "b"]),
        ("aliases:\n  - {{title}}", "aliases", ["{}"]),
    ],
)
def test_what_is_put_into_front_matter_reads_as_it_was_given(
    title: str, line: str, key: str, expected: str | list[str]
) -> None:
    text = from_template(f"---\n{line}\nday: {{{{date}}}}\n---\n# {{{{title}}}}\n", title, "", {"date": "2026-01-31"})
    found = front_matter(text)
    shown = title.replace("\u2028", " ") if "'" in line else title  # nothing is escaped in single quotes
    wanted = expected.format(shown) if isinstance(expected, str) else [part.format(shown) for part in expected]
    assert (found.data, found.warnings) == ({key: wanted, "day": "2026-01-31"}, ())
    assert text.endswith(f"# {title}\n") and "\nday: 2026-01-31\n" in text


def test_a_block_of_text_in_front_matter_has_no_quotes_and_toml_has_its_own() -> None:
    assert from_template("---\na: |\n  See {{title}}\nb: {{title}}\n---\n", "x: y", "") == (
        '---\na: |\n  See x: y\nb: "x: y"\n---\n'
    )
    made = from_template(
        '+++\na = "{{title}}"\nb = {{title}}\nc = {{date}}\n+++\n', 'say "hi"', "", {"date": "2026-01-31"}
    )
    assert tomllib.loads(made.strip().strip("+"))["a"] == tomllib.loads(made.strip().strip("+"))["b"] == 'say "hi"'
    assert "\nc = 2026-01-31\n" in made


def test_a_title_that_the_front_matter_cannot_hold_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="cannot hold this title"):
        from_template("---\n{{title}}: x\n---\n", "a: [", "")
