"""What a model cannot read: the share of a text that its vocabulary has no pieces for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from wordpiece_words import VOCABULARY

from octavo.algorithms.model_inputs.vocabulary_coverage_of_text import Readability, fluent_trust, trust
from octavo.embedding.bundled_embedder import bundled_embedder, bundled_fast_embedder
from octavo.embedding.huggingface_tokenizer import TokenizersCounter
from octavo.embedding.token_counters import WordPieceCounter
from octavo.ports import ReadingEmbedder

UNREAD = ("ภาษาไทย", "ספר", "বাংলা", "தமிழ்", "😀", "???")
READ = ("who has a key", "où est la bibliothèque", "ignoreIfPresent", "192.168.1.10", "CVE-2021-44228", "Äpfel", "C")
TAUGHT = ("压缩", "телескоп", "بيانات", "किताब", "東京", "の", "한국어", "Ελλάδα")
DRAWN = (
    "token: ████████████████████████████████████████",
    "├── src\n│   └── main.rs\n└── README",
    "⌘ ⇧ K opens it",
)


@pytest.mark.parametrize("text", UNREAD)
def test_scripts_the_bundled_model_never_learnt_are_not_trusted(text: str) -> None:
    assert trust(bundled_embedder().readability(text)) == 0.0


@pytest.mark.parametrize("text", [*READ, *DRAWN, *TAUGHT])
def test_what_it_learnt_is_trusted_wholly(text: str) -> None:
    assert trust(bundled_embedder().readability(text)) == 1.0


def test_a_text_in_two_scripts_is_trusted_in_part() -> None:
    assert 0.0 < trust(bundled_embedder().readability("Redis ภาษาไทย")) < 1.0


@pytest.mark.parametrize("make", [bundled_embedder, bundled_fast_embedder])
def test_an_unreadable_passage_has_a_vector_of_zeros_and_its_neighbours_do_not_change(make: object) -> None:
    embedder = make()  # type: ignore[operator]
    assert isinstance(embedder, ReadingEmbedder)
    english = "Prune the apple tree in late winter."
    several = embedder.embed([english, "ภาษาไทยเป็นภาษาราชการ", english])
    assert not several[1].any()
    assert np.array_equal(several[0], embedder.embed([english])[0])
    assert np.array_equal(several[2], several[0])
    assert not embedder.embed(["ภาษาไทยเป็นภาษาราชการ"]).any()


FOREIGN = (
    "Toon alle bestanden in een map, ook de verborgen bestanden",
    "Elenca tutti i file in una cartella, compresi quelli nascosti",
    "Alle Dateien eines Verzeichnisses anzeigen, auch die versteckten",
    "Vis alle filer i en mappe, også de skjulte filene",
)
ENGLISH = (
    "who has a key",
    "show all files of a folder, hidden ones too",
    "which volunteers close the dome when humidity rises?",
)


@pytest.mark.parametrize("make", [bundled_embedder, bundled_fast_embedder])
def test_the_bundled_models_trust_the_languages_they_were_taught_alike(make: object) -> None:
    embedder = make()  # type: ignore[operator]
    assert {fluent_trust(embedder.fluency(text)) for text in (*FOREIGN, *ENGLISH)} == {1.0}


def test_a_language_that_an_english_vocabulary_was_not_made_for_is_trusted_little() -> None:
    counter = WordPieceCounter(VOCABULARY)
    readability = Readability(counter.pieces, counter.size)
    assert all(0.1 <= fluent_trust(readability.fluency(text)) < 0.7 for text in FOREIGN)
    assert [fluent_trust(readability.fluency(text)) for text in ENGLISH] == [1.0] * 3


def test_a_text_without_letters_or_for_a_vocabulary_of_many_languages_is_fluent() -> None:
    def cut(text: str) -> list[tuple[str, bool]]:
        return [(character, not at) for at, character in enumerate(text)]

    assert bundled_embedder().fluency("192.168.1.10") == 1.0
    assert Readability(cut, 250_000).fluency("mappe") == 1.0
    assert Readability(cut, 30_000).fluency("mappe") == 0.0


def test_single_ideographs_mean_something_to_a_vocabulary_of_many_languages() -> None:
    def pieces(text: str) -> list[tuple[str, bool]]:
        return [(character, True) for character in text]

    assert Readability(pieces, 250_000).of("压缩") == 1.0
    assert Readability(pieces, 30_000).of("压缩") == 0.0


def test_an_unknown_piece_of_a_multilingual_vocabulary_is_not_read(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {"[UNK]": 0, "压缩": 1, **{f"word{number}": number + 2 for number in range(100_000)}}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    counter = TokenizersCounter(tmp_path / "tokenizer.json")
    readability = Readability(counter.pieces, counter.size)
    assert readability.of("压缩") == 1.0
    assert readability.of("телескоп") == 0.0
    assert readability.of("压缩 телескоп") == pytest.approx(0.2)
