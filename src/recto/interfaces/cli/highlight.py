"""Which words of an excerpt the query meant, and which few lines of it to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from recto.interfaces.cli.layout import Line, Part, Wrapped, visible, wrapped
from recto.model.query import Terms

# The characters the analyzer keeps inside a word; what it would cut off again is trimmed from the mark.
_WORD = re.compile(r"[\w\-.'+#]+")
_TRIMMED = "-.'"
# A line this long did not end where its author wanted a line to end, unless it has a form of its own.
_RUNNING = 40
_PROSE = re.compile(r"(?!\d+[.)]\s)[\w(\[\"'“‘*_`](?![-*+_]*\s)|\w\s")
_FORMED = re.compile(r"\s{4}|\s*(?:[#|]|```|~~~)")
_UNSPACED = "\u2e80"  # from here on scripts are written without spaces between words


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


def marks(text: str, query: Meant, analyse: Callable[[str], list[str]]) -> list[Mark]:
    """Words whose analysed tokens meet the query's: `ran` for `running`, `getUserById` for `user`."""
    found: list[Mark] = []
    for word in _WORD.finditer(text):
        tokens = query.of(analyse(word[0]))
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


def excerpt(text: str, found: Sequence[Mark], width: int, most: int | None, *, headed: bool = False) -> Iterator[Line]:
    """The excerpt wrapped and marked: the `most` lines around its best match, or all of it.

    What is `headed` opens with what it is, as code does with a declaration: its first lines, where they answer as well.
    """
    lines = [line for line in wrapped(text, width) if most is None or text[line.start : line.end].strip()]
    first = 0 if most is None else _best(text, lines, found, most, headed)
    last = len(lines) if most is None else min(len(lines), first + most)
    for index, line in enumerate(lines[first:last], first):
        parts = [Part(" " * line.indent), *marked(text[line.start : line.end], found, line.start)]
        if index == last - 1 and last < len(lines):
            parts.append(Part(" …", "dim"))
        yield tuple(parts)


def _best(text: str, lines: Sequence[Wrapped], found: Sequence[Mark], most: int, headed: bool) -> int:
    """The first line of the window that answers most of the query and has most marks.

    Of several, one that opens where a line of the text does, then one that leads in with one line.
    """
    inside = [[mark for mark in found if line.start <= mark.start < line.end] for line in lines]
    best, best_value = 0, (0, False, 0, False, 0)
    for first in range(max(1, len(lines) - most + 1)):
        window = inside[first : first + most]
        here = [mark for line in window for mark in line]
        lead = next((index for index, line in enumerate(window) if line), 0)
        opens = not lines or text[lines[first].start - 1 : lines[first].start] in ("", "\n")
        answered = len({token for mark in here for token in mark.tokens})
        value = (answered, headed and first == 0, len(here), opens, -abs(lead - 1))
        if here and value > best_value:
            best, best_value = first, value
    return best


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


def flattened(text: str) -> str:
    """An excerpt as it is shown: tabs as spaces, what a terminal would obey written out, line ends kept."""
    return visible(text.expandtabs(4), keep="\n").rstrip("\n")


def reflowed(text: str) -> str:
    """Lines of running text joined, so that they can be wrapped anew; everything with a form of its own is left."""
    joined: list[str] = []
    running = fenced = False
    for line in text.split("\n"):
        continues = running and _PROSE.match(line.lstrip()) is not None
        if continues:
            joined[-1] += " " + line.lstrip()
        else:
            joined.append(line)
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        running = not fenced and len(line) >= _RUNNING and (continues or _FORMED.match(line) is None)
    return "\n".join(joined)
