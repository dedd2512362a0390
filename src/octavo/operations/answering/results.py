"""An answer as clients get it: sentences, what each of them cites, and the passages it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from octavo.fast_dataclass import dataclass
from octavo.model.position_in_original import Position, place
from octavo.model.search_result import Freshness, StageTrace


@dataclass(frozen=True, slots=True)
class SentenceCitation:
    """Where a sentence stands, or what it was concluded from: exact lines and characters of one version of a document.

    `passage` is the number of the passage in this answer. `quote` is the text at that place.
    """

    passage: int
    collection: str
    uri: str
    version: int
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    quote: str
    page: int | None = None
    pages: tuple[int, ...] | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None
    url: str | None = None
    doi: str | None = None
    ocr: bool | None = None
    citation_key: str | None = None
    reference: str | None = None

    @property
    def position(self) -> Position:
        return Position(**{field.name: getattr(self, field.name) for field in fields(Position)})

    @property
    def place(self) -> str:
        return place(f"{self.collection}/{self.uri}", self.start_line, self.position)


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """What the model with the role `judge` says of a sentence: supported, partly or unsupported."""

    model: str
    support: str


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence. `support` says what its citations are worth: quoted, supported, partly or unsupported.

    `differences` are what the nearest place says otherwise, where it is not supported; `verdict` is a model's own.
    `inferred` is what the model says it has concluded. `attributed` is what the model cited nothing for, or the wrong
    passage, and for which the passage that says it was found. `above` is what a sentence of the library stands under:
    the item of a nested item, the line that announces a list, the head of a table.
    """

    text: str
    support: str
    score: float
    citations: tuple[SentenceCitation, ...] = ()
    inferred: bool = False
    attributed: bool = False
    differences: tuple[str, ...] | None = None
    verdict: ModelVerdict | None = None
    above: str | None = None

    @property
    def marked(self) -> str:
        """With the numbers of the passages it cites, and with what is wrong with it: `The dome closes. [1][3]`."""
        numbers = dict.fromkeys(cited.passage for cited in self.citations)
        marks = "".join(f"[{number}]" for number in numbers)
        doubt = {"partly": "partly supported", "unsupported": "unsupported"}.get(self.support, "")
        if doubt and self.differences:
            doubt += f": {'; '.join(self.differences)}"
        judged = f"{self.verdict.model} judges: {self.verdict.support}" if self.verdict else ""
        remarks = (f"({remark})" for remark in (doubt, judged) if remark)
        return " ".join(filter(None, ("Inferred:" if self.inferred else "", self.above, self.text, marks, *remarks)))


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """A passage that the answer was made from. Its text is left out where the answer would be too long with it."""

    number: int
    collection: str
    uri: str
    version: int
    kind: str
    title: str
    heading_path: tuple[str, ...]
    start_line: int
    end_line: int
    chunk_id: str
    score: float | None = None
    text: str | None = None
    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    time: str | None = None

    @property
    def position(self) -> Position:
        return Position(page=self.page, slide=self.slide, sheet=self.sheet, time=self.time)

    @property
    def place(self) -> str:
        return place(f"{self.collection}/{self.uri}", self.start_line, self.position)


@dataclass(frozen=True, slots=True)
class SearchHop:
    """One of the searches for a question: what was asked, what it found, how much of that was new, and why."""

    question: str
    found: int
    new: int
    because: str


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What the model took: tokens as it counts them, or nearly, and their cost by its configured prices.

    `cached` of the `calls` were known already, from the library's cache: they took nothing.
    """

    model: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    cost: float
    calls: int
    cached: int


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """`mode` is extractive where no model wrote it: then its sentences are the library's own.

    `dropped` are sentences that the model wrote and no passage supports; `hops` are the searches, if several.
    `usage` is of the model that answers, `judging` of the one that judges.

    `answered` is false where the passages do not answer the question; `answer` says so. `context` is the prompt, where
    that was asked for. The question is repeated if it is short;
    `standalone` is what was searched for, where a conversation came before.
    """

    mode: str
    answered: bool
    answer: str
    sentences: tuple[AnswerSentence, ...]
    passages: tuple[ReadPassage, ...]
    took_ms: float
    freshness: Freshness
    question: str | None = None
    standalone: str | None = None
    hint: str | None = None
    context: str | None = None
    dropped: tuple[str, ...] | None = None
    hops: tuple[SearchHop, ...] | None = None
    usage: ModelUsage | None = None
    judging: ModelUsage | None = None
    trace: tuple[StageTrace, ...] | None = None
    degraded: tuple[str, ...] | None = None
    excluding: str | None = None

    def __str__(self) -> str:
        """The answer, and where each number in it leads."""
        return "\n".join((self.answer, *(f"[{cited.passage}] {cited.place}" for cited in self.cited)))

    @property
    def cited(self) -> tuple[SentenceCitation, ...]:
        """Every place that a sentence cites, once, by the numbers of the passages."""
        places = {(each.passage, each.start): each for sentence in self.sentences for each in sentence.citations}
        return tuple(each for _, each in sorted(places.items()))

    @property
    def uncited(self) -> tuple[ReadPassage, ...]:
        """What was read beside that."""
        numbers = {each.passage for each in self.cited}
        return tuple(passage for passage in self.passages if passage.number not in numbers)

    def __iter__(self) -> Iterator[AnswerSentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)

    def __getitem__(self, place: int) -> AnswerSentence:
        return self.sentences[place]
