"""Insert, replace and append: every sentence of how a section is found, spaced and kept, byte for byte."""

from __future__ import annotations

import pytest

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.section_edits import append, insert, position_of, replace

NOTE = "# A\n\nalpha\n\n## B\n\nbeta\n\n## C\n\n# D\n\ndelta\n"


def inserted(text: str, parent: list[str], heading: str, content: str = "", **given: object) -> str:
    level = given.get("level")
    position = position_of(given.get("position", "last"))  # type: ignore[arg-type]
    return insert(NoteOutline(text), parent, heading, content, level, position).text  # type: ignore[arg-type]


def replaced(text: str, path: list[str], content: str) -> str:
    return replace(NoteOutline(text), path, content).text


def appended(text: str, path: list[str], content: str) -> str:
    return append(NoteOutline(text), path, content).text


def test_a_section_is_found_by_the_whole_text_of_each_heading_from_the_root_or_by_its_own_alone() -> None:
    for path in (["A", "B"], ["B"]):
        assert replaced(NOTE, path, "new") == NOTE.replace("beta", "new")
    for path in (["b"], ["A", "b"], ["a", "B"], ["A", "B "], ["A", "D"], ["A", "B", "B"], [""]):
        with pytest.raises(NotFound):
            replaced(NOTE, path, "new")


def test_a_heading_is_found_as_it_is_written_and_as_the_outline_shows_it() -> None:
    text = "# The `map` *function*\n\nold\n"
    for name in ("The `map` *function*", "The map function"):
        assert replaced(text, [name], "new") == text.replace("old", "new")


def test_two_sections_that_fit_a_path_are_refused_and_a_path_that_only_one_fits_is_not() -> None:
    text = "# A\n\n## B\n\n# A\n\n## C\n\n## C\n"
    with pytest.raises(InvalidArgument):
        replaced(text, ["A"], "x")
    with pytest.raises(InvalidArgument):
        replaced(text, ["A", "C"], "x")
    assert replaced(text, ["A", "B"], "x") == "# A\n\n## B\n\nx\n\n# A\n\n## C\n\n## C\n"


def test_the_root_is_allowed_only_as_a_parent() -> None:
    for edit in (replaced, appended):
        with pytest.raises(InvalidArgument):
            edit(NOTE, [], "x")
    assert inserted(NOTE, [], "E") == NOTE + "\n# E\n"


def test_replace_keeps_the_heading_and_the_children_and_empty_content_empties_it() -> None:
    text = "Title  \n=====\nold\n\n\n\n## Child ##\nc\n"
    assert replaced(text, ["Title"], "new") == "Title  \n=====\n\nnew\n\n## Child ##\nc\n"
    assert replaced(text, ["Title"], " \n\t\n") == "Title  \n=====\n\n## Child ##\nc\n"
    assert replaced(text, ["Title", "Child"], "") == "Title  \n=====\nold\n\n\n\n## Child ##\n"


def test_whole_blank_lines_at_both_ends_of_content_are_dropped_and_nothing_else() -> None:
    assert replaced("# A\n", ["A"], "\n \t\n    code  \n\n\n  more \t\n \n") == "# A\n\n    code  \n\n\n  more \t\n"


def test_the_file_ends_with_one_line_ending_where_an_edit_reaches_its_end_and_else_stays_as_it_ends() -> None:
    assert replaced("# A\n\nold\n\n\n\n", ["A"], "new") == "# A\n\nnew\n"
    assert replaced("# A\n\nold", ["A"], "new") == "# A\n\nnew\n"
    assert replaced("# A", ["A"], "new") == "# A\n\nnew\n"
    assert replaced("# A\r\n\r\nold", ["A"], "") == "# A\r\n"
    assert replaced("# A\nold\n# B\n\nend", ["A"], "new") == "# A\n\nnew\n\n# B\n\nend"
    assert replaced("# A\nold\n# B\n\n\n\n", ["A"], "new") == "# A\n\nnew\n\n# B\n\n\n\n"


def test_new_text_takes_the_line_ending_that_most_lines_have() -> None:
    assert replaced("# A\r\nx\r\n\r\n# B\n", ["A"], "1\n2\r\n3") == "# A\r\n\r\n1\r\n2\r\n3\r\n\r\n# B\n"
    assert replaced("# A\r\nx\n", ["A"], "1\r\n2") == "# A\r\n\n1\n2\n", "as many have either"
    assert replaced("# A", ["A"], "1\r\n2") == "# A\n\n1\n2\n", "none has one"
    assert inserted("# A\nx\r\n# B\r\n", ["A"], "N", "c") == "# A\nx\r\n\r\n## N\r\n\r\nc\r\n\r\n# B\r\n"


def test_only_lf_and_crlf_end_a_line() -> None:
    text = "# A\rB\n\none\x0b\x0c\x85\u2028two\rthree\n\n# C\n"
    assert [heading.text for heading in NoteOutline(text).headings] == ["A\rB", "C"]
    assert replaced(text, ["C"], "a\u2028b\rc") == text + "\na\u2028b\rc\n"
    assert appended("# A\n\n\u2028\n", ["A"], "x") == "# A\n\n\u2028\n\nx\n", "a line separator is not blank"


