"""BERT's tokenizer, word by word: a cache from word to token ids makes exact counts a dictionary look-up.

Tokens never cross whitespace, so a text's tokens are its words' tokens, and most words have been seen before. The
reference is the `tokenizers` library; `tests/properties/test_wordpiece.py` holds the two equal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.embedding.bert_characters import Characters
from octavo.embedding.bounded_cache import Bounded

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_INSIDE = "##"  # in front of a token that does not begin a word
UNKNOWN, START, END = "[UNK]", "[CLS]", "[SEP]"

# What `str.split` takes for whitespace but the reference drops, as control characters, before it looks for whitespace.
_DROPPED_SPACE = re.compile("[\x0b\x0c\x1c-\x1f\x85]")
_WORD = re.compile("[^ \t\n\r\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_ASCII_PIECE = re.compile(r"[a-z0-9]+|[^a-z0-9]")

# Counting needs no words as they are written: each ASCII punctuation mark is one token, and the runs between them have
# so few forms that nearly all are remembered. Control characters part nothing; they stay, to be dropped from runs.
_PUNCTUATION = bytes(code for code in range(33, 127) if not chr(code).isalnum())
_OTHERS = bytes(code for code in range(256) if code not in _PUNCTUATION)
_RUNS = bytes(
    32 if code in _PUNCTUATION else 0 if code in b"\x0b\x0c" else ord(chr(code).lower()) if code < 128 else code
    for code in range(256)
)
_APART = b"\xff"  # no text holds this byte in UTF-8
_BETWEEN = b" " + _APART + b" "
_NEITHER = bytes(code for code in _OTHERS if code not in _APART)
_NO_ID = -1
_CONTROL = bytes(code for code in (*range(32), 127) if code not in b"\t\n\r")
# These mean themselves when they stand in a text, wherever and only as written here.
_SPECIAL = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")

_MAX_PIECE = 100  # characters; a longer run is one unknown token


def load_vocabulary(path: Path) -> dict[str, int]:
    return read_vocabulary(path.read_text(encoding="utf-8"))


def read_vocabulary(text: str) -> dict[str, int]:
    """One token a line, numbered from 0."""
    # Not splitlines: some tokens are characters that it takes for line ends.
    tokens = text.split("\n")
    numbered = dict(zip(tokens, range(len(tokens)), strict=True))
    numbered.pop("", None)  # after the last line end
    return numbered


def counter_of(vocabulary: Path) -> WordPieceCounter:
    """The same counter for equal files: an encoder and its table meet the same words, and remember them once."""
    return _counter_of(vocabulary.read_text(encoding="utf-8"))


@lru_cache(maxsize=4)
def _counter_of(vocabulary: str) -> WordPieceCounter:
    return WordPieceCounter(read_vocabulary(vocabulary))


class WordPieceCounter:
    """Fits `ports.TokenCounter`. Safe to share between threads: the caches only ever hold the right answer."""

    __slots__ = ("_counts", "_marks", "_run_ids", "_runs", "_spelled", "end", "start", "word_ids")

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.word_ids = _Words(vocabulary)
        self._counts = _Counts(self.word_ids)
        self._run_ids = _RunIds(self.word_ids)
        self._runs = _Runs(self._run_ids, self.word_ids.pieces)
        self._marks = _marks(self.word_ids.pieces)
        self.start, self.end = vocabulary[START], vocabulary[END]
        self._spelled = _Spelled(vocabulary)

    def count(self, text: str) -> int:
        if "[" in text and _SPECIAL.search(text):
            return sum(map(self._counts.__getitem__, _split(text)))
        raw = text.encode("utf-8", "surrogatepass")
        runs = sum(map(self._runs.__getitem__, raw.translate(_RUNS).split()))
        return runs + len(raw.translate(None, _OTHERS))

    def counts(self, texts: Sequence[str]) -> list[int]:
        """All in one go: most texts are a line or two, and then calling costs more than counting."""
        if any("[" in text and _SPECIAL.search(text) for text in texts):
            return [self.count(text) for text in texts]
        raw = _APART.join([text.encode("utf-8", "surrogatepass") for text in texts])
        known = self._runs.__getitem__
        runs = [sum(map(known, text.split())) for text in raw.translate(_RUNS).split(_APART)]
        marks = map(len, raw.translate(None, _NEITHER).split(_APART))
        return list(map(add, runs, marks)) if texts else []

    def words(self, text: str) -> Sequence[tuple[int, int]]:
        known = self._counts
        return [(word.end(), known[word.group()]) for word in _WORD.finditer(text)]

    def bags(self, texts: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The ids of all texts and which text each is of, in any order: so they are found several times faster."""
        import numpy as np

        special = {place: self.ids(text) for place, text in enumerate(texts) if "[" in text and _SPECIAL.search(text)}
        encoded = [
            b"" if place in special else text.encode("utf-8", "surrogatepass") for place, text in enumerate(texts)
        ]
        raw = _BETWEEN.join(encoded)
        found = map(self._run_ids.__getitem__, raw.translate(_RUNS).split())
        ids = np.fromiter(chain.from_iterable(found), np.intp)
        codes = np.frombuffer(raw, np.uint8)
        marks = np.array(self._marks, np.intp)[codes]
        at = np.flatnonzero(marks >= 0)
        bounds = np.flatnonzero(codes == _APART[0])
        between = ids == _NO_ID
        return (
            np.concatenate([ids[~between], marks[at], *(np.array(found, np.intp) for found in special.values())]),
            np.concatenate(
                [
                    np.cumsum(between)[~between],
                    np.searchsorted(bounds, at),
                    np.repeat(np.array(list(special), np.intp), [len(found) for found in special.values()]),
                ]
            ),
        )

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """The text of each token and whether it begins a word; empty for an unknown one."""
        return list(map(self._spelled.__getitem__, self.ids(text)))

    @property
    def size(self) -> int:
        return len(self._spelled)

    def fitted(self, text: str, room: int) -> list[int]:
        """The first ids that there is room for."""
        return self.ids(text, room)

    def ids(self, text: str, limit: int | None = None) -> list[int]:
        """The token ids without the special ones around them; only the first `limit`, if there is one."""
        if limit is None or len(text) <= limit:
            return list(chain.from_iterable(map(self.word_ids.__getitem__, _split(text))))[:limit]
        # The words of so much of the text are enough, nearly always; the last of them may have been cut.
        found = list(chain.from_iterable(map(self.word_ids.__getitem__, _split(text[: limit * 8])[:-1])))
        if len(found) >= limit:
            return found[:limit]
        found.clear()
        for word in _WORD.finditer(text):
            found += self.word_ids[word.group()]
            if len(found) >= limit:
                break
        return found[:limit]


