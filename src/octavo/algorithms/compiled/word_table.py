"""A persistent table from words to what Python says of them once: a text is looked up in C, word by word.

`make` is given the words that are new, as (word, whether it is the first of its text), and answers with a value for
each: bytes, or None where a text that has it must be looked at as a whole. A table is shared between threads.
"""

from __future__ import annotations

import threading
import weakref
from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ctypes import CDLL

NUMBERS = "q"  # of ends and sizes, as `array` calls them
SIZES = "i"
_WORD, _SEPARATOR, _MAY_SEPARATE = range(3)
_MAX_WORDS = 200_000
_MAX_BYTES = 48_000_000
_SEED = hash("octavo") & (1 << 64) - 1  # salted per process: nobody can write words that share a slot
_UNUSUAL = -2
_NO_MEMORY = -1
_FIRST = 0xFF  # before the first word of a text; no text in UTF-8 has this byte

Make = Callable[[Sequence[tuple[str, bool]]], Sequence[bytes | None]]


@cache
def _wide_spaces() -> tuple[bytes, ...]:
    """What `str.split` takes for white space, beyond ASCII: all of it is in the first plane.

    Looked for once there is a table: it takes as long as a twentieth of a cold search.
    """
    return tuple(chr(code).encode() for code in range(128, 0xD800) if chr(code).isspace())


