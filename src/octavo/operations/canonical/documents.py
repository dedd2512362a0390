"""Write, read, list and pack canonical documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from octavo.algorithms.quotations import QUOTED_MEMORIES
from octavo.dataclass import replace
from octavo.engine.engine import Engine
from octavo.memory import canonical
from octavo.memory.canonical import Canonical, CanonicalSpan
from octavo.memory.draft import MemoryDraft
from octavo.memory.recall import only
from octavo.memory.remember import refuse_secrets
from octavo.model.document import Section
from octavo.model.memory import MemoryId, MemoryKind, MemoryLink, memory_of
from octavo.model.query import Query
from octavo.model.result import Hit
from octavo.model.text import LineIndex, Span
from octavo.operations.budget import tokens
from octavo.operations.canonical.answers import (
    CanonicalAnswer,
    CanonicalListAnswer,
    CanonicalListed,
    CanonicalOutlineAnswer,
    CanonicalPackAnswer,
    CanonicalPassage,
    CanonicalSection,
)
from octavo.operations.canonical.requests import (
    CanonicalContextPackRequest,
    CanonicalGetRequest,
    CanonicalGetSectionRequest,
    CanonicalListRequest,
    CanonicalUpsertRequest,
)
from octavo.operations.memory.answers import MemoryState, memory_state, when
from octavo.operations.memory.resolve import in_project, instant, provenance
from octavo.retrieval.profiles import MEMORY_PROFILE, profile_named
from octavo.retrieval.stages.refine import MergeSpans

_PACK_CANDIDATES = 100  # chunks considered for a pack


def canonical_upsert(engine: Engine, request: CanonicalUpsertRequest) -> MemoryState:
    engine = in_project(engine, request.project)
    key = canonical.checked_key(request.key)
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
    return memory_state(canonical.upsert(engine.memories, key, draft, provenance(request), expected=expected))


def canonical_get(engine: Engine, request: CanonicalGetRequest) -> CanonicalAnswer:
    document = _document(engine, request)
    version = document.shown.version
    return CanonicalAnswer(
        key=document.key,
        item=document.item.id,
        version=version.number,
        doc_class=document.item.doc_class,
        title=version.title,
        tags=version.tags,
        status=document.item.status.value,
        updated_at=when(version.created_at),
        text=document.shown.text,
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
    engine = in_project(engine, request.project)
    document = canonical.canonical(engine.memories, request.key, request.version)
    return _passage(canonical.section(document, request.anchor))


def canonical_context_pack(engine: Engine, request: CanonicalContextPackRequest) -> CanonicalPackAnswer:
    engine = in_project(engine, request.project)
    with engine.store.reading():
        items = canonical.listed(engine.memories, request.doc_classes, request.keys)
        documents = [canonical.canonical(engine.memories, item.canonical_key or "") for item in items]
    wanted: Iterator[tuple[MemoryId, tuple[Span, ...]]] = ((name, (span,)) for name, span in _every_section(documents))
    degraded: tuple[str, ...] = ()
    if request.query.strip():
        wanted, degraded = _best_sections(engine, documents, request.query)
    pack = canonical.packed(
        documents, wanted, request.max_tokens, lambda text: tokens(_with_preface(text)), merge=not request.query.strip()
    )
    text = _with_preface(pack.text)
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
    engine = in_project(engine, request.project)
    return CanonicalListAnswer(
        tuple(
            CanonicalListed(
                item.canonical_key or "", item.id, item.version, item.doc_class, item.title, when(item.updated_at)
            )
            for item in canonical.listed(engine.memories, request.doc_classes)
        )
    )


def _document(engine: Engine, request: CanonicalGetRequest) -> Canonical:
    engine = in_project(engine, request.project)
    return canonical.canonical(engine.memories, request.key, request.version, instant(engine, request.as_of))


def _with_preface(text: str) -> str:
    return f"{QUOTED_MEMORIES}\n\n{text}" if text else ""


def _best_sections(
    engine: Engine, documents: Sequence[Canonical], question: str
) -> tuple[Iterator[tuple[MemoryId, tuple[Span, ...]]], tuple[str, ...]]:
    """The sections that hits lie in, best first, each whole or else by its hit alone; and what could not be searched.

    Hits are not merged before: together they would be longer than the section that answers.
    """
    filters = only(document.item.id for document in documents)
    if filters is None:
        return iter(()), ()
    profile = profile_named(MEMORY_PROFILE)
    apart = replace(profile, refine=tuple(stage for stage in profile.refine if not isinstance(stage, MergeSpans)))
    result = engine.search(Query(question, _PACK_CANDIDATES, filters), apart)
    sections: dict[MemoryId, list[Span]] = {}
    for name, span in _every_section(documents):
        sections.setdefault(name, []).append(span)
    return _around(result.hits, sections), result.degraded


def _around(
    hits: Sequence[Hit], sections: Mapping[MemoryId, Sequence[Span]]
) -> Iterator[tuple[MemoryId, tuple[Span, ...]]]:
    for hit in hits:
        name, cited = memory_of(hit.citation.uri), hit.citation.span
        for section in sections.get(name, ()):
            if section.start < cited.end and cited.start < section.end:
                part = Span(max(section.start, cited.start), min(section.end, cited.end))
                yield name, tuple(dict.fromkeys((section, part)))


def _every_section(documents: Sequence[Canonical]) -> Iterator[tuple[MemoryId, Span]]:
    """Section by section, each up to where the next begins."""
    for document in documents:
        text = document.shown.text
        starts = [section.span.start for section in document.sections] + [len(text)]
        for start, end in pairwise(starts):
            body = text[start:end].rstrip()
            if body:
                yield document.item.id, Span(start, start + len(body))


def _section(section: Section, index: LineIndex, text: str) -> CanonicalSection:
    lines = index.lines(section.span.start, section.span.end)
    return CanonicalSection(
        anchor=section.anchor,
        title=section.title,
        level=section.level,
        start=section.span.start,
        end=section.span.end,
        start_line=lines.first,
        end_line=lines.last,
        tokens=tokens(section.span.of(text)),
    )


def _passage(passage: CanonicalSpan) -> CanonicalPassage:
    document = passage.document
    return CanonicalPassage(
        key=document.key,
        item=document.item.id,
        version=document.shown.version.number,
        anchor=passage.section.anchor,
        heading_path=passage.section.path,
        start=passage.span.start,
        end=passage.span.end,
        start_line=passage.first_line,
        end_line=passage.last_line,
        text=passage.text,
        citation=passage.citation,
    )
