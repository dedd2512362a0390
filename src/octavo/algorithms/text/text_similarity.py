"""How alike two texts are: Jaccard over many sets, MinHash, trigrams, edits."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray


def jaccards(sets: Sequence[AbstractSet[str]]) -> NDArray[np.float64]:
    """The Jaccard similarity of every two sets, each set a number whose bits are the pieces that others hold too."""
    seen: set[str] = set()
    shared: set[str] = set()
    for pieces in sets:
        shared |= seen & pieces
        seen |= pieces
    columns = {piece: place for place, piece in enumerate(shared)}
    membership = np.zeros((len(sets), len(columns)), dtype=bool)
    for row, pieces in enumerate(sets):
        membership[row, [columns[piece] for piece in pieces & shared]] = True
    bits = [int.from_bytes(row.tobytes(), "big") for row in np.packbits(membership, axis=1)]
    alike = np.eye(len(sets))
    for i, pieces in enumerate(sets):
        if not pieces:
            alike[i, i] = 0.0
        for j in range(i) if bits[i] else ():
            both = (bits[i] & bits[j]).bit_count()
            if both:
                alike[i, j] = alike[j, i] = both / (len(pieces) + len(sets[j]) - both)
    return alike


def minhash_jaccards(sets: Sequence[AbstractSet[str]], permutations: int = 128, seed: int = 1) -> NDArray[np.float64]:
    """An estimate of the same from signatures of fixed size, off by about 1 / sqrt(permutations).

    Two sets agree in as large a share of their signatures' places as they are alike. Raises ImportError where `rensa`,
    which computes the signatures, is not installed.
    """
    from rensa import RMinHash

    signatures = np.array(
        RMinHash.digests_from_token_sets([list(pieces) for pieces in sets], permutations, seed), dtype=np.uint32
    )
    alike = np.zeros((len(sets), len(sets)))
    for row in range(len(sets)):
        alike[row] = (signatures == signatures[row]).mean(axis=1)
    empty = [place for place, pieces in enumerate(sets) if not pieces]
    alike[empty], alike[:, empty] = 0.0, 0.0
    return alike


def kept_first(alike: Sequence[Sequence[float]], threshold: float) -> list[int]:
    """For each thing, best first: the place of the earliest kept one it is that much like, or its own.

    >>> kept_first([[1, 0, 1], [0, 1, 0], [1, 0, 1]], 0.5)
    [0, 1, 0]
    """
    kept: list[int] = []
    stands_for: list[int] = []
    for place, row in enumerate(alike):
        earlier = next((candidate for candidate in kept if row[candidate] >= threshold), place)
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
