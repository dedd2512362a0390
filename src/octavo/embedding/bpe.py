"""Byte-level BPE (Sennrich 2016, Radford 2019), word by word: a cache from word to token ids makes counts a look-up.

A text is brought to NFC, runs of blanks and tabs become one blank, and GPT-2's pattern cuts it into pre-tokens, whose
bytes are merged pair by pair, the pair with the lowest rank first. Pre-tokens do not depend on the word before, so a
text is cut in front of its blanks and line ends into units, and most of these have been seen before. Only where
different white space meets is a text looked at as a whole. The reference is the `tokenizers` library;
`tests/properties/test_bpe.py` holds the two equal.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from octavo.algorithms.compiled.library_loading import compiled_library
from octavo.embedding.compiled_token_units import CompiledTokenUnits
from octavo.embedding.huggingface_tokenizer import without_surrogates
from octavo.lazy_regex import regex

_Text = TypeVar("_Text", str, bytes)
_Made = TypeVar("_Made")

MAX_WORDS = 200_000  # entries of each cache, about 40 MB when full
_MAX_CACHED = 128  # characters; longer words are data, which does not come again


class WordTokenCache(dict[_Text, _Made]):
    """Remembers what was made of each text that may come again, and forgets everything when it is full."""

    __slots__ = ()

    def make(self, text: _Text) -> _Made:
        raise NotImplementedError

    def __missing__(self, text: _Text) -> _Made:
        found = self.make(text)
        if len(text) <= _MAX_CACHED:
            if len(self) >= MAX_WORDS:
                self.clear()
            self[text] = found
        return found


START, END = "<s>", "</s>"
IDS = "i"
"""How ids stand one after the other, as `array` and numpy call it."""
ID_BYTES = array(IDS).itemsize

_SPACE = " \t\n\r\x0b\x0c\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_OTHER_SPACE = regex(f"[{_SPACE[2:]}]")  # than a blank; a line end only within a unit
_BLANKS = regex("[ \t]+")
_WORD = regex(r"\S+")  # as `str.split` cuts
# GPT-2's pattern, over a text in which `_Classes` has put an ASCII character for every other.
_PRETOKEN = regex(r"'(?:[stmd]|re|ve|ll)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+", re.ASCII)
_BEGIN = "\0"  # before a text, so that its first word is told from the words behind a blank
_APART = "\1"  # between texts
_LONGEST = 512  # characters that are merged together; a longer run is data, and its pairs would be looked at too often
_MUCH = 100_000  # characters after which a compiled table of the vocabulary pays: no question is worth one
_COMPILED_FROM = 400  # characters together, for which a call pays
_LOOKED_FOR = 30  # tokens, before there is a table of them
_SLICE = 32  # characters of such a run that are: often the same ones again

# How a byte is written in the vocabulary: as itself where that is printable, else as a character beyond Latin-1.
_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_WRITTEN = {byte: 256 + place for place, byte in enumerate(sorted(set(range(256)) - set(_PRINTABLE)))}
_BYTES = {code: byte for byte, code in _WRITTEN.items()}


class _Unusual(Exception):
    """A text's tokens are not those of its units."""


def counter_of(vocabulary: Path) -> BpeCounter:
    """The same counter for equal files: an encoder and its table meet the same words, and remember them once."""
    return _counter_of(vocabulary.read_bytes())


@lru_cache(maxsize=4)
def _counter_of(vocabulary: bytes) -> BpeCounter:
    return BpeCounter(vocabulary)


