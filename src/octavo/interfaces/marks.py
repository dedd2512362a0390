"""Which words of a text a query meant: what a terminal and a browser set apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from octavo.algorithms.analysis import Analyzer
from octavo.algorithms.syntax import parse_query
from octavo.model.query import Terms
from octavo.operations.lines import Part

# The characters the analyzer keeps inside a word; what it would cut off again is trimmed from the mark.
_WORD = re.compile(r"[\w\-.'+#]+")
_TRIMMED = "-.'"
_UNSPACED = "\u2e80"  # from here on scripts are written without spaces between words

MarksOf = Callable[[str], list["Mark"]]


class Mark(NamedTuple):
    """A stretch of an excerpt and the query's tokens it answers."""

    start: int
    end: int
    tokens: frozenset[str]


class Meant(NamedTuple):
    """The tokens a query asks for, and those that only have to begin so."""

    tokens: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def of(self, tokens: Sequence[str]) -> frozenset[str]:
        found = self.tokens.intersection(tokens)
        if self.prefixes:
            found |= {token for token in tokens if token.startswith(self.prefixes)}
        return found


def meant(terms: Terms) -> Meant:
    phrases = (token for phrase in terms.phrases for token in phrase)
    forms = (form for word in terms.forms for form in (*word.forms, *word.tokens))
    return Meant(frozenset((*terms.words, *phrases, *forms)), terms.prefixes)


class AnsweredTokens(dict[str, frozenset[str]]):
    """Words and the query's tokens that each of them answers, found out once: most words of a text stand in others."""

    def __init__(self, query: Meant, analyse: Callable[[str], list[str]]) -> None:
        self._query, self._analyse = query, analyse

    def __missing__(self, word: str) -> frozenset[str]:
        tokens = self[word] = self._query.of(self._analyse(word))
        return tokens


def marks(text: str, answered: AnsweredTokens) -> list[Mark]:
    """Words whose analysed tokens meet the query's: `ran` for `running`, `getUserById` for `user`."""
    found: list[Mark] = []
    for word in _WORD.finditer(text):
        tokens = answered[word[0]]
        if tokens and max(word[0]) >= _UNSPACED:
            found += _inside(word, tokens)
        elif tokens:
            start = word.start() + len(word[0]) - len(word[0].lstrip(_TRIMMED))
            found.append(Mark(start, word.start() + len(word[0].rstrip(_TRIMMED)), tokens))
    return found


def _inside(word: re.Match[str], tokens: frozenset[str]) -> Iterator[Mark]:
    """A script without spaces makes one long word: only what the tokens spell is marked."""
    spelled = "|".join(re.escape(token) for token in sorted(tokens))
    # A look-ahead, because neighbouring bigrams share a character.
    for found in re.finditer(f"(?=({spelled}))", word[0], re.IGNORECASE):
        yield Mark(word.start() + found.start(1), word.start() + found.end(1), frozenset({found[1]}))


@cache
def _analyzer() -> Analyzer:
    """One for all, as the library has one: it remembers every word that it has seen, and most words come again."""
    return Analyzer()


def marks_of(query: str) -> MarksOf:
    """What to mark in any text for a query; nothing without one."""
    if not query:
        return lambda text: []
    analyzer = _analyzer()

    @cache
    def answered(language: str) -> AnsweredTokens:
        if not language:
            return AnsweredTokens(meant(parse_query(query, analyzer)[0]), analyzer.tokens)
        there = meant(parse_query(query, analyzer, [language])[0])
        return AnsweredTokens(there, lambda word: [*analyzer.tokens(word), *analyzer.forms(word, language)])

    def found(text: str) -> list[Mark]:
        (language,) = analyzer.languages([analyzer.joined(text)], text)
        return marks(text, answered(language))

    return found


def marked(text: str, found: Sequence[Mark], offset: int = 0, style: str = "") -> Iterator[Part]:
    """The text in parts, what is marked set apart. `offset` is where the text starts in what was marked."""
    at = 0
    for mark in found:
        first, last = max(at, mark.start - offset), min(len(text), mark.end - offset)
        if first >= last:
            continue
        if first > at:
            yield Part(text[at:first], style)
        yield Part(text[first:last], "match")
        at = last
    if at < len(text):
        yield Part(text[at:], style)
