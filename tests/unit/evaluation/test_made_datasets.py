"""Data sets made from one's own library: what is asked, what answers it, and the same bytes every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.errors import InvalidArgument, NotIndexed
from octavo.evaluation.beir_dataset import read_dataset
from octavo.evaluation.dataset_from_library import Level, Original, SectionPart, make, write_dataset

BODY = "Enough words to be an answer, and a few more of them.\n"


def original(name: str, title: str, *headings: str) -> Original:
    parts = [SectionPart("", (), BODY)]
    parts += [
        SectionPart(heading.lower().replace(" ", "-"), (heading,), f"## {heading}\n\n{BODY}") for heading in headings
    ]
    return Original(f"notes/{name}", name, title, "".join(part.text for part in parts), tuple(parts))


TEA = original("tea.md", "Brewing green tea", "Water temperature", "See also")
COFFEE = original("coffee.md", "Moka pot coffee", "When it splutters", "See also")


def asked(made_from: list[Original], level: Level) -> dict[str, list[str]]:
    made = make(made_from, level=level)
    texts = {query["_id"]: query["text"] for query in made.queries if query["metadata"]["form"] == "plain"}
    answers: dict[str, list[str]] = {text: [] for text in texts.values()}
    for query, document, _ in made.qrels:
        if query in texts:
            answers[texts[query]].append(document)
    return answers


def test_a_heading_leads_to_its_section_and_a_title_to_all_of_its_document() -> None:
    assert asked([TEA, COFFEE], Level.SECTION) == {
        "Moka pot coffee": ["notes/coffee.md", "notes/coffee.md#when-it-splutters", "notes/coffee.md#see-also"],
        "When it splutters": ["notes/coffee.md#when-it-splutters"],
        "Brewing green tea": ["notes/tea.md", "notes/tea.md#water-temperature", "notes/tea.md#see-also"],
        "Water temperature": ["notes/tea.md#water-temperature"],
    }


def test_at_document_level_both_lead_to_the_document() -> None:
    assert asked([TEA, COFFEE], Level.DOCUMENT) == {
        "Moka pot coffee": ["notes/coffee.md"],
        "When it splutters": ["notes/coffee.md"],
        "Brewing green tea": ["notes/tea.md"],
        "Water temperature": ["notes/tea.md"],
    }


def test_what_several_places_are_called_and_single_words_are_not_asked_for() -> None:
    one, other = original("a.md", "Usage", "See also"), original("b.md", "A title", "See also", "Notes")
    assert asked([one, other], Level.SECTION).keys() == {"A title"}


def test_each_target_is_also_asked_for_in_a_question_that_keeps_its_names() -> None:
    made = make([original("a.md", "HTTP status codes", "Reading a log")])
    questions = [query["text"] for query in made.queries if query["metadata"]["form"] == "question"]
    assert len(questions) == 2
    assert "HTTP status codes" in questions[0]
    assert "reading a log" in questions[1]


def test_same_library_and_seed_give_the_same_bytes_and_another_seed_another_sample() -> None:
    library = [original(f"{number}.md", f"Page number {number}", f"Part of {number}") for number in range(30)]
    assert make(library, limit=20, seed=1) == make(list(reversed(library)), limit=20, seed=1)
    assert make(library, limit=20, seed=1) != make(library, limit=20, seed=2)
    assert len(make(library, limit=20).queries) == 20


def test_a_made_data_set_is_read_back_without_a_warning(tmp_path: Path) -> None:
    made = make([TEA, COFFEE])
    write_dataset(made, tmp_path / "mine")
    dataset = read_dataset(tmp_path / "mine")
    assert dataset.warnings == ()
    assert len(dataset.records) == len(made.corpus) == 6
    assert len(dataset.questions) == len(made.queries) == 8
    assert {record.metadata["path"] for record in dataset.records} == {"tea.md", "coffee.md"}


def test_a_folder_that_holds_a_data_set_is_not_overwritten(tmp_path: Path) -> None:
    write_dataset(make([TEA]), tmp_path)
    with pytest.raises(InvalidArgument, match="already holds a data set"):
        write_dataset(make([COFFEE]), tmp_path)


def test_a_library_without_anything_to_ask_for_is_an_error_with_a_hint() -> None:
    with pytest.raises(NotIndexed):
        make([original("a.md", "Usage")])
    with pytest.raises(NotIndexed):
        make([])
    with pytest.raises(InvalidArgument):
        make([TEA], limit=0)


def test_sections_with_the_same_anchor_get_names_of_their_own() -> None:
    twice = Original(
        "notes/a.md",
        "a.md",
        "A title",
        BODY * 2,
        (SectionPart("same", ("Same thing",), BODY), SectionPart("same", ("Same thing",), BODY)),
    )
    assert [row["_id"] for row in make([twice]).corpus] == ["notes/a.md#same", "notes/a.md#same~2"]


def test_code_is_in_the_corpus_but_asked_for_by_nobody() -> None:
    code = Original("notes/a.py", "a.py", "parse_json of things", BODY, (SectionPart("", (), BODY),), prose=False)
    made = make([TEA, code])
    assert "notes/a.py" in {row["_id"] for row in made.corpus}
    assert "notes/a.py" not in {document for _, document, _ in made.qrels}
