"""A follow-up question as one that stands alone: rewritten by a model, or with the question before it in front."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from octavo.algorithms.model_inputs.prompt_quotations import with_line_numbers
from octavo.answering.answer_prompt import OwnPrompts, no_prompts, prompt_of, single_line
from octavo.errors import ProviderFailed
from octavo.lazy_regex import regex
from octavo.model.language_model_calls import CompletionRequest
from octavo.ports import LanguageModel

_POINTING = regex(
    r"\b(?:it|its|they|them|their|he|him|his|she|her|hers|this|that|these|those|there|then|one|ones|former|latter|same)\b"
    r"|^(?:and|but|so|or|why|what about|how about|what else|who else)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 4
_LONGEST = 500  # characters of a rewritten question
_TOKENS = 120
_SHOWN = 6  # turns of the conversation that a model is shown


class Standalone(NamedTuple):
    """The question that is searched for, and what went wrong where a model could not rewrite it."""

    question: str
    problem: str = ""


def standalone(
    question: str, previous: Sequence[str], model: LanguageModel | None, own: OwnPrompts = no_prompts
) -> Standalone:
    """What a question means after these turns of a conversation, the oldest first.

    Without a model, a question that points back, or is too short to stand alone, has the one before it in front.

    >>> standalone("and when does it close?", ["Who opens the dome?"], None).question
    'Who opens the dome? and when does it close?'
    >>> standalone("When is the mirror of the large telescope washed?", ["Who opens the dome?"], None).question
    'When is the mirror of the large telescope washed?'
    """
    if not previous:
        return Standalone(question)
    if model is None:
        return Standalone(_joined(question, previous))
    turns = with_line_numbers("\n".join(single_line(turn) for turn in previous[-_SHOWN:]), 1)
    prompt = prompt_of("standalone", own, previous=turns, question=single_line(question))
    try:
        reply = model.complete(CompletionRequest(prompt, max_tokens=_TOKENS)).text.strip()
    except ProviderFailed as error:
        return Standalone(_joined(question, previous), f"the question could not be rewritten: {error.message}")
    first = single_line(reply.split("\n")[0].strip("\"' "))[:_LONGEST]
    return Standalone(first if any(character.isalnum() for character in first) else _joined(question, previous))


def _joined(question: str, previous: Sequence[str]) -> str:
    if _POINTING.search(question) or len(question.split()) <= _FEW_WORDS:
        return f"{single_line(previous[-1])[:_LONGEST]} {question}"
    return question
