"""A lexical segment: an immutable inverted index with sorted posting lists, scored with BM25."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.compiled.library_loading import compiled_library
from octavo.algorithms.compiled.word_table import WordTable
from octavo.algorithms.ranking.bm25 import Postings
from octavo.errors import DamagedSnapshot
from octavo.fast_dataclass import dataclass
from octavo.model.ids import ChunkKey
from octavo.model.prepared_document import FIELD_SEPARATOR
from octavo.search_snapshots.memory_mapped_array_file import open_arrays, write_arrays

if TYPE_CHECKING:
    from ctypes import CDLL

HALF_BOOSTS = (6, 5, 5, 4, 4, 3, 2)
"""The boosts of the fields, in their order, in half units: the arguments of `bm25()` in the database's schema."""
_MAX_WEIGHT = 0xFFFF
_WEIGHT_BITS = 16
_BATCH_BITS = 12
_BATCH = 1 << _BATCH_BITS  # rows whose words are split together
_BOOST_BITS = 3  # of each of `HALF_BOOSTS`
_SLICE = 1 << 20  # postings taken apart at once
_SEPARATOR, _NONE = "\0", -1  # no word contains a NUL

Parts = list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint16]]]
"""Numbers of terms, rows and weights: no term twice in a row."""


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

    def terms(self) -> list[str]:
        letters, ends = self.letters.tobytes(), self.ends.tolist()
        return [letters[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise([0, *ends])]

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


class TermNumbers(dict[str, int]):
    """Term → number, in order of first use. The separator is not a term."""

    def __init__(self) -> None:
        super().__init__({_SEPARATOR: _NONE})

    def __missing__(self, term: str) -> int:
        self[term] = number = len(self) - 1
        return number

    def of(self, text: str, fields: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The words of a text with so many fields as numbers, and the number of words in each."""
        words = text.replace(FIELD_SEPARATOR, f" {_SEPARATOR} ").split()
        numbers = np.fromiter(map(self.__getitem__, words), np.int32, len(words))
        ends = np.flatnonzero(numbers == _NONE)
        counts = (np.diff(np.concatenate([[-1], ends, [len(words)]])) - 1).astype(np.int32)
        if len(counts) != fields:
            raise ValueError(f"the text does not have {fields} fields")
        return np.delete(numbers, ends), counts

    def names(self) -> list[bytes]:
        return [term.encode("utf-8", "surrogatepass") for term, number in self.items() if number != _NONE]


class CompiledTermNumbers:
    """The same in a compiled word table."""

    def __init__(self, library: CDLL) -> None:
        self._table = WordTable(library, lambda words: [b""] * len(words))
        self.names = self._table.words

    def of(self, text: str, fields: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        numbers, counts = self._table.numbers(text, FIELD_SEPARATOR, fields)
        return np.frombuffer(numbers, np.int32), np.frombuffer(counts, np.int32)


def _term_numbers() -> TermNumbers | CompiledTermNumbers:
    library = compiled_library()
    return TermNumbers() if library is None else CompiledTermNumbers(library)


def make_segment(rows: Iterable[tuple[ChunkKey, int, str]]) -> Segment:
    """Builds a segment from chunks as (key, document, fields as one text), in any order. Only postings are kept."""
    numbers, fields = _term_numbers(), len(HALF_BOOSTS)
    keys, documents, tokens = array("q"), array("q"), array("i")
    parts: Parts = []
    waiting = iter(rows)
    while batch := list(islice(waiting, _BATCH)):
        first, size = len(keys), len(batch)
        keys_of_batch, documents_of_batch, texts = zip(*batch, strict=True)
        keys.extend(keys_of_batch)
        documents.extend(documents_of_batch)
        words, counts = numbers.of(FIELD_SEPARATOR.join(texts), size * fields)
        tokens.frombytes(counts.reshape(size, fields).sum(axis=1, dtype=np.int32).tobytes())
        # Term, row and boost in one integer: sorting those is much faster than counting with a dictionary for each row.
        cells_of_fields = np.repeat(np.arange(size) << _BOOST_BITS, fields) | np.tile(HALF_BOOSTS, size)
        occurrences = words.astype(np.int64) << (_BATCH_BITS + _BOOST_BITS) | np.repeat(cells_of_fields, counts)
        occurrences.sort()
        cells = occurrences >> _BOOST_BITS
        firsts = np.flatnonzero(np.diff(cells, prepend=-1))
        weights = np.add.reduceat(occurrences & ((1 << _BOOST_BITS) - 1), firsts) if len(firsts) else firsts
        cells = cells[firsts]
        of_batch = (cells & (_BATCH - 1)) + first
        halves = np.minimum(weights, _MAX_WEIGHT).astype(np.uint16)
        parts.append(((cells >> _BATCH_BITS).astype(np.int32), of_batch.astype(np.int32), halves))
    columns = {"keys": np.array(keys), "documents": np.array(documents), "tokens": np.array(tokens)}
    if (np.diff(columns["keys"]) < 0).any():
        order = np.argsort(columns["keys"])
        place_of = np.argsort(order).astype(np.int32)
        columns = {name: column[order] for name, column in columns.items()}
        parts = [(terms, place_of[of_batch], halves) for terms, of_batch, halves in parts]
    return _sorted(columns, numbers.names(), parts)


def merge_segments(segments: Sequence[tuple[Segment, NDArray[np.bool_]]]) -> Segment:
    """One segment with the rows to keep of each."""
    keys = np.concatenate([segment.keys[keep] for segment, keep in segments])
    order = np.argsort(keys, kind="stable")
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    numbers: dict[bytes, int] = {}
    parts: Parts = []
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
        parts.append((np.repeat(np.array(own, dtype=np.int32), counts)[alive], moved[alive], segment.halves[alive]))
    columns = {
        "keys": keys[order],
        "documents": np.concatenate([segment.documents[keep] for segment, keep in segments])[order],
        "tokens": np.concatenate([segment.tokens[keep] for segment, keep in segments])[order],
    }
    return _sorted(columns, list(numbers), parts)


def _sorted(columns: Mapping[str, NDArray[Any]], names: list[bytes], parts: Parts) -> Segment:
    """Postings sorted by term, then by row; terms without postings are dropped. The parts are given up on the way."""
    occurring = np.zeros(len(names), dtype=bool)
    for terms, _, _ in parts:
        occurring[terms] = True
    alphabetical = [number for number in sorted(range(len(names)), key=names.__getitem__) if occurring[number]]
    rank = np.zeros(len(names), dtype=np.uint64)
    rank[alphabetical] = np.arange(len(alphabetical), dtype=np.uint64)
    # Term, row and weight in one integer, sorted in place: several times faster than to sort places by two of them.
    row_bits = len(columns["keys"]).bit_length()
    if len(alphabetical).bit_length() + row_bits + _WEIGHT_BITS > 64:
        raise OverflowError("a segment of so many chunks and words cannot be made")
    cells = np.empty(sum(len(terms) for terms, _, _ in parts), dtype=np.uint64)
    end = len(cells)
    while parts:
        terms, rows_of_part, weights = parts.pop()
        part = cells[end - len(terms) : end]
        part[:] = rank[terms]
        part <<= np.uint64(row_bits)
        part |= rows_of_part.astype(np.uint64)
        part <<= np.uint64(_WEIGHT_BITS)
        part |= weights.astype(np.uint64)
        end -= len(terms)
    cells.sort()
    rows, halves = np.empty(len(cells), np.int32), np.empty(len(cells), np.uint16)
    for start in range(0, len(cells), _SLICE):
        some = cells[start : start + _SLICE]
        halves[start : start + _SLICE] = some & np.uint64(_MAX_WEIGHT)
        rows[start : start + _SLICE] = (some >> np.uint64(_WEIGHT_BITS)) & np.uint64((1 << row_bits) - 1)
    bounds = np.arange(len(alphabetical) + 1, dtype=np.uint64) << np.uint64(row_bits + _WEIGHT_BITS)
    letters = b"".join(names[number] for number in alphabetical)
    return Segment(
        **columns,
        letters=np.frombuffer(letters, dtype=np.uint8),
        ends=np.cumsum([len(names[number]) for number in alphabetical], dtype=np.int64),
        starts=np.searchsorted(cells, bounds).astype(np.int64),
        rows=rows,
        halves=halves,
    )
