"""An answer as clients get it: sentences, what each of them cites, and the passages it was made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from octavo.model.position import Position
from octavo.model.result import Freshness
from octavo.operations.search.answers import Stage


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

    @property
    def position(self) -> Position:
        return Position(self.page, self.pages, self.slide, self.sheet, self.time, self.url, self.doi, self.ocr)


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence. `support` says what its citations are worth: quoted, supported, partly or unsupported."""

    text: str
    support: str
    score: float
    citations: tuple[SentenceCitation, ...] = ()

    @property
    def marked(self) -> str:
        """With the numbers of the passages it cites: `The dome closes. [1][3]`."""
        numbers = dict.fromkeys(cited.passage for cited in self.citations)
        return " ".join(filter(None, (self.text, "".join(f"[{number}]" for number in numbers))))


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


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """`mode` is extractive where no model wrote it: then its sentences are the library's own.

    `answered` is false where the passages do not answer the question; `answer` says so. `context` is the prompt, where
    that was asked for. The question is repeated if it is short.
    """

    mode: str
    answered: bool
    answer: str
    sentences: tuple[AnswerSentence, ...]
    passages: tuple[ReadPassage, ...]
    took_ms: float
    freshness: Freshness
    question: str | None = None
    hint: str | None = None
    context: str | None = None
    trace: tuple[Stage, ...] | None = None
    degraded: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[AnswerSentence]:
        return iter(self.sentences)

    def __len__(self) -> int:
        return len(self.sentences)
