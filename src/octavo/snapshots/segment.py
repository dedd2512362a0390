"""A lexical segment: an immutable inverted index with sorted posting lists, scored with BM25."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.bm25 import Postings
from octavo.dataclass import dataclass
from octavo.errors import DamagedSnapshot
from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import LexicalRow
from octavo.snapshots.array_file import open_arrays, write_arrays

HALF_BOOSTS = (6, 5, 5, 4, 4, 3, 2)
"""The boosts of the fields, in their order, in half units: the arguments of `bm25()` in the database's schema."""
_MAX_WEIGHT = 0xFFFF
_BATCH = 4_096  # rows whose words are split together
_SEPARATOR, _NONE = "\0", -1  # no word contains a NUL


@dataclass(frozen=True, slots=True)
class Segment:
    """Rows ascend with their chunk keys. Terms are sorted, so that those with a common prefix are adjacent."""

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
        encoded = term.encode("utf-8", "surrogatepass")
        number = self._first(encoded)
        if number == len(self.ends) or self.term(number) != encoded:
            return Postings(self.rows[:0], self.halves[:0])
        start, end = int(self.starts[number]), int(self.starts[number + 1])
        return Postings(self.rows[start:end], self.halves[start:end])

    def prefix_postings(self, prefix: str) -> Postings:
        """The union of the posting lists of all terms with this prefix, weights added up, as if it were one term."""
        encoded = prefix.encode("utf-8", "surrogatepass")
        first, last = self._first(encoded), self._first(encoded + b"\xff" * 5)
        start, end = int(self.starts[first]), int(self.starts[last])
        if last - first == 1:
            return Postings(self.rows[start:end], self.halves[start:end])
        rows, places = np.unique(self.rows[start:end], return_inverse=True)
        halves = np.bincount(places, weights=self.halves[start:end], minlength=len(rows))
        return Postings(rows, np.minimum(halves, _MAX_WEIGHT).astype(np.uint16))

    def rows_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of the given keys that are in this segment, ascending with the keys."""
        if not len(self.keys) or not len(keys):
            return np.zeros(0, dtype=np.int64)
        at = np.searchsorted(self.keys, keys)
        at[at == len(self.keys)] = 0
        rows: NDArray[np.int64] = at[self.keys[at] == keys]
        return rows

    def save(self, path: Path) -> None:
        write_arrays(path, {name: getattr(self, name) for name in self.__slots__})

    def _first(self, encoded: bytes) -> int:
        return bisect_left(range(len(self.ends)), encoded, key=self.term)


def open_segment(path: Path) -> Segment:
    arrays = open_arrays(path)
    try:
        segment = Segment(**arrays)
        rows, terms, postings = len(segment.keys), len(segment.ends), len(segment.rows)
        fits = len(segment.tokens) == len(segment.documents) == rows and len(segment.starts) == terms + 1
        if not fits or len(segment.halves) != postings or int(segment.starts[-1]) != postings:
            raise ValueError("its arrays have different lengths")
    except (TypeError, ValueError, IndexError) as error:
        raise DamagedSnapshot(
            f"{path} is not a lexical segment: {error}", hint="run `octavo snapshots build` to make it anew"
        ) from error
    return segment


class _TermNumbers(dict[str, int]):
    """Term → number, in order of first use. The separator is not a term."""

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self) - 1
        return number


def make_segment(rows: Iterable[tuple[ChunkKey, int, LexicalRow]]) -> Segment:
    """Builds a segment from chunks as (key, document, analysed fields), keys ascending."""
    numbers = _TermNumbers({_SEPARATOR: _NONE})
    keys, documents = array("q"), array("q")
    # Words as numbers, counted by numpy: faster than a dictionary for each row.
    words: tuple[list[NDArray[np.int32]], ...] = tuple([] for _ in HALF_BOOSTS)
    lengths: tuple[list[NDArray[np.int32]], ...] = tuple([] for _ in HALF_BOOSTS)
    waiting = iter(rows)
    while batch := list(islice(waiting, _BATCH)):
        keys.extend([key for key, _, _ in batch])
        documents.extend([document for _, document, _ in batch])
        for place in range(len(HALF_BOOSTS)):
            word_numbers, counts = _numbered([fields[place] for _, _, fields in batch], numbers)
            words[place].append(word_numbers)
            lengths[place].append(counts)
    empty = np.zeros(0, dtype=np.int32)
    field_lengths = np.array([np.concatenate([empty, *field]) for field in lengths], dtype=np.int32)
    all_rows = np.arange(len(keys), dtype=np.int32)
    return _sorted(
        {
            "keys": np.array(keys, dtype=np.int64),
            "documents": np.array(documents, dtype=np.int64),
            "tokens": field_lengths.sum(axis=0, dtype=np.int32),
        },
        [term.encode("utf-8", "surrogatepass") for term, number in numbers.items() if number != _NONE],
        np.concatenate([empty, *(chunk_words for field in words for chunk_words in field)]),
        np.concatenate([np.repeat(all_rows, lengths_of) for lengths_of in field_lengths]),
        np.repeat(np.array(HALF_BOOSTS, dtype=np.int32), field_lengths.sum(axis=1)),
    )


def _numbered(fields: list[str], numbers: _TermNumbers) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The words of all fields as numbers, and the number of words in each. Splitting them together is much faster."""
    words = f" {_SEPARATOR} ".join(fields).split()
    word_numbers = np.fromiter(map(numbers.__getitem__, words), np.int32, len(words))
    ends = np.flatnonzero(word_numbers == numbers[_SEPARATOR])
    counts = np.diff(np.concatenate([[-1], ends, [len(word_numbers)]])) - 1
    return np.delete(word_numbers, ends), counts.astype(np.int32)


