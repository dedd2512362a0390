"""English words for questions in other languages."""

from __future__ import annotations

import pytest

from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import shared_analyzer
from octavo.model.query import Terms
from octavo.retrieval.query_word_translation import with_english


def terms_of(text: str) -> Terms:
    return parse_query(text, shared_analyzer(), ())[0]


def gloss(text: str, *held: str) -> set[str]:
    return set(with_english(terms_of(text), shared_analyzer(), set(held).__contains__).gloss.split())


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Kennwort eines Benutzers ändern", {"password", "user", "change"}),
        ("changer le mot de passe d'un utilisateur", {"change", "password", "user"}),
        ("contar palabras de un texto", {"count", "word", "text"}),
        ("изменить права доступа к файлу", {"change", "right", "access", "file"}),
        ("ファイルの権限を変更する", {"file", "permissions", "change"}),
        ("查看磁盘剩余空间", {"disk", "remaining", "space"}),
        ("파일 권한 변경", {"file", "permissions", "change"}),
        ("zmienić prawa dostępu do pliku", {"change", "access", "file"}),
    ],
)
def test_a_question_in_another_language_has_english_words(question: str, words: set[str]) -> None:
    assert gloss(question) >= words


@pytest.mark.parametrize(
    "question",
    [
        "how do I change a password",
        "password rotation",
        "NF-κB in γδ",
        "gift voucher",
        "kubectl rollout undo",
        "",
        "42",
        '"mot de passe"',
        "mot AND passe",
    ],
)
def test_english_phrases_and_conditions_are_not_translated(question: str) -> None:
    assert gloss(question) == set()


def test_a_library_that_has_half_of_the_words_answers_in_their_language() -> None:
    question = "Kennwort eines Benutzers ändern"
    words = terms_of(question).words
    assert gloss(question, *words) == gloss(question, *words[:-1]) == set()
    assert "password" in gloss(question, words[-1])


def test_words_that_only_a_table_tells_are_not_translated_where_the_library_has_one_of_them() -> None:
    question = "ejecutar comandos archivo"
    assert gloss(question) >= {"run", "file"}
    assert gloss(question, terms_of(question).words[0]) == set()
