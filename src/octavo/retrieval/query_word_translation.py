"""Translates a question's words into English by tables, so that English passages answer in other languages.

    Kennwort eines Benutzers ändern       password, user, change

A table of a language has the English words that each of its tokens mostly stands for in translated documentation
(`scripts/make_word_translations.py`). Tokens are those of the search index: stems of the language in Latin letters,
stems by script in others, pairs of characters in Chinese, Japanese and Korean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import islice
from pathlib import Path

from octavo.algorithms.text.language_detection_and_marked_stems import ENGLISH, SNOWBALL, marked
from octavo.algorithms.text.search_tokenizer import Analyzer
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.query import Terms

_LATIN = ("de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "tr", "id", "ro", "hu", "fi", "da")
_SCRIPTS = (
    ("ja", regex("[\u3041-\u30ff]")),
    ("ko", regex("[\uac00-\ud7af]")),
    ("zh", regex("[\u3400-\u9fff]")),
    ("uk", regex("[\u0404\u0406\u0407\u0490\u0454\u0456\u0457\u0491]")),
    ("ru", regex("[\u0400-\u04ff]{3}")),
    ("ar", regex("[\u0600-\u06ff]{3}")),
    ("hi", regex("[\u0900-\u097f]{3}")),
    ("el", regex("[\u0370-\u03ff\u1f00-\u1fff]{3}")),
    ("vi", regex("[\u01a0\u01a1\u01af\u01b0\u0110\u0111\u1ea0-\u1ef9]")),
)
"""The first that fits tells: kana before the characters that Japanese shares with Chinese, Ukrainian's own letters
before Cyrillic. A single letter is a sign in a formula."""
_LONG = 4
"""Letters of a word that is of one language: shorter ones are words of several."""
_FEWEST, _MOST_WORDS = 2, 0.65
"""Words in a language's table, and their share, that tell a language which nothing else tells."""


def tokens_in(text: str, language: str, analyzer: Analyzer) -> list[str]:
    """The tokens of a text that a language's table may have."""
    if language in SNOWBALL:
        return [form.removeprefix(marked(language)) for form in analyzer.forms(text, language)]
    return [token for token in analyzer.query_tokens(text) if language == "vi" or not token.isascii()]


def with_english(terms: Terms, analyzer: Analyzer, held: Callable[[str], bool]) -> Terms:
    """A question in another language with English words for its own; unchanged if the library answers in its language.

    `held` tells whether the library has a token. It answers where it has half of them, in any form; or one, where
    neither letters nor function words tell the language for sure.
    """
    if not terms.words or terms.phrases or terms.condition is not None:
        return terms
    sure = _language_by_script(terms.text) or analyzer.told_language(terms.text)
    language = sure or analyzer.query_language(terms.text)
    if language == ENGLISH:
        return terms
    words = analyzer.without_function_words(terms.words, language) or frozenset(terms.words)
    forms = {token: (*word.forms, *word.compounds) for word in terms.forms for token in word.tokens}
    there = (word for word in sorted(words) if held(word) or any(map(held, forms.get(word, ()))))
    if next(islice(there, (len(words) - 1) // 2 if sure else 0, None), ""):
        return terms
    language = language or _language_by_words(terms.text, analyzer)
    known = _table(language)
    rows = dict.fromkeys(known[token] for token in tokens_in(terms.text, language, analyzer) if token in known)
    gloss = " ".join(dict.fromkeys(word for row in rows for word in row))
    english = tuple(tuple(dict.fromkeys(analyzer.query_tokens(" ".join(row)))) for row in rows)
    return replace(terms, gloss=gloss, english=english) if rows else terms


def _language_by_script(text: str) -> str:
    """The language that letters of other scripts tell; empty for Latin letters."""
    if text.isascii():
        return ""
    return next((language for language, letters in _SCRIPTS if letters.search(text)), "")


def _language_by_words(text: str, analyzer: Analyzer) -> str:
    """The language in Latin letters whose table has most of the words; empty where none has most of several, and where
    one is English."""
    if not _english_words().isdisjoint(word for word in text.casefold().split() if len(word) >= _LONG):
        return ""
    shares = dict.fromkeys(_LATIN, 0.0)
    for language in _LATIN:
        known = [token in _table(language) for token in tokens_in(text, language, analyzer)]
        if sum(known) >= _FEWEST:
            shares[language] = sum(known) / len(known)
    best = max(shares, key=shares.__getitem__)
    return best if shares[best] >= _MOST_WORDS else ""


@cache
def _english_words() -> frozenset[str]:
    """What languages in Latin letters are translated into."""
    return frozenset(word for language in _LATIN for row in _table(language).values() for word in row)


@cache
def _table(language: str) -> Mapping[str, tuple[str, ...]]:
    file = Path(__file__).with_name("word_translations") / f"{language}.tsv"
    if not file.is_file():
        return {}
    rows = (line.split("\t") for line in file.read_text("utf-8").splitlines())
    return {token: tuple(words.split()) for token, words in rows}
