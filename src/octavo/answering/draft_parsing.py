"""What a model wrote, read as sentences with the passages they cite, whatever it looks like."""

from __future__ import annotations

import re
from typing import NamedTuple

from octavo.answering.sentences import sentences

_LONGEST = 100_000  # characters of a reply that are read
_MOST = 60  # sentences that are read
_MOST_CITED = 8  # passages that a sentence cites
_MARK = r"(?:\[|【)\s*(?:passages?\s+)?\d{1,3}(?:\s*(?:,|;|and|-|–)\s*\d{1,3})*\s*(?:\]|】)"
_MARKS = re.compile(_MARK, re.IGNORECASE)
_AFTER_STOP = re.compile(rf"([.!?。！？][\"'”’)]*)[ \t]*((?:{_MARK}[ \t]*)+)(?=\s|$)", re.IGNORECASE)
_TIGHT = re.compile(rf"([.!?])((?:{_MARK})+)(?=\w)", re.IGNORECASE)
_INFERRED = re.compile(r"^(?:\*\*)?inferred(?:\*\*)?\s*:(?:\*\*)?\s*", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"^(?:i (?:don['’]?t|do not) know|(?:the )?passages (?:do not|don['’]t) (?:answer|say|contain|mention)"
    r"|i cannot answer|no answer)\b",
    re.IGNORECASE,
)
_BLANKS_BEFORE_STOP = re.compile(r"\s+([.!?,;:])")


class DraftSentence(NamedTuple):
    """A sentence of a reply without its marks, the numbers it cites in their order, and whether it is a conclusion."""

    text: str
    numbers: tuple[int, ...]
    inferred: bool = False

    @property
    def unknown(self) -> bool:
        """Whether it says that the passages do not answer."""
        return _UNKNOWN.match(self.text) is not None


def drafts(reply: str) -> tuple[DraftSentence, ...]:
    """The sentences of a reply.

    >>> drafts("The dome closes. [1] It opens by hand [2, 3].")
    (Draft(text='The dome closes.', numbers=(1,), inferred=False), \
Draft(text='It opens by hand.', numbers=(2, 3), inferred=False))
    """
    text = _AFTER_STOP.sub(lambda match: f" {match[2].strip()}{match[1]}", reply[:_LONGEST])
    text = _TIGHT.sub(r" \2\1 ", text)
    parsed = [_draft(sentence.text) for sentence in sentences(text)[:_MOST]]
    return tuple(draft for draft in parsed if any(character.isalnum() for character in draft.text))


def _draft(sentence: str) -> DraftSentence:
    numbers: dict[int, None] = {}
    for mark in _MARKS.findall(sentence):
        numbers |= dict.fromkeys(_numbers(mark))
    plain = _BLANKS_BEFORE_STOP.sub(r"\1", " ".join(_MARKS.sub(" ", sentence).split()))
    inferred = _INFERRED.match(plain)
    return DraftSentence(
        plain[inferred.end() :] if inferred else plain, tuple(numbers)[:_MOST_CITED], inferred is not None
    )


def _numbers(mark: str) -> list[int]:
    """`[1]`, `[1, 3]`, `[2-4]`."""
    numbers = [int(number) for number in re.findall(r"\d+", mark)]
    if len(numbers) == 2 and re.search(r"\d\s*[-–]\s*\d", mark) and 0 < numbers[1] - numbers[0] < _MOST_CITED:
        return list(range(numbers[0], numbers[1] + 1))
    return numbers