class BpeCounter:
    """Fits `ports.TokenCounter`. Safe to share between threads: the caches only ever hold the right answer.

    The lines of a vocabulary stand in the order of their merges: a pair merges at the rank of what it makes.
    """

    def __init__(self, vocabulary: bytes, *, compiled: bool = True) -> None:
        self._vocabulary, self._compiled, self._read = vocabulary, compiled, 0
        ranks = _Ranks(vocabulary)
        self.size = none = ranks.size
        self._pretokens = _Pretokens(ranks)
        self._ids = _Ids(self._pretokens)
        self._counts = _Counts(self._pretokens, self._ids)
        self._known = self._counts.__getitem__
        self.start, self.end = ranks.get(START, none), ranks.get(END, none)

    def count(self, text: str) -> int:
        """As many as the words have, each behind a blank. What line ends add is left out, so that counts add up where a
        text is cut between words; `fitted` makes up for it where it would not fit into a window."""
        return self.counts((text,))[0] if len(text) >= _COMPILED_FROM else sum(map(self._known, text.split()))

    def _units_for(self, texts: Sequence[str]) -> CompiledTokenUnits | None:
        size = sum(map(len, texts))
        self._read += size
        return self.units if self._read >= _MUCH and size >= _COMPILED_FROM else None

    @cached_property
    def units(self) -> CompiledTokenUnits | None:
        library = compiled_library() if self._compiled else None
        if library is None:
            return None
        units = CompiledTokenUnits(library, _token_bytes(self._vocabulary), self._pretokens.cut_unit)
        self._counts.compiled = units
        return units

    def counts(self, texts: Sequence[str]) -> list[int]:
        if (units := self._units_for(texts)) is not None:
            return units.counts(texts)
        known = self._known
        return [sum(map(known, text.split())) for text in texts]

    def words(self, text: str) -> Sequence[tuple[int, int]]:
        if (units := self._counts.compiled or self._units_for((text,))) is not None:
            return units.words(text)
        return [(word.end(), self._known(word.group())) for word in _WORD.finditer(text)]

    def fitted(self, text: str, room: int) -> list[int]:
        """The first ids that there is room for. Of a text that has too many, line ends are read as blanks: its words
        matter more."""
        found = self.ids(text, room + 1)
        return found if len(found) <= room else self.ids(" ".join(text.split()), room)

    def ids(self, text: str, limit: int | None = None) -> list[int]:
        """The token ids without the special ones around them; only the first `limit`, if there is one."""
        if limit is not None and len(text) > limit * 8:
            # The words of so much of the text are enough, nearly always; the last of them may have been cut.
            begun = text[: max(text.rfind(" ", 0, limit * 8), text.rfind("\n", 0, limit * 8), 0)].rstrip()
            if len(found := array(IDS, self.packed((begun,))[0])) >= limit:
                return found[:limit].tolist()
        return array(IDS, self.packed((text,))[0])[:limit].tolist()

    def packed(self, texts: Sequence[str]) -> list[bytes]:
        """The ids of each text, as the items of an array of type `IDS`: no id becomes a value of its own."""
        if (compiled := self._units_for(texts)) is not None:
            return [
                b"".join(self._pretokens.of(text)) if ids is None else ids
                for text, ids in zip(texts, compiled.packed(texts), strict=True)
            ]
        packed, known = [], self._ids.__getitem__
        for text, units in zip(texts, _units(texts), strict=True):
            try:
                packed.append(b"".join(map(known, units.split(" "))))
            except _Unusual:
                packed.append(b"".join(self._pretokens.of(text)))
        return packed


def _units(texts: Sequence[str]) -> list[str]:
    """Each text with a blank before every unit: a word, told by the missing line end that a blank stands before it; or
    line ends with the word behind them, if one follows at once."""
    joined = _BEGIN + (_APART + _BEGIN).join(texts)
    if joined.count(_BEGIN) != len(texts) or joined.count(_APART) != len(texts) - 1:
        return [""] * len(texts)  # no unit: whoever looks it up finds it unusual
    if "\t" in joined:
        joined = joined.replace("\t", " ")
    while "  " in joined:
        joined = joined.replace("  ", " ")
    if "\n" in joined:
        # Line ends that follow each other stay together: the second time joins the pairs that the first has joined.
        joined = joined.replace("\n", " \n").replace("\n \n", "\n\n").replace("\n \n", "\n\n")
    return joined.split(_APART)


class _Classes(dict[int, str]):
    """Characters → an ASCII character of the same class. Those assigned later than Python knows are marks."""

    __slots__ = ()

    def __missing__(self, code: int) -> str:
        character = chr(code)
        if code < 128:
            found = character
        elif _OTHER_SPACE.match(character):
            found = "\t"
        else:
            # Capitals: no contraction ends in one.
            found = {"L": "A", "N": "0"}.get(unicodedata.category(character)[0], "!")
        self[code] = found
        return found


_CLASSES = _Classes()


class _Ids(WordTokenCache[str, bytes]):
    """Units → their tokens."""

    __slots__ = ("_pretokens",)

    def __init__(self, pretokens: _Pretokens) -> None:
        super().__init__()
        self._pretokens = pretokens

    def make(self, unit: str) -> bytes:
        if unit.isalpha() and unit.isascii() and len(unit) < _LONGEST:
            return self._pretokens[" " + unit]  # most of them: a word between blanks is one pre-token
        return b"".join(self._pretokens.of_unit(unit))


class _Counts(WordTokenCache[str, int]):
    """Words → how many tokens they are behind a blank: chunking asks for nothing else."""

    __slots__ = ("_ids", "_pretokens", "compiled")

    def __init__(self, pretokens: _Pretokens, ids: _Ids) -> None:
        super().__init__()
        self._pretokens, self._ids = pretokens, ids
        self.compiled: CompiledTokenUnits | None = None

    def make(self, word: str) -> int:
        if self.compiled is not None:
            return self.compiled.counts((word,))[0]
        if word[0] == _BEGIN:
            return sum(map(len, self._pretokens.of_single_blanks(" " + word))) // ID_BYTES
        return len(self._ids[word]) // ID_BYTES  # whose vector is made next


