"""Which words mean the same and which the opposite: WordNet's relations between frequent English words, by stem."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

_FILE = Path(__file__).parent / "words.txt"
_NEGATING = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis", "anti", "counter")
_INFLECTED = 5  # letters from which words that differ in their last two are taken for forms of one


class _Relations(NamedTuple):
    same: dict[str, set[str]]
    opposite: dict[str, set[str]]
    base: dict[str, str]
    verbs: set[str]


@cache
def _relations() -> _Relations:
    relations = _Relations({}, {}, {}, set())
    for line in _FILE.read_text("utf-8").splitlines():
        kind, one, other = f"{line} ".split(" ", 2)
        other = other.rstrip()
        if kind == "<":
            relations.base[one] = other
        elif kind == "v":
            relations.verbs.add(one)
        elif kind in "=!":
            table = relations.same if kind == "=" else relations.opposite
            table.setdefault(one, set()).add(other)
            table.setdefault(other, set()).add(one)
    return relations


def base(stem: str) -> str:
    """The stem of the word that another is an irregular form or a degree of.

    >>> base("wrote"), base("oldest"), base("mirror")
    ('write', 'old', 'mirror')
    """
    known = _relations()
    if stem in known.base:
        return known.base[stem]
    shorter = stem.removesuffix("est") if stem.endswith("est") else stem.removesuffix("er")
    return shorter if shorter in known.opposite else stem


def is_english(stem: str) -> bool:
    """Whether a stem is that of a frequent English word with relations.

    >>> is_english("invent"), is_english("keybord")
    (True, False)
    """
    known = _relations()
    return any(stem in words for words in (known.same, known.opposite, known.base, known.verbs))


def share_meaning(one: str, other: str) -> bool:
    """Whether two stems are one word or are listed with a common meaning."""
    return one == other or other in _relations().same.get(one, ())


def same(one: str, other: str) -> bool:
    """Whether two stems are one word, forms of one, or share a meaning."""
    if share_meaning(one, other):
        return True
    shortest, longest = sorted((len(one), len(other)))
    return shortest > _INFLECTED and one[: longest - 2] == other[: longest - 2] and not opposite(one, other)


def opposite(one: str, other: str) -> bool:
    """Whether two stems are listed as opposites, or a prefix makes one of the other: visible, invisible."""
    short, long = sorted((one, other), key=len)
    return other in _relations().opposite.get(one, ()) or (
        len(short) > 3 and long in (f"{un}{short}" for un in _NEGATING)
    )


def is_verb(stem: str) -> bool:
    """Whether the word is a verb more often than anything else."""
    return stem in _relations().verbs
