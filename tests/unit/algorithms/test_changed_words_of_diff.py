"""Of a diff, the words that were taken out and put in, each once."""

from __future__ import annotations

from octavo.algorithms.text.changed_words_of_diff import changed_words


def test_changed_lines_count_and_what_stands_around_them_does_not() -> None:
    diff = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@ def f\n around\n-old name\n+new name\n"
    assert changed_words(diff) == "old name new"


def test_lines_that_only_look_like_names_of_files_count() -> None:
    assert changed_words("+++i;\n---j;\n++ counter\n") == "++i; --j; + counter"


def test_nothing_changed_gives_nothing() -> None:
    assert changed_words("") == changed_words(" context\n") == ""
