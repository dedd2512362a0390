"""The quick test for a phrase, against the tokens of real words."""

from __future__ import annotations

import pytest

from octavo.algorithms.queries.phrase_prefilter import PhrasePrefilter
from octavo.algorithms.text.search_tokenizer import Analyzer

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("clean the mirror", "Cleaning the mirrors takes an hour."),
        ("web socket", "a WebSocket, or"),
        ("content type", "the Content-Type header"),
        ("test websocket", "to test web-socket code"),
        ("user guide", "The user's guide"),
        ("left right", "left — right"),
        ("die young", "dying young"),
        ("two complement", "two's-complement arithmetic"),
        ("first second", "first __ second"),
        ("cafe menu", "the Café menu"),
    ],
)
def test_what_says_a_phrase_passes(phrase: str, text: str) -> None:
    maybe = PhrasePrefilter(ANALYZER.tokens(phrase))
    assert maybe.said(text)
    assert maybe.most(text) == len(ANALYZER.tokens(phrase))


@pytest.mark.parametrize("text", ["mirrors that are clean", "nothing of it", "a clean and polished mirror"])
def test_scattered_words_do_not(text: str) -> None:
    assert not PhrasePrefilter(ANALYZER.tokens("clean mirror")).said(text)


def test_what_a_text_does_not_have_is_counted() -> None:
    maybe = PhrasePrefilter(["clean", "mirror", "dome", "c3po"])
    assert maybe.most("a clean dome") == 3
    assert maybe.most("nothing of it") == 1  # of c3po nothing is known


def test_a_long_run_of_one_letter_is_told_at_once() -> None:
    assert PhrasePrefilter(["aaa", "bbb"]).said("a" * 100_000 + " bbb")
