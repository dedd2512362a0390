"""Where words stand, as arrays of numbers: row and position in one, so that a phrase is an intersection.

A place is `row << 20 | position`. Rows ascend as they are written and positions count the tokens of one field, so the
places of a word ascend, its rows are a shift away, and a word follows another where its places less one are that one's.
"""

from __future__ import annotations

import hashlib
import re
import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from recto.model.index import LEXICAL_FIELDS, LexicalRow

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BOOSTS = (3.0, 2.5, 2.5, 2.0, 2.0, 1.5, 1.0)
"""What a word counts in each field, as for FTS5."""

POSITION_BITS = 20
_LAST_POSITION = (1 << POSITION_BITS) - 1
_SPARSE = 8  # keys for each row: a table of so many takes no more memory than the rows themselves
_LONGEST_TERM = 256  # characters: an entry of a btree has to fit a third of a page
# As FTS5's tokenizer separates: what is ASCII and neither letter, digit nor underscore stands between words.
_TOKEN = re.compile("[0-9a-z_\x80-\U0010ffff]+")


def tokens_of(text: str) -> list[str]:
    found: list[str] = _TOKEN.findall(text.lower())
    return [_term(token) if len(token) > _LONGEST_TERM else token for token in found]


def _term(token: str) -> str:
    """A word too long for the index goes in by its beginning and its hash."""
    return token[:_LONGEST_TERM] + hashlib.sha256(token.encode()).hexdigest()


def gather(rows: Iterable[tuple[int, LexicalRow]]) -> tuple[dict[tuple[int, str], bytes], dict[int, int]]:
    """The places of every word by field and word, and the length of every row in tokens."""
    places: defaultdict[tuple[int, str], array[int]] = defaultdict(lambda: array("q"))
    lengths: dict[int, int] = {}
    for key, row in rows:
        first, length = key << POSITION_BITS, 0
        for field, name in enumerate(LEXICAL_FIELDS):
            if text := getattr(row, name):
                tokens = tokens_of(text)
                length += len(tokens)
                for position, token in enumerate(tokens):
                    places[field, token].append(first + min(position, _LAST_POSITION))
        lengths[key] = length
    if sys.byteorder == "big":
        for several in places.values():
            several.byteswap()
    return {where: several.tobytes() for where, several in places.items()}, lengths


def together(blocks: Sequence[bytes]) -> NDArray[np.int64]:
    """One array from the blocks of a word: in order, whatever order they were joined in."""
    import numpy as np

    found = np.frombuffer(b"".join(blocks), dtype="<i8")
    return found if _ascending(found) else np.sort(found)


def _ascending(found: NDArray[np.int64]) -> bool:
    return bool((found[1:] > found[:-1]).all())


def phrase_places(words: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Where the words stand one after the other, by the place of the first."""

    def follow(found: NDArray[np.int64], word: tuple[int, NDArray[np.int64]]) -> NDArray[np.int64]:
        return _in_both(found, word[1] - word[0])

    return reduce(follow, list(enumerate(words))[1:], words[0])


def _in_both(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of two that ascend. Each of the shorter is looked up in the longer: a rare word beside a common one is cheap."""
    import numpy as np

    few, many = sorted((one, other), key=len)
    if not len(few):
        return few
    at = np.minimum(np.searchsorted(many, few), len(many) - 1)
    kept: NDArray[np.int64] = few[many[at] == few]
    return kept


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one project's index at one generation, ascending. Those that went are marked."""

    generation: int
    keys: NDArray[np.int64]
    chunks: NDArray[np.int64]
    lengths: NDArray[np.float64]
    alive: NDArray[np.bool_]
    count: int
    """Of those that are alive."""
    relative: NDArray[np.float64]
    """The length of each, as a multiple of the mean of those that are alive."""
    numbers: NDArray[np.int32] | None
    """Key, counted from the first → the row's number, or -1; None where the keys lie too far apart for a table."""

    @classmethod
    def none(cls) -> Rows:
        import numpy as np

        keys = np.zeros(0, dtype=np.int64)
        return cls.of(-1, keys, keys, keys.astype(np.float64), keys.astype(bool))

    @classmethod
    def of(
        cls,
        generation: int,
        keys: NDArray[np.int64],
        chunks: NDArray[np.int64],
        lengths: NDArray[np.float64],
        alive: NDArray[np.bool_],
    ) -> Rows:
        """With what every search needs of them computed once."""
        import numpy as np

        count = int(alive.sum())
        mean = float(lengths[alive].sum()) / count if count else 1.0
        numbers = None
        if len(keys) and (reach := int(keys[-1] - keys[0]) + 1) <= _SPARSE * len(keys):
            numbers = np.full(reach, -1, dtype=np.int32)
            numbers[keys[alive] - keys[0]] = np.flatnonzero(alive)
        return cls(generation, keys, chunks, lengths, alive, count, lengths / (mean or 1.0), numbers)

    @property
    def newest(self) -> int:
        return int(self.keys[-1]) if len(self.keys) else 0

    def advanced(self, generation: int, rows: Sequence[tuple[int, int, int, int]]) -> Rows:
        """With what came and went since: (key, chunk, length, generation it went at or 0)."""
        import numpy as np

        if not rows:
            return replace(self, generation=generation)
        given = np.array(rows, dtype=np.int64)
        went, came = given[given[:, 3] > 0, 0], given[given[:, 3] == 0]
        alive = self.alive
        if len(went) and len(self.keys):
            at = np.minimum(np.searchsorted(self.keys, went), len(self.keys) - 1)
            alive = alive.copy()
            alive[at[self.keys[at] == went]] = False
        return Rows.of(
            generation,
            np.concatenate([self.keys, came[:, 0]]),
            np.concatenate([self.chunks, came[:, 1]]),
            np.concatenate([self.lengths, came[:, 2].astype(np.float64)]),
            np.concatenate([alive, np.ones(len(came), dtype=bool)]),
        )

    def at(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers, counted from 0, of the rows that hold these places, once for each place; gone ones left out."""
        import numpy as np

        if not len(self.keys) or not len(places):
            return np.zeros(0, dtype=np.int64)
        keys = places >> POSITION_BITS
        if self.numbers is not None:
            # A word's places ascend, and may be of rows that went before the first or came after the last of these.
            keys = keys[np.searchsorted(keys, self.keys[0]) : np.searchsorted(keys, self.newest, side="right")]
            found = self.numbers[keys - self.keys[0]].astype(np.int64)
            kept: NDArray[np.int64] = found[found >= 0]
        else:
            found = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            kept = found[(self.keys[found] == keys) & self.alive[found]]
        return kept


Places = Mapping[str, Mapping[int, "NDArray[np.int64]"]]
"""By word, then by the number of the field."""
