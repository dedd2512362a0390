"""The index tokens of all words with a given prefix: tokens are stems, `begin*` asks for words as written.

    runn*    tokens that begin so, and `run`, if running is where it comes from
    many*    tokens that begin so, and `mani`, the stem of many; none of `man`, `manag`
    mani*    tokens that begin so, but `mani` only where it does not come from many

Tokens that only the written word can decide are marked as doubtful: the caller reads the text.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from octavo.algorithms.text.stemming import snowball, start_by_script

_SUFFIXES = """ational tionally ization izations izers ators ations atively atives fulness fully ousness ously iveness
    ivity ivities bility bilities bly lessly icates icity ically icals ements ments ness ities alities alism ally alized
    ances ences ancies encies ants ents isms ates ated ions ives izes izing ers ingly ings ingness edly eds ied ies ying
    ables ible logies"""
"""What English stemming takes off or changes, alone and joined: a beginning may end inside of one."""
_IRREGULAR = {"dying": "die", "lying": "lie", "tying": "tie", "skies": "sky"}
_CHANGED_LAST = ("i", "e", "bl")
"""What a stem may end in although the word it comes from goes on otherwise: many, hoping, capability."""


class Beginning(NamedTuple):
    """`written` as words have it, folded. Words that begin so have tokens that begin with `prefix`, or the `stems`.

    Whether a chunk with such a token has such a word is sure where it has no token of `doubtful`: these are `stems` and
    tokens that begin as asked for, but may come from other words. With `all_doubtful`, none is sure.
    """

    written: str
    prefix: str
    stems: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    all_doubtful: bool = False


@lru_cache(4096)
def beginning(written: str) -> Beginning:
    """Of a beginning as `Analyzer.prefix` gives it.

    >>> beginning("runn").stems, beginning("conf").prefix, beginning("mani").doubtful
    (('run',), 'conf', ('mane', 'mani'))
    """
    by_script = None if written.isascii() else start_by_script(written)
    if by_script is not None:
        return Beginning(written, by_script, all_doubtful=True)
    if not (written.isascii() and written.isalpha()):
        return Beginning(written, written)
    stem = snowball("english")
    stems = tuple(sorted({token for tail in _tails() if not (token := stem(written + tail)).startswith(written)}))
    others = [token for word, token in _IRREGULAR.items() if token.startswith(written) and not word.startswith(written)]
    if written.endswith(_CHANGED_LAST):
        others.append(written)
    return Beginning(written, written, stems, (*stems, *others))


@cache
def _tails() -> frozenset[str]:
    return frozenset({"", *(suffix[at:] for suffix in _SUFFIXES.split() for at in range(len(suffix)))})
