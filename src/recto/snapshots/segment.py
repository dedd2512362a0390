"""A lexical segment: for every term the rows that hold it, immutable and sorted, so that BM25 can be had from it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
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


def make_segment(rows: Iterable[tuple[ChunkKey, int, LexicalRow]]) -> Segment:
    """From chunks as (key, document, analysed fields), keys ascending."""
    import numpy as np

    numbers: dict[str, int] = {}
    number_of = numbers.setdefault
    keys, documents, tokens = array("q"), array("q"), array("i")
    terms, held, halves = array("i"), array("i"), array("i")
    for row, (key, document, fields) in enumerate(rows):
        often: dict[str, int] = {}
        length = 0
        for boost, field in zip(HALVES, fields, strict=True):
            if field:
                words = field.split()
                length += len(words)
                for word in words:
                    often[word] = often.get(word, 0) + boost
        keys.append(key)
        documents.append(document)
        tokens.append(length)
        terms.extend([number_of(word, len(numbers)) for word in often])
        halves.extend(often.values())
        held.extend(repeat(row, len(often)))
    return _sorted(
        {
            "keys": np.array(keys, dtype=np.int64),
            "documents": np.array(documents, dtype=np.int64),
            "tokens": np.array(tokens, dtype=np.int32),
        },
        [term.encode("utf-8", "surrogatepass") for term in numbers],
        np.array(terms, dtype=np.int32),
        np.array(held, dtype=np.int32),
        np.minimum(np.array(halves, dtype=np.int32), _MOST).astype(np.uint16),
    )


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
    halves: NDArray[np.uint16],
) -> Segment:
    """Postings in the order of their terms, each term's in the order of its rows; terms nobody holds are left out."""
    import numpy as np

    often = np.bincount(terms, minlength=len(names)) if len(names) else np.zeros(0, dtype=np.int64)
    alphabetical = [number for number in sorted(range(len(names)), key=names.__getitem__) if often[number]]
    rank = np.zeros(len(names), dtype=np.int32)
    rank[alphabetical] = np.arange(len(alphabetical), dtype=np.int32)
    # One number each, all of them different: sorting those is several times faster than sorting pairs.
    order = np.argsort((rank[terms].astype(np.int64) << 32) | rows)
    letters = b"".join(names[number] for number in alphabetical)
    return Segment(
        **columns,
        letters=np.frombuffer(letters, dtype=np.uint8),
        ends=np.cumsum([len(names[number]) for number in alphabetical], dtype=np.int64),
        starts=np.concatenate([[0], np.cumsum(often[alphabetical])]).astype(np.int64),
        rows=rows[order],
        halves=halves[order],
    )
