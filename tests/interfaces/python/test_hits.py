"""What a program and a notebook do with a hit: open its file, cite it, look at it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from python_calls import VAULT

import octavo


def test_a_hit_has_its_file_and_a_citation_that_get_reads(library: octavo.Library) -> None:
    for hit in library.search("when does the dome have to close?", limit=3):
        assert hit.path is not None and Path(hit.path).is_relative_to(VAULT)
        assert hit.excerpt.splitlines()[0] in Path(hit.path).read_text("utf-8")
        assert re.fullmatch(r"observatory/.+\.md:\d+-\d+", hit.citation)
        assert hit.excerpt in library.get(hit.citation).text
        assert str(hit) == f"{hit.citation}\n{hit.excerpt}"


def test_a_score_that_a_hit_shows_keeps_that_hit_as_the_least_score(library: octavo.Library) -> None:
    for query in ("when does the dome have to close?", "collimate the mirror", "key"):
        hits = library.search(query, limit=20).hits
        for hit in hits:
            kept = library.search(query, limit=20, min_score=hit.score).hits
            assert [each.score for each in kept] == [
                each.score for each in hits if (each.score or 0) >= (hit.score or 0)
            ]


def test_a_hit_that_was_cut_within_a_sentence_begins_with_that_sentence(
    library: octavo.Library, tmp_path: Path
) -> None:
    words = (
        "The {} valve of the cistern is turned slowly by the keeper of the lower garden, who counts to {} meanwhile."
    )
    running = " ".join(words.format(name, count) for count in range(20, 90) for name in ("left", "right"))
    items = "\n".join(
        f"- [[Cistern]] number {count} overflows into the [[Lower garden]] in the month of rains" for count in range(90)
    )
    (tmp_path / "cistern.md").write_text(f"# Cistern\n\n{running}\n\n## Overflow\n\n{items}\n", "utf-8")
    library.add(tmp_path, name="garden")
    library.index()
    text = library.get("cistern.md").text
    for query in ("who counts to 44 at the valve", "which cistern overflows", "in:garden keeper"):
        for hit in library.search(query, limit=10):
            if hit.uri == "cistern.md":
                assert hit.excerpt.startswith(("# ", "## ", "The ", "- [[")), hit.excerpt[:80]
                assert hit.excerpt == text[hit.start : hit.end]
                assert hit.start_line == text.count("\n", 0, hit.start) + 1


def test_a_result_and_an_answer_are_printed_as_a_person_reads_them(library: octavo.Library) -> None:
    result = library.search("when does the dome have to close?", limit=2)
    assert str(result) == f"{result[0]}\n\n{result[1]}" and str(library.search("qwxzv")) == "No match."
    answer = library.ask("when does the dome have to close?")
    places = str(answer).removeprefix(answer.answer).split("\n")[1:]
    assert len(places) == len({(cited.passage, cited.start) for each in answer for cited in each.citations}) > 0
    assert all(re.fullmatch(r"\[\d+\] \w+/.+\.md:\d+", place) for place in places)


def test_what_is_no_file_has_no_path(library: octavo.Library) -> None:
    hits = library.search("paint the dome green", kinds=["memory"])
    assert [hit.path for hit in hits] == [None] * len(hits) and hits


def test_a_notebook_shows_a_result_as_a_table_and_a_note_as_rendered_text(library: octavo.Library) -> None:
    result = library.search("when does the dome have to close?", limit=2)
    table = result._repr_html_()
    assert table.count("<tr><td>") == len(result)
    assert all(hit.citation in table for hit in result)
    assert library.search("qwxzv")._repr_html_() == "<p>No match.</p>"
    note = library.get("observing/Opening the dome.md")._repr_html_()
    assert "<h1>Opening the dome</h1>" in note and "\n# " not in note
    assert "tags:" not in note and "\n|" not in table, "no front matter, and passages are rendered as well"


def test_what_a_note_says_in_html_is_shown_and_not_obeyed(library: octavo.Library, tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text("# Evil zeppelin\n\n<script>alert(1)</script> zeppelin <img src=x>\n", "utf-8")
    library.add(tmp_path, name="evil")
    library.index()
    shown = library.get("evil.md")._repr_html_() + library.search("zeppelin")._repr_html_()
    assert "<script" not in shown and "<img" not in shown
    assert "&lt;script&gt;" in shown


def test_a_hit_a_sentence_and_a_memory_are_taken_by_their_place(library: octavo.Library) -> None:
    found = library.search("when does the dome have to close?")
    assert (found[0], found[-1]) == (found.hits[0], found.hits[-1])
    with pytest.raises(IndexError):
        library.search("qwxzv")[0]
    library.remember("The pump is behind the boiler.")
    assert library.recall("where is the pump")[0].text == "The pump is behind the boiler."
    answer = library.ask("when does the dome have to close?")
    assert answer[0] == answer.sentences[0]
