"""Headings found by their lines alone are those that the block rules find."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo.parsing.markdown.blocks import scan
from octavo.writing.heading_scan import heading_scan

LINES = (
    *(
        "# A",
        "## B ##",
        "#tag",
        "#",
        "   # indented",
        "  # in an item",
        "\t# tab",
        "    code # x",
        "text",
        "",
        " ",
        "*x*",
    ),
    *(
        "```",
        "~~~",
        "````x",
        "   ```",
        "  ```",
        "  ```js",
        "  code",
        "- ```",
        "1. ```",
        "``` ``",
        "    ```",
        "``` a`b",
        "```py",
        "> # q",
        "> q",
        "- item",
        "  - y",
        "1. n",
        "-",
        "| a |",
    ),
    *("<div>", "<!--", "-->", "<pre>", "</pre>", "<b>x</b>", "<b>", "<?x", "?>", "===", "---", " ---", '[a]: /u "t'),
)


@settings(max_examples=400)
@given(st.lists(st.sampled_from(LINES), max_size=14), st.booleans())
def test_headings_are_those_of_the_block_rules(lines: list[str], finished: bool) -> None:
    text = "\n".join(lines) + ("\n" if finished else "")
    assert heading_scan(text, 0) == scan(text).headings


@settings(max_examples=200)
@given(st.lists(st.sampled_from(LINES), max_size=14), st.integers(1, 60))
def test_lines_that_are_looked_at_together_do_not_matter(lines: list[str], block: int) -> None:
    text = "\n".join(lines)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("octavo.writing.heading_scan._BLOCK", block)
        assert heading_scan(text, 0) == scan(text).headings


def test_a_fence_that_holds_many_headings_holds_them_all() -> None:
    text = "# A\n\n   ```\n" + "# not\n" * 3_000 + "   ```\n\n# B\n"
    assert [heading.content for heading in heading_scan(text, 0)] == ["A", "B"]
