"""The answer without a model: the sentences of the best passages that answer best, each with its citation."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.diversity import marginal_relevance
from octavo.algorithms.nearest_chunks import cosines
from octavo.answering.passages import CitedSpan, NumberedPassage
from octavo.answering.sentences import Sentence
from octavo.dataclass import dataclass
from octavo.model.scores import rounded
from octavo.ports import Embedder

_MOST_SENTENCES = 120  # of all passages that are looked at: reading more would keep somebody waiting
_LONGEST = 600  # characters of a sentence that are read: what is longer is a list or a table in disguise
_COSINE, _WORDS, _PASSAGE, _KIND = 0.5, 0.35, 0.1, 0.05
_BALANCE = 0.75  # relevance against difference, when sentences are chosen
_LEAST_SHARE = 0.7  # of the best sentence's score that another needs
_FEWEST_WORDS = 3

_ASKS_NUMBER = re.compile(
    r"\b(?:how (?:many|much|long|far|old|high|often|large|big|deep|fast)|what (?:year|date|time|percentage)|when)\b",
    re.I,
)
_ASKS_NAME = re.compile(r"\b(?:who|whom|whose|which (?:person|company|author|team))\b", re.I)
_NUMBER = re.compile(r"\d")
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[A-Z][a-z]+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that was found, exactly as it stands, with how well it answers from 0 to 1."""

    text: str
    cited: CitedSpan
    score: float


def statements(
    question: str,
    passages: Sequence[NumberedPassage],
    embedder: Callable[[], Embedder] | None,
    tokenise: Callable[[str], Sequence[str]],
    most: int,
) -> tuple[Statement, ...]:
    """At most so many sentences, best first, none saying what another has said.

    A sentence is judged by its cosine with the question, the share of the question's words in it (rare ones count
    more), the rank of its passage, and whether it has the number or the name that is asked for. Without an embedder,
    words stand for meaning.
    """
    candidates = _candidates(passages)
    if not candidates:
        return ()
    texts = [sentence.text[:_LONGEST] for _, sentence in candidates]
    words = [tokenise(text) for text in texts]
    coverage = _coverage(tokenise(question), words)
    meant, likeness = (coverage, _overlap(words)) if embedder is None else _compared(question, texts, embedder())
    score = (
        _COSINE * meant
        + _WORDS * coverage
        + _PASSAGE * np.array([1.0 / math.sqrt(passage.number) for passage, _ in candidates])
        + _KIND * np.array([_fits(question, text) for text in texts])
    )
    order = [place for place, _ in marginal_relevance(score.tolist(), likeness, _BALANCE)]
    least = _LEAST_SHARE * float(score.max())
    chosen = sorted(
        (place for place in order[:most] if score[place] >= least), key=lambda place: (-score[place], place)
    )
    return tuple(_statement(*candidates[place], float(score[place])) for place in chosen)


def _compared(question: str, texts: Sequence[str], model: Embedder) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each sentence's cosine with the question, from 0 to 1, and its likeness to every other."""
    query = model.embed_query(question)  # first: a service that is down says so at once
    vectors = model.embed(texts)
    likeness = np.clip(vectors.astype(np.float64) @ vectors.astype(np.float64).T, -1.0, 1.0)
    return np.clip(cosines(vectors, query), 0.0, 1.0), likeness


def _overlap(sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Likeness by words: those that two sentences share, of all they have."""
    sets = [frozenset(words) for words in sentences]
    return np.array([[len(words & other) / (len(words | other) or 1) for other in sets] for words in sets])


def _candidates(passages: Sequence[NumberedPassage]) -> list[tuple[NumberedPassage, Sentence]]:
    """Sentences long enough to say something, once each, from the best passages first."""
    candidates: dict[str, tuple[NumberedPassage, Sentence]] = {}
    for passage in passages:
        for sentence in passage.statements():
            if len(sentence.text.split()) >= _FEWEST_WORDS or not sentence.text.isascii():
                candidates.setdefault(sentence.text.casefold(), (passage, sentence))
    return list(candidates.values())[:_MOST_SENTENCES]


def _coverage(question: Sequence[str], sentences: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """For each sentence, the share of the question's words in it, by weight: a word in few sentences weighs more."""
    words = sorted(set(question))
    within = Counter(word for sentence in sentences for word in set(sentence))
    weights = {word: math.log(1.0 + len(sentences) / (1.0 + within[word])) for word in words}
    total = math.fsum(weights.values()) or 1.0
    return np.array(
        [math.fsum(weights[word] for word in words if word in set(sentence)) / total for sentence in sentences]
    )


def _fits(question: str, sentence: str) -> float:
    """Whether it has what is asked for: a number, or somebody's name."""
    if _ASKS_NUMBER.search(question):
        return float(bool(_NUMBER.search(sentence)))
    return float(bool(_NAME.search(sentence))) if _ASKS_NAME.search(question) else 0.0


def _statement(passage: NumberedPassage, sentence: Sentence, score: float) -> Statement:
    return Statement(sentence.text, passage.cited(sentence.span), rounded(min(1.0, max(0.0, score))))
