"""How much of a text a model can read, by the pieces its vocabulary cuts the text into.

A vocabulary that was made from English knows Russian letter by letter, most ideographs and all emoji not at all: texts
in them get nearly the same vector whatever they say. Such a text is better found by its words alone.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

UNREAD, READ = 0.4, 0.75
"""Up to the first a text is noise to the model, from the second on it is read; between them trust rises evenly."""

FLUENT = 0.6
"""From so much fluency on a text is in the model's own language; below, trust falls with it."""
_LEAST_FLUENT = 0.1
"""The trust that is left in the end: names and words that other languages share with the model's own."""

_MULTILINGUAL = 100_000
"""A vocabulary from this size on was made from many languages, and single ideographs in it have a meaning."""
_FIRST_PICTURE = "\u2600"  # symbols before it are arrows, lines, blocks and keys
_LOOKED_AT = 2_000  # characters of a passage: what language it is written in shows early

_NO_WORD = bytes(byte for byte in range(128) if not chr(byte).isalnum())
_ENOUGH = UNREAD / (1.0 - UNREAD)


class Readability:
    """The share of a text's characters that stand in pieces the model has learnt something about.

    `pieces` cuts a text as the model does, without marks of continuation; an unknown piece is empty.
    """

    __slots__ = ("_multilingual", "_pieces")

    def __init__(self, pieces: Callable[[str], Sequence[tuple[str, bool]]], vocabulary: int) -> None:
        self._pieces = pieces
        self._multilingual = vocabulary >= _MULTILINGUAL

    def of(self, text: str) -> float:
        """Between 0 and 1. Punctuation counts for nothing, nor does a letter that is a word of its own."""
        total = sum(map(_counts, text))
        read = 0
        for piece, begins in self._pieces(text):
            if len(piece) > 1 or (self._multilingual and piece):
                read += sum(map(_counts, piece))
            elif piece.isascii() and piece.isalnum() and begins:
                total -= 1
        return min(1.0, read / total) if total > 0 else float(any(map(str.isalnum, text)))

    def fluency(self, text: str) -> float:
        """The share of a text's letters that stand in words the vocabulary has whole, between 0 and 1.

        English sentences have .7 to .97 by an English vocabulary, sentences in Dutch, Italian and German .2 to .3.
        """
        if self._multilingual:
            return 1.0
        whole = total = letters = pieces = 0
        for piece, begins in (*self._pieces(text), ("", True)):
            if begins:
                total, whole = total + letters, whole + (letters if pieces == 1 else 0)
                letters = pieces = 0
            letters, pieces = letters + sum(map(str.isalpha, piece)), pieces + 1
        return whole / total if total else 1.0

    def unreadable(self, texts: Sequence[str]) -> list[int]:
        """The places of those that are noise to the model. Nothing in ASCII is: at worst it is data."""
        return [
            place for place, text in enumerate(texts) if not text.isascii() and trust(self.of(text[:_LOOKED_AT])) == 0.0
        ]


class TaughtScripts:
    """The share of a text's characters that are of a script the model was taught; of no scripts, all are.

    For a vocabulary of bytes: it spells any script, and the spelling of one that was never taught says nothing.
    """

    __slots__ = ("_known",)

    def __init__(self, scripts: Sequence[str]) -> None:
        self._known = _Taught(frozenset(scripts))

    def of(self, text: str) -> float:
        """Between 0 and 1. What is neither a letter nor a digit counts for nothing."""
        taught = total = 0
        for character, count in Counter(text).items():  # a text has few different ones
            if character.isalnum():
                taught, total = taught + count * self._known[character], total + count
        return taught / total if total else 0.0

    def fluency(self, text: str) -> float:
        """Taught languages are read alike."""
        return 1.0

    def unreadable(self, texts: Sequence[str]) -> list[int]:
        """The places of those that are noise to the model. Nothing in ASCII is: at worst it is data."""
        return [
            place
            for place, text in enumerate(texts)
            if not (text.isascii() or _mostly_ascii(text[:_LOOKED_AT])) and trust(self.of(text[:_LOOKED_AT])) == 0.0
        ]


class _Taught(dict[str, bool]):
    """Characters → whether their script was taught. A script is the first word of a character's name."""

    __slots__ = ("_scripts",)

    def __init__(self, scripts: frozenset[str]) -> None:
        super().__init__()
        self._scripts = scripts

    def __missing__(self, character: str) -> bool:
        name = unicodedata.name(character, "").split(" ")[0]
        taught = self[character] = not self._scripts or character.isascii() or name in self._scripts
        return taught


def _mostly_ascii(text: str) -> bool:
    """Whether enough of a text is letters and digits of ASCII to be read, whatever the rest is: a passage below
    headings with an arrow between them."""
    plain = text.encode("ascii", "ignore")
    return len(plain.translate(None, _NO_WORD)) > _ENOUGH * (len(text) - len(plain))


def trust(readability: float) -> float:
    """How much a vector says of a text of which the model reads so much: from 0, nothing, to 1."""
    return min(1.0, max(0.0, (readability - UNREAD) / (READ - UNREAD)))


def fluent_trust(fluency: float) -> float:
    """How much of that trust is left where a text may be in another language than the model's."""
    return min(1.0, max(_LEAST_FLUENT, fluency / FLUENT))


def _counts(character: str) -> bool:
    """Letters, digits, and what stands for a word: emoji. Lines of tables, keys and marks of redaction say nothing."""
    return character.isalnum() or (character >= _FIRST_PICTURE and unicodedata.category(character) == "So")