class _Ranks:
    """Tokens → the number of their line. `get` is that of a dict, and becomes another function, so nobody keeps it.

    A question's few words are looked for in the text: making the dict takes as long as fifty times that.
    """

    __slots__ = ("_lines", "_looked", "get", "size")

    def __init__(self, vocabulary: bytes) -> None:
        self._lines = b"\n" + vocabulary.removesuffix(b"\n") + b"\n"
        self._looked = 0
        self.size = self._lines.count(b"\n") - 1
        self.get: Callable[[str, int], int] = self._find

    def _find(self, token: str, otherwise: int) -> int:
        self._looked += 1
        if self._looked > _LOOKED_FOR:
            tokens = self._lines[1:-1].decode().split("\n")
            self.get = dict(zip(tokens, range(self.size), strict=True)).get
            return self.get(token, otherwise)
        at = self._lines.find(b"\n" + token.encode() + b"\n")
        return otherwise if at < 0 else self._lines.count(b"\n", 0, at)


class _Pretokens(WordTokenCache[str, bytes]):
    """Pre-tokens → ids."""

    __slots__ = ("_ranks",)

    def __init__(self, ranks: _Ranks) -> None:
        super().__init__()
        self._ranks = ranks

    def of_unit(self, unit: str) -> list[bytes]:
        cut = self.cut_unit(unit[1:], True) if unit[:1] == _BEGIN else self.cut_unit(unit, False) if unit else None
        if cut is None:
            raise _Unusual
        return list(map(self.__getitem__, cut))

    def cut_unit(self, unit: str, first: bool) -> list[str] | None:
        """Its pre-tokens; None where more than it has to be looked at. The first of a text stands behind no blank."""
        ends = unit[:1] == "\n"
        if _OTHER_SPACE.search(unit.lstrip("\n") if ends else unit):
            return None
        return _cut(unit if ends or first else " " + unit)

    def of(self, text: str) -> list[bytes]:
        """The tokens of each pre-token of a text."""
        return self.of_single_blanks(_BLANKS.sub(" ", text))

    def of_single_blanks(self, text: str) -> list[bytes]:
        """The same for a text that has no two blanks in a row."""
        return list(map(self.__getitem__, _cut(text)))

    def make(self, pretoken: str) -> bytes:
        written = pretoken.encode().decode("latin-1").translate(_WRITTEN)
        none = self._ranks.size
        whole = self._ranks.get(written, none)
        ranks = (whole,) if whole < none else [self._ranks.get(part, none) for part in _merged(written, self._ranks)]
        return array(IDS, ranks).tobytes()


def _cut(text: str) -> list[str]:
    """The pre-tokens of a text that has no two blanks in a row; of one that is too long, slices."""
    if text.isascii():
        cuts = _PRETOKEN.findall(text)
    else:
        text = unicodedata.normalize("NFC", without_surrogates(text))
        cuts = [text[cut.start() : cut.end()] for cut in _PRETOKEN.finditer(text.translate(_CLASSES))]
    if len(text) <= _LONGEST:
        return cuts
    return [part for cut in cuts for part in ([cut] if len(cut) <= _LONGEST else _slices(cut))]


def _slices(pretoken: str) -> list[str]:
    return [pretoken[start : start + _SLICE] for start in range(0, len(pretoken), _SLICE)]


def _token_bytes(vocabulary: bytes) -> list[bytes]:
    """The tokens of a vocabulary as the bytes that they are written for. No text has the bytes of those for none."""
    written = vocabulary.removesuffix(b"\n").decode().split("\n")
    tokens = (token.translate(_BYTES) for token in written)
    return [
        token.encode("latin-1") if max(token, default="\0") < "\u0100" else b"\xff" + token.encode() for token in tokens
    ]


def _merged(written: str, ranks: _Ranks) -> list[str]:
    """Its tokens: of all neighbours the pair with the lowest rank becomes one, the leftmost first, until none can."""
    parts = list(written)
    none = ranks.size
    pairs = [ranks.get(left + right, none) for left, right in pairwise(parts)]
    while pairs and (lowest := min(pairs)) < none:
        at = pairs.index(lowest)
        parts[at] += parts.pop(at + 1)
        del pairs[at]
        if at:
            pairs[at - 1] = ranks.get(parts[at - 1] + parts[at], none)
        if at < len(pairs):
            pairs[at] = ranks.get(parts[at] + parts[at + 1], none)
    return parts
