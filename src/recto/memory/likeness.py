"""When two texts say the same: equal but for case, blanks and punctuation, or made of nearly the same word pairs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from recto.model.ids import text_hash

_WORD = re.compile(r"\w+(?:[.:/+#-]\w+)*[+#]*")  # 3.11, a/b, node.js and C++ each count as one word
_SIGNS = re.compile(r"[^\w\s]")
_SAME = 0.8
_CONTAINED = 0.95
_ENOUGH = 8  # words: a shorter text is found inside too many others


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def fingerprint(text: str) -> str:
    """A hash of the words. A text without any goes by its signs: `???` and `!!!` are told apart."""
    return text_hash(" ".join(words(text)) or "".join(_SIGNS.findall(text)))


@dataclass(frozen=True, slots=True)
class Likeness:
    """Of pairs of neighbouring words: `jaccard` is shared over all, `contained` the share of the new text's."""

    jaccard: float
    contained: float
    words: int

    @property
    def revises(self) -> bool:
        """The first text is the second one, edited. Cautious: a copy too many costs less than a fact overwritten."""
        return self.jaccard >= _SAME

    @property
    def repeats(self) -> bool:
        """The first text says nothing that the second does not."""
        return self.contained >= _CONTAINED and self.words >= _ENOUGH


def likeness(new: str, known: str) -> Likeness:
    mine, theirs = words(new), words(known)
    whole, other = _whole(mine), _whole(theirs)
    inner = set(pairwise(mine))
    return Likeness(
        jaccard=len(whole & other) / len(whole | other),
        contained=len(inner & other) / len(inner) if inner else 0.0,
        words=len(mine),
    )


def _whole(found: list[str]) -> set[tuple[str, str]]:
    """Neighbouring words with both ends, so that even a text of one word has pairs and a longer text differs."""
    return set(zip(["", *found], [*found, ""], strict=True))
