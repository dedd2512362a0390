"""What an answer may cite: hits of a search with what it takes to cite any sentence of them exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from octavo.answering.sentences import Sentence, sentences
from octavo.dataclass import dataclass
from octavo.model.document import Kind, Section
from octavo.model.ids import ProjectId
from octavo.model.position import Position, position
from octavo.model.result import Hit
from octavo.model.text import Lines, Span
from octavo.ports import Store

_CODE = frozenset({Kind.CODE, Kind.CONFIG})
_LEAD = 320  # characters that stand for a passage without sentences
_LONGEST = 1_000  # characters of a sentence: what is longer is data without punctuation


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """Where exactly a statement stands: part of a passage, with its own lines, headings and page."""

    passage: int
    span: Span
    lines: Lines
    heading_path: tuple[str, ...]
    position: Position
    quote: str


@dataclass(frozen=True, slots=True)
class NumberedPassage:
    """A hit with its number in the answer, from 1, the version of its document, and the sections it touches."""

    number: int
    hit: Hit
    version: int = 1
    sections: tuple[Section, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return self.hit.excerpt

    @property
    def start(self) -> int:
        return self.hit.citation.span.start

    def statements(self) -> tuple[Sentence, ...]:
        """Its sentences. Code, and what has none, is represented by its first lines."""
        parts = () if self.hit.kind in _CODE else sentences(self.text, self.start)
        return tuple(map(_shortened, parts)) or self._lead()

    def cited(self, span: Span) -> CitedSpan:
        """The citation of a part of it."""
        start = span.start - self.start
        quote = self.text[start : span.end - self.start]
        first = self.hit.citation.lines.first + self.text.count("\n", 0, start)
        around = [section for section in self.sections if section.span.start <= span.start < section.span.end]
        return CitedSpan(
            passage=self.number,
            span=span,
            lines=Lines(first, first + quote.count("\n")),
            heading_path=around[-1].path if around else self.hit.citation.heading_path,
            position=position(self.metadata, span) if self.metadata else self.hit.citation.position,
            quote=quote,
        )

    def _lead(self) -> tuple[Sentence, ...]:
        text = self.text.rstrip()
        if len(text) > _LEAD:
            cut = text.rfind("\n", 0, _LEAD)
            text = text[: cut if cut > 0 else _LEAD]
        lead = len(text) - len(text.lstrip())
        if not text.strip():
            return ()
        return (Sentence(" ".join(text.split()), Span(self.start + lead, self.start + len(text))),)


def _shortened(sentence: Sentence) -> Sentence:
    if sentence.span.length <= _LONGEST:
        return sentence
    return Sentence(sentence.text[:_LONGEST], Span(sentence.span.start, sentence.span.start + _LONGEST))


def passages_of(store: Store, project: ProjectId, hits: Iterable[Hit]) -> tuple[NumberedPassage, ...]:
    """Numbered from 1, in the order of the hits."""
    return tuple(_passage(store, project, number, hit) for number, hit in enumerate(hits, 1))


def _passage(store: Store, project: ProjectId, number: int, hit: Hit) -> NumberedPassage:
    document = store.documents.get(project, hit.document_id)
    if document is None:  # removed since it was found
        return NumberedPassage(number, hit)
    (sections,) = store.documents.sections_touching(project, [(hit.document_id, hit.citation.span)])
    return NumberedPassage(number, hit, document.version, sections, document.metadata)