def _split(text: str) -> list[str]:
    return _WORD.findall(text) if _DROPPED_SPACE.search(text) else text.split()


class _Spelled(dict[int, tuple[str, bool]]):
    """Token ids → their text and whether they begin a word. The vocabulary is turned round for the first who asks."""

    __slots__ = ("_pieces", "_vocabulary")

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._pieces: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._vocabulary)

    def __missing__(self, token: int) -> tuple[str, bool]:
        if not self._pieces:
            self._pieces.update(zip(self._vocabulary.values(), self._vocabulary, strict=True))
        piece = self._pieces[token]
        known = "" if piece == UNKNOWN else piece.removeprefix(_INSIDE)
        found = self[token] = known, not piece.startswith(_INSIDE)
        return found


class _Counts(Bounded[str, int]):
    """Words → how many tokens they are: chunking asks for nothing else, and asks for every word several times."""

    __slots__ = ("word_ids",)

    def __init__(self, words: _Words) -> None:
        super().__init__()
        self.word_ids = words

    def make(self, word: str) -> int:
        return len(self.word_ids.fresh(word))


class _RunIds(Bounded[bytes, tuple[int, ...]]):
    """What stands between blanks and ASCII punctuation, in UTF-8 with ASCII letters in lower case → its tokens."""

    __slots__ = ("word_ids",)

    def __init__(self, words: _Words) -> None:
        super().__init__()
        self.word_ids = words

    def make(self, run: bytes) -> tuple[int, ...]:
        if run == _APART:
            return (_NO_ID,)
        if not run.isascii():
            return self.word_ids.plain(run.decode("utf-8", "surrogatepass"))
        piece = run.translate(None, _CONTROL).decode()
        return self.word_ids.pieces[piece] if piece else ()


