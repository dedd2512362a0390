"""How alike two texts are, by the pieces they share: shingles, Jaccard, MinHash, trigrams, edits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet

_WORD = re.compile(r"\w+")

Alike = Callable[[int, int], float]
"""How alike texts i and j are, between 0 and 1."""


def shingles(text: str, size: int = 3) -> frozenset[str]:
    """Runs of `size` words, without case or punctuation; a text shorter than that is one shingle.

    Broder, "On the resemblance and containment of documents", SEQUENCES 1997.

    >>> sorted(shingles("To be, or not to be", size=4))
    ['be or not to', 'or not to be', 'to be or not']
    """
    words = _WORD.findall(text.casefold())
    if not words:
        return frozenset()
    return frozenset(" ".join(words[at : at + size]) for at in range(max(1, len(words) - size + 1)))


def jaccard(one: AbstractSet[str], other: AbstractSet[str]) -> float:
    """|A ∩ B| / |A ∪ B|; two empty sets have nothing in common.

    >>> jaccard({"a", "b"}, {"b", "c"})
    0.3333333333333333
    """
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def by_shingles(texts: Iterable[str], size: int = 3) -> Alike:
    """The exact Jaccard similarity of the texts' shingles."""
    sets = [shingles(text, size) for text in texts]
    return lambda i, j: jaccard(sets[i], sets[j])


def by_minhash(texts: Iterable[str], size: int = 3, permutations: int = 128, seed: int = 1) -> Alike:
    """An estimate of the same from signatures of fixed size, off by about 1 / sqrt(permutations).

    Raises ImportError where `rensa`, which computes the signatures, is not installed.
    """
    from rensa import RMinHash

    signatures = []
    for text in texts:
        signature = RMinHash(permutations, seed)
        signature.update(sorted(shingles(text, size)))
        signatures.append(signature)

    def alike(i: int, j: int) -> float:
        return float(signatures[i].jaccard(signatures[j]))

    return alike


def kept_first(count: int, alike: Alike, threshold: float) -> list[int]:
    """For each of `count` things, best first: the place of the earlier kept one it repeats, or its own.

    >>> kept_first(3, lambda i, j: 1.0 if {i, j} == {0, 2} else 0.0, 0.5)
    [0, 1, 0]
    """
    kept: list[int] = []
    stands_for: list[int] = []
    for place in range(count):
        earlier = next((one for one in kept if alike(one, place) >= threshold), place)
        if earlier == place:
            kept.append(place)
        stands_for.append(earlier)
    return stands_for


def trigrams(word: str) -> frozenset[str]:
    """Three characters at a time, with the beginning and the end marked.

    >>> sorted(trigrams("cat"))
    ['\\x02\\x02c', '\\x02ca', 'at\\x03', 'cat']
    """
    marked = f"\2\2{word}\3"
    return frozenset(marked[at : at + 3] for at in range(len(marked) - 2))


def edits(one: str, other: str, most: int) -> int | None:
    """Insertions, deletions, replacements and swaps of neighbours from one word to the other; None beyond `most`.

    Optimal string alignment: Damerau, "A technique for computer detection and correction of spelling errors", 1964.

    >>> edits("recieve", "receive", 2)
    1
    """
    if abs(len(one) - len(other)) > most:
        return None
    before: Sequence[int] = ()
    row: Sequence[int] = range(len(other) + 1)
    for i, left in enumerate(one, 1):
        following = [i]
        for j, right in enumerate(other, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        if min(following) > most:
            return None
        before, row = row, following
    return row[-1] if row[-1] <= most else None
