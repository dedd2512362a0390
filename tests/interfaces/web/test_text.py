"""Texts as a browser shows them."""

from __future__ import annotations

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
