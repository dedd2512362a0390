"""An answer written by a model: every sentence checked against what it cites before anybody sees it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import NamedTuple

from octavo.answering.answer_prompt import (
    Mode,
    OwnPrompts,
    context,
    no_prompts,
    prompt_of,
    quoted_passages,
    single_line,
)
from octavo.answering.citable_passages import NumberedPassage
from octavo.answering.citation_verification import Checked, CitationChecker, Support
from octavo.answering.sentence_splitting import sentences
from octavo.errors import ProviderFailed
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.language_model_calls import CompletionRequest, Prompt
from octavo.ports import LanguageModel

UNKNOWN = "I don't know."
_ENDS = (".", "!", "?", "。", "！", "？")
_REPLY_SHARE = 3  # of what a model reads and writes, the part that its reply may take at most
_INSTRUCTIONS = 300  # tokens of a prompt beside its passages
_REPLY_CHARACTERS = 40_000  # after which a reply is not read on
_LONGEST = 100_000  # characters of a reply that are read
_MOST = 60  # sentences that are read
_MOST_CITED = 8  # passages that a sentence cites
_MARK = r"(?:\[|【)\s*(?:passages?\s+)?\d{1,3}(?:\s*(?:,|;|and|-|–)\s*\d{1,3})*\s*(?:\]|】)"
_MARKS = regex(_MARK, re.IGNORECASE)
_AFTER_STOP = regex(rf"([.!?。！？][\"'”’)]*)[ \t]*((?:{_MARK}[ \t]*)+)(?=\s|$)", re.IGNORECASE)
_TIGHT = regex(rf"([.!?])((?:{_MARK})+)(?=\w)", re.IGNORECASE)
_INFERRED = regex(r"^(?:\*\*)?inferred(?:\*\*)?\s*:(?:\*\*)?\s*", re.IGNORECASE)
_UNKNOWN = regex(
    r"^(?:i (?:don['’]?t|do not) know|(?:the )?passages (?:do not|don['’]t) (?:answer|say|contain|mention)"
    r"|i cannot answer|no answer)\b",
    re.IGNORECASE,
)
_BLANKS_BEFORE_STOP = regex(r"\s+([.!?,;:])")


class WrittenSentence(NamedTuple):
    """A sentence with what its citations are worth.

    `inferred` is what the model says it has concluded. `attributed` is what the model cited nothing for, or the wrong
    passage, and for which the passage that says it was found.
    """

    text: str
    checked: Checked
    inferred: bool = False
    attributed: bool = False


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """`dropped` sentences no passage supported; `problems` are what went wrong on the way, in words."""

    sentences: tuple[WrittenSentence, ...]
    dropped: tuple[str, ...] = ()
    rewritten: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerWriting:
    """What an answer is written with. `tell` gets each sentence once it is certain to stay, in order."""

    model: LanguageModel
    checker: CitationChecker
    mode: Mode
    budget: int
    deadline: float = 120.0
    reply_tokens: int = 700
    tell: Callable[[WrittenSentence], None] = lambda sentence: None
    clock: Callable[[], float] = field(default=time.monotonic)
    own: OwnPrompts = no_prompts


def written_answer(question: str, passages: Sequence[NumberedPassage], writing: AnswerWriting) -> WrittenAnswer:
    """Raises `ProviderFailed` where the model wrote nothing; of a reply that breaks off, the sentences that check are
    kept, and where none does it is as if nothing had been written."""
    ends = writing.clock() + writing.deadline
    made = context(writing.mode, question, passages, _room(writing), writing.own)
    reply = _Reply(writing, made.prompt, ends)
    kept: list[WrittenSentence] = []
    doubted: list[WrittenSentence] = []
    texts: set[str] = set()
    streamed = 0
    for draft in reply.sentences():
        if draft.unknown or draft.text.casefold() in texts:  # small models repeat themselves
            continue
        texts.add(draft.text.casefold())
        sentence = checked_sentence(draft, writing.checker)
        if writing.mode is Mode.GROUNDED and sentence.checked.support is Support.UNSUPPORTED:
            doubted.append(sentence)
            continue
        kept.append(sentence)
        if not doubted:  # what is told is never taken back, and comes in order
            writing.tell(sentence)
            streamed += 1
    again, problems = _rewritten(question, made.passages, doubted, writing, ends)
    again = tuple(sentence for sentence in again if sentence.text.casefold() not in texts)
    every = (*kept, *again)
    if reply.failure is not None and not every:
        raise reply.failure
    for sentence in every[streamed:]:
        writing.tell(sentence)
    return WrittenAnswer(
        sentences=every,
        dropped=tuple(sentence.text for sentence in doubted),
        rewritten=len(again),
        problems=(*reply.problems, *problems),
    )


def checked_sentence(draft: DraftSentence, checker: CitationChecker) -> WrittenSentence:
    """Against what it cites; where that does not say it, against the passage that says it best."""
    checked = checker.check(draft.text, draft.numbers)
    if checked.support is Support.SUPPORTED:
        return WrittenSentence(draft.text, checked, draft.inferred)
    best = checker.best_passage(draft.text)
    if best is not None and best not in draft.numbers:
        other = checker.check(draft.text, (best,))
        if other.support is Support.SUPPORTED:
            return WrittenSentence(draft.text, other, draft.inferred, attributed=True)
    return WrittenSentence(draft.text, checked, draft.inferred)


class _Reply:
    """A model's reply as it comes, sentence by sentence."""

    def __init__(self, writing: AnswerWriting, prompt: Prompt, ends: float) -> None:
        self._writing = writing
        self._prompt = prompt
        self._ends = ends
        self._text = ""
        self.problems: tuple[str, ...] = ()
        self.failure: ProviderFailed | None = None

    def sentences(self) -> Iterator[DraftSentence]:
        given = 0
        for whole in self._pieces():
            sentences = drafts(self._text)
            if whole and self.failure and sentences and not sentences[-1].text.endswith(_ENDS):
                sentences = sentences[:-1]  # half a sentence may say the opposite of the whole
            # The last may go on, or its marks may still come.
            for draft in sentences[given : None if whole else -1]:
                yield draft
                given += 1

    def _pieces(self) -> Iterator[bool]:
        """False whenever a sentence may have ended, True at the end."""
        stream = self._writing.model.stream(
            CompletionRequest(
                self._prompt,
                max_tokens=_reply_tokens(self._writing),
                deadline=max(1.0, self._ends - self._writing.clock()),
            )
        )
        try:
            for piece in stream:
                self._text += piece
                if len(self._text) > _REPLY_CHARACTERS:
                    self.problems = ("the reply was too long and is cut",)
                    break
                if any(character in piece for character in (*_ENDS, "\n")):
                    yield False
        except ProviderFailed as error:
            if not self._text.strip():
                raise
            self.problems = (f"the reply broke off: {error.message}",)
            self.failure = error
        finally:
            _close(stream)
        yield True


