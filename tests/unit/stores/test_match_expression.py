"""A query in FTS5's own language."""

from __future__ import annotations

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.model.query import Terms
from octavo.stores.sqlite.fts5_index import match_expression


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        (Terms("t"), None),
        (Terms("t", excluded=(("a",),)), None),
        (Terms("t", words=("red",)), '"red"'),
        (Terms("t", words=("red", "green")), '"red" OR "green"'),
        (Terms("t", prefixes=("re",)), '"re" *'),
        (Terms("t", phrases=(("red", "green"),)), '"red green" AND ("red green")'),
        (
            Terms("t", words=("a",), phrases=(("b", "c"), ("d",)), prefixes=("e",)),
            '"b c" AND "d" AND ("a" OR "b c" OR "d" OR "e" *)',
        ),
        (Terms("t", words=("a",), excluded=(("b",), ("c", "d"))), '("a") NOT ("b" OR "c d")'),
        (
            Terms("t", phrases=(("a",),), excluded=(("b",),)),
            '("a" AND ("a")) NOT ("b")',
        ),
        (Terms("t", words=('a" OR "b',)), '"a"" OR ""b"'),
        (Terms("t", words=("a\0b",)), '"a b"'),
    ],
)
def test_terms_are_written_as(terms: Terms, expected: str | None) -> None:
    assert match_expression(terms) == expected


tokens = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
hostile = tokens | st.sampled_from(['"', "*", "AND", "NOT", "NEAR", "(", ")", ":", "^", "-", "{", "}", "\0", "+", ","])


@given(
    st.builds(
        Terms,
        text=st.just(""),
        words=st.lists(hostile, max_size=3).map(tuple),
        phrases=st.lists(st.lists(hostile, max_size=3).map(tuple), max_size=2).map(tuple),
        prefixes=st.lists(hostile, max_size=2).map(tuple),
        excluded=st.lists(st.lists(hostile, max_size=3).map(tuple), max_size=2).map(tuple),
    )
)
def test_whatever_the_tokens_are_fts5_understands_the_expression(terms: Terms) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("""create virtual table lexical using fts5 (body, content = '', tokenize = "ascii")""")
    connection.execute("insert into lexical (rowid, body) values (1, 'and not near or')")
    expression = match_expression(terms)
    if expression is not None:
        connection.execute("select rowid from lexical where lexical match ?", (expression,)).fetchall()
