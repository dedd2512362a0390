"""Asking without a model: sentences of the library with exact citations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import ProviderFailed
from octavo.model.query import Query
from octavo.operations.answering.ask import ask
from octavo.operations.answering.requests import AskRequest
from octavo.operations.json_schemas import dump
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.token_counts_and_page_cursor import tokens
from octavo.ports import Embedder


def test_a_sentence_is_cited_by_its_own_lines_headings_and_version(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    text = (
        "# Closing\n\nThe keys hang in the hall.\n\n## Humidity\n\nA mast measures it.\n"
        "The dome closes when the humidity\nstays above 85 per cent.\n"
    )
    (folder / "a.md").write_text(text)
    with open_library(tmp_path / "l.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        answer = ask(engine, AskRequest("at which humidity does the dome close?"))
    best = answer.sentences[0]
    cited = best.citations[0]
    assert best.text == "The dome closes when the humidity stays above 85 per cent."
    assert best.support == "quoted"
    assert (cited.uri, cited.version, cited.heading_path) == ("a.md", 1, ("Closing", "Humidity"))
    assert (cited.start_line, cited.end_line) == (8, 9)
    assert text[cited.start : cited.end] == cited.quote
    assert answer.mode == "extractive"
    assert answer.hint


def test_with_its_service_down_the_answer_is_chosen_by_words_and_says_so(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down:
        def __init__(self, model: Embedder) -> None:
            self.profile = model.profile

        def embed_query(self, text: str) -> None:
            raise ProviderFailed("ollama at http://127.0.0.1:1 does not answer")

        def embed(self, texts: list[str]) -> None:
            raise AssertionError("what is down is asked in the shortest way")

    down = Down(engine.embedder)
    monkeypatch.setattr(type(engine), "embedder", property(lambda engine: down))
    answer = ask(engine, AskRequest("when does the dome have to close?"))
    assert answer.answered and "dome" in answer.answer.lower()
    assert answer.degraded is not None
    assert answer.degraded[-1] == "answer: chosen by words alone: ollama at http://127.0.0.1:1 does not answer"


def test_every_quote_is_an_exact_slice_of_its_document(engine: Engine) -> None:
    answer = ask(engine, AskRequest("how is the mirror washed?", limit=5))
    assert answer.answered
    for sentence in answer.sentences:
        for cited in sentence.citations:
            (document,) = engine.store.documents.find(engine.project.id, cited.uri)
            text = engine.store.documents.texts(engine.project.id, [document.text_hash])[document.text_hash]
            assert text[cited.start : cited.end] == cited.quote
            assert text.count("\n", 0, cited.start) + 1 == cited.start_line
            assert cited.passage <= len(answer.passages)


def test_nothing_found_is_said_and_not_made_up(engine: Engine) -> None:
    answer = ask(engine, AskRequest("dome", tags_all=("nobody-has-this",)))
    assert not answer.answered
    assert answer.sentences == answer.passages == ()
    assert answer.answer


def test_where_no_sentence_answers_the_nearest_passage_is_named(tmp_path: Path) -> None:
    (folder := tmp_path / "notes").mkdir()
    (folder / "pump.md").write_text("# Pump\n\n## Where is the pump switch?\n\n![[pump.png|100]]\n")
    (folder / "bread.md").write_text("# Bread\n\nKnead it for ten minutes.\n")
    with open_library(tmp_path / "l.db", create=True) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        answer = ask(engine, AskRequest("where is the pump switch?"))
    assert not answer.answered and answer.passages
    assert answer.hint is not None and "notes/pump.md:3" in answer.hint


def test_of_a_long_document_more_passages_are_read_than_a_list_shows(tmp_path: Path) -> None:
    (folder := tmp_path / "notes").mkdir()
    filler = "The shelves of this room are oiled in spring, and its windows look on the court with the old well. " * 12
    parts = (f"## Room {at}\n\nThe dataset of year {at} is kept by clerk {at}.\n\n{filler}\n" for at in range(60))
    (folder / "archive.md").write_text("# Archive\n\n" + "\n".join(parts))
    with open_library(tmp_path / "l.db", create=True) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        listed = engine.search(Query("who keeps the dataset of a year?")).hits
        answer = ask(engine, AskRequest("who keeps the dataset of a year?"))
    assert len(listed) <= 3 < len(answer.passages) and answer.answered


def test_the_prompt_is_shown_with_every_passage_quoted(engine: Engine) -> None:
    answer = ask(engine, AskRequest("when does the dome have to close?", show_context=True, limit=3))
    assert answer.context is not None
    assert "Question: when does the dome have to close?" in answer.context
    assert "[1] observatory/" in answer.context
    assert answer.sentences == ()


@pytest.mark.parametrize("max_tokens", [500, 1_000, 4_000])
@pytest.mark.parametrize("show_context", [False, True])
def test_an_answer_fits_what_it_was_given(engine: Engine, max_tokens: int, show_context: bool) -> None:
    asked = AskRequest("the dome and the mirror", max_tokens=max_tokens, show_context=show_context)
    answer, operation = ask(engine, asked), OPERATIONS["ask"]
    plain = json.dumps(dump(operation.gives, answer), ensure_ascii=False, separators=(",", ":"))
    assert max(tokens(plain), tokens(operation.written(answer))) <= max_tokens


ADMINISTRATION = {
    "users.md": "# Users\n\nA user changes the password in the settings of the account. The mast stands by the gate.\n",
    "disks.md": "# Disks\n\nThe program shows how much space remains on the disk. Tea is served at four.\n",
    "print.md": "# Printers\n\nEvery printer has a queue of its own. Nobody empties it.\n",
}


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Kennwort eines Benutzers ändern", "A user changes the password in the settings of the account."),
        ("changer le mot de passe d'un utilisateur", "A user changes the password in the settings of the account."),
        ("查看磁盘剩余空间", "The program shows how much space remains on the disk."),
        ("Wer hat Amerika entdeckt?", None),
        ("Wie viele Druckpatronen liegen im Keller?", None),
    ],
)
def test_a_question_in_another_language_is_answered_by_the_best_english_sentence_or_by_none(
    tmp_path: Path, question: str, quoted: str | None
) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in ADMINISTRATION.items():
        (folder / name).write_text(text, "utf-8")
    with open_library(tmp_path / "l.db", create=True) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        answer = ask(engine, AskRequest(question))
    assert [sentence.text for sentence in answer.sentences] == ([] if quoted is None else [quoted])
    for sentence in answer.sentences:
        (cited,) = sentence.citations
        assert ADMINISTRATION[cited.uri][cited.start : cited.end] == cited.quote
