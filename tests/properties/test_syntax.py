"""What holds of every query that can be typed."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.model.query import Filters, Terms

ANALYZER = Analyzer()

ANYTHING = st.text(st.characters(exclude_categories=()))
CLAUSES = st.sampled_from(
    [
        *('"', "'", "-", "*", ":", "^", "(", ")", "“", "«", " ", " ", "\n", "\\", "/", ".", "\0", "\ud800", "🚀"),
        *(
            "tag:",
            "path:",
            "title:",
            "kind:",
            "kind:code",
            "in:",
            "collection:",
            "https://",
            "C:\\",
            "AND",
            "OR",
            "NEAR",
        ),
        *("the", "parser", "getUserById", "C++", "東京", "水", "हिन्दी", "12:30", '-"', 'tag:"', "w*", "**w**"),
    ]
)
TYPED = ANYTHING | st.lists(CLAUSES, max_size=12).map("".join)


@given(TYPED)
def test_every_text_is_a_query_whose_terms_are_tokens(text: str) -> None:
    terms, filters = parse_query(text, ANALYZER)
    assert isinstance(terms, Terms)
    assert isinstance(filters, Filters)
    tokens = [
        *terms.words,
        *terms.prefixes,
        *(token for phrase in (*terms.phrases, *terms.excluded) for token in phrase),
    ]
    assert all(token and not token.isspace() for token in tokens)
    assert all(c.isalnum() or c == "_" for token in tokens for c in token if c.isascii())
    assert all(terms.phrases)
    assert all(terms.excluded)
    "".join([terms.text, *tokens]).encode()


@given(TYPED)
def test_reading_a_query_twice_gives_the_same(text: str) -> None:
    assert parse_query(text, ANALYZER) == parse_query(text, Analyzer())


@given(TYPED)
def test_no_term_is_asked_for_twice(text: str) -> None:
    terms, filters = parse_query(text, ANALYZER)
    for values in (terms.words, terms.phrases, terms.prefixes, terms.excluded, filters.tags_all, filters.kinds):
        assert len(set(values)) == len(values)


@given(st.from_regex(r"[a-z]{1,9}( [a-z]{1,9}){0,5}", fullmatch=True))
def test_plain_words_mean_what_the_analyzer_says(text: str) -> None:
    terms, filters = parse_query(text, ANALYZER)
    assert filters.empty
    terms = replace(terms, exact=(), whole=())  # what must stand exactly so is another matter
    assert terms == Terms(text=text, words=tuple(dict.fromkeys(ANALYZER.query_tokens(text))))


@given(TYPED)
def test_a_query_with_words_and_no_exclusion_or_filter_is_not_empty(text: str) -> None:
    terms, filters = parse_query(text, ANALYZER)
    if filters.empty and not terms.excluded:
        assert terms.empty == (not ANALYZER.tokens(text))
