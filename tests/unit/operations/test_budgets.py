"""Answers fit what they were given, say what was left out, and can be read to the end."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from octavo.algorithms.model_inputs.prompt_quotations import one_line, with_line_numbers
from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import NotFound
from octavo.model.normalised_text_and_spans import normalise
from octavo.operations.argument_types import DEFAULT_TOKENS
from octavo.operations.json_schemas import dump
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.reading.passage_reading import get, outline
from octavo.operations.reading.requests import GetRequest, OutlineRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.results import FoundHit
from octavo.operations.search.search_execution import find
from octavo.operations.search.search_handlers import search
from octavo.operations.token_counts_and_page_cursor import cursor, json_size, offset_of, read_as_text, tokens

MARKED = re.compile(r" *\d*\|( |$)")


def sizes(name: str, answer: object) -> tuple[int, int]:
    operation = OPERATIONS[name]
    plain = json.dumps(dump(operation.gives, answer), ensure_ascii=False, separators=(",", ":"))
    return tokens(plain), tokens(operation.written(answer))


@pytest.mark.parametrize("max_tokens", [500, 700, 1_500, 50_000])
@pytest.mark.parametrize("explain", [False, True])
def test_a_search_read_page_by_page_gives_every_hit_once_and_each_page_fits(
    engine: Engine, max_tokens: int, explain: bool
) -> None:
    asked = SearchRequest("the dome and the mirror", limit=12, max_tokens=max_tokens, explain=explain)
    whole = find(engine, asked)
    told: list[FoundHit] = []
    at = None
    while True:
        page = search(
            engine, SearchRequest("the dome and the mirror", 12, max_tokens=max_tokens, cursor=at, explain=explain)
        )
        assert max(sizes("search", page)) <= max_tokens
        assert page.hits
        told += page.hits
        at = page.next_cursor
        if at is None:
            break
    assert [hit.chunk_id for hit in told] == [hit.chunk_id for hit in whole.hits]
    for hit, full in zip(told, whole.hits, strict=True):
        assert full.excerpt.startswith(hit.excerpt)
        assert hit.excerpt_truncated == (hit.excerpt != full.excerpt)
    assert (max_tokens == 50_000) == (len(told) == len(page.hits))


@pytest.mark.parametrize("max_tokens", [500, 700, 1_200, 2_500])
def test_a_text_whose_length_is_said_is_nearly_as_long_and_never_longer(engine: Engine, max_tokens: int) -> None:
    told: list[str] = []
    at = None
    while True:
        asked = SearchRequest("the dome and the mirror", 30, max_tokens=max_tokens, cursor=at, show_all=True)
        with read_as_text(asked, DEFAULT_TOKENS):
            page = search(engine, asked)
            text = OPERATIONS["search"].written(page)
        told += [hit.chunk_id for hit in page.hits]
        at = page.next_cursor
        assert tokens(text) <= max_tokens and all(hit.citation in text for hit in page.hits)
        if at is None:
            break
        assert tokens(text) >= 0.75 * max_tokens
    whole = find(engine, SearchRequest("the dome and the mirror", 30, show_all=True))
    assert told == [hit.chunk_id for hit in whole.hits]


def test_who_does_not_say_how_long_an_answer_may_be_gets_a_short_text(engine: Engine) -> None:
    usual = SearchRequest("the dome and the mirror", 12)
    with read_as_text(usual, DEFAULT_TOKENS):
        assert tokens(OPERATIONS["search"].written(search(engine, usual))) <= 1_100


@pytest.mark.parametrize("max_tokens", [500, 1_000])
def test_data_take_most_of_their_length_too(engine: Engine, max_tokens: int) -> None:
    page = search(engine, SearchRequest("the dome and the mirror", 30, max_tokens=max_tokens, show_all=True))
    assert page.next_cursor and 0.55 * max_tokens <= max(sizes("search", page)) <= max_tokens


@pytest.mark.parametrize(("name", "reference"), [("get", "lines.md"), ("outline", "many.md")])
@pytest.mark.parametrize("max_tokens", [500, 2_000])
def test_other_texts_are_as_long_as_they_may_be_too(tmp_path: Path, name: str, reference: str, max_tokens: int) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "lines.md").write_text(LONG["lines.md"], "utf-8")
    (folder / "many.md").write_text("".join(f"# Heading {number}\n\ntext\n\n" for number in range(900)), "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as library:
        library.add_collection("notes", folder)
        library.index()
        operation = OPERATIONS[name]
        asked = operation.takes(reference=reference, max_tokens=max_tokens)
        with read_as_text(asked, DEFAULT_TOKENS):
            text = operation.written(operation.run(library, asked))
    assert 0.75 * max_tokens <= tokens(text) <= max_tokens


def test_an_answer_takes_as_much_as_a_dict_of_all_that_is_in_it(engine: Engine) -> None:
    answer = search(engine, SearchRequest("dome", limit=10, explain=True))
    assert answer.hits and json_size(answer) == json_size(asdict(answer))


def test_a_cursor_answers_only_the_question_it_was_given_for(engine: Engine) -> None:
    first = search(engine, SearchRequest("dome", limit=10, max_tokens=500))
    assert first.next_cursor
    assert search(engine, SearchRequest("dome", limit=10, max_tokens=5_000, cursor=first.next_cursor)).hits
    with pytest.raises(NotFound):
        search(engine, SearchRequest("mirror", limit=10, max_tokens=500, cursor=first.next_cursor))


@given(st.integers(0, 10**9), st.text())
def test_a_cursor_gives_back_its_offset(offset: int, asked: str) -> None:
    assert offset_of(cursor(offset, asked), asked) == offset


@given(st.lists(st.text(min_size=1), unique=True, min_size=1), st.data())
def test_a_cursor_goes_on_behind_what_was_given_last(names: list[str], data: st.DataObject) -> None:
    last = data.draw(st.sampled_from(names))
    assert offset_of(cursor(7, "asked", last=last), "asked", names=names) == names.index(last) + 1
    assert offset_of(cursor(7, "asked", last="gone" + "".join(names)), "asked", names=names) == 7


def test_pages_repeat_nothing_when_a_better_hit_comes_in_between(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(8):
        (folder / f"{number}.md").write_text(f"The heron stands by pond {number}. " + "Reeds. " * 40 * number, "utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as library:
        library.add_collection("notes", folder)
        library.index()
        asked = SearchRequest("heron", limit=20, profile="lexical_only", max_tokens=700)
        first = search(library, asked)
        assert first.next_cursor
        for number in range(3):
            (folder / f"new {number}.md").write_text(f"heron heron heron {number}\n", "utf-8")
        library.index()
        whole = [hit.citation.uri for hit in find(library, replace(asked, max_tokens=50_000)).hits]
        assert whole[0].startswith("new")
        given_before = [hit.uri for hit in first.hits]
        following = search(library, replace(asked, cursor=first.next_cursor, max_tokens=50_000))
        assert [hit.uri for hit in following.hits] == whole[whole.index(given_before[-1]) + 1 :]
        assert not {hit.uri for hit in following.hits} & set(given_before)


@given(st.text(max_size=60))
def test_what_is_not_a_cursor_is_refused(written: str) -> None:
    with pytest.raises(NotFound):
        offset_of(written, "question")


LONG = {
    "lines.md": "# Long\n\n" + "".join(f'Line {number} says "hello" to\tline {number + 1}.\n' for number in range(400)),
    "wide.md": "# Wide\n\n" + 'wörter ohne ende, \\ und " dazu ' * 900 + "\n",
    "odd.md": "# Odd\n\n" + "one\u2028two\x85three\x0bfour\n" * 300,
    "headings.md": "".join(f"# Heading number {number}\n\ntext\n\n" for number in range(300)),
}


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("long")
    for name, text in LONG.items():
        (folder / name).write_text(text, "utf-8", newline="")
    engine = open_library(
        tmp_path_factory.mktemp("library") / "long.db", create=True, settings={"embedding.provider": "hashing"}
    )
    engine.add_collection("long", Path(folder))
    engine.index()
    return engine


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("max_tokens", [500, 2_000])
def test_a_document_read_page_by_page_is_the_document(long: Engine, name: str, max_tokens: int) -> None:
    read, at, line = "", None, 1
    while True:
        page = get(long, GetRequest(name, max_tokens=max_tokens, cursor=at))
        assert max(sizes("get", page)) <= max_tokens
        assert (page.start, page.end) == (len(read), len(read) + len(page.text))
        assert page.start_line == line
        read += page.text
        line = 1 + read.count("\n")
        at = page.next_cursor
        if at is None:
            break
    assert read == normalise(LONG[name])


def test_an_outline_read_page_by_page_has_every_heading(long: Engine) -> None:
    titles: list[str] = []
    at = None
    while True:
        page = outline(long, OutlineRequest("headings.md", max_tokens=800, cursor=at))
        assert max(sizes("outline", page)) <= 800
        titles += [section.title for section in page.sections]
        at = page.next_cursor
        if at is None:
            break
    assert titles == [f"Heading number {number}" for number in range(300)]


@given(st.text(), st.integers(1, 10**6))
def test_no_line_of_a_quotation_is_unmarked(text: str, first: int) -> None:
    lines = with_line_numbers(text, first).splitlines()
    assert all(MARKED.match(line) for line in lines)


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp"))), min_size=1))
def test_a_quotation_holds_every_line_under_its_number(lines: list[str]) -> None:
    shown = with_line_numbers("\n".join(lines) + "\n", 7).split("\n")
    assert [int(line.partition("|")[0]) for line in shown] == list(range(7, 7 + len(lines)))
    assert [line.partition("|")[2].removeprefix(" ") for line in shown] == [line.rstrip(" ") for line in lines]


@given(st.text())
def test_a_name_stays_on_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