class WordTable:
    """`separators` has a byte for each ASCII character: a blank where it stands between words."""

    def __init__(
        self, library: CDLL, make: Make, separators: bytes | None = None, function_words: Sequence[str] | None = None
    ) -> None:
        self._library, self._make, self._function_words = library, make, function_words or ()
        self._lock = threading.Lock()
        ascii_spaces = separators or bytes(32 if chr(code).isspace() else 0 for code in range(128))
        leads = {space[0] for space in _wide_spaces()}
        classes = bytes(
            _SEPARATOR * (ascii_spaces[byte] == 32) if byte < 128 else _MAY_SEPARATE * (byte in leads)
            for byte in range(256)
        )
        wide = array("I", (int.from_bytes(space, "big") for space in _wide_spaces()))
        tokens = function_words is not None
        table = library.octavo_table_new(_SEED, classes, address(wide), len(wide), tokens)
        if not table:
            raise MemoryError
        self._table: int = table
        weakref.finalize(self, library.octavo_table_free, table).atexit = False
        self._name_function_words()

    def merge_by(self, tokens: Sequence[bytes]) -> None:
        """The values of words in ASCII are their byte-pair tokens, of a vocabulary in the order of its ranks: `make`
        is asked about others."""
        ends = array(NUMBERS, accumulate(map(len, tokens)))
        ranks = self._library.octavo_ranks_new(_SEED, b"".join(tokens), address(ends), len(tokens))
        if not ranks:
            raise MemoryError
        weakref.finalize(self, self._library.octavo_table_free, ranks).atexit = False
        self._library.octavo_table_merge_by(self._table, ranks, len(tokens))

    def merged(self, pretokens: Sequence[str]) -> list[bytes]:
        """The tokens of each, as `make` asks for them."""
        data, ends = encoded(pretokens)
        until = array(NUMBERS, bytes(8 * len(ends)))
        if self._library.octavo_table_merge(self._table, data, address(ends), len(ends), address(until)):
            raise MemoryError
        output = self._output()
        return [output[start:end] for start, end in zip((0, *until), until, strict=False)]

    def measured(self, text: str, starts: Sequence[int], ends: Sequence[int]) -> array[int]:
        """The bytes of the values of all words in each range; ranges are in order."""
        data = text.encode("utf-8", "surrogatepass")
        bounds = array(NUMBERS, starts), array(NUMBERS, ends)
        sizes = array(NUMBERS, bytes(8 * len(starts)))
        is_ascii, places, count = len(data) == len(text), tuple(map(address, bounds)), len(starts)
        with self._lock:
            self._repeated("measure", data, len(data), is_ascii, *places, count, address(sizes))
        return sizes

    def each(self, text: str) -> list[tuple[int, int]]:
        """Where each word ends, and the bytes of its value."""
        data = text.encode("utf-8", "surrogatepass")
        ends, count = array(NUMBERS, bytes(8 * (len(data) // 2 + 1))), array(NUMBERS, [0])
        sizes = ends[:]
        with self._lock:
            self._repeated("each", data, len(data), address(ends), address(sizes), address(count))
        return list(zip(ends[: count[0]], sizes, strict=False))

    def rewritten(self, texts: Sequence[str], cut: int, between: int = -1) -> list[bytes | None]:
        """The values of each text's words, one after the other; None for what must be looked at as a whole."""
        data, ends = encoded(texts)
        written = array(NUMBERS, bytes(8 * len(texts)))
        arguments = data, address(ends), len(texts), cut, between, address(written)
        values: list[bytes | None] = []
        with self._lock:
            self._repeated("rewrite", *arguments)
            output, start = self._output(), 0
        for end in written:
            values.append(output[start:end] if end >= 0 else None)
            start = max(end, -1 - end)
        return values

    def numbers(self, text: str, between: str, fields: int) -> tuple[bytes, array[int]]:
        """The words of a text as numbers in order of first use, `SIZES` each, and how many words each of its fields
        has. Words are not forgotten between such calls."""
        data, counts = text.encode("utf-8", "surrogatepass"), array(SIZES, bytes(4 * fields))
        with self._lock:
            found = self._library.octavo_table_numbers(
                self._table, data, len(data), ord(between), fields, address(counts)
            )
            if found != fields:
                raise MemoryError if found == _NO_MEMORY else ValueError(f"the text does not have {fields} fields")
            return self._output(), counts

    def words(self) -> list[bytes]:
        """Every word, in the order of the numbers."""
        with self._lock:
            ends = array(NUMBERS, bytes(8 * self._library.octavo_table_words(self._table)))
            if self._library.octavo_table_keys(self._table, address(ends)):
                raise MemoryError
            output = self._output()
        return [output[start:end] for start, end in zip((0, *ends), ends, strict=False)]

    def evidence(self, texts: Sequence[str]) -> tuple[list[tuple[int, int, list[str]]], tuple[int, int]]:
        """Of the different tokens of each text that have two characters or more, how many there are, how many of
        these in ASCII, and which are function words; at last the first two for all texts together."""
        data, ends = encoded(texts)
        counts = array(NUMBERS, bytes(8 * (3 * len(texts) + 2)))
        with self._lock:
            self._repeated("evidence", data, address(ends), len(texts), address(counts))
            numbers = array(SIZES, self._output())
        found, at, names = [], 0, self._function_words
        for several, plain, spoken in zip(*[iter(counts[:-2])] * 3, strict=True):
            found.append((several, plain, [names[number - 1] for number in numbers[at : at + spoken]]))
            at += spoken
        return found, (counts[-2], counts[-1])

    def _repeated(self, name: str, *arguments: object) -> None:
        """Asks again when Python has said what it was asked about."""
        library, table = self._library, self._table
        if library.octavo_table_words(table) >= _MAX_WORDS or library.octavo_table_bytes(table) >= _MAX_BYTES:
            self._clear()
        function = getattr(library, f"octavo_table_{name}")
        while missing := function(table, *arguments):
            if missing < 0:
                raise MemoryError if missing == _NO_MEMORY else ValueError("ranges are not in order")
            self._learn(missing)

    def forget(self) -> None:
        """Forgets every word, as a full table does."""
        with self._lock:
            self._clear()

    def _clear(self) -> None:
        self._library.octavo_table_clear(self._table)
        self._name_function_words()

    def _learn(self, count: int) -> None:
        ends = array(NUMBERS, bytes(8 * count))
        if self._library.octavo_table_missing(self._table, address(ends)):
            raise MemoryError
        data, start, words = self._output(), 0, []
        for end in ends:
            first = start < end and data[start] == _FIRST
            words.append((data[start + first : end].decode("utf-8", "surrogatepass"), first))
            start = end
        values = self._make(words)
        sizes = array(SIZES, [_UNUSUAL if value is None else len(value) for value in values])
        if self._library.octavo_table_fill(self._table, b"".join(filter(None, values)), address(sizes)):
            raise MemoryError

    def _name_function_words(self) -> None:
        for number, token in enumerate(self._function_words, start=1):
            name = token.encode("utf-8", "surrogatepass")
            if self._library.octavo_table_function_word(self._table, name, len(name), number):
                raise MemoryError

    def _output(self) -> bytes:
        size = self._library.octavo_table_output_bytes(self._table)
        output: bytes = self._library.string_at(self._library.octavo_table_output(self._table), size) if size else b""
        return output


def encoded(texts: Iterable[str]) -> tuple[bytes, array[int]]:
    """All of them one after the other, and where each ends."""
    several = [text.encode("utf-8", "surrogatepass") for text in texts]
    return b"".join(several), array(NUMBERS, accumulate(map(len, several)))


def address(numbers: array[int]) -> int:
    return numbers.buffer_info()[0]
