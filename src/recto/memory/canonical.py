"""Canonical documents: memories with a key and a class, read by section, packed for a reader with a budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from recto.errors import Conflict, InvalidArgument, NotFound
from recto.memory.commit import Committed, create, replay, revise, unchanged
from recto.memory.desk import Desk
from recto.memory.draft import NOBODY, Circumstances, Draft, checked, payload_of, prepared_of
from recto.memory.history import VersionText, as_of, given_title, version
from recto.memory.quoting import quoted
from recto.model.document import Section
from recto.model.memory import MemoryFilter, MemoryId, MemoryItem, MemoryKind, MemoryStatus
from recto.model.text import LineIndex, Span

_RACES = 8


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
class Passage:
    """A stretch of a canonical document: `text` is exactly what stands there."""

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


def upsert(desk: Desk, key: str, draft: Draft, by: Circumstances = NOBODY, *, expected: int | None = None) -> Committed:
    """Makes the document of this key, or its next version; what would change nothing is answered with what there is.

    A title, tags and a class that the draft leaves out stay as they were.
    """
    key = checked_key(key)
    asked = checked(replace(draft, canonical_key=key))
    payload = payload_of("canonical", asked, by, expected=expected)
    if answered := replay(desk, by, payload):
        return answered
    for _ in range(_RACES):
        held = desk.store.memories.under(desk.project, key)
        draft = _kept(desk, asked, held) if held else asked
        if held is None:
            if expected is not None:
                raise NotFound(f"there is no canonical document {key}, so it has no version {expected}")
            try:
                return create(desk, draft, by, payload=payload)
            except Conflict:
                if desk.store.memories.under(desk.project, key) is None:
                    raise
                continue  # another writer made it first
        if _same(desk, held, draft):
            with desk.store.transaction():
                return replay(desk, by, payload) or unchanged(desk, held, by, payload)
        at = held.version if expected is None else expected
        try:
            return revise(desk, held.id, draft, by, expected=at, payload=payload)
        except Conflict:
            if expected is not None or held == desk.store.memories.get(desk.project, held.id):
                raise
    raise Conflict(f"the canonical document {key} keeps changing", hint="read it again, then decide")


def _kept(desk: Desk, draft: Draft, held: MemoryItem) -> Draft:
    kind = held.kind if draft.kind is MemoryKind.NOTE else draft.kind
    return replace(
        draft,
        kind=kind,
        title=draft.title or given_title(desk, held),
        tags=draft.tags or held.tags,
        doc_class=draft.doc_class or held.doc_class,
    )


_ODD = r"#\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"  # ends a key, a line, or the order of signs
KEY = rf"^[^{_ODD}]*[^{_ODD}/\s][^{_ODD}]*$"
_KEY = re.compile(KEY)


def checked_key(key: str) -> str:
    key = key.strip().strip("/")
    if len(key) > 500 or not _KEY.match(key):
        raise InvalidArgument(f"{key[:100]!r} cannot be the key of a document", hint="such as spec/app or plans/2025")
    return key


def canonical(desk: Desk, key: str, number: int | None = None, instant: float | None = None) -> Canonical:
    item = desk.store.memories.under(desk.project, checked_key(key))
    if item is None:
        near = [one.canonical_key for one in listed(desk) if one.canonical_key]
        known = f"there are: {', '.join(sorted(near)[:10])}" if near else "`recto canonical put` makes one"
        raise NotFound(f"there is no canonical document {key}", hint=known)
    shown = version(desk, item.id, number) if number is not None else as_of(desk, item, instant).shown
    return Canonical(item, shown, sections(desk, item, shown.text))


def listed(desk: Desk, classes: Sequence[str] = (), keys: Sequence[str] = ()) -> tuple[MemoryItem, ...]:
    """Active canonical documents by key."""
    found = desk.store.memories.find(desk.project, MemoryFilter(canonical_only=True, doc_classes=tuple(classes)))
    wanted = {checked_key(key) for key in keys}
    chosen = [item for item in found if not wanted or item.canonical_key in wanted]
    if wanted and len(chosen) < len(wanted):
        missing = sorted(wanted - {item.canonical_key for item in chosen})[0]
        raise NotFound(f"there is no canonical document {missing}", hint="`recto canonical list` shows them")
    return tuple(sorted(chosen, key=lambda item: item.canonical_key or ""))


def sections(desk: Desk, item: MemoryItem, text: str) -> tuple[Section, ...]:
    draft = Draft(text, item.kind, item.scope, item.title, canonical_key=item.canonical_key)
    return prepared_of(desk, item.id, draft, 0.0).document.sections


def section(document: Canonical, anchor: str) -> Passage:
    """Everything below a heading, exactly as it stands."""
    wanted = anchor.strip().lstrip("#")
    for one in document.sections:
        if one.anchor == wanted and one.level:
            return passage(document, one.span)
    titled = [one for one in document.sections if one.title == wanted and one.level]
    if len(titled) == 1:
        return passage(document, titled[0].span)
    anchors = ", ".join(one.anchor for one in document.sections if one.anchor)
    raise NotFound(
        f"{document.key} has no section {wanted}", hint=f"its anchors are: {anchors}" if anchors else "it has none"
    )


def passage(document: Canonical, span: Span) -> Passage:
    text = document.shown.text
    index = LineIndex(text)
    lines = index.lines(span.start, span.end)
    around = [one for one in document.sections if one.span.start <= span.start and span.end <= one.span.end]
    inner = max(around, key=lambda one: (one.span.start, one.level), default=document.sections[0])
    return Passage(document, span, span.of(text), lines.first, lines.last, inner)


@dataclass(frozen=True, slots=True)
class Pack:
    """What fits the budget, in the order of the documents; `left_out` counts what was wanted and did not fit."""

    text: str
    passages: tuple[Passage, ...]
    left_out: int


def packed(
    documents: Sequence[Canonical],
    wanted: Iterable[tuple[MemoryId, Span]],
    budget: int,
    measure: Callable[[str], int],
) -> Pack:
    """Takes passages in the order they are wanted while the whole text, citations included, keeps within the budget.

    Passages of one document that touch become one. What does not fit is passed over, so that a smaller one may still.
    """
    known = {document.item.id: document for document in documents}
    taken: dict[MemoryId, list[Span]] = {}
    left_out = 0
    for name, span in wanted:
        held = taken.get(name, [])
        if any(other.start <= span.start and span.end <= other.end for other in held):
            continue
        tried = {**taken, name: _joined([*held, span], known[name].shown.text)}
        if measure(_written(known, tried)) <= budget:
            taken = tried
        else:
            left_out += 1
    return Pack(_written(known, taken), tuple(_passages(known, taken)), left_out)


def _passages(known: dict[MemoryId, Canonical], taken: dict[MemoryId, list[Span]]) -> Iterator[Passage]:
    for name in sorted(taken, key=lambda name: known[name].key):
        yield from (passage(known[name], span) for span in taken[name])


def _written(known: dict[MemoryId, Canonical], taken: dict[MemoryId, list[Span]]) -> str:
    blocks = []
    for one in _passages(known, taken):
        path = " → ".join(one.section.path)
        about = f" {one.citation}" + (f" {path}" if path else "")
        said = "".join(character if character.isprintable() else " " for character in about)
        blocks.append(quoted(one.document.item.id, one.document.shown.version.number, said, one.text))
    return "\n\n".join(blocks)


def _joined(spans: Iterable[Span], text: str) -> list[Span]:
    """In order; those with nothing but blanks between them are one."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda one: (one.start, one.end)):
        if found and not text[found[-1].end : span.start].strip():
            found[-1] = found[-1].union(span)
        else:
            found.append(span)
    return found


def _same(desk: Desk, held: MemoryItem, draft: Draft) -> bool:
    """Whether an upsert would change nothing of a document that is there."""
    current = version(desk, held.id, held.version)
    return (
        held.status is MemoryStatus.ACTIVE
        and current.text == draft.text
        and draft.title in ("", held.title)
        and draft.doc_class in ("", held.doc_class)
        and set(draft.tags) <= set(held.tags)
        and set(draft.links) <= set(held.links)
        and (held.pinned or not draft.pinned)
    )
