"""What kind of query somebody typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.queries.query_intent_classification import Intent, intent_of


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("docs/install.md", Intent.NAVIGATIONAL),
        ("README.md", Intent.NAVIGATIONAL),
        ("https://example.org/a", Intent.NAVIGATIONAL),
        ("getUserById", Intent.CODE),
        ("parse_json error", Intent.CODE),
        ("std::map insert", Intent.CODE),
        ("print(x)", Intent.CODE),
        ("HttpResponseRedirect", Intent.CODE),
        ("x = [1, 2]; y == 3", Intent.CODE),
        ("os.path.join", Intent.CODE),
        ("how do I read a file", Intent.QUESTION),
        ("what does parse_json return?", Intent.QUESTION),
        ("why?", Intent.QUESTION),
        ("Which album was first", Intent.QUESTION),
        ("is it", Intent.KEYWORD),
        ("red apple", Intent.KEYWORD),
        ("and/or", Intent.NAVIGATIONAL),
        ("the state-of-the-art", Intent.KEYWORD),
        ("", Intent.KEYWORD),
    ],
)
def test_the_form_of_a_query_tells_its_kind(text: str, intent: Intent) -> None:
    assert intent_of(text) == intent


@given(st.text(max_size=80))
def test_every_text_has_a_kind(text: str) -> None:
    assert intent_of(text) in Intent