class _Runs(Bounded[bytes, int]):
    """The same runs → how many tokens they are."""

    __slots__ = ("_ids", "_pieces")

    def __init__(self, ids: _RunIds, pieces: _Pieces) -> None:
        super().__init__()
        self._ids = ids
        self._pieces = pieces

    def make(self, run: bytes) -> int:
        # Nearly every run is a piece of its own, and is remembered here: no second cache has to hold its tokens.
        return len(self._pieces.split(run.decode()) if run.isalnum() else self._ids.make(run))


def _marks(pieces: _Pieces) -> list[int]:
    """The token of each punctuation mark, by its code in UTF-8."""
    return [pieces[chr(code)][0] if code in _PUNCTUATION else _NO_ID for code in range(256)]


class _Words(Bounded[str, tuple[int, ...]]):
    """Whitespace-free words → ids. A miss is normalised and cut at punctuation; the pieces have their own cache."""

    __slots__ = ("_characters", "_vocabulary", "pieces")

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self.pieces = _Pieces(vocabulary)
        self._characters = Characters()

    def make(self, word: str) -> tuple[int, ...]:
        return self._tokens(word)

    def fresh(self, word: str) -> tuple[int, ...]:
        """The ids of a word that is not looked up here again."""
        return self[word] if word in self else self._tokens(word)

    def _tokens(self, word: str) -> tuple[int, ...]:
        if "[" in word and _SPECIAL.search(word):
            parts = _SPECIAL.split(word)
            # Odd places hold what the pattern matched.
            return tuple(
                token
                for place, part in enumerate(parts)
                for token in ((self._vocabulary[part],) if place % 2 else self.plain(part))
            )
        return self.plain(word)

    def plain(self, word: str) -> tuple[int, ...]:
        if word.isascii() and word.isprintable():
            pieces = _ASCII_PIECE.findall(word.lower())
        else:
            pieces = word.translate(self._characters).split()
        if len(pieces) == 1:
            return self.pieces[pieces[0]]
        return tuple(chain.from_iterable(map(self.pieces.__getitem__, pieces)))


class _Pieces(Bounded[str, tuple[int, ...]]):
    """Normalised runs without whitespace or punctuation, and single punctuation marks → ids, longest match first."""

    __slots__ = ("_longest", "_vocabulary")

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._longest = max(map(len, vocabulary))

    def make(self, piece: str) -> tuple[int, ...]:
        return self.split(piece)

    def split(self, piece: str) -> tuple[int, ...]:
        known, size = self._vocabulary.get, len(piece)
        if (whole := known(piece)) is not None and size <= _MAX_PIECE:
            return (whole,)
        unknown = (self._vocabulary[UNKNOWN],)
        if size > _MAX_PIECE:
            return unknown
        found: list[int] = []
        rest, marked = piece, 0  # what follows a token is looked up with a mark of so many characters in front
        while len(rest) > marked:
            for end in range(min(len(rest), self._longest), marked, -1):
                token = known(rest[:end])
                if token is not None:
                    found.append(token)
                    break
            else:
                return unknown
            rest, marked = _INSIDE + rest[end:], len(_INSIDE)
        return tuple(found)
