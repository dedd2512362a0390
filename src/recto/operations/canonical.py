"""Canonical documents: specifications, plans and rules under keys, read by section and packed within a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.memory import canonical as documents
from recto.memory.canonical import Canonical, Passage
from recto.memory.draft import Draft
from recto.memory.quoting import PREFACE, quoted
from recto.memory.recall import only
from recto.memory.remember import refuse_secrets
from recto.model.document import Section
from recto.model.limits import Field
from recto.model.memory import MemoryId, MemoryItem, MemoryKind, MemoryLink, memory_of
from recto.model.query import Query
from recto.model.text import LineIndex, Span
from recto.operations import fields
from recto.operations.budget import tokens
from recto.operations.memories import (
    Asked,
    KindName,
    MemoryState,
    Number,
    ProjectName,
    Tags,
    Time,
    circumstances,
    instant,
    kind_named,
    state,
    when,
    within,
)
from recto.operations.quoting import one_line
from recto.retrieval.profiles import MEMORY_PROFILE, profile_named

CanonicalKey = Annotated[
    str,
    Field(
        min_length=1,
        max_length=500,
        pattern=documents.KEY,
        description="The document's key, such as spec/app or implementation/plan.",
    ),
]
DocClass = Annotated[
    str, Field(max_length=100, description="Its class: app_spec, feature_spec, implementation_plan, or any other.")
]
Anchor = Annotated[str, Field(min_length=1, max_length=1_000, description="A section's anchor, or its title.")]
_WANTED = 100  # chunks that are considered for a pack


@dataclass(frozen=True, slots=True)
class CanonicalUpsertRequest(Asked):
    """What is left out stays as it was."""

    key: CanonicalKey
    text: Annotated[str, Field(min_length=1, max_length=1_000_000, description="The document, in Markdown.")]
    doc_class: DocClass = ""
    title: Annotated[str, Field(max_length=500, description="A title; else its first heading serves.")] = ""
    kind: KindName | None = None
    tags: Tags = ()
    links: Annotated[tuple[str, ...], Field(max_length=50, description="Documents or memories it is about.")] = ()
    pin: Annotated[bool, Field(description="Keep it in front.")] = False
    expected_version: Number | None = None
    force: Annotated[bool, Field(description="Keep it although it seems to hold a secret.")] = False


@dataclass(frozen=True, slots=True)
class CanonicalGetRequest:
    key: CanonicalKey
    version: Number | None = None
    as_of: Time | None = None
    project: ProjectName | None = None


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
class CanonicalSectionRequest:
    key: CanonicalKey
    anchor: Anchor
    version: Number | None = None
    project: ProjectName | None = None


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
class CanonicalPackRequest:
    """With a query, what answers it best; without one, the documents from their beginnings, in the order of keys."""

    query: Annotated[str, Field(max_length=20_000, description="What the reader is about to do or ask.")] = ""
    max_tokens: Annotated[int, Field(ge=50, le=100_000, description="The pack is never longer.")] = (
        fields.DEFAULT_TOKENS
    )
    keys: Annotated[tuple[CanonicalKey, ...], Field(max_length=100, description="Only these documents.")] = ()
    doc_classes: Annotated[tuple[DocClass, ...], Field(max_length=50, description="Only of these classes.")] = ()
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class CanonicalPackAnswer:
    """`text` holds every passage under its citation; `left_out` counts passages that were wanted and did not fit."""

    query: str
    max_tokens: int
    tokens: int
    text: str
    passages: tuple[CanonicalPassage, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class CanonicalListRequest:
    doc_classes: Annotated[tuple[DocClass, ...], Field(max_length=50, description="Only of these classes.")] = ()
    project: ProjectName | None = None


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


def canonical_upsert(engine: Engine, request: CanonicalUpsertRequest) -> MemoryState:
    engine = within(engine, request.project)
    key = documents.checked_key(request.key)
    draft = Draft(
        text=request.text,
        kind=kind_named(request.kind) if request.kind else MemoryKind.NOTE,
        title=request.title.strip(),
        tags=request.tags,
        links=tuple(map(MemoryLink, request.links)),
        pinned=request.pin,
        doc_class=request.doc_class.strip(),
    )
    if not request.force:
        refuse_secrets(draft)
    return state(documents.upsert(engine.desk, key, draft, circumstances(request), expected=request.expected_version))


def canonical_get(engine: Engine, request: CanonicalGetRequest) -> CanonicalAnswer:
    engine = within(engine, request.project)
    found = documents.canonical(engine.desk, request.key, request.version, instant(engine, request.as_of))
    version = found.shown.version
    return CanonicalAnswer(
        key=found.key,
        item=found.item.id,
        version=version.number,
        doc_class=found.item.doc_class,
        title=version.title,
        tags=version.tags,
        status=found.item.status.value,
        updated_at=when(version.created_at),
        text=found.shown.text,
    )


def get_text(answer: CanonicalAnswer) -> str:
    about = one_line(f" {answer.key} {answer.doc_class} {answer.updated_at[:10]} {answer.status}")
    return f"{PREFACE}\n\n{quoted(MemoryId(answer.item), answer.version, about, answer.text)}"


def canonical_outline(engine: Engine, request: CanonicalGetRequest) -> CanonicalOutlineAnswer:
    engine = within(engine, request.project)
    found = documents.canonical(engine.desk, request.key, request.version, instant(engine, request.as_of))
    index, text = LineIndex(found.shown.text), found.shown.text
    return CanonicalOutlineAnswer(
        key=found.key,
        item=found.item.id,
        version=found.shown.version.number,
        title=found.shown.version.title,
        sections=tuple(_section(one, index, text) for one in found.sections if one.level),
    )


def outline_text(answer: CanonicalOutlineAnswer) -> str:
    lines = [f"{answer.key} v{answer.version}: {answer.title}"]
    lines += [
        f"{'  ' * (one.level - 1)}- {one.title} (#{one.anchor}, lines {one.start_line}-{one.end_line}, "
        f"{one.tokens} tokens)"
        for one in answer.sections
    ]
    return "\n".join(one_line(line) if line.startswith("-") else line for line in lines)


def canonical_get_section(engine: Engine, request: CanonicalSectionRequest) -> CanonicalPassage:
    engine = within(engine, request.project)
    found = documents.canonical(engine.desk, request.key, request.version)
    return _passage(documents.section(found, request.anchor))


def section_text(answer: CanonicalPassage) -> str:
    about = one_line(f" {answer.citation} {' → '.join(answer.heading_path)}")
    return f"{PREFACE}\n\n{quoted(MemoryId(answer.item), answer.version, about, answer.text)}"


def canonical_context_pack(engine: Engine, request: CanonicalPackRequest) -> CanonicalPackAnswer:
    engine = within(engine, request.project)
    if request.max_tokens < 1:
        raise InvalidArgument("a pack of no tokens holds nothing")
    with engine.store.reading():
        chosen = documents.listed(engine.desk, request.doc_classes, request.keys)
        known = [documents.canonical(engine.desk, item.canonical_key or "") for item in chosen]
    wanted = _asked_for(engine, chosen, request.query) if request.query.strip() else _from_the_start(known)
    found = documents.packed(known, wanted, request.max_tokens, lambda text: tokens(_whole(text)))
    whole = _whole(found.text)
    return CanonicalPackAnswer(
        query=request.query,
        max_tokens=request.max_tokens,
        tokens=tokens(whole),
        text=whole,
        passages=tuple(_passage(one) for one in found.passages),
        left_out=found.left_out,
    )


def pack_text(answer: CanonicalPackAnswer) -> str:
    if not answer.passages:
        return "Nothing canonical fits that." if answer.left_out else "There is nothing canonical to pack."
    return answer.text


def canonical_list(engine: Engine, request: CanonicalListRequest) -> CanonicalListAnswer:
    engine = within(engine, request.project)
    found = documents.listed(engine.desk, request.doc_classes)
    return CanonicalListAnswer(
        tuple(
            CanonicalListed(
                one.canonical_key or "", one.id, one.version, one.doc_class, one.title, when(one.updated_at)
            )
            for one in found
        )
    )


def list_text(answer: CanonicalListAnswer) -> str:
    lines = [f"- {one.key} v{one.version} {one.doc_class}: {one.title}" for one in answer.documents]
    return "\n".join(one_line(line) for line in lines) or "There is no canonical document."


def _whole(text: str) -> str:
    return f"{PREFACE}\n\n{text}" if text else ""


def _asked_for(engine: Engine, chosen: Sequence[MemoryItem], question: str) -> Iterator[tuple[MemoryId, Span]]:
    filters = only(item.id for item in chosen)
    if filters is None:
        return
    result = engine.search(Query(question, _WANTED, filters), profile_named(MEMORY_PROFILE))
    for hit in result.hits:
        yield memory_of(hit.citation.uri), hit.citation.span


def _from_the_start(known: Sequence[Canonical]) -> Iterator[tuple[MemoryId, Span]]:
    """Section by section, each up to where the next begins."""
    for document in known:
        text = document.shown.text
        starts = [one.span.start for one in document.sections] + [len(text)]
        for start, end in pairwise(starts):
            kept = text[start:end].rstrip()
            if kept:
                yield document.item.id, Span(start, start + len(kept))


def _section(one: Section, index: LineIndex, text: str) -> CanonicalSection:
    lines = index.lines(one.span.start, one.span.end)
    return CanonicalSection(
        anchor=one.anchor,
        title=one.title,
        level=one.level,
        start=one.span.start,
        end=one.span.end,
        start_line=lines.first,
        end_line=lines.last,
        tokens=tokens(one.span.of(text)),
    )


def _passage(one: Passage) -> CanonicalPassage:
    return CanonicalPassage(
        key=one.document.key,
        item=one.document.item.id,
        version=one.document.shown.version.number,
        anchor=one.section.anchor,
        heading_path=one.section.path,
        start=one.span.start,
        end=one.span.end,
        start_line=one.first_line,
        end_line=one.last_line,
        text=one.text,
        citation=one.citation,
    )
