"""An answer that is no longer than was asked for: the passages' texts go first, then the trace, then the prompt."""

from __future__ import annotations

from dataclasses import asdict

from octavo.dataclass import replace
from octavo.operations.answer_budget import BYTES_PER_TOKEN, json_size, size
from octavo.operations.answering.lines import ask_lines
from octavo.operations.answering.results import AskAnswer
from octavo.operations.model_text import written

_QUESTION_SHARE = 8  # of an answer's length, the most that repeating the question may take


def fitting(answer: AskAnswer, max_tokens: int) -> AskAnswer:
    """The answer with as much around its sentences as there is room for; one sentence at least."""
    room = max_tokens * BYTES_PER_TOKEN
    if answer.question and size(answer.question) > room // _QUESTION_SHARE:
        answer = replace(answer, question=None)  # its caller has it
    for shorter in (_without_texts, _without_trace, _cited_alone):
        if _size(answer) > room:
            answer = shorter(answer)
    while answer.context and _size(answer) > room:
        kept = max(0, min(len(answer.context) - 1, len(answer.context) * room // _size(answer) - 1))
        answer = replace(answer, context=answer.context[:kept])
    while len(answer.sentences) > 1 and _size(answer) > room:
        kept_sentences = answer.sentences[:-1]
        written_out = " ".join(sentence.marked for sentence in kept_sentences)
        answer = _cited_alone(replace(answer, sentences=kept_sentences, answer=written_out))
    return answer


def _without_texts(answer: AskAnswer) -> AskAnswer:
    return replace(answer, passages=tuple(replace(passage, text=None) for passage in answer.passages))


def _without_trace(answer: AskAnswer) -> AskAnswer:
    return replace(answer, trace=None)


def _cited_alone(answer: AskAnswer) -> AskAnswer:
    """With the passages that its sentences cite, or with the first where there are none."""
    cited = {citation.passage for sentence in answer.sentences for citation in sentence.citations}
    return replace(answer, passages=tuple(passage for passage in answer.passages if passage.number in (cited or {1})))


def _size(answer: AskAnswer) -> int:
    return max(json_size(asdict(answer)), size(written(ask_lines(answer))))
