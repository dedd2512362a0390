"""Canonical documents: memories with a key and a class, read by section and packed into a token budget."""

from __future__ import annotations

import re
from collections.abc import Sequence

from octavo.errors import Conflict, InvalidArgument, NotFound
from octavo.fast_dataclass import dataclass, replace
from octavo.memory.draft import ANONYMOUS, MemoryDraft, Provenance, checked, payload_of, prepared_of
from octavo.memory.memory_changes import ChangedMeanwhile, Committed, create, replay, revise, still_unchanged
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.version_history import VersionText, as_of, given_title, version
from octavo.model.document import Section
from octavo.model.memory import CANONICAL_KEY, MemoryFilter, MemoryItem, MemoryKind, MemoryStatus
from octavo.model.normalised_text_and_spans import LineIndex, Span

_RETRIES = 32  # attempts while other writers keep changing the document


@dataclass(frozen=True, slots=True)
class Canonical:
    """A canonical document at a version, with its sections."""

    item: MemoryItem
    shown: VersionText
    sections: tuple[Section, ...]

    @property
    def key(self) -> str:
        return self.item.canonical_key or self.item.id


@dataclass(frozen=True, slots=True)
class CanonicalSpan:
    """A span of a canonical document with its exact text."""

    document: Canonical
    span: Span
    text: str
    first_line: int
    last_line: int
    section: Section

    @property
    def citation(self) -> str:
        where = f"#{self.section.anchor}" if self.section.anchor else ""
        return f"{self.document.key}{where}:{self.first_line}-{self.last_line}"


def upsert(
    memories: ProjectMemories, key: str, draft: MemoryDraft, by: Provenance = ANONYMOUS, *, expected: int | None = None
) -> Committed:
    """Creates the document of this key, or its next version; returns the current one when nothing would change.

    A title, tags and a class that the draft leaves out stay as they were.
    """
    key = checked_key(key)
    given = checked(replace(draft, canonical_key=key))
    payload = payload_of("canonical", given, by, expected=expected)
    if replayed := replay(memories, by, payload):
        return replayed
    for _ in range(_RETRIES):
        item = memories.repository.under(memories.project, key)
        draft = _with_omitted_fields(memories, given, item) if item else given
        if item is None:
            if expected is not None:
                raise NotFound(f"there is no canonical document {key}, so it has no version {expected}")
            try:
                return create(memories, draft, by, payload=payload)
            except Conflict:
                if memories.repository.under(memories.project, key) is None:
                    raise
                continue  # another writer created it first
        try:
            if _is_current(memories, item, draft):
                return still_unchanged(memories, item, by, payload)
            return revise(memories, item.id, draft, by, expected=expected, seen=item, payload=payload)
        except ChangedMeanwhile:
            continue
    raise Conflict(f"the canonical document {key} keeps changing", hint="read it again, then decide")


def _with_omitted_fields(memories: ProjectMemories, draft: MemoryDraft, item: MemoryItem) -> MemoryDraft:
    kind = item.kind if draft.kind is MemoryKind.NOTE else draft.kind
    return replace(
        draft,
        kind=kind,
        title=draft.title or given_title(memories, item),
        tags=draft.tags or item.tags,
        doc_class=draft.doc_class or item.doc_class,
    )


def checked_key(key: str) -> str:
    key = key.strip().strip("/")
    if len(key) > 500 or not re.match(CANONICAL_KEY, key):
        raise InvalidArgument(f"{key[:100]!r} cannot be the key of a document", hint="such as spec/app or plans/2025")
    return key


def canonical(
    memories: ProjectMemories, key: str, number: int | None = None, instant: float | None = None
) -> Canonical:
    item = memories.repository.under(memories.project, checked_key(key))
    if item is None:
        keys = [document.canonical_key for document in listed(memories) if document.canonical_key]
        hint = f"there are: {', '.join(sorted(keys)[:10])}" if keys else "`octavo canonical upsert` creates one"
        raise NotFound(f"there is no canonical document {key}", hint=hint)
    shown = version(memories, item.id, number) if number is not None else as_of(memories, item, instant).shown
    return Canonical(item, shown, sections(memories, item, shown.text))


def listed(memories: ProjectMemories, classes: Sequence[str] = (), keys: Sequence[str] = ()) -> tuple[MemoryItem, ...]:
    """The active canonical documents, ordered by key."""
    items = memories.repository.find(memories.project, MemoryFilter(canonical_only=True, doc_classes=tuple(classes)))
    expected = {checked_key(key) for key in keys}
    chosen = [item for item in items if not expected or item.canonical_key in expected]
    if expected and len(chosen) < len(expected):
        missing = sorted(expected - {item.canonical_key for item in chosen})[0]
        raise NotFound(f"there is no canonical document {missing}", hint="`octavo canonical list` shows them")
    return tuple(sorted(chosen, key=lambda item: item.canonical_key or ""))


def sections(memories: ProjectMemories, item: MemoryItem, text: str) -> tuple[Section, ...]:
    draft = MemoryDraft(text, item.kind, item.scope, item.title, canonical_key=item.canonical_key)
    return prepared_of(memories, item.id, draft, 0.0).document.sections


def section(document: Canonical, anchor: str) -> CanonicalSpan:
    """The exact text of a section, its heading and subsections included."""
    name = anchor.strip().lstrip("#")
    headed = [section for section in document.sections if section.level]
    for candidate in headed:
        if candidate.anchor == name:
            return passage(document, candidate.span)
    titled = [candidate for candidate in headed if candidate.title == name]
    if len(titled) == 1:
        return passage(document, titled[0].span)
    anchors = ", ".join(candidate.anchor for candidate in document.sections if candidate.anchor)
    raise NotFound(
        f"{document.key} has no section {name}", hint=f"its anchors are: {anchors}" if anchors else "it has none"
    )


def passage(document: Canonical, span: Span) -> CanonicalSpan:
    text = document.shown.text
    index = LineIndex(text)
    lines = index.lines(span.start, span.end)
    enclosing = [
        section for section in document.sections if section.span.start <= span.start and span.end <= section.span.end
    ]
    innermost = max(enclosing, key=lambda section: (section.span.start, section.level), default=document.sections[0])
    return CanonicalSpan(document, span, span.of(text), lines.first, lines.last, innermost)


def _is_current(memories: ProjectMemories, item: MemoryItem, draft: MemoryDraft) -> bool:
    """Whether an upsert of the draft would change nothing."""
    current = version(memories, item.id, item.version)
    return (
        item.status is MemoryStatus.ACTIVE
        and current.text == draft.text
        and draft.title in ("", item.title)
        and draft.doc_class in ("", item.doc_class)
        and set(draft.tags) <= set(item.tags)
        and set(draft.links) <= set(item.links)
        and (item.pinned or not draft.pinned)
    )
