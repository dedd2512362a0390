"""Moving a section: what is cut, where it goes, and what its headings become."""

from __future__ import annotations

import pytest

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.section_relocation_text import move

NOTE = "# A\n\na\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n\n# E\n\ne\n"


def moved(text: str, source: list[str], target: list[str]) -> str:
    return move(NoteOutline(text), source, target).text


def test_a_section_becomes_the_last_child_of_its_new_parent_with_all_that_is_below_it() -> None:
    assert moved(NOTE, ["A", "B"], ["E"]) == "# A\n\na\n\n## D\n\nd\n\n# E\n\ne\n\n## B\n\nb\n\n### C\n\nc\n"
    assert moved(NOTE, ["E"], ["A"]) == NOTE.replace("# E", "## E")
    assert moved(NOTE, ["A", "B", "C"], []) == ("# A\n\na\n\n## B\n\nb\n\n## D\n\nd\n\n# E\n\ne\n\n# C\n\nc\n")
    assert moved(NOTE, ["A", "B"], ["A", "D"]) == ("# A\n\na\n\n## D\n\nd\n\n### B\n\nb\n\n#### C\n\nc\n\n# E\n\ne\n")


def test_a_section_among_its_siblings_moves_to_their_end() -> None:
    assert moved(NOTE, ["A", "B"], ["A"]) == "# A\n\na\n\n## D\n\nd\n\n## B\n\nb\n\n### C\n\nc\n\n# E\n\ne\n"


def test_the_last_child_stays_as_it_is() -> None:
    for text in (NOTE, NOTE[:-1], NOTE + "\n\n"):
        assert moved(text, ["E"], []) == text
    assert moved(NOTE, ["A", "D"], ["A"]) == NOTE
    assert moved("# A\n#### D", ["A", "D"], ["A"]) == "# A\n#### D"


def test_only_the_opening_hashes_of_atx_lines_change_and_what_is_between_stays() -> None:
    text = "# A\n\n  ##  B  ##\t\n```\n## no\n```\n<!--\n## no\n-->\n    ## no\n#### deep #\n\n# E\n"
    assert moved(text, ["A", "B"], []) == (
        "# A\n\n# E\n\n  #  B  ##\t\n```\n## no\n```\n<!--\n## no\n-->\n    ## no\n### deep #\n"
    )


def test_a_setext_heading_whose_level_changes_becomes_atx() -> None:
    assert moved("A\n===\n\nB\nb\n---\n\n# C\n", ["A", "B b"], ["C"]) == "A\n===\n\n# C\n\nB\nb\n---\n"
    assert moved("A\n===\n\nB\nb\n---\n\n# C\n", ["A", "B b"], []) == "A\n===\n\n# C\n\n# B b\n"
    assert moved("A\n===\nx\n\n# C\n", ["A"], ["C"]) == "# C\n\n## A\nx\n"


def test_a_cut_takes_the_section_with_the_blank_lines_that_end_it() -> None:
    assert (
        moved("# A\nx\n\n\n## B\nb\n\n\n\n## C\n\n# D\n", ["A", "B"], ["D"]) == "# A\nx\n\n\n## C\n\n# D\n\n## B\nb\n"
    )
    assert moved("# A\nx\n## B\nb\n## C\n# D\n", ["A", "B"], ["D"]) == "# A\nx\n## C\n# D\n\n## B\nb\n"


def test_a_cut_that_leaves_the_end_of_the_file_leaves_one_line_ending() -> None:
    assert moved("# D\n\n# A\nx\n\n\n## B\nb\n\n\n", ["A", "B"], ["D"]) == "# D\n\n## B\nb\n\n# A\nx\n"
    assert moved("# D\r\n# A\r\n\r\n## B\r\nb", ["A", "B"], ["D"]) == "# D\r\n\r\n## B\r\nb\r\n\r\n# A\r\n"


def test_a_cut_never_joins_text_to_the_setext_heading_behind_it() -> None:
    text = "# A\nx\n## B\nb\n\nC\n---\n# D\n"
    assert moved(text, ["A", "B"], ["D"]) == "# A\nx\n\nC\n---\n# D\n\n## B\nb\n"


def test_a_section_cannot_go_below_itself_or_below_level_six() -> None:
    for target in (["A"], ["A", "B"], ["A", "B", "C"]):
        with pytest.raises(InvalidArgument):
            moved(NOTE, ["A"], target)
    with pytest.raises(InvalidArgument):
        moved(
            "# A\n\n##### B\n\n###### C\n\n## D\n\n### E\n\n#### F\n\n##### G\n", ["A", "B"], ["A", "D", "E", "F", "G"]
        )


def test_another_child_of_that_text_is_a_conflict() -> None:
    with pytest.raises(Conflict):
        moved("# A\n\n## X\n\n# B\n\n## X\n", ["A", "X"], ["B"])


def test_what_is_not_there_is_not_found_and_the_root_cannot_move() -> None:
    for source, target in ((["X"], ["A"]), (["E"], ["X"])):
        with pytest.raises(NotFound):
            moved(NOTE, source, target)


def test_an_open_fence_cannot_be_moved_before_other_sections() -> None:
    with pytest.raises(InvalidArgument):
        moved("# A\n\n# B\n\n# C\n\n```\nopen\n", ["C"], ["A"])


def test_moving_there_and_back_is_the_identity_where_levels_allow() -> None:
    there = moved(NOTE, ["A", "D"], ["E"])
    assert moved(there, ["E", "D"], ["A"]) == NOTE
