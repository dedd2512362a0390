"""Fuzzy matching of names: the typed letters in order, with other letters between them.

A letter counts more at the start of a word and right after the letter before it, as in the pickers of editors, so that
`obsclo` finds `observing/Closing down.md` before `lost objects close.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_FIRST_OF_WORD = 8
_NEXT_TO_LAST = 5
_GAP = 1
_MOST_GAP = 3


def fuzzy_score(query: str, name: str) -> int | None:
    """How well a name has the letters of a query in their order; None where it does not. Spaces are ignored.

    >>> fuzzy_score("cld", "Closing down.md") is not None, fuzzy_score("xyz", "Closing down.md")
    (True, None)
    """
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    folded = name.casefold()
    if len(folded) != len(name):  # a letter that folds to two: the positions of words would be wrong
        name = folded
    starts = (_score_from(letters, name, folded, start) for start in _places(letters, folded))
    return max((score for score in starts if score is not None), default=None if letters else 0)


def fuzzy_order(query: str, names: Iterable[str]) -> list[str]:
    """The names that match, best first; the shorter and then the earlier in the alphabet of equals."""
    scored = [(score, name) for name in names if (score := fuzzy_score(query, name)) is not None]
    return [name for score, name in sorted(scored, key=lambda pair: (-pair[0], len(pair[1]), pair[1]))]


def _places(letters: Sequence[str], folded: str) -> Iterable[int]:
    """Where a match may begin: at each place of the first letter."""
    at = folded.find(letters[0]) if letters else -1
    while at >= 0:
        yield at
        at = folded.find(letters[0], at + 1)


def _score_from(letters: Sequence[str], name: str, folded: str, start: int) -> int | None:
    score, last = 0, start - 1
    for letter in letters:
        at = _best_place(letter, name, folded, last + 1)
        if at is None:
            return None
        if _begins_word(name, at):
            score += _FIRST_OF_WORD
        if at == last + 1 and last >= start:
            score += _NEXT_TO_LAST
        score -= min(_MOST_GAP, _GAP * max(0, at - last - 1)) if last >= start else 0
        last = at
    return score


def _best_place(letter: str, name: str, folded: str, after: int) -> int | None:
    """The very next place if the letter is there, else the next start of a word with it, else its next place."""
    at = folded.find(letter, after)
    if at < 0:
        return None
    if at == after:
        return at
    place = at
    while place >= 0:
        if _begins_word(name, place):
            return place
        place = folded.find(letter, place + 1)
    return at


def _begins_word(name: str, at: int) -> bool:
    before = name[at - 1] if at else "/"
    return not before.isalnum() or (before.islower() and name[at].isupper())
