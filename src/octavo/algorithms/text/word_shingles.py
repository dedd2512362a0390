"""Shingles, runs of words of a text, and the Jaccard similarity of two sets, without numpy."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from octavo.lazy_regex import regex

_WORD = regex(r"\w+")


def shingles(text: str, size: int = 3) -> frozenset[str]:
    """Runs of `size` words, without case or punctuation; a text shorter than that is one shingle.

    Broder, "On the resemblance and containment of documents", SEQUENCES 1997.

    >>> sorted(shingles("To be, or not to be", size=4))
    ['be or not to', 'or not to be', 'to be or not']
    """
    words = _WORD.findall(text.casefold())
    if len(words) < size:
        return frozenset([" ".join(words)] if words else [])
    # Strings, not tuples: the garbage collector would look at every tuple.
    return frozenset(map(" ".join, zip(*(words[at:] for at in range(size)), strict=False)))


def jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """|A ∩ B| / |A ∪ B|; two empty sets have nothing in common.

    >>> jaccard({"a", "b"}, {"b", "c"})
    0.3333333333333333
    """
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0
