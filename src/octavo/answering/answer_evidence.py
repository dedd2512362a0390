"""How much of what a question asks for a sentence and its passage lack: its words, its names, the kind of answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from octavo.answering.answer_candidates import AnswerCandidate, plain_text
from octavo.answering.expected_answer_kinds import AnswerKind
from octavo.answering.wordnet_word_relations import base, share_meaning
from octavo.lazy_regex import regex

_DECISIVE = 3  # as many words that are absent
_FEWEST_LETTERS, _LONGEST_ENDING = 3, 3  # of a word of which another is derived: teach, teacher
_ASKED_NAME = regex(r"(?<=\w )[A-Z][\w-]+")
_ASKS_WHO = regex(
    r"\W*who(?:'s|\s+(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|should|must)\b|\s+(\w+))", re.I
)
_ASKS_COUNT = regex(
    r"\bhow (?:many|much)\s+(?!(?:is|are|was|were|do|does|did|can|could|may|will|would|should|of|more|times?)\b"
    r"|(?:second|minute|hour|day|week|month|year|byte|bit|megabyte|gigabyte|euro|dollar|gram|litre|percent)s?\b)(\w+)",
    re.I,
)
_ASKS_WHETHER = regex(r"\W*(?:am|are|is|was|were|can|could|do|does|did|has|have|may|must|should|will|would)\b", re.I)
_LABEL = regex(r"([^.:]+):\s*[A-ZÄÖÜ]")
_YEAR = regex(r"\b(?:19|20)\d\d\b")


def lacking_names(question: str, candidate: AnswerCandidate) -> int:
    """How many names of the question neither a sentence nor what stands above it says."""
    passage, sentence = candidate.passage, candidate.sentence
    above = (passage.hit.title, *passage.cited(sentence.span).heading_path, candidate.lead)
    text = " ".join((*above, sentence.text)).casefold()
    return sum(name.casefold() not in text for name in _ASKED_NAME.findall(question))


def absent_words(
    question: str,
    asked: Sequence[str],
    candidates: Sequence[AnswerCandidate],
    words: Sequence[Sequence[str]],
    tokenise: Callable[[str], Sequence[str]],
) -> NDArray[np.float64]:
    """For each candidate, how many words of the question its whole passage says nothing of, in any form or meaning.
    What somebody did, or what is counted, has to stand in the sentence or above it. None are absent where the question
    is whether something is so, which other words tell as well."""
    if _ASKS_WHETHER.match(question):
        return np.zeros(len(candidates))
    said: dict[int, int] = {}
    for candidate, own in zip(candidates, words, strict=True):
        passage = candidate.passage
        if passage.number not in said:
            stems = {*tokenise(passage.text), *own}
            said[passage.number] = sum(not _among(word, stems) for word in set(asked))
    named = _ASKS_WHO.match(question) or _ASKS_COUNT.search(question)
    focus = (tokenise(named[1]) if named[1] else asked)[:1] if named else ()
    return np.array(
        [
            said[candidate.passage.number]
            + sum(0 if _among(word, own) else _DECISIVE for word in focus)
            - any(_labelled(word, candidate.sentence.text, tokenise) for word in focus)
            for candidate, own in zip(candidates, words, strict=True)
        ]
    )


def _labelled(word: str, text: str, tokenise: Callable[[str], Sequence[str]]) -> bool:
    """Whether a line gives what a word asks for behind it: `Owner: Ann`."""
    label = _LABEL.match(plain_text(text))
    return label is not None and _among(word, tokenise(label[1]))


def _among(word: str, stems: Collection[str]) -> bool:
    return word in stems or any(_akin(word, other) for other in stems)


def _akin(word: str, other: str) -> bool:
    """Whether two stems are forms of one word, such as teach and teacher, or mean the same."""
    short, long = sorted((word, other), key=len)
    derived = len(short) >= _FEWEST_LETTERS and long.startswith(short) and len(long) - len(short) <= _LONGEST_ENDING
    return derived or share_meaning(base(word), base(other))


def holds_kind(kind: AnswerKind | None, candidate: AnswerCandidate) -> bool:
    """Whether a sentence, or the date above it, is of the kind that the question names."""
    if kind is None or kind.given.search(candidate.sentence.text):
        return True
    return kind.dated and bool(date_above(kind, candidate))


def date_above(kind: AnswerKind | None, candidate: AnswerCandidate) -> str:
    """The date of a commit, or the nearest heading with one, where the question is when."""
    date = candidate.passage.committed
    if date or kind is None or not kind.dated or kind.given.search(candidate.sentence.text):
        return date
    path = candidate.passage.cited(candidate.sentence.span).heading_path
    return next((title for title in reversed(path) if _YEAR.search(title)), "")
