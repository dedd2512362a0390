"""A lexical segment: for every term the rows that hold it, immutable and sorted, so that BM25 can be had from it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.algorithms.bm25 import Postings
from recto.errors import DamagedSnapshot
from recto.model.ids import ChunkKey
from recto.model.index import LexicalRow
from recto.snapshots.arrays import open_arrays, write_arrays

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HALVES = (6, 5, 5, 4, 4, 3, 2)
"""The boosts of the fields, in their order, in half units: what `bm25()` is given in the library's schema."""
_MOST = 0xFFFF
_AT_ONCE = 4_096  # rows whose words are split together
_BETWEEN, _NONE = "\0", -1  # no word is that


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows ascend with their chunks' keys. Terms are sorted, so that those with one beginning stand together."""

    keys: NDArray[np.int64]
    documents: NDArray[np.int64]
    tokens: NDArray[np.int32]
    letters: NDArray[np.uint8]
    ends: NDArray[np.int64]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    halves: NDArray[np.uint16]

    def __len__(self) -> int:
        return len(self.keys)

    def term(self, number: int) -> bytes:
        start = int(self.ends[number - 1]) if number else 0
        return self.letters[start : int(self.ends[number])].tobytes()

    def postings(self, term: str) -> Postings:
        wanted = term.encode("utf-8", "surrogatepass")
        number = self._first(wanted)
        if number == len(self.ends) or self.term(number) != wanted:
            return Postings(self.rows[:0], self.halves[:0])
        start, end = int(self.starts[number]), int(self.starts[number + 1])
        return Postings(self.rows[start:end], self.halves[start:end])

    def beginning(self, prefix: str) -> Postings:
        """Rows with any term that starts so: a term of its own, as often as all of them together."""
        import numpy as np

        wanted = prefix.encode("utf-8", "surrogatepass")
        first, last = self._first(wanted), self._first(wanted + b"\xff" * 5)
        start, end = int(self.starts[first]), int(self.starts[last])
        if last - first == 1:
            return Postings(self.rows[start:end], self.halves[start:end])
        rows, places = np.unique(self.rows[start:end], return_inverse=True)
        halves = np.bincount(places, weights=self.halves[start:end], minlength=len(rows))
        return Postings(rows, np.minimum(halves, _MOST).astype(np.uint16))

    def present(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of those keys that are here, ascending with the keys."""
        import numpy as np

        if not len(self.keys) or not len(keys):
            return np.zeros(0, dtype=np.int64)
        at = np.searchsorted(self.keys, keys)
        at[at == len(self.keys)] = 0
        found: NDArray[np.int64] = at[self.keys[at] == keys]
        return found

    def save(self, path: Path) -> None:
        write_arrays(path, {name: getattr(self, name) for name in self.__slots__})

    def _first(self, wanted: bytes) -> int:
        return bisect_left(range(len(self.ends)), wanted, key=self.term)


def open_segment(path: Path) -> Segment:
    arrays = open_arrays(path)
    try:
        segment = Segment(**arrays)
        rows, terms, postings = len(segment.keys), len(segment.ends), len(segment.rows)
        fits = len(segment.tokens) == len(segment.documents) == rows and len(segment.starts) == terms + 1
        if not fits or len(segment.halves) != postings or int(segment.starts[-1]) != postings:
            raise ValueError("its parts do not fit together")
    except (TypeError, ValueError, IndexError) as error:
        raise DamagedSnapshot(
            f"{path} is not a lexical segment: {error}", hint="run `recto snapshot build` to make it anew"
        ) from error
    return segment


class _Numbers(dict[str, int]):
    """Terms → their numbers, in the order in which they were first asked for. What stands between texts is none."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self) - 1
        return number


def make_segment(rows: Iterable[tuple[ChunkKey, int, LexicalRow]]) -> Segment:
    """From chunks as (key, document, analysed fields), keys ascending."""
    import numpy as np

    numbers = _Numbers({_BETWEEN: _NONE})
    keys, documents = array("q"), array("q")
    # Every word of every field by its number; numpy counts them, which is faster than a dictionary for each row.
    words: tuple[list[NDArray[np.int32]], ...] = tuple([] for _ in HALVES)
    lengths: tuple[list[NDArray[np.int32]], ...] = tuple([] for _ in HALVES)
    waiting = iter(rows)
    while some := list(islice(waiting, _AT_ONCE)):
        keys.extend([key for key, _, _ in some])
        documents.extend([document for _, document, _ in some])
        for place in range(len(HALVES)):
            found, often = _numbered([fields[place] for _, _, fields in some], numbers)
            words[place].append(found)
            lengths[place].append(often)
    nothing = np.zeros(0, dtype=np.int32)
    several = np.array([np.concatenate([nothing, *one]) for one in lengths], dtype=np.int32)
    all_rows = np.arange(len(keys), dtype=np.int32)
    return _sorted(
        {
            "keys": np.array(keys, dtype=np.int64),
            "documents": np.array(documents, dtype=np.int64),
            "tokens": several.sum(axis=0, dtype=np.int32),
        },
        [term.encode("utf-8", "surrogatepass") for term, number in numbers.items() if number != _NONE],
        np.concatenate([nothing, *(one for several in words for one in several)]),
        np.concatenate([np.repeat(all_rows, one) for one in several]),
        np.repeat(np.array(HALVES, dtype=np.int32), several.sum(axis=1)),
    )


def _numbered(fields: list[str], numbers: _Numbers) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The words of all fields by their numbers, and how many each has. Together they are split several times faster."""
    import numpy as np

    words = f" {_BETWEEN} ".join(fields).split()
    found = np.fromiter(map(numbers.__getitem__, words), np.int32, len(words))
    ends = np.flatnonzero(found == numbers[_BETWEEN])
    often = np.diff(np.concatenate([[-1], ends, [len(found)]])) - 1
    return np.delete(found, ends), often.astype(np.int32)


def merge_segments(segments: Sequence[tuple[Segment, NDArray[np.bool_]]]) -> Segment:
    """One segment of the rows that are kept of each."""
    import numpy as np

    keys = np.concatenate([segment.keys[kept] for segment, kept in segments])
    order = np.argsort(keys, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    numbers: dict[bytes, int] = {}
    terms, rows, halves = [], [], []
    first = 0
    for segment, kept in segments:
        renumbered = np.full(len(segment), -1, dtype=np.int32)
        count = int(kept.sum())
        renumbered[kept] = place[first : first + count]
        first += count
        own = [numbers.setdefault(segment.term(number), len(numbers)) for number in range(len(segment.ends))]
        often = np.diff(segment.starts)
        moved = renumbered[segment.rows]
        alive = moved >= 0
        terms.append(np.repeat(np.array(own, dtype=np.int32), often)[alive])
        rows.append(moved[alive])
        halves.append(segment.halves[alive])
    columns = {
        "keys": keys[order],
        "documents": np.concatenate([segment.documents[kept] for segment, kept in segments])[order],
        "tokens": np.concatenate([segment.tokens[kept] for segment, kept in segments])[order],
    }
    return _sorted(columns, list(numbers), np.concatenate(terms), np.concatenate(rows), np.concatenate(halves))


def _sorted(
    columns: Mapping[str, NDArray[Any]],
    names: list[bytes],
    terms: NDArray[np.int32],
    rows: NDArray[np.int32],
    halves: NDArray[Any],
) -> Segment:
    """Postings in the order of their terms, each term's in the order of its rows; terms nobody holds are left out.

    What comes several times for one row and term is added up.
    """
    import numpy as np

    held = np.bincount(terms, minlength=len(names)) if len(names) else np.zeros(0, dtype=np.int64)
    alphabetical = [number for number in sorted(range(len(names)), key=names.__getitem__) if held[number]]
    rank = np.zeros(len(names), dtype=np.int32)
    rank[alphabetical] = np.arange(len(alphabetical), dtype=np.int32)
    # One number for both: sorting those is several times faster than sorting pairs.
    both = (rank[terms].astype(np.int64) << 32) | rows
    order = np.argsort(both)
    both, halves = both[order], halves[order]
    firsts = np.flatnonzero(np.concatenate([[True], both[1:] != both[:-1]])) if len(both) else np.zeros(0, np.int64)
    if len(firsts) < len(both):
        both, halves = both[firsts], np.add.reduceat(halves, firsts)
    often = np.bincount(both >> 32, minlength=len(alphabetical)) if len(both) else np.zeros(0, dtype=np.int64)
    letters = b"".join(names[number] for number in alphabetical)
    return Segment(
        **columns,
        letters=np.frombuffer(letters, dtype=np.uint8),
        ends=np.cumsum([len(names[number]) for number in alphabetical], dtype=np.int64),
        starts=np.concatenate([[0], np.cumsum(often)]).astype(np.int64),
        rows=(both & 0xFFFFFFFF).astype(np.int32),
        halves=np.minimum(halves, _MOST).astype(np.uint16),
    )
