"""Names for groups of texts: the words that are frequent in a group and in few other groups.

The weight of a word is its number of texts in the group times log((1 + groups) / groups that have it), as in tf-idf.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from octavo.algorithms.text.english_stopwords import STOP_WORDS
from octavo.lazy_regex import regex

_UNTELLING = frozenset(STOP_WORDS.split())
_WORD = regex(r"[^\W\d_][\w'-]+")
_ENDING = regex(r"(?<=\w)\.[a-z]{1,4}(?![\w.])")
"""How the name of a file ends: a third of a group's titles may, and it tells nothing."""

_LONGEST_END = 3  # letters by which forms of one word differ in length


def group_names(
    texts: Mapping[int, Sequence[str]], words: int = 3, least: int = 1, share: float = 0.0
) -> dict[int, str]:
    """The `words` weightiest words of each group that `least` and this share of its texts have, weightiest first.

    >>> group_names({0: ["Apple trees", "Apple pie"], 1: ["Ovens", "Hot ovens"]}, words=1)
    {0: 'apple', 1: 'ovens'}
    """
    counted = {group: Counter(word for text in members for word in _words(text)) for group, members in texts.items()}
    spread = Counter(word for counts in counted.values() for word in counts)
    named = {}
    for group, counts in counted.items():
        weights = {
            word: count * math.log((1 + len(texts)) / spread[word])
            for word, count in counts.items()
            if count >= max(least, share * len(texts[group]))
        }
        best: list[str] = []
        for word in sorted(weights, key=lambda word: (-weights[word], word)):
            if len(best) < words and not any(_same_but_for_its_end(word, other) for other in best):
                best.append(word)
        named[group] = ", ".join(best)
    return named


def _same_but_for_its_end(word: str, other: str) -> bool:
    """Whether two words are forms of one, as far as their letters tell, in whatever language.

    >>> _same_but_for_its_end("plugin", "plugins"), _same_but_for_its_end("internal", "internet")
    (True, False)
    >>> _same_but_for_its_end("data", "database")
    False
    """
    shared = max(4, min(len(word), len(other)) - 1)
    return word[:shared] == other[:shared] and abs(len(word) - len(other)) <= _LONGEST_END


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(_ENDING.sub("", text.lower())) if word not in _UNTELLING}
