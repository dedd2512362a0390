"""Words of scripts that tell how they are inflected: a word is found by its forms."""

from __future__ import annotations

import pytest

from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.algorithms.text.stemming import start_by_script

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    "forms",
    [
        "телескоп телескопа телескопами",
        "библиотека библиотеки библиотеками",
        "بيانات البيانات والبيانات بالبيانات",
        "أحمد احمد",
        "किताब किताबें किताबों",
        "हिन्दी हिंदी",
        "क़लम कलम",
        "χρήστης χρήστη",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({*ANALYZER.tokens(forms)}) == 1


def test_the_start_of_an_arabic_article_says_nothing_of_the_stems() -> None:
    assert ANALYZER.prefix("ال") == ""
    assert start_by_script(ANALYZER.prefix("البيا")) == "بي"


def test_two_scripts_in_one_word_are_not_stemmed() -> None:
    assert ANALYZER.tokens("vтелескопа") == ["vтелескопа"]
