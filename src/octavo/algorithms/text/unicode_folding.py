"""Unicode folding: spellings that a person takes for the same become the same, and separators become spaces.

Case is left alone, because capitals tell where the words of an identifier begin.
"""

from __future__ import annotations

import re
import unicodedata

from octavo.lazy_regex import regex

CJK = r"\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
"""Han, kana, bopomofo and Hangul."""

UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"
"""Thai, Lao, Burmese and Khmer, which are written without spaces between words."""

UNSPACED_MARKS = (
    r"\u0e31\u0e33-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb3-\u0ebc\u0ec8-\u0ece"
    r"\u102b-\u1038\u103a-\u103e\u1056-\u1059\u105e-\u1060\u1062-\u1064\u1067-\u106d\u1071-\u1074\u1082-\u108d"
    r"\u108f\u109a-\u109d\u17b4-\u17d1\u17d3\u17dd"
)
"""Signs of those scripts that belong to the letter before them."""

EMOJI = r"\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f1e5\U0001f200-\U0001faff"
FLAG = r"\U0001f1e6-\U0001f1ff"
"""Regional indicators: two make a flag."""

LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "þ": "th"})
"""Lower case only: expanded before case folding, a capital would look like the start of a word inside a word."""

_EMOJI = regex(f"[{EMOJI}{FLAG}]")
_MARKS = "\u0300-\u036f"
_LOOSE = regex(f"[{_MARKS}]+")
_ON_OTHERS = regex(f"(?<![\u0400-\u052f])[{_MARKS}]+")

_LONGEST_MARK_RUN = 30  # as in the Unicode Stream-Safe Text Format
_BOUNDED_BELOW = 1000  # characters: a run of marks this short is sorted in no time


def fold(text: str) -> str:
    """Compatibility forms unified, diacritics gone from Latin and Greek, invisible characters removed.

    Separators other than ASCII ones become spaces. Marks that make a letter in their script stay: voicing in kana,
    vowel signs in Devanagari and its relatives, й in Cyrillic.

    >>> fold("Ｃafé naïve Malmø"), fold("ﾊﾟﾝ й"), fold("x² → y"), fold("١٢")
    ('Cafe naive Malmo', 'パン й', 'x2   y', '12')
    """
    if len(text) > _BOUNDED_BELOW:
        text = _bound_mark_runs(text)
    # A trademark sign would become two letters of the name before it.
    text = unicodedata.normalize("NFKC", text.replace("\u2122", " ").replace("\u2120", " "))
    # Decomposed, strip, compose: what composes again in Cyrillic is a letter, what does not is a stress mark.
    text = _ON_OTHERS.sub("", unicodedata.normalize("NFD", text))
    text = _LOOSE.sub("", unicodedata.normalize("NFC", text))
    return text.translate(_CHARACTERS)


def is_ideograph(text: str) -> bool:
    """Whether it is one character of a script that is indexed in pairs."""
    # Most characters are told before the pattern is compiled: wide ranges take their time.
    return len(text) == 1 and text >= "\u1100" and re.match(f"[{CJK}]", text) is not None


class _Characters(dict[int, str]):
    """Code point → what stands for it, decided when it is first met."""

    def __missing__(self, code: int) -> str:
        self[code] = meant = _meant(chr(code))
        return meant


def _meant(character: str) -> str:
    category = unicodedata.category(character)
    if character.isascii() or (category == "So" and _EMOJI.match(character)):
        return character
    if category == "Nd":
        return str(unicodedata.digit(character))
    if category == "Cf":
        return " " if character == "\u200b" else ""
    return character if character.isalnum() or category[0] == "M" else " "


# Letters that Unicode does not decompose but people type without their stroke, marks that only help reading aloud
# (Hebrew points, Arabic vowels), and signs that ask for an emoji's shape or colour.
_CHARACTERS = _Characters(
    dict(zip(map(ord, "øØłŁđĐðÐıħĦŧŦёЁ‘’ʼ‐"), "oOlLdDdDihHtTеЕ'''-", strict=True))
    | dict.fromkeys([*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7], "")
    | dict.fromkeys([0x640, *range(0x64B, 0x653), 0x670], "")
    | dict.fromkeys([*range(0x20D0, 0x2100), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)], "")
    | dict.fromkeys(range(0x1F3FB, 0x1F400), "")
)


class _Combining(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = flag = "+" if unicodedata.combining(chr(code)) else "."
        return flag


_COMBINING = _Combining()
_MARK_RUN = regex(rf"\+{{{_LONGEST_MARK_RUN + 1},}}")


def _bound_mark_runs(text: str) -> str:
    """Normalising sorts each run of marks in quadratic time: a megabyte of accents would take an hour."""
    kept, end = [], 0
    for run in _MARK_RUN.finditer(text.translate(_COMBINING)):
        kept.append(text[end : run.start() + _LONGEST_MARK_RUN])
        end = run.end()
    return "".join(kept) + text[end:]


def entity_name(text: str) -> str:
    """The key that the spellings of a name share: without case, accents and surplus blanks.

    >>> entity_name("  Zoë   Müller ")
    'zoe muller'
    """
    return " ".join((text if text.isascii() else fold(text)).casefold().split())