def test_a_byte_order_mark_and_front_matter_stay_and_hold_no_headings() -> None:
    text = "\ufeff---\n# no: heading\n---\n# A\nold\n"
    assert replaced(text, ["A"], "new") == "\ufeff---\n# no: heading\n---\n# A\n\nnew\n"
    assert inserted(text, [], "N", position="first") == "\ufeff---\n# no: heading\n---\n\n# N\n\n# A\nold\n"
    assert inserted("\ufeff", [], "N") == "\ufeff# N\n"
    assert inserted("---\na: 1\n...", [], "N", "x") == "---\na: 1\n...\n\n# N\n\nx\n"


def test_no_blank_line_is_put_at_the_start_of_a_file() -> None:
    assert inserted("", [], "N", "x") == "# N\n\nx\n"
    assert inserted("\n\n# A\n", [], "N", position="first") == "# N\n\n# A\n"
    assert inserted(" \n", [], "N") == "# N\n"


def test_insert_puts_a_section_last_first_or_after_a_child() -> None:
    new = "## N\n\nnew\n"
    assert inserted(NOTE, ["A"], "N", "new") == NOTE.replace("# D", new + "\n# D")
    assert inserted(NOTE, ["A"], "N", "new", position="first") == NOTE.replace("## B", new + "\n## B")
    after = inserted(NOTE, ["A"], "N", "new", position={"after": ["A", "B"]})
    assert after == NOTE.replace("## C", new + "\n## C")
    assert inserted(NOTE, ["D"], "N", position="first") == NOTE + "\n## N\n", "without a child, first is last"


def test_insert_after_takes_the_childs_whole_section() -> None:
    text = "# A\n\n## B\n\n### deep\n\n## C\n"
    assert inserted(text, ["A"], "N", position={"after": ["A", "B"]}) == "# A\n\n## B\n\n### deep\n\n## N\n\n## C\n"


