"""Which words are marked, and which lines are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.engine.wiring import open_library
from octavo.interfaces.presenting.excerpt_selection_and_wrapping import excerpt, flattened, reflowed
from octavo.interfaces.presenting.match_highlighting import AnsweredTokens, marks, marks_of, meant
from octavo.interfaces.presenting.terminal_rendering import TerminalView, terminal_lines
from octavo.operations.json_schemas import dump
from octavo.operations.search.rendering import search_lines
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import SearchAnswer, whole_answer
from octavo.operations.search.search_execution import find

ANALYZER = Analyzer()


def marked(text: str, query: str) -> list[str]:
    found = marks(text, AnsweredTokens(meant(parse_query(query, ANALYZER)[0]), ANALYZER.word))
    return [text[mark.start : mark.end] for mark in found]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Prune the trees. Pruning helps a tree.", "pruned trees", ["Prune", "trees", "Pruning", "tree"]),
        ("call getUserById(user)", "user", ["getUserById", "user"]),
        ("C++ and C#, not C", "C++", ["C++"]),
        ("a café, the CAFÉ.", "cafe", ["café", "CAFÉ"]),
        ("東京都は日本の首都です", "東京", ["東京"]),
        ("indexing an index", "ind*", ["indexing", "index"]),
        ("the end of the line", "the line", ["line"]),
        ("fresh bread, stale bread", '"fresh bread" -stale', ["fresh", "bread", "bread"]),
        ("user users_table, superuser: user-user user", "user", ["user", "users_table", "user-user", "user"]),
        ("nothing here", "apples", []),
        ("", "apples", []),
    ],
)
def test_a_word_is_marked_when_its_analysis_meets_the_query(text: str, query: str, expected: list[str]) -> None:
    assert marked(text, query) == expected


def shown(text: str, query: str, width: int, most: int | None, *, headed: bool = False) -> list[str]:
    found = marks(text, AnsweredTokens(meant(parse_query(query, ANALYZER)[0]), ANALYZER.word))
    return ["".join(part.text for part in line) for line in excerpt(text, found, width, most, headed=headed)]


def test_the_lines_around_the_best_match_are_shown() -> None:
    text = "\n".join(["apples", "one", "two", "three", "pruning apples", "five", "six"])
    assert shown(text, "apples pruning", 40, 3) == ["three", "pruning apples", "five …"]


def test_an_excerpt_of_equal_matches_opens_where_a_line_does() -> None:
    text = "def fail(job, retry_after) -> bool:\n    if retry_after is None:\n        return retry_after"
    assert shown(text, "retry", 30, 3)[0] == "def fail(job, retry_after) ->"


def test_code_opens_with_its_declaration_where_that_answers_as_well() -> None:
    text = "def url_for(name):\n    # one\n    # two\n    # three\n    return app.url_for(url_for)"
    assert shown(text, "url_for", 40, 2)[-1].strip() == "return app.url_for(url_for)"
    assert shown(text, "url_for", 40, 2, headed=True) == ["def url_for(name):", "    # one …"]
    assert shown(text, "url_for app", 40, 2, headed=True)[-1].strip() == "return app.url_for(url_for)"


def test_a_full_excerpt_keeps_its_blank_lines_and_a_short_one_does_not() -> None:
    assert shown("a\n\nb", "x", 40, None) == ["a", "", "b"]
    assert shown("a\n\nb", "x", 40, 5) == ["a", "b"]


def test_an_empty_excerpt_shows_nothing() -> None:
    assert shown("", "x", 40, 3) == []


def test_an_excerpt_cannot_steer_the_terminal() -> None:
    assert flattened("a\tb\x1b[2J\nc\n") == "a   b\\x1b[2J\nc"


def test_running_text_is_joined_and_forms_are_left() -> None:
    prose = "A line that is long enough to be one of many in\na paragraph."
    assert reflowed(prose) == prose.replace("\n", " ")
    item = "- An item that is long enough to go on in a second\n  line."
    assert reflowed(item) == item.replace("\n  ", " ")
    for formed in (
        "A line that is long enough to be one of many in\n- a list",
        "A line that is long enough to be one of many in\n1. a list",
        "A line that is long enough to be one of many in\n\nanother",
        "# A heading that is long enough to be a line of text\nbelow it",
        "| a row | that is long enough to be a line of text |\nbelow it",
        "```\na_line_of_code(that, is, long, enough, to, be, a, line)\nanother()\n```",
        "short\nlines\nof a poem",
    ):
        assert reflowed(formed) == formed


def test_the_line_below_a_table_s_head_and_a_rule_leave_their_place_to_what_says_something() -> None:
    text = "Four keys.\n\n| key | held by |\n|---:|:---|\n| 1 | Marit |\n\n---\n- 2 are spare"
    assert shown(text, "key", 40, 4) == ["Four keys.", "| key | held by |", "| 1 | Marit |", "- 2 are spare"]
    assert "|---:|:---|" in shown(text, "key", 40, None)


def test_of_windows_that_answer_alike_one_that_opens_with_a_line_is_shown_before_one_with_more_marks() -> None:
    text = "the key lorem ipsum dolor consectetur adipiscing a key and another key"
    assert shown(text, "key", 24, 2) == ["the key lorem ipsum", "dolor consectetur …"]
    assert shown(f"{text} in the hall", "key hall", 24, 2)[-1].endswith("in the hall"), "what answers more is shown"


def test_what_is_shown_begins_with_the_sentence_that_answers() -> None:
    text = (
        "The first sentence is about something else and goes on for a while, so that lines are wrapped. Then comes one "
        "that is not short either. The pump switch is behind the boiler. It is red, and nobody has ever missed it."
    )
    (first, *_) = excerpt(text, marks_of("pump switch")(text), 50, 3)
    assert "".join(part.text for part in first).startswith("The pump switch")


def test_english_words_that_a_question_in_another_language_was_answered_by_are_marked(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "users.md").write_text("# Users\n\nA user changes the password in the settings.\n", "utf-8")
    with open_library(tmp_path / "l.db", create=True) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        answer = whole_answer(find(engine, SearchRequest("Kennwort eines Benutzers ändern")), explain=False)
    drawn = terminal_lines(search_lines(answer), TerminalView(answer.marked_by), 80)
    words = {part.text for line in drawn for part in line if part.style == "match"}
    assert words >= {"user", "changes", "password"}
    assert {"password", "user", "change"} <= {*(answer.in_english or "").split()}
    assert dump(SearchAnswer, answer)["in_english"] == answer.in_english
