"""The answers about canonical documents as lines, for every writer."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.model.document import shown_path
from octavo.operations.canonical_documents.results import (
    CanonicalAnswer,
    CanonicalOutlineAnswer,
    CanonicalPackAnswer,
    CanonicalPassage,
)
from octavo.operations.memory.rendering import memory_state_lines, version_heading
from octavo.operations.memory.results import MemoryState
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, columns, degraded_lines

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