def _close(stream: Iterable[str]) -> None:
    """Ends the call, where there is something to end."""
    close = getattr(stream, "close", None)
    if close is not None:
        close()


def _rewritten(
    question: str,
    passages: Sequence[NumberedPassage],
    doubted: Sequence[WrittenSentence],
    writing: AnswerWriting,
    ends: float,
) -> tuple[tuple[WrittenSentence, ...], tuple[str, ...]]:
    """Sentences that no passage supports, given back to the model once; those that still none supports are left out."""
    if not doubted or ends <= writing.clock():
        return (), ()
    shown, _ = quoted_passages(passages, _room(writing))
    listed = "\n".join(f"- {single_line(sentence.text)}" for sentence in doubted)
    prompt = prompt_of("rewrite", writing.own, passages=shown, question=single_line(question), sentences=listed)
    left = ends - writing.clock()
    try:
        reply = writing.model.complete(CompletionRequest(prompt, max_tokens=_reply_tokens(writing), deadline=left)).text
    except ProviderFailed as error:
        return (), (f"unsupported sentences could not be rewritten: {error.message}",)
    sentences = [checked_sentence(draft, writing.checker) for draft in drafts(reply) if not draft.unknown]
    kept = tuple(sentence for sentence in sentences if sentence.checked.support is not Support.UNSUPPORTED)
    return kept[: len(doubted)], ()


def _room(writing: AnswerWriting) -> int:
    """Tokens that the passages may take: what was asked for, and what the model can read beside the rest."""
    return max(100, min(writing.budget, writing.model.window - _reply_tokens(writing) - _INSTRUCTIONS))


def _reply_tokens(writing: AnswerWriting) -> int:
    return min(writing.reply_tokens, writing.model.window // _REPLY_SHARE)


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

    >>> [(said.text, said.numbers) for said in drafts("The dome closes. [1] It opens by hand [2, 3].")]
    [('The dome closes.', (1,)), ('It opens by hand.', (2, 3))]
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
