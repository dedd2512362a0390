r"""The literal strings in a regular expression that a person types into the search, for each alternative.

def (url|redirect)_\w+\(     `def url_` and `(`, or `def redirect_` and `(`; names that begin with url_ or redirect_
\w+Mixin|BaseView            names that end with Mixin; BaseView
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex

Pieces = tuple[str, ...]

_PATTERN = regex(
    r"\\[wWdDsSbB.()\[\]{}*+?|^$]|\[\^?[\w\\^-]{1,40}\][*+?{]|\.[*+]\??|\)[*+?]|\(\?[:=!<]|\w\|\w[^\s)]{0,200}+\)|^\^\w|\w\$$"
)
_PIECES = regex(
    r"\\[wWdDsSbBAZz]|(?:\0[0-9a-f]+;|[^\\()\]}\s;|.])[?*]|\[(?:\\.|[^\]\\])*\]|\((?:\?[:=!<P][^()]*)?|\)|\{\d*,?\d*\}|(?<!\\)[.*+?|^$]"
)
_FEW_LETTERS = regex(r"\[(\w{2,4})\](?![*+?{])")  # one of a few: [Uu]rl
_CLASS = regex(r"\[\^?\]?[^\]]*\]")
_EITHER = regex(r"\((?:\?:|\?P<\w+>)?([^()|]*+\|[^()]*)\)([?*])?")  # an innermost group of alternatives
_AT_TOP = regex(r"\|(?![^()]*\))")
_LONG_PATTERN = 1_000  # characters of one that are read
_WAYS = 12  # through the alternatives of a pattern
_ESCAPED = regex(r"\\(.)")
_OF_A_NAME = regex(r"[\w$]+")
_PARTS_NAMES = regex(r"\\[sWbBAZz]|[|^$]")  # what no name goes on across
_JOINS = regex(r"[()+*?]|\{\d*,?\d*\}")  # how often, and what belongs together: nothing that is written itself
_LETTERS, _ANYTHING = "", "."
_SHORTEST = 2  # letters and digits of a name that have to be known


@dataclass(frozen=True, slots=True)
class PartOfName:
    r"""What a pattern tells of a name: `get_\w+_label` begins with `get_`, and ends with `_label`."""

    pieces: Pieces
    begins: bool
    ends: bool

    def __str__(self) -> str:
        return f"{'' if self.begins else '…'}{'…'.join(self.pieces)}{'' if self.ends else '…'}"

    @property
    def start(self) -> str:
        """What the name begins with; empty where that is not told."""
        return self.pieces[0] if self.begins else ""

    def likeness(self, name: str) -> float:
        """1 for a name that is as told, less for one that only holds the pieces in their order.

        >>> url = PartOfName(("url_",), begins=True, ends=False)
        >>> url.likeness("url_for"), url.likeness("build_url_map"), url.likeness("urls")
        (1.0, 0.5, 0.0)
        """
        at = 0
        for piece in self.pieces:
            position = name.find(piece, at)
            if position < 0:
                return 0.0
            at = position + len(piece)
        anchored = (not self.begins or name.startswith(self.pieces[0])) and (
            not self.ends or name.endswith(self.pieces[-1])
        )
        return 1.0 if anchored else 0.5


@dataclass(frozen=True, slots=True)
class Pattern:
    """`pieces` are literal stretches in order, once for each way through its alternatives.

    `whole` is what it says without the names of which it tells only `parts`.
    """

    pieces: tuple[Pieces, ...]
    parts: tuple[PartOfName, ...]
    whole: str


def is_pattern(text: str) -> bool:
    return "\n" not in text and _PATTERN.search(text) is not None


def read_pattern(text: str) -> Pattern:
    """Total, and linear in the length of the text."""
    marked = _ESCAPED.sub(
        lambda match: match[0] if match[1].isalnum() else f"\0{ord(match[1]):x};", text[:_LONG_PATTERN]
    )
    few = _FEW_LETTERS.sub(lambda match: f"({'|'.join(match[1])})", marked)
    ways = [_CLASS.sub(r"\\w", few)]
    while len(ways) < _WAYS and (group := next(filter(None, map(_EITHER.search, ways)), None)):
        chosen = [*group[1].split("|"), *([""] if group[2] else [])]
        at = ways.index(group.string)
        ways[at : at + 1] = [
            group.string[: group.start()] + alternative + group.string[group.end() :] for alternative in chosen
        ]
    alternatives = [alternative for way in ways for alternative in _AT_TOP.split(way)]
    pieces = tuple(parts for parts in dict.fromkeys(map(_literal, alternatives)) if parts)[:_WAYS]
    parts: dict[PartOfName, None] = {}
    whole: list[str] = []
    for way in alternatives[:_WAYS]:
        named, rest = _names(way)
        parts |= dict.fromkeys(named)
        whole.append(rest)
    return Pattern(pieces, tuple(parts)[:_WAYS], " ".join(dict.fromkeys(whole)))


def _literal(way: str) -> Pieces:
    return tuple(piece for piece in (_plain(stretch).strip() for stretch in _PIECES.split(way)) if piece)


def _plain(text: str) -> str:
    return re.sub(r"\0([0-9a-f]+);", lambda match: chr(int(match[1], 16)), text)


def _names(way: str) -> tuple[list[PartOfName], str]:
    """The names of which a way tells a part, and what is left of it without them."""
    named: list[PartOfName] = []
    rest: list[str] = []
    run: list[str] = []  # pieces of the name at hand; between them what stands for any letters, or for anything
    for letters, between in _steps(way):
        if letters is not None:
            run.append(letters)
            continue
        _end(run, named, rest)
        rest.append(between)
    _end(run, named, rest)
    return named, "".join(rest)


def _end(run: list[str], named: list[PartOfName], rest: list[str]) -> None:
    pieces = tuple(piece for piece in run if piece not in (_LETTERS, _ANYTHING))
    if _ANYTHING in run or _LETTERS not in run:
        rest.append((" " if _ANYTHING in run else "").join(pieces))  # where anything may stand, a name may end
    if len(pieces) < len(run) and sum(letter.isalnum() for piece in pieces for letter in piece) >= _SHORTEST:
        named.append(PartOfName(pieces, begins=run[0] == pieces[0], ends=run[-1] == pieces[-1]))
    run.clear()


def _steps(way: str) -> Iterator[tuple[str | None, str]]:
    """Letters of a name, or what stands for some; None and what stands between two names."""
    at = 0
    for match in _PIECES.finditer(way):
        yield from _written(_plain(way[at : match.start()]))
        at = match.end()
        if _PARTS_NAMES.fullmatch(match[0]):
            yield None, " "
        elif not _JOINS.fullmatch(match[0]):
            yield (_ANYTHING if match[0] in (".", "\\S") else _LETTERS), ""
    yield from _written(_plain(way[at:]))


def _written(text: str) -> Iterator[tuple[str | None, str]]:
    at = 0
    for letters in _OF_A_NAME.finditer(text):
        if letters.start() > at:
            yield None, text[at : letters.start()]
        yield letters[0], ""
        at = letters.end()
    if at < len(text):
        yield None, text[at:]