def merge_segments(segments: Sequence[tuple[Segment, NDArray[np.bool_]]]) -> Segment:
    """One segment with the rows to keep of each."""
    keys = np.concatenate([segment.keys[keep] for segment, keep in segments])
    order = np.argsort(keys, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    numbers: dict[bytes, int] = {}
    terms, rows, halves = [], [], []
    first = 0
    for segment, keep in segments:
        renumbered = np.full(len(segment), -1, dtype=np.int32)
        count = int(keep.sum())
        renumbered[keep] = place[first : first + count]
        first += count
        own = [numbers.setdefault(segment.term(number), len(numbers)) for number in range(len(segment.ends))]
        counts = np.diff(segment.starts)
        moved = renumbered[segment.rows]
        alive = moved >= 0
        terms.append(np.repeat(np.array(own, dtype=np.int32), counts)[alive])
        rows.append(moved[alive])
        halves.append(segment.halves[alive])
    columns = {
        "keys": keys[order],
        "documents": np.concatenate([segment.documents[keep] for segment, keep in segments])[order],
        "tokens": np.concatenate([segment.tokens[keep] for segment, keep in segments])[order],
    }
    return _sorted(columns, list(numbers), np.concatenate(terms), np.concatenate(rows), np.concatenate(halves))


def _sorted(
    columns: Mapping[str, NDArray[Any]],
    names: list[bytes],
    terms: NDArray[np.int32],
    rows: NDArray[np.int32],
    halves: NDArray[Any],
) -> Segment:
    """Postings sorted by term, then by row; terms without postings are dropped.

    Several postings of one row and term are added up.
    """
    occurrences = np.bincount(terms, minlength=len(names)) if len(names) else np.zeros(0, dtype=np.int64)
    alphabetical = [number for number in sorted(range(len(names)), key=names.__getitem__) if occurrences[number]]
    rank = np.zeros(len(names), dtype=np.int32)
    rank[alphabetical] = np.arange(len(alphabetical), dtype=np.int32)
    # Term and row in one integer: sorting those is several times faster than sorting pairs.
    both = (rank[terms].astype(np.int64) << 32) | rows
    order = np.argsort(both)
    both, halves = both[order], halves[order]
    firsts = np.flatnonzero(np.concatenate([[True], both[1:] != both[:-1]])) if len(both) else np.zeros(0, np.int64)
    if len(firsts) < len(both):
        both, halves = both[firsts], np.add.reduceat(halves, firsts)
    counts = np.bincount(both >> 32, minlength=len(alphabetical)) if len(both) else np.zeros(0, dtype=np.int64)
    letters = b"".join(names[number] for number in alphabetical)
    return Segment(
        **columns,
        letters=np.frombuffer(letters, dtype=np.uint8),
        ends=np.cumsum([len(names[number]) for number in alphabetical], dtype=np.int64),
        starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        rows=(both & 0xFFFFFFFF).astype(np.int32),
        halves=np.minimum(halves, _MAX_WEIGHT).astype(np.uint16),
    )
