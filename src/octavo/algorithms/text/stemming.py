"""Stems by script: what a word and its forms share, where its letters alone tell how it is inflected.

    телескопа, телескопами   телескоп        البيانات, بيانات   بيان
    किताबें, किताबों               किताब            βιβλία, βιβλίο    βιβλ

One script, one stemmer: a word has the same stem in every passage and in every query, whatever stands around it.
Cyrillic is stemmed as Russian, Devanagari as Hindi. Latin letters are shared by too many languages for that: see
`language_detection_and_marked_stems`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from functools import cache
from itertools import takewhile

from octavo.lazy_regex import regex

Stem = Callable[[str], str]

_LEAST = 3
"""Letters from which a word is stemmed: shorter ones are particles."""

_SCRIPTS = {
    "russian": "\u0400-\u052f",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "arabic": "\u0621-\u064a\u066e-\u06d3\u06fa-\u06ff",
    "hindi": "\u0900-\u0963\u0970-\u097f",
    "armenian": "\u0531-\u0587",
    "tamil": "\u0b80-\u0be5",
}
_OF_SCRIPT = {name: re.compile(f"[{letters}]{{{_LEAST},}}") for name, letters in _SCRIPTS.items()}

# Spellings that one writer uses for another's: alef with and without hamza, Persian keyboards; chandrabindu for
# anusvara, nukta left out, open vowels of loan words.
_ARABIC = str.maketrans("أإآٱىیکة", "ااااييكه")
_HINDI = {**str.maketrans("ँॅॆॉॊऍऎऑऒ", "ंेेोोएएओओ"), ord("़"): None}
_NASAL = regex("[नमङञण]्(?=[क-ह])")  # हिन्दी and हिंदी

_ARTICLES = ("وال", "بال", "كال", "فال", "ال", "لل")
_ARABIC_SUFFIXES = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")

_ENDINGS = {
    "arabic": "ر ت ن ا ها ان ات ون ين يه ه ي",
    "russian": "а я у ю ы и е о ов ев ей ам ям ами ями ах ях ом ем ого его ому ему ый ий ая ое ие ой ть ся л ла ли ост",
    "greek": "α ας ε ες ι ια ιου ο ος ου ους ων η ης οι ω ει",
    "hindi": "ा ी े ो ों ें ियों ियां ाएं ना ने ता ती ते कर ाई",
}
"""What may follow the start of a word, for the question how much of it all its stems share."""


def stem_by_script(term: str) -> str:
    """The stem of a word in lower case; the word where its script has no stemmer or it is no plain word."""
    script = _script(term)
    if script is None:
        return term
    term = _normalised(term, script)
    return _light_arabic(term) if script == "arabic" else snowball(script)(term) or term


def spelled_by_script(term: str) -> str:
    """The word, not stemmed, in the one spelling of those that its script has for it."""
    script = _script(term * _LEAST)
    return term if script is None else _normalised(term, script)


def start_by_script(start: str) -> str | None:
    """What the stems of words that begin so begin with, empty where that cannot be said; None if none is stemmed."""
    script = _script(start * _LEAST)
    if script is None:
        return None
    start = _normalised(start, script)
    if script == "arabic" and any(_perhaps_article(start, article) for article in _ARTICLES):
        return ""
    stems = [stem_by_script(start + ending) for ending in ("", *_ENDINGS.get(script, "").split())]
    return _shared_start(stems if script == "arabic" else [start, *stems])


def _perhaps_article(start: str, article: str) -> bool:
    return len(start) < len(article) + 2 and article.startswith(start[: len(article)])


def _shared_start(words: Sequence[str]) -> str:
    """What all of them begin with: the first and the last in order share no more than any two."""
    first, last = min(words), max(words)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False)))
    return first[:shared]


@cache
def snowball(language: str) -> Stem:
    """Snowball's stemmer of a language. It keeps state while it works, so one thread at a time asks it."""
    import Stemmer

    stemmer = Stemmer.Stemmer(language)
    stemmer.maxCacheSize = 0  # words are remembered by whoever asks
    lock = threading.Lock()

    def stem(word: str) -> str:
        with lock:
            stemmed: str = stemmer.stemWord(word)
        return stemmed

    return stem


def _script(term: str) -> str | None:
    if term.isascii():
        return None
    return next((name for name, letters in _OF_SCRIPT.items() if letters.fullmatch(term)), None)


def _normalised(term: str, script: str) -> str:
    if script == "arabic":
        return term.translate(_ARABIC)
    return _NASAL.sub("ं", term.translate(_HINDI)) if script == "hindi" else term


def _light_arabic(word: str) -> str:
    """Article and endings off: light10, of Larkey, Ballesteros and Connell, "Light Stemming for Arabic", 2007.

    Snowball's stemmer takes the ب of بيانات for a preposition, and finds no البيانات by it.
    """
    word = _without_article(word)
    for suffix in _ARABIC_SUFFIXES:
        if word.endswith(suffix) and len(word) >= len(suffix) + 2:
            word = word.removesuffix(suffix)
    return word


def _without_article(word: str) -> str:
    for article in _ARTICLES:
        if word.startswith(article) and len(word) >= len(article) + 2:
            return word.removeprefix(article)
    return word.removeprefix("و") if len(word) > _LEAST else word
