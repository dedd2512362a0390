"""Operations on canonical documents: write a version, read one or a section, outline, list, pack a context."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.memory import canonical_documents
from octavo.memory.canonical_context_packing import context_pack
from octavo.memory.canonical_documents import Canonical, CanonicalSpan
from octavo.memory.draft import MemoryDraft
from octavo.memory.remember import refuse_secrets
from octavo.model.document import Section
from octavo.model.memory import MemoryKind, MemoryLink
from octavo.model.normalised_text_and_spans import LineIndex
from octavo.operations.canonical_documents.requests import (
    CanonicalContextPackRequest,
    CanonicalGetRequest,
    CanonicalGetSectionRequest,
    CanonicalListRequest,
    CanonicalUpsertRequest,
)
from octavo.operations.canonical_documents.results import (
    CanonicalAnswer,
    CanonicalListAnswer,
    CanonicalListed,
    CanonicalOutlineAnswer,
    CanonicalPackAnswer,
    CanonicalPassage,
    CanonicalSection,
)
from octavo.operations.memory.named_memory_lookup import instant, provenance
from octavo.operations.memory.results import MemoryState, memory_state, when
from octavo.operations.same_named_fields import filled
from octavo.operations.token_counts_and_page_cursor import tokens


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
