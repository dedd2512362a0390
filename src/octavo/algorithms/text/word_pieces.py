"""What stands in a word of the search tokenizer: names with signs of their own, words, pairs of ideographs, emoji."""

from __future__ import annotations

import re
from functools import cache
from operator import add

from octavo.algorithms.text.unicode_folding import CJK, EMOJI, FLAG, UNSPACED
from octavo.lazy_regex import regex

_LATIN = "À-ÖØ-öø-ɏ"  # besides those in ASCII
BEYOND_LATIN = regex(rf"[^\x00-\x7f{_LATIN}]")


@cache
def piece_pattern() -> re.Pattern[str]:
    """Compiled for the first word in other letters than Latin ones: most queries have none, and it takes 10 ms."""
    # Folding leaves no other separator, so whatever is not ASCII punctuation and not a script of its own is a letter.
    letter = rf"[^\x00-/:-@\[-^`{{-\x7f{CJK}{UNSPACED}{EMOJI}{FLAG}]"
    scripts = rf"(?P<bigrams>[{CJK}]+)|(?P<clusters>[{UNSPACED}]+)|(?P<symbol>[{FLAG}]{{2}}|[{FLAG}{EMOJI}])"
    return re.compile(f"{_names_and_words(letter)}|{scripts}")


@cache
def latin_piece_pattern() -> re.Pattern[str]:
    """Finds what the other finds in Latin letters, and is compiled ten times as fast."""
    return re.compile(_names_and_words(f"[0-9A-Za-z_{_LATIN}]"))


def _names_and_words(letter: str) -> str:
    name = rf"(?i:(?:asp|ado|vb|ml)?\.net|(?:c|g|clang|libc|libstdc|notepad)\+\+|[cfj]\#)[0-9]{{0,4}}(?!{letter})"
    return rf"(?P<name>{name})|(?P<word>{letter}+(?:[-.](?!{name}){letter}+)*)"


def pairs(characters: str | list[str]) -> str:
    return " ".join(map(add, characters, characters[1:])) if len(characters) > 1 else characters[0]


def spelled(name: str) -> str:
    """Names that live by their punctuation, spelled as people type them where they must: `c++17`, `asp.net`."""
    bare = name.rstrip("0123456789")
    number = name[len(bare) :]
    family, point, _ = bare.partition(".")
    spelled = "dotnet" if point else bare.replace("++", "plusplus").replace("#", "sharp")
    if family and point:
        return f"{family}net{number} {family} {spelled}"
    return f"{spelled}{number} {spelled} {number}" if number else spelled
