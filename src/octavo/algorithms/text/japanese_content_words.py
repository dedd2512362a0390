"""What a Japanese question is about: its pairs of characters without those that hold an ending or a particle."""

from __future__ import annotations

from collections.abc import Collection, Sequence

_HIRAGANA = frozenset(map(chr, range(0x3040, 0x30A0)))
_ASKING = frozenset("何誰")  # what, who


def without_endings(tokens: Collection[str]) -> Sequence[str]:
    """The tokens without hiragana. A character that only stands beside an ending is a word by itself, and what and who
    are none; texts without hiragana stay as they are, as does what has nothing else.

    >>> without_endings(["猫の", "の名", "名前", "前は", "は何", "何で", "です"])
    ['名前', '猫']
    """
    ending = [token for token in tokens if not _HIRAGANA.isdisjoint(token)]
    if not ending:
        return [*tokens]
    telling = [token for token in tokens if _HIRAGANA.isdisjoint(token)]
    paired = _HIRAGANA.union(*telling)
    alone = dict.fromkeys(letter for token in ending for letter in token if letter not in paired)
    return [word for word in (*telling, *alone) if _ASKING.isdisjoint(word)] or telling or [*tokens]
