"""What an answer may cite: hits of a search with what it takes to cite any sentence of them exactly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from octavo.answering.sentence_splitting import Sentence, sentences
from octavo.fast_dataclass import dataclass, replace
from octavo.lazy_regex import regex
from octavo.model.converted_file import Position, position
from octavo.model.document import Kind, Section
from octavo.model.ids import DocumentId, ProjectId
from octavo.model.normalised_text_and_spans import Lines, Span
from octavo.model.search_result import Hit
from octavo.sql_repositories.store import Store

_CODE = frozenset({Kind.CODE, Kind.CONFIG})
_BESIDE_MESSAGE = regex(
    r"\A(?:commit [0-9a-f]+\n)?(?:[A-Z][\w-]*: [^\n]*\n)+|^(?:Changed files|Diff):\n.*\Z"
    r"|^[A-Z][\w-]*-by: [^\n]*$",
    re.MULTILINE | re.DOTALL,
)
_COMMITTED = regex(r"commit [0-9a-f]+\n(?:[A-Z][\w-]*: [^\n]*\n)*?Date: (\d{4}-\d\d-\d\d)")
_LEAD = 320  # characters that stand for a passage without sentences
_READ_WHOLE = 3  # documents of which more is read than was found
_AROUND = 4_000  # characters of a long document around what was found; twice as long is short
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
    found: tuple[tuple[Span, float], ...] = ()
    """Of a passage with its surroundings, the parts that a search found, and how relevant each is."""

    @property
    def text(self) -> str:
        return self.hit.excerpt

    @property
    def start(self) -> int:
        return self.hit.citation.span.start

    @property
    def has_lists(self) -> bool:
        """Whether its lists are text for readers."""
        return self.hit.kind not in {*_CODE, Kind.COMMIT}

    @property
    def committed(self) -> str:
        """The day of a commit."""
        date = _COMMITTED.match(self.text) if self.hit.kind is Kind.COMMIT else None
        return date[1] if date else ""

    def statements(self) -> tuple[Sentence, ...]:
        """Its sentences. Code, and what has none, is represented by its first lines; of a commit only what its author
        wrote says anything."""
        commit = self.hit.kind is Kind.COMMIT
        text = _BESIDE_MESSAGE.sub(lambda part: re.sub(r"[^\n]", " ", part[0]), self.text) if commit else self.text
        parts = () if self.hit.kind in _CODE else sentences(text, self.start)
        return tuple(map(_shortened, parts)) or (() if commit else self._lead())

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

    def relevance(self, span: Span) -> float:
        """How relevant a part of it is: as much as its document where no search found it."""
        scores = [score for found, score in self.found if span.start < found.end and found.start < span.end]
        return max(scores, default=self.hit.score) if self.found else self.hit.score

    def holds(self, other: NumberedPassage) -> bool:
        """Whether all of another passage of the same document is in it."""
        return self.start <= other.start and other.hit.citation.span.end <= self.hit.citation.span.end

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


def with_surroundings(
    store: Store, project: ProjectId, passages: Sequence[NumberedPassage]
) -> tuple[NumberedPassage, ...]:
    """The same, with the text around them where they are of the best documents: a short document is read whole.

    The fact may stand beside the passage that was found: in the first sentence of its document, most often. A wider
    passage has the number of the first that it holds.
    """
    wide: dict[DocumentId, NumberedPassage | None] = {}
    result = []
    for passage in passages:
        document = passage.hit.document_id
        if document not in wide:
            among_best = sum(other is not None for other in wide.values()) < _READ_WHOLE
            wide[document] = _widened(store, project, passage) if among_best else None
            result.append(wide[document] or passage)
        elif (around := wide[document]) is None or not around.holds(passage):
            result.append(passage)
    return tuple(replace(each, found=_found(each, passages)) for each in result)


def _found(wide: NumberedPassage, passages: Sequence[NumberedPassage]) -> tuple[tuple[Span, float], ...]:
    same = (passage for passage in passages if passage.hit.document_id == wide.hit.document_id)
    return tuple((passage.hit.citation.span, passage.hit.score) for passage in same if wide.holds(passage))


def _widened(store: Store, project: ProjectId, passage: NumberedPassage) -> NumberedPassage | None:
    hit = passage.hit
    document = store.documents.get(project, hit.document_id)
    if document is None or hit.kind in _CODE or hit.version is not None:
        return None
    text = store.documents.texts(project, [document.text_hash]).get(document.text_hash, "")
    span = hit.citation.span
    start, end = (
        (0, len(text))
        if len(text) <= 2 * _AROUND
        else (max(0, span.start - _AROUND // 2), min(len(text), span.end + _AROUND // 2))
    )
    start = text.rfind("\n\n", 0, start + 1) + 1  # 0 where there is none
    lines = Lines(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1)
    citation = replace(hit.citation, span=Span(start, end), lines=lines)
    (sections,) = store.documents.sections_touching(project, [(hit.document_id, citation.span)])
    wide = replace(hit, excerpt=text[start:end], citation=citation)
    return NumberedPassage(passage.number, wide, passage.version, sections, passage.metadata)


def _passage(store: Store, project: ProjectId, number: int, hit: Hit) -> NumberedPassage:
    document = store.documents.get(project, hit.document_id)
    if document is None:  # removed since it was found
        return NumberedPassage(number, hit)
    (sections,) = store.documents.sections_touching(project, [(hit.document_id, hit.citation.span)])
    return NumberedPassage(number, hit, document.version, sections, document.metadata)
