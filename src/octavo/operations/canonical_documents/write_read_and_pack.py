"""Canonical documents: written, read by their keys and packed into a context, with the answers and how they look."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.engine.engine import Engine
from octavo.fast_dataclass import Value, replace
from octavo.memory import canonical_documents
from octavo.memory.canonical_context_packing import context_pack
from octavo.memory.canonical_documents import Canonical, CanonicalSpan
from octavo.memory.draft import MemoryDraft
from octavo.memory.remember import refuse_secrets
from octavo.model.document import Section, shown_path
from octavo.model.memory import MemoryKind, MemoryLink
from octavo.model.normalised_text_and_spans import LineIndex
from octavo.operations.answer_conversion import filled
from octavo.operations.canonical_documents.requests import (
    CanonicalContextPackRequest,
    CanonicalGetRequest,
    CanonicalGetSectionRequest,
    CanonicalListRequest,
    CanonicalUpsertRequest,
)
from octavo.operations.memory.named_memory_lookup import instant, provenance
from octavo.operations.memory.results import MemoryState, memory_state, memory_state_lines, version_heading, when
from octavo.operations.styled_answer_lines import DETAIL, Block, Line, Part, Quote, columns, degraded_lines
from octavo.operations.token_counts_and_page_cursor import tokens


class CanonicalAnswer(Value):
    key: str
    item: str
    version: int
    doc_class: str
    title: str
    tags: tuple[str, ...]
    status: str
    updated_at: str
    text: str


class CanonicalSection(Value):
    """`start` and `end` count characters of the document's text; `tokens` is how long the section is."""

    anchor: str
    title: str
    level: int
    start: int
    end: int
    start_line: int
    end_line: int
    tokens: int


class CanonicalOutlineAnswer(Value):
    key: str
    item: str
    version: int
    title: str
    sections: tuple[CanonicalSection, ...]


class CanonicalPassage(Value):
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


class CanonicalPackAnswer(Value):
    """`text` has every passage under its citation; `left_out` counts passages that were wanted and did not fit."""

    query: str
    max_tokens: int
    tokens: int
    text: str
    passages: tuple[CanonicalPassage, ...]
    left_out: int
    degraded: tuple[str, ...] | None = None


class CanonicalListed(Value):
    key: str
    item: str
    version: int
    doc_class: str
    title: str
    updated_at: str


class CanonicalListAnswer(Value):
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


def canonical_upsert(engine: Engine, request: CanonicalUpsertRequest) -> MemoryState:
    key = canonical_documents.checked_key(request.key)
    draft = MemoryDraft(
        text=request.text,
        kind=MemoryKind(request.kind) if request.kind else MemoryKind.NOTE,
        title=request.title.strip(),
        tags=request.tags,
        links=tuple(map(MemoryLink, request.links)),
        pinned=request.pin,
        doc_class=request.doc_class.strip(),
    )
    if not request.force:
        refuse_secrets(replace(draft, canonical_key=key))
    expected = request.expected_version
    return memory_state(canonical_documents.upsert(engine.memories, key, draft, provenance(request), expected=expected))


def canonical_get(engine: Engine, request: CanonicalGetRequest) -> CanonicalAnswer:
    document = _document(engine, request)
    version = document.shown.version
    return filled(
        CanonicalAnswer,
        *(document, document.shown, version, document.item),
        item=document.item.id,
        version=version.number,
        updated_at=when(version.created_at),
    )


def canonical_outline(engine: Engine, request: CanonicalGetRequest) -> CanonicalOutlineAnswer:
    document = _document(engine, request)
    index, text = LineIndex(document.shown.text), document.shown.text
    return CanonicalOutlineAnswer(
        key=document.key,
        item=document.item.id,
        version=document.shown.version.number,
        title=document.shown.version.title,
        sections=tuple(_section(section, index, text) for section in document.sections if section.level),
    )


def canonical_get_section(engine: Engine, request: CanonicalGetSectionRequest) -> CanonicalPassage:
    document = canonical_documents.canonical(engine.memories, request.key, request.version)
    return _passage(canonical_documents.section(document, request.anchor))


def canonical_context_pack(engine: Engine, request: CanonicalContextPackRequest) -> CanonicalPackAnswer:
    pack, text, degraded = context_pack(
        engine.memories, engine.search, request.query, request.max_tokens, tokens, request.doc_classes, request.keys
    )
    return CanonicalPackAnswer(
        query=request.query,
        max_tokens=request.max_tokens,
        tokens=tokens(text),
        text=text,
        passages=tuple(_passage(passage) for passage in pack.passages),
        left_out=pack.left_out,
        degraded=degraded or None,
    )


def canonical_list(engine: Engine, request: CanonicalListRequest) -> CanonicalListAnswer:
    return CanonicalListAnswer(
        tuple(
            filled(CanonicalListed, item, key=item.canonical_key or "", item=item.id, written=when)
            for item in canonical_documents.listed(engine.memories, request.doc_classes)
        )
    )


def _document(engine: Engine, request: CanonicalGetRequest) -> Canonical:
    return canonical_documents.canonical(engine.memories, request.key, request.version, instant(engine, request.as_of))


def _section(section: Section, index: LineIndex, text: str) -> CanonicalSection:
    lines = index.lines(section.span.start, section.span.end)
    length = tokens(section.span.of(text))
    return filled(CanonicalSection, section, section.span, start_line=lines.first, end_line=lines.last, tokens=length)


def _passage(passage: CanonicalSpan) -> CanonicalPassage:
    document = passage.document
    return filled(
        CanonicalPassage,
        *(passage, passage.span, passage.section, document),
        item=document.item.id,
        version=document.shown.version.number,
        heading_path=passage.section.path,
        start_line=passage.first_line,
        end_line=passage.last_line,
    )
