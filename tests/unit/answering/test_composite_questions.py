"""Which questions may need more than one search, told by their structure and names in any language."""

from __future__ import annotations

import pytest

from octavo.answering.multi_hop_search import composite


@pytest.mark.parametrize(
    "question",
    [
        "in which town does the person live that was asked to wash the mirror?",
        "Are Neil Gaiman and Terry Pratchett from one country?",
        "In welcher Stadt wohnt die Frau, die den Spiegel des Fernrohrs gewaschen hat?",
        "Dans quelle ville habite la personne qui a lavé le miroir du télescope ?",
        "В каком городе живёт человек, который мыл зеркало телескопа?",
        "负责清洗望远镜镜子的人住在哪个城市里面",
    ],
)
def test_a_question_with_clauses_two_names_or_many_words_may_need_several_searches(question: str) -> None:
    assert composite(question)


@pytest.mark.parametrize(
    "question",
    [
        "Where is the key of the shed?",
        "Who wrote Frankenstein?",
        "Wo liegt der Schlüssel zum Schuppen?",
        "Où est la clé de la cabane ?",
        "Где лежит ключ от сарая?",
        "钥匙在哪里",
    ],
)
def test_a_plain_question_needs_one_search(question: str) -> None:
    assert not composite(question)