@pytest.mark.parametrize(
    ("position", "error"),
    [
        ({"after": ["D"]}, InvalidArgument),
        ({"after": ["A", "Nowhere"]}, NotFound),
        ({"after": []}, InvalidArgument),
        ({"after": "B"}, InvalidArgument),
        ({"before": ["A", "B"]}, InvalidArgument),
        ({"after": ["A", "B"], "x": ["y"]}, InvalidArgument),
        ("middle", InvalidArgument),
        ("LAST", InvalidArgument),
        ("", InvalidArgument),
    ],
)
def test_any_other_position_is_refused(position: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        inserted(NOTE, ["A"], "N", position=position)


def test_a_new_sections_level_is_one_below_its_parents_unless_given() -> None:
    assert inserted(NOTE, ["D"], "N", level=4) == NOTE + "\n#### N\n"
    assert inserted("###### Deep\n", [], "N", level=6) == "###### Deep\n\n###### N\n"
    for level in (0, -1, 7):
        with pytest.raises(InvalidArgument):
            inserted(NOTE, ["A"], "N", level=level)
    with pytest.raises(InvalidArgument):
        inserted(NOTE, ["A", "B"], "N", level=2)
    with pytest.raises(InvalidArgument):
        inserted("###### Deep\n", ["Deep"], "N")


@pytest.mark.parametrize("heading", ["", " \t", "a\nb", "a\r\nb", "# a", "  ## a", "#", "######", "#\ta"])
def test_a_heading_is_one_line_without_markers_and_not_blank(heading: str) -> None:
    with pytest.raises(InvalidArgument):
        inserted(NOTE, ["A"], heading)


def test_a_heading_may_begin_with_a_tag_and_end_with_hashes() -> None:
    for heading in ("#tag", "####### seven", "C #", "F#", "a \\#"):
        text = inserted("# A\n", ["A"], heading)
        assert NoteOutline(text).headings[1].text == heading


def test_a_child_of_that_text_is_a_conflict_and_a_deeper_or_other_one_is_not() -> None:
    with pytest.raises(Conflict):
        inserted(NOTE, ["A"], "B")
    with pytest.raises(Conflict):
        inserted(NOTE, ["A"], " B ")
    assert inserted(NOTE, ["D"], "B").endswith("## B\n")
    assert inserted(NOTE, [], "B").endswith("# B\n")


def test_a_level_that_would_adopt_other_sections_or_not_land_below_its_parent_is_refused() -> None:
    text = "# P\n\n### C\n"
    with pytest.raises(InvalidArgument):
        inserted(text, ["P"], "N", position="first")
    assert inserted(text, ["P"], "N") == text + "\n## N\n"
    with pytest.raises(InvalidArgument):
        inserted(text, ["P"], "N", level=4)
    with pytest.raises(InvalidArgument):
        inserted("## X\n\n### Y\n", [], "N", position="first")
    with pytest.raises(InvalidArgument):
        replaced("# P\n\n### C\n", ["P"], "## B\n")


@pytest.mark.parametrize(
    "content",
    [
        "# up",
        "## same",
        "Up\n===",
        "Same\n---",
        "```\nopen",
        "~~~",
        "<!-- open",
        "<script>",
        "<?php",
        "<![CDATA[",
        "<!X",
    ],
)
def test_content_with_a_shallow_heading_or_something_left_open_is_refused(content: str) -> None:
    for text in ("# A\n\n## B\n\nb\n\n## C\n", "# A\n\n## B\n"):
        for edit in (replaced, appended):
            with pytest.raises(InvalidArgument):
                edit(text, ["A", "B"], f"text\n\n{content}\n")
        with pytest.raises(InvalidArgument):
            inserted(text, ["A"], "N", f"text\n\n{content}\n")


def test_headings_in_content_that_are_deeper_are_welcome() -> None:
    assert replaced(NOTE, ["A", "B"], "### x\n#### y") == NOTE.replace("beta", "### x\n#### y")
    assert replaced(NOTE, ["A", "B"], "```\n# no\n```\n<!-- \n# no\n-->\n> # no\n- # no") != NOTE


def test_a_rule_in_content_that_would_make_front_matter_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        appended("---\n\n# A\n", ["A"], "x\n\n---\n\ny")


def test_insert_and_replace_drop_a_first_line_that_repeats_the_heading_and_append_refuses_it() -> None:
    assert replaced(NOTE, ["A", "B"], "\n## B ##\n\n\nnew") == NOTE.replace("beta", "new")
    assert replaced(NOTE, ["A", "B"], "B\n---\nnew") == NOTE.replace("beta", "new")
    assert replaced(NOTE, ["A", "B"], "## B") == NOTE.replace("beta\n\n", "")
    assert replaced(NOTE, ["A", "B"], "### B\nnew") == NOTE.replace("beta", "### B\nnew")
    assert inserted(NOTE, ["D"], "N", "## N\nnew") == NOTE + "\n## N\n\nnew\n"
    with pytest.raises(InvalidArgument):
        replaced(NOTE, ["A", "B"], "## b\nnew")
    with pytest.raises(InvalidArgument):
        appended(NOTE, ["A", "B"], "## B\nnew")


def test_append_adds_a_block_at_the_end_of_the_body_before_any_child() -> None:
    assert appended(NOTE, ["A"], "more") == NOTE.replace("alpha\n", "alpha\n\nmore\n")
    assert appended(NOTE, ["A", "C"], "more") == NOTE.replace("## C\n", "## C\n\nmore\n")
    assert appended("# A\nx\n\n\n\n## B\n", ["A"], "more") == "# A\nx\n\nmore\n\n## B\n"
    assert appended("# A\n## B\n", ["A"], "more") == "# A\n\nmore\n\n## B\n"
    assert appended("# A\n\nx", ["A"], "more") == "# A\n\nx\n\nmore\n"
    for nothing in ("", "\n \n\t"):
        with pytest.raises(InvalidArgument):
            appended(NOTE, ["A"], nothing)


@pytest.mark.parametrize(
    ("last", "first", "close"),
    [
        ("- a", "- b", True),
        ("* a", "* b", True),
        ("+ a", "+", True),
        ("- a", "* b", False),
        ("- a", " - b", False),
        ("  - a", "  - b", True),
        ("- [ ] a", "- [x] b", True),
        ("1. a", "2. b", True),
        ("1. a", "7. b", True),
        ("1) a", "2) b", True),
        ("1. a", "2) b", False),
        ("1. a", "- b", False),
        ("| a | b |", "| c | d |", True),
        ("| a | b |", "c | d", False),
        ("- a", "-b", False),
        ("* * *", "* b", False),
        ("- a", "- - -", False),
        ("- a\n  more", "- b", False),
        ("text", "- b", False),
        ("- a", "text", False),
    ],
)
def test_append_follows_directly_in_the_same_list_or_table_only(last: str, first: str, close: bool) -> None:
    text = f"# A\n\n{last}\n\n\n# B\n"
    gap = "\n" if close else "\n\n"
    assert appended(text, ["A"], first) == f"# A\n\n{last}{gap}{first}\n\n# B\n"


def test_a_list_item_in_code_is_no_list_to_continue() -> None:
    assert appended("# A\n\n    - a\n", ["A"], "    - b") == "# A\n\n    - a\n\n    - b\n"


def test_appending_twice_is_appending_both() -> None:
    once = appended(appended(NOTE, ["A"], "one"), ["A"], "two")
    assert once == appended(NOTE, ["A"], "one\n\ntwo")


def test_everything_outside_the_edited_place_keeps_its_bytes() -> None:
    text = "\ufeffx \r\n\r\n\n# A\r\n\n\nold\n\n\n#  B  ##\t\r\n\r\n\r\n- x\t\r\n \n# C \n\n\n\nend\n\n"
    new = replaced(text, ["B"], "new")
    start, end = text.index("#  B"), text.index("# C")
    assert new.startswith(text[: text.index("\r\n", start) + 2])
    assert new.endswith(text[end:])
    assert new[start : -len(text[end:])] == "#  B  ##\t\r\n\nnew\n\n"
