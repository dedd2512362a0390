"""A new note's text: from a title and content, or from a template."""

from __future__ import annotations

from octavo.writing.create import from_template, new_note


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
