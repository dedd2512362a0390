"""What is wrong with headings, and what is mended without a choice."""

from __future__ import annotations

from octavo.note_editing.heading_checks import violations, without_jumps
from octavo.note_editing.note_heading_outline import NoteOutline


def found(text: str, *, single_h1: bool = False) -> list[tuple[str, int]]:
    return [(one.rule, one.start_line) for one in violations(NoteOutline(text), single_h1=single_h1)]


def fixed(text: str) -> str:
    return without_jumps(NoteOutline(text))


def test_a_heading_more_than_one_level_below_the_one_before_it_is_a_jump() -> None:
    assert found("# A\n### B\n#### C\n## D\n#### E\n") == [("heading-jump", 2), ("heading-jump", 5)]
    assert found("#### first\n# A\n## B\n") == []


def test_lines_count_from_one_in_the_file_as_it_is() -> None:
    assert found("\ufeff---\r\na: 1\r\n---\r\n\r\n# A\r\n\r\nText\r\nmore\r\n===\r\n### C\r\n") == [
        ("heading-jump", 10)
    ]


def test_each_later_sibling_of_the_same_level_and_text_is_reported() -> None:
    text = "# A\n## B\n## B\n### B\n## b\n## B\n# C\n## B\n# A\n"
    assert found(text) == [("duplicate-sibling", line) for line in (3, 6, 9)]
    assert found("# A\n### B\n## B\n") == [("heading-jump", 2)], "siblings of different levels"


def test_a_second_top_heading_is_reported_only_when_asked() -> None:
    assert found("# A\n# B\n# C\n") == []
    assert found("# A\n# B\n# C\n", single_h1=True) == [("single-h1", 2), ("single-h1", 3)]


def test_a_violation_says_what_would_mend_it() -> None:
    (violation,) = violations(NoteOutline("# A\n### B\n"))
    assert (violation.start_line, violation.end_line, violation.heading_path) == (2, 2, ("A", "B"))
    assert "level 3" in violation.message
    assert violation.suggested_fix


def test_fixing_puts_each_heading_one_below_its_parent_and_keeps_every_parent() -> None:
    text = "#### top\n# A\n### B\n##### C\n#### D\n## E\n#### F\n"
    assert fixed(text) == "#### top\n# A\n## B\n### C\n### D\n## E\n### F\n"
    before, after = NoteOutline(text), NoteOutline(fixed(text))
    assert before.parents == after.parents
    assert found(fixed(text)) == []


def test_fixing_changes_only_the_number_of_opening_hashes() -> None:
    assert fixed("# A\r\n\r\n  ####\tB ##  \n```\n### no\n```\n") == "# A\r\n\r\n  ##\tB ##  \n```\n### no\n```\n"


def test_a_file_without_jumps_keeps_its_bytes_and_duplicates_are_left() -> None:
    for text in ("", "text", "\ufeff# A\r\n## B\n\n\n## B\n", "### A\n## B\n# C", "A\n===\nB\n---\n"):
        assert fixed(text) == text
