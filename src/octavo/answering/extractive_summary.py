"""A summary without a model: the few sentences of a text that stand for most of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from octavo.algorithms.markdown.front_matter_block import FRONT_MATTER
from octavo.algorithms.ranking.marginal_relevance import marginal_relevance
from octavo.answering.sentence_splitting import sentences
from octavo.model.score_rounding import rounded

_MOST_READ = 200  # sentences of a text that are compared: the likeness of all to all is looked at
_BALANCE = 0.5  # relevance against difference
_LONGEST = 400  # characters of a sentence: what is longer is a list or a table in disguise


def extracted(text: str, tokenise: Callable[[str], Sequence[str]], most: int) -> str:
    """At most so many sentences, in the order of the text, chosen by maximal marginal relevance.

    A sentence is a vector of its words, rare ones in the text counting more; its relevance is its cosine with the sum
    of all of them. A text without a sentence gives its first line. Front matter is no part of the text.

    >>> extracted("Rain falls on it. Rain falls on it again. Snow is dry.", lambda said: said.rstrip(".").split(), 2)
    'Rain falls on it. Snow is dry.'
    """
    text = FRONT_MATTER.sub("", text)
    read = [each.text for each in sentences(text) if len(each.text) <= _LONGEST][:_MOST_READ]
    if len(read) <= most:
        return " ".join(read) or next(filter(None, (line.strip(" #\t") for line in text.splitlines())), "")[:_LONGEST]
    words = [Counter(tokenise(sentence)) for sentence in read]
    document_counts = Counter(word for counted in words for word in counted)
    columns = {word: column for column, word in enumerate(sorted(document_counts))}
    matrix = np.zeros((len(read), max(1, len(columns))))
    for row, counted in enumerate(words):
        for word, times in counted.items():
            matrix[row, columns[word]] = times * math.log(1.0 + len(read) / document_counts[word])
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    middle = matrix.sum(axis=0)
    relevance = rounded(matrix @ middle / max(float(np.linalg.norm(middle)), 1e-12))
    chosen = marginal_relevance(relevance.tolist(), rounded(matrix @ matrix.T), _BALANCE)[:most]
    return " ".join(read[place] for place in sorted(place for place, _ in chosen))
