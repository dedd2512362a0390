"""How similar two texts are: equal but for case, white space and punctuation, or by their shared word pairs."""

from __future__ import annotations

from itertools import pairwise

from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.ids import text_hash

_WORD = regex(r"\w+(?:[.:/+#-]\w+)*[+#]*")  # 3.11, a/b, node.js and C++ each count as one word
_SIGNS = regex(r"[^\w\s]")
_REVISES_FROM = 0.8  # Jaccard
_REPEATS_FROM = 0.95  # share of the new text's word pairs
_REPEATS_WORDS = 8  # a shorter text is contained in too many others


def words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def fingerprint(text: str) -> str:
    """A hash of the words; of the punctuation in a text without words, so that `???` and `!!!` differ."""
    return text_hash(" ".join(words(text)) or "".join(_SIGNS.findall(text)))


@dataclass(frozen=True, slots=True)
class Similarity:
    """Over pairs of adjacent words: `jaccard` of both texts, `contained` the share of the new text's in the known one.

    `words` is the length of the new text.
    """

    jaccard: float
    contained: float
    words: int

    @property
    def revises(self) -> bool:
        """The new text is the known one, edited. Strict: a duplicate costs less than an overwritten fact."""
        return self.jaccard >= _REVISES_FROM

    @property
    def repeats(self) -> bool:
        """The new text says nothing that the known one does not."""
        return self.contained >= _REPEATS_FROM and self.words >= _REPEATS_WORDS


def compare(new: str, known: str) -> Similarity:
    new_words = words(new)
    new_pairs, known_pairs = _padded_pairs(new_words), _padded_pairs(words(known))
    inner = set(pairwise(new_words))
    return Similarity(
        jaccard=len(new_pairs & known_pairs) / len(new_pairs | known_pairs),
        contained=len(inner & known_pairs) / len(inner) if inner else 0.0,
        words=len(new_words),
    )


def _padded_pairs(tokens: list[str]) -> set[tuple[str, str]]:
    """Pairs of adjacent words, both ends padded: a text of one word has pairs too, and differs from a longer one."""
    return set(zip(["", *tokens], [*tokens, ""], strict=True))
