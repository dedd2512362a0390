"""Answers about canonical documents, which are memories with a key and a class, and how they are told in lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.fast_dataclass import dataclass
from octavo.model.document import shown_path
from octavo.operations.memory.results import MemoryState, memory_state_lines, version_heading
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, columns, degraded_lines


@dataclass(frozen=True, slots=True)
class CanonicalAnswer:
    key: str
    item: str
    version: int
    doc_class: str
    title: str
    tags: tuple[str, ...]
    status: str
    updated_at: str
    text: str


@dataclass(frozen=True, slots=True)
class CanonicalSection:
    """`start` and `end` count characters of the document's text; `tokens` is how long the section is."""

    anchor: str
    title: str
    level: int
    start: int
    end: int
    start_line: int
    end_line: int
    tokens: int


@dataclass(frozen=True, slots=True)
class CanonicalOutlineAnswer:
    key: str
    item: str
    version: int
    title: str
    sections: tuple[CanonicalSection, ...]


@dataclass(frozen=True, slots=True)
class CanonicalPassage:
    """`text` is exactly the document's characters from `start` to `end`."""

    key: str
    item: str
    version: int
    anchor: str
    heading_path: tuple[str, ...]
    start: int
    end: int
    start_line: int
    end_line: int
    text: str
    citation: str


@dataclass(frozen=True, slots=True)
class CanonicalPackAnswer:
    """`text` has every passage under its citation; `left_out` counts passages that were wanted and did not fit."""

    query: str
    max_tokens: int
    tokens: int
    text: str
    passages: tuple[CanonicalPassage, ...]
    left_out: int
    degraded: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CanonicalListed:
    key: str
    item: str
    version: int
    doc_class: str
    title: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class CanonicalListAnswer:
    documents: tuple[CanonicalListed, ...]


_ACTIONS = {"created": "Created", "revised": "Replaced"}


def canonical_upsert_lines(answer: MemoryState) -> Iterator[Line]:
    yield from memory_state_lines(answer, _ACTIONS)


def canonical_lines(answer: CanonicalAnswer) -> Iterator[Block]:
    about = (answer.key, answer.doc_class, answer.updated_at[:10], answer.status)
    yield _detail(version_heading(answer.item, answer.version, about))
    yield Quote(answer.text, numbered=False, whole=True)


def canonical_passage_lines(answer: CanonicalPassage) -> Iterator[Block]:
    about = (answer.citation, shown_path(answer.heading_path))
    yield _detail(version_heading(answer.item, answer.version, about))
    yield Quote(answer.text, numbered=False, whole=True)


def _detail(line: Line) -> Line:
    """For models: a person who reads a document asked for nothing but its text."""
    return tuple(part._replace(style=DETAIL) for part in line)


def canonical_outline_lines(answer: CanonicalOutlineAnswer) -> Iterator[Line]:
    yield Part(answer.title, "title"), Part(f"  {answer.key} v{answer.version}", "dim")
    rows = [
        (
            Part("  " * section.level + section.title, "heading"),
            Part(f"#{section.anchor}", "place"),
            Part(f"lines {section.start_line}-{section.end_line}, {section.tokens} tokens", "dim"),
        )
        for section in answer.sections
    ]
    yield from columns(rows) if rows else [(Part("It has no headings."),)]


def canonical_pack_lines(answer: CanonicalPackAnswer) -> Iterator[Block]:
    """The same as the answer's `text`, which is within the budget."""
    for passage in answer.passages:
        path = shown_path(passage.heading_path)
        about = f"{passage.citation}{' ' if path else ''}{path}".replace("]", ")")
        yield Part(f"[{passage.item} v{passage.version} ", DETAIL), Part(about, "place"), Part("]", DETAIL)
        yield Quote(passage.text, numbered=False, uncut=True, verbatim=True)
        yield ()
    if not answer.passages:
        yield (Part("No passage fits the budget." if answer.left_out else "There is nothing canonical to pack."),)
    yield from degraded_lines(answer.degraded)
