"""Notes in other languages than English answer without a model, in their own sentences, and only where they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo

NOTES = {
    "frühling.md": "# Frühlingsputz\n\nDie Heizung wird im März entlüftet. Der Schlüssel zum Keller hängt hinter der"
    " Tür.\n\n## Fahrrad\n\nDie Kette wird alle 300 km geölt.\n",
    "recettes.md": "# Recettes\n\n## Gratin dauphinois\n\nÉplucher les pommes de terre et les couper en rondelles"
    " fines. Cuire une heure à 160 °C.\n\n## Crêpes\n\nLaisser reposer la pâte deux heures.\n",
    "日記.md": "# 日記\n\n## 十一月\n\n今日は歯医者に行きました。次の予約は十二月三日の午後二時です。\n\n"
    "## 旅行\n\n京都の旅館は駅から歩いて十分です。\n",
    "дом.md": "# Дом\n\nКлюч от подвала висит за дверью. Счётчик воды снимают в последний день месяца.\n",
    "shed.md": "# Shed\n\nThe mower stands behind the door of the shed. Its blade is sharpened every spring.\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[octavo.Library]:
    folder: Path = tmp_path_factory.mktemp("notes")
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    with octavo.open(folder.parent / "library.db", create=True) as library:
        library.add(folder, name="notes")
        library.index()
        yield library


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Wann wird die Heizung entlüftet?", "im März"),
        ("Wo hängt der Kellerschlüssel?", "hinter der Tür"),
        ("Wie oft wird die Fahrradkette geölt?", "300 km"),
        ("Combien de temps cuire le gratin ?", "une heure"),
        ("Combien de temps repose la pâte à crêpes ?", "deux heures"),
        ("歯医者の予約はいつ", "十二月三日"),
        ("京都の旅館はどこですか", "駅から歩いて"),
        ("Где висит ключ от подвала?", "за дверью"),
        ("where does the mower stand?", "behind the door"),
    ],
)
def test_a_sentence_answers_in_the_language_it_is_asked_in(library: octavo.Library, question: str, fact: str) -> None:
    assert any(fact in sentence.text for sentence in library.ask(question).sentences)


@pytest.mark.parametrize(
    "question",
    [
        "Wie heißt der Hausmeister?",
        "Wann ist der Zahnarzttermin?",
        "Où est la clé ?",
        "猫の名前は何ですか",
        "Где мой кот?",
    ],
)
def test_what_no_note_says_is_not_answered(library: octavo.Library, question: str) -> None:
    assert library.ask(question).sentences == ()
