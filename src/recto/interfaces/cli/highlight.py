"""Which words of an excerpt the query meant, and which few lines of it to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recto.interfaces.cli.layout import Line, Part, visible, wrapped
from recto.model.query import Terms

# The characters the analyzer keeps inside a word; what it would cut off again is trimmed from the mark.
_WORD = re.compile(r"[\w\-.'+#]+")
_TRIMMED = "-.'"
_UNSPACED = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f]")


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of an excerpt and the query's tokens it answers."""

    start: int
    end: int
    tokens: frozenset[str]


@dataclass(frozen=True, slots=True)
class Meant:
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
    return Meant(frozenset((*terms.words, *phrases)), terms.prefixes)


def marks(text: str, query: Meant, analyse: Callable[[str], list[str]]) -> Iterator[Mark]:
    """Words whose analysed tokens meet the query's: `ran` for `running`, `getUserById` for `user`."""
    for word in _WORD.finditer(text):
        found = query.of(analyse(word[0]))
        if not found:
            continue
        if _UNSPACED.search(word[0]):
            yield from _inside(word, found)
            continue
        start = word.start() + len(word[0]) - len(word[0].lstrip(_TRIMMED))
        yield Mark(start, word.start() + len(word[0].rstrip(_TRIMMED)), found)


def _inside(word: re.Match[str], tokens: frozenset[str]) -> Iterator[Mark]:
    """A script without spaces makes one long word: only what the tokens spell is marked."""
    spelled = "|".join(re.escape(token) for token in sorted(tokens))
    # A look-ahead, because neighbouring bigrams share a character.
    for found in re.finditer(f"(?=({spelled}))", word[0], re.IGNORECASE):
        yield Mark(word.start() + found.start(1), word.start() + found.end(1), frozenset({found[1]}))


def excerpt(text: str, found: Sequence[Mark], width: int, most: int | None) -> Iterator[Line]:
    """The excerpt wrapped and marked: the `most` lines around its best match, or all of it."""
    lines = [(start, end) for start, end in wrapped(text, width) if most is None or text[start:end].strip()]
    if most is None:
        while lines and not text[slice(*lines[-1])].strip():
            lines.pop()
        first, last = 0, len(lines)
    else:
        first = _best(lines, found, most)
        last = min(len(lines), first + most)
    for index, (start, end) in enumerate(lines[first:last], first):
        parts = list(_marked(text, start, end, found))
        if index == last - 1 and last < len(lines):
            parts.append(Part(" …", "dim"))
        yield tuple(parts)


def _best(lines: Sequence[tuple[int, int]], found: Sequence[Mark], most: int) -> int:
    """The first line of the window that answers the most of the query, then has the most marks, then is earliest."""
    if not lines:
        return 0
    inside = [[mark for mark in found if start <= mark.start < end] for start, end in lines]
    best, best_value = 0, (0, 0)
    for first in range(max(1, len(lines) - most + 1)):
        window = [mark for line in inside[first : first + most] for mark in line]
        value = (len({token for mark in window for token in mark.tokens}), len(window))
        if value > best_value:
            best, best_value = first, value
    return best


def _marked(text: str, start: int, end: int, found: Sequence[Mark]) -> Iterator[Part]:
    at = start
    for mark in found:
        if mark.end <= at or mark.start >= end:
            continue
        first, last = max(at, mark.start), min(end, mark.end)
        if first > at:
            yield Part(text[at:first])
        yield Part(text[first:last], "match")
        at = last
    if at < end:
        yield Part(text[at:end])


def flattened(text: str) -> str:
    """An excerpt as it is shown: tabs as spaces, what a terminal would obey written out, line ends kept."""
    return visible(text.expandtabs(4), keep="\n").rstrip("\n")
