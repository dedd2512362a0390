"""Finds the words of a text that match a query, for a terminal or a browser to highlight."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from octavo.algorithms.queries.query_parsing import parse_query
from octavo.algorithms.text.search_tokenizer import shared_analyzer, written_words
from octavo.algorithms.text.unicode_folding import is_ideograph
from octavo.lazy_regex import regex
from octavo.model.query import Terms
from octavo.operations.styled_answer_lines import Part

# The characters the analyzer keeps inside a word; what it would cut off again is trimmed from the mark.
_WORD = regex(r"[\w\-.'+#]+")
_APART = bytes(code if _WORD.fullmatch(chr(code)) else 32 for code in range(256))
_TRIMMED = "-.'"
_UNSPACED = "\u2e80"  # from here on scripts are written without spaces between words
_SAYS_LITTLE = 60  # characters of a title or a heading, whose few words are of some language by chance
_TELLS = 500  # characters of a passage that tell its language
_PASSAGES = 4_096  # whose language is remembered: key by key, a query finds much the same

MarksOf = Callable[[str], list["Highlight"]]


class Highlight(NamedTuple):
    """A stretch of an excerpt and the query's tokens it answers."""

    start: int
    end: int
    tokens: frozenset[str]


class Meant(NamedTuple):
    """The tokens a query asks for, and those that only have to begin so."""

    tokens: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def of(self, tokens: Sequence[str], word: str) -> frozenset[str]:
        """Those that a word with these tokens answers; a beginning is one of the word as it is written."""
        matches = self.tokens.intersection(tokens)
        if self.prefixes:
            written = written_words().word(word).split()
            matches |= {token for token in written if token.startswith(self.prefixes)}
            matches |= {start for start in self.prefixes if is_ideograph(start) and start in word}
        return matches


def meant(terms: Terms) -> Meant:
    phrases = (token for phrase in terms.phrases for token in phrase)
    forms = (form for word in terms.forms for form in (*word.forms, *word.tokens))
    return Meant(frozenset((*terms.words, *phrases, *forms)), terms.prefixes)


class AnsweredTokens:
    """Words and the query's tokens that each of them answers, found out once: most words of a text stand in others.

    `analyse` gives the tokens of a word, joined: most words are one token, and most of these are none of the query's.
    """

    def __init__(self, query: Meant, analyse: Callable[[str], str]) -> None:
        self._query, self._analyse = query, analyse
        self._looked_at: set[str] = set()
        self._answered: dict[str, frozenset[str]] = {}

    def among(self, words: set[str]) -> Iterator[tuple[str, frozenset[str]]]:
        """Those of the words that answer, and what."""
        new = words - self._looked_at
        self._looked_at |= new
        single, any_start = self._query.tokens, bool(self._query.prefixes)
        for word, tokens in zip(new, map(self._analyse, new), strict=True):
            if (any_start or tokens in single or " " in tokens) and (matches := self._query.of(tokens.split(), word)):
                self._answered[word] = matches
        return ((word, self._answered[word]) for word in words & self._answered.keys())


def marks(text: str, answered: AnsweredTokens) -> list[Highlight]:
    """Words whose analysed tokens meet the query's: `ran` for `running`, `getUserById` for `user`."""
    # Few of its words answer: only these are looked for, instead of a look at the place of each.
    highlights = [
        mark
        for word, tokens in answered.among(_words(text))
        for start in _places(text, word)
        for mark in _marks_in(word, start, tokens)
    ]
    return sorted(highlights)


def _words(text: str) -> set[str]:
    """The words of a text, each once. In ASCII, as most are, they are told apart in a quarter of the time."""
    if text.isascii():
        return {*text.encode("ascii").translate(_APART).decode("ascii").split()}
    return {*_WORD.findall(text)}


def _places(text: str, word: str) -> Iterator[int]:
    """Where a word stands, and not a longer one that holds it."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        if not (start and _WORD.match(text, start - 1, start)) and not _WORD.match(text, end, end + 1):
            yield start
        start = text.find(word, end)


def _marks_in(word: str, at: int, tokens: frozenset[str]) -> Iterator[Highlight]:
    """The whole word; of a script without spaces, which makes one long word, only what the tokens spell."""
    if word.isascii() or max(word) < _UNSPACED:
        yield Highlight(at + len(word) - len(word.lstrip(_TRIMMED)), at + len(word.rstrip(_TRIMMED)), tokens)
        return
    spelled = "|".join(re.escape(token) for token in sorted(tokens))
    # A look-ahead, because neighbouring bigrams share a character.
    for match in re.finditer(f"(?=({spelled}))", word, re.IGNORECASE):
        yield Highlight(at + match.start(1), at + match.end(1), frozenset({match[1]}))


@lru_cache(_PASSAGES)
def _language(text: str) -> str:
    analyzer = shared_analyzer()
    (language,) = analyzer.languages([analyzer.joined(text)], text, texts=[text])
    return language


def marks_of(query: str) -> MarksOf:
    """What to mark in any text for a query; nothing without one."""
    if not query:
        return lambda text: []
    analyzer = shared_analyzer()

    @cache
    def answered(language: str) -> AnsweredTokens:
        if not language:
            return AnsweredTokens(meant(parse_query(query, analyzer)[0]), analyzer.word)
        there = meant(parse_query(query, analyzer, [language])[0])
        return AnsweredTokens(there, lambda word: " ".join((analyzer.word(word), *analyzer.forms(word, language))))

    def found(text: str) -> list[Highlight]:
        language = "" if len(text) < _SAYS_LITTLE and text.isascii() else _language(text[:_TELLS])
        return marks(text, answered(language))

    return found


def marked(text: str, highlights: Sequence[Highlight], offset: int = 0, style: str = "") -> Iterator[Part]:
    """The text in parts, what is marked set apart. `offset` is where the text starts in what was marked."""
    at = 0
    for mark in highlights:
        first, last = max(at, mark.start - offset), min(len(text), mark.end - offset)
        if first >= last:
            continue
        if first > at:
            yield Part(text[at:first], style)
        yield Part(text[first:last], "match")
        at = last
    if at < len(text):
        yield Part(text[at:], style)
