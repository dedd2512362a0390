"""Recognises questions by their words and order, and adds a question mark that a person left out."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex

_VERB = r"(?:is|are|was|were|do|does|did|can|could|should|may|must|will|would|has|have|had)"
_SUBJECT = r"(?:i|we|you|it|they|he|she|there|this|that|my|our|your|the|an?)"
_ASKED = rf"(?:who|whom|what|when|where|why|how|which)\s+{_VERB}"
_QUESTION_WORD = regex(r"(?:who|whom|whose|what|when|where|why|how|which)\b", re.I)
_ASKS = regex(rf"(?:{_ASKED}|{_VERB}\s+{_SUBJECT})\s.*\w", re.I | re.DOTALL)


def with_question_mark(text: str) -> str:
    """The text, with a question mark if its words are in the order of a question and it has none.

    >>> with_question_mark("can I get my money back"), with_question_mark("can opener")
    ('can I get my money back?', 'can opener')
    """
    text = text.rstrip()
    return f"{text}?" if _ASKS.fullmatch(text) else text


def asks(text: str) -> bool:
    """Whether it is a question by its first word, the order of its words, or its question mark.

    >>> [asks(text) for text in ("how to get it back", "is it back", "come back?", "back from one")]
    [True, True, True, False]
    """
    return with_question_mark(text).endswith("?") or _QUESTION_WORD.match(text) is not None
