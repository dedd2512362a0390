"""What a query means."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from octavo.algorithms.queries.query_parsing import MOST_CLAUSES, MOST_WORDS, parse_query
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.model.document import Kind
from octavo.model.query import Filters, Terms

ANALYZER = Analyzer()


def read(text: str) -> tuple[Terms, Filters]:
    """Without what is to be found whole, which has tests of its own."""
    terms, filters = parse_query(text, ANALYZER)
    return replace(terms, exact=(), shaped=False, whole=()), filters


def terms(text: str) -> Terms:
    found, filters = read(text)
    assert filters.empty
    return found


def filters(text: str) -> Filters:
    return read(text)[1]


def test_every_form_is_understood_at_once() -> None:
    typed = (
        'how to parse json "the exact phrase" -draft -"not this" conf* tag:work tag:"two words" '
        "path:docs/guide title:Release kind:code kind:note in:notes"
    )
    assert read(typed) == (
        Terms(
            text="how to parse json the exact phrase conf",
            words=("pars", "json"),
            phrases=(("the", "exact", "phrase"),),
            prefixes=("conf",),
            excluded=(("draft",), ("not", "this")),
        ),
        Filters(
            collections=("notes",),
            path_prefix="docs/guide",
            title_contains="Release",
            tags_all=("work", "two words"),
            kinds=(Kind.CODE, Kind.NOTE),
        ),
    )


NOON = datetime(2026, 11, 19, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("typed", "after", "before"),
    [
        ("after:2024-05-01 dome", datetime(2024, 5, 1, tzinfo=UTC), None),
        ("dome before:2024-05", None, datetime(2024, 5, 1, tzinfo=UTC)),
        ("dome before:2024", None, datetime(2024, 1, 1, tzinfo=UTC)),
        ("after:7d dome", NOON - timedelta(days=7), None),
        ("dome after:today", datetime(2026, 11, 19, tzinfo=UTC), None),
        ("after:Yesterday dome", datetime(2026, 11, 18, tzinfo=UTC), None),
        ('after:"2 weeks ago" dome', NOON - timedelta(days=14), None),
        ("after:2 weeks ago dome", NOON - timedelta(days=14), None),
        ("dome before:last week", None, NOON - timedelta(days=7)),
        ('after:2w before:"last  month" dome', NOON - timedelta(days=14), NOON - timedelta(days=30)),
        ("before:a year ago after:3 years ago dome", NOON - timedelta(days=3 * 365), NOON - timedelta(days=365)),
    ],
)
def test_when_a_document_was_changed_is_a_filter(typed: str, after: datetime | None, before: datetime | None) -> None:
    found, filters = parse_query(typed, ANALYZER, now=NOON)
    assert found.words == ("dome",) and found.problem == ""
    assert filters == Filters(modified_after=after and after.timestamp(), modified_before=before and before.timestamp())


def test_a_time_filter_may_be_refused_or_stand_beside_operators() -> None:
    yesterday = Filters(modified_after=datetime(2026, 11, 18, tzinfo=UTC).timestamp())
    assert parse_query("dome -after:yesterday", ANALYZER, now=NOON)[1] == Filters(without=(yesterday,))
    condition = parse_query("dome AND (after:yesterday OR tag:old)", ANALYZER, now=NOON)[0].condition
    assert condition is not None
    assert [part.filters for part in condition.parts[1].parts] == [yesterday, Filters(tags_all=("old",))]


@pytest.mark.parametrize("typed", ["dome after:lunch", "dome before:2024-13-45", "dome AND after:lunch", "after:lunch"])
def test_a_date_that_cannot_be_read_is_searched_for_as_words_and_said_to_be(typed: str) -> None:
    found, filters = parse_query(typed, ANALYZER, now=NOON)
    assert filters.empty and found.problem.startswith("dates: ") and "2 weeks ago" in found.problem
    assert found.words[-1] in ("lunch", "45", "2024-13-45")


@pytest.mark.parametrize(
    "typed", ['"after:lunch"', "after: lunch", "a::before::b", "call before:\n  after:lunch", "-- after"]
)
def test_what_is_quoted_or_pasted_or_has_no_value_names_no_date(typed: str) -> None:
    found, filters = parse_query(typed, ANALYZER, now=NOON)
    assert filters.empty and found.problem == ""


def test_words_come_once_in_order_without_stop_words() -> None:
    assert terms("the parser of a parser parses JSON").words == ("parser", "pars", "json")


def test_a_letter_alone_is_no_word_to_look_for() -> None:
    assert terms("сад и дом").words == ("сад", "дом")
    assert terms("и").words == ("и",)
    assert terms("copiar y pegar los archivos").words == ("copiar", "pegar", "los", "archivo")
    assert not {"i", "e"} & {*terms("come copiare i file e le cartelle").words}
    assert terms("vitamin c").words == ("vitamin", "c")
    assert "c" in terms("¿para qué es la vitamina C y la D?").words


def test_stop_words_stay_when_there_is_nothing_else() -> None:
    assert terms("to be or not to be").words == ("to", "be", "or", "not")
    assert terms('the "to be"') == Terms(text="the to be", phrases=(("to", "be"),))
    assert terms("the conf*") == Terms(text="the conf", prefixes=("conf",))


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("https://example.org/a?b=1", ("https", "exampleorg", "exampl", "org", "b", "1")),
        ("C:\\Users\\x", ("c", "user", "x")),
        ("at 12:30", ("12", "30")),
        ("std::map path::Path", ("std", "map", "path")),
        ("kind:xyz", ("kind", "xyz")),
        ("Note: it works", ("note", "work")),
        ("tag: x", ("tag", "x")),
        ("a well-known trick", ("wellknown", "well", "known", "trick")),
        ("rm - -- -> x", ("rm", "x")),
        ("git commit -m --amend", ("git", "commit", "m", "amend")),
        ("exit code -1", ("exit", "code", "1")),
        ('"unbalanced quote', ("unbalanc", "quot")),
        ('a 5" screen', ("5", "screen")),
        ('print("hello world")', ("print", "hello", "world")),
        ("**bold** *em* .* x*y", ("bold", "em", "x", "y")),
        ("(foo and bar) or not ^baz", ("foo", "bar", "baz")),
        ("C++ vs C#", ("cplusplus", "vs", "csharp")),
        ("東京*", ("東京",)),
        ("C++*", ("cplusplus",)),
        ("\x00null\x00byte", ("null", "byte")),
        ("🚀 launch", ("🚀", "launch")),
    ],
)
def test_what_is_not_syntax_is_plain_words(typed: str, words: tuple[str, ...]) -> None:
    found = terms(typed)
    assert (found.words, found.phrases, found.prefixes, found.excluded) == (words, (), (), ())


@pytest.mark.parametrize("typed", ["", " ", '"', '""', "-", "*", "-*", ":", "^", "()", "\x00", "\ud800", "…"])
def test_a_query_of_nothing_but_signs_is_empty_and_not_an_error(typed: str) -> None:
    found = terms(typed)
    assert found.empty
    found.text.encode()


@pytest.mark.parametrize("typed", ['"two words"', "“two words”", "«two words»", '"two words",', 'x:"two words"'])
def test_a_phrase_may_stand_in_any_double_quotes(typed: str) -> None:
    assert terms(typed).phrases == (("two", "word"),)


@pytest.mark.parametrize(
    ("typed", "excluded"),
    [
        ("x -draft", (("draft",),)),
        ('x -"old draft"', (("old", "draft"),)),
        ("x -content-type", (("contenttyp", "content", "type"),)),
        ("x -getUser", (("getus", "get", "user"),)),
        ("x -tagged:old", (("tag", "old"),)),
        ("x -kind:unknown", (("kind", "unknown"),)),
        ('x -"tag:old"', (("tag", "old"),)),
        ("x -draft -Draft -drafts", (("draft",),)),
    ],
)
def test_an_exclusion_is_a_phrase_that_must_not_occur(typed: str, excluded: tuple[tuple[str, ...], ...]) -> None:
    assert terms(typed) == Terms(text="x", words=("x",), excluded=excluded)


@pytest.mark.parametrize(
    ("typed", "without"),
    [
        ("x -tag:#old", (Filters(tags_all=("old",)),)),
        ("x -tag:a -tag:b -TAG:a", (Filters(tags_all=("a",)), Filters(tags_all=("b",)))),
        ("x -path:./docs/*", (Filters(path_prefix="docs/"),)),
        ('x -title:"old draft"', (Filters(title_contains="old draft"),)),
        ("x -kind:code", (Filters(kinds=(Kind.CODE,)),)),
        ("x -in:notes", (Filters(collections=("notes",)),)),
        ("x -path:/", ()),
    ],
)
def test_a_filter_with_a_minus_sign_refuses_what_it_would_let_through(typed: str, without: tuple[Filters, ...]) -> None:
    assert read(typed) == (Terms(text="x", words=("x",)), Filters(without=without))


@pytest.mark.parametrize(
    ("typed", "prefixes", "words"),
    [
        ("conf*", ("conf",), ()),
        ("running**", ("running",), ()),
        ("app/mod*", ("mod",), ("app",)),
        ("getElem*", ("getelem",), ()),
        ("हिन्दी*", ("हिंदी",), ()),
        ("水", ("水",), ("水",)),
        ("9f86d08", ("9f86d08",), ("9f86d08",)),
        ("1609718", (), ("1609718",)),
    ],
)
def test_a_star_at_the_end_asks_for_words_that_start_so(
    typed: str, prefixes: tuple[str, ...], words: tuple[str, ...]
) -> None:
    found = terms(typed)
    assert (found.prefixes, found.words) == (prefixes, words)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("tag:#work tag:a/b tag:work", Filters(tags_all=("work", "a/b"))),
        ("TAG:x", Filters(tags_all=("x",))),
        ("path:./docs/ path:/notes", Filters(path_prefix="notes")),
        ("path:a\\b", Filters(path_prefix="a/b")),
        ("path:docs/*", Filters(path_prefix="docs/")),
        ('path:"My Notes/"', Filters(path_prefix="My Notes/")),
        ("title:one title:two", Filters(title_contains="two")),
        ("kind:Docs kind:code kind:code", Filters(kinds=(Kind.DOC, Kind.CODE))),
        ("in:a collection:b", Filters(collections=("a", "b"))),
        ('tag:"unbalanced', Filters(tags_all=("unbalanced",))),
    ],
)
def test_a_field_narrows_and_is_not_searched_for(typed: str, expected: Filters) -> None:
    found, narrowed = read(typed)
    assert narrowed == expected
    assert found == Terms(text="")


def test_the_embedder_gets_nothing_of_what_is_only_excluded() -> None:
    assert terms("-draft") == Terms(text="", excluded=(("draft",),))


def test_a_text_of_several_lines_has_no_operators() -> None:
    trace = 'Traceback:\n  File "app.py", line 3, in -main\nkind:code'
    found = terms(trace)
    assert (found.text, found.phrases, found.excluded) == (trace, (), ())
    assert {"traceback", "apppi", "main", "kind", "code"} <= set(found.words)


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"word{i}" for i in range(150_000)),
        '"a b" ' * 150_000,
        "-x1 " * 250_000,
        '"' * 1_000_000,
        '-"' * 2000,
        'a:"' * 1300,
        ".-" * 1999 + "*",
        "a-" * 1999 + "*",
        "tag:x" * 800,
        " ".join(f"tag:t{i}" for i in range(500)),
        " ".join(f"-w{i}" for i in range(700)),
        " ".join(f'"p{i}"' for i in range(600)),
        " ".join(f"pre{i}*" for i in range(400)),
    ],
    ids=lambda text: text[:8],
)
def test_a_query_of_any_size_is_read_quickly_into_a_bounded_number_of_terms(text: str) -> None:
    started = time.process_time()
    found, _ = read(text)
    assert time.process_time() - started < 5
    assert len(found.words) <= MOST_WORDS
    assert all(len(clauses) <= MOST_CLAUSES for clauses in (found.phrases, found.prefixes, found.excluded))


def test_the_first_words_of_a_long_text_are_kept() -> None:
    assert terms("\n".join(f"w{i}" for i in range(5000))).words == tuple(f"w{i}" for i in range(MOST_WORDS))


def test_a_phrase_is_demanded_of_keywords_and_mentioned_in_a_sentence() -> None:
    analyzer = Analyzer()
    demanded, _ = parse_query('"red fox" habitat', analyzer)
    assert demanded.phrases == (("red", "fox"),) and demanded.preferred == ()
    mentioned, _ = parse_query('which animal is known as the "red fox" in most of Europe?', analyzer)
    assert mentioned.phrases == () and mentioned.preferred == (("red", "fox"),)
    assert {"red", "fox", "anim"} <= set(mentioned.words)


@pytest.mark.parametrize(
    ("typed", "exact"),
    [
        ("scale 1d array to between 0 and 1", ()),
        ("639ACE", (("639ace",),)),
        ("version 1.4.4", (("1_4_4", "1", "4", "4"),)),
        ("getUserById", (("getuserbyid", "get", "user", "by", "id"),)),
        ("kubernetes", (("kubernet",),)),
        ("the kubernetes", (("kubernet",),)),
        ("how do I call getUserById with a page size?", ()),
        ("apple trees", ()),
    ],
)
def test_an_identifier_or_a_single_word_is_to_be_found_whole(typed: str, exact: tuple[tuple[str, ...], ...]) -> None:
    assert parse_query(typed, ANALYZER)[0].exact == exact


def test_a_short_query_may_occur_as_a_phrase() -> None:
    assert parse_query("state of the art", ANALYZER)[0].whole == ("state", "of", "the", "art")
    assert parse_query("one", ANALYZER)[0].whole == ()
    assert parse_query("a b c d e f g h i", ANALYZER)[0].whole == ()
