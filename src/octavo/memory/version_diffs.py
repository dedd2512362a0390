"""Diffs between two versions of a memory: by line, or by section."""

from __future__ import annotations

import difflib

from octavo.fast_dataclass import dataclass
from octavo.memory.draft import MemoryDraft, source_of
from octavo.memory.project_memories import ProjectMemories
from octavo.memory.version_history import version
from octavo.model.memory import MemoryId

Place = tuple[tuple[str, ...], int]
"""A heading path, and how many earlier sections have the same path."""


@dataclass(frozen=True, slots=True)
class SectionChange:
    """A section that differs. `change` is added, removed or changed; `diff` is unified."""

    heading_path: tuple[str, ...]
    anchor: str
    change: str
    diff: str


def diff(memories: ProjectMemories, name: MemoryId, old: int, new: int, context: int = 3) -> str:
    """A unified diff between the texts of two versions; empty when they are equal."""
    before, after = version(memories, name, old), version(memories, name, new)
    return unified(before.text, after.text, f"{name} v{old}", f"{name} v{new}", context)


def section_diff(
    memories: ProjectMemories, name: MemoryId, old: int, new: int, context: int = 3
) -> tuple[SectionChange, ...]:
    """The sections that differ, in the order of the newer text; removed sections come last, in their old order."""
    before, after = _sections(memories, name, old), _sections(memories, name, new)
    changes = []
    for place, (anchor, text) in after.items():
        earlier = before.get(place)
        if earlier is None:
            changes.append(_change(name, old, new, place, anchor, "added", "", text, context))
        elif earlier[1] != text:
            changes.append(_change(name, old, new, place, anchor, "changed", earlier[1], text, context))
    for place, (anchor, text) in before.items():
        if place not in after:
            changes.append(_change(name, old, new, place, anchor, "removed", text, "", context))
    return tuple(changes)


def unified(before: str, after: str, old: str, new: str, context: int) -> str:
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), old, new, n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _change(
    name: MemoryId, old: int, new: int, place: Place, anchor: str, change: str, before: str, after: str, context: int
) -> SectionChange:
    where = f"#{anchor}" if anchor else ""
    diff = unified(before, after, f"{name} v{old}{where}", f"{name} v{new}{where}", context)
    return SectionChange(place[0], anchor, change, diff)


def _sections(memories: ProjectMemories, name: MemoryId, number: int) -> dict[Place, tuple[str, str]]:
    """The anchor and own text of each section, up to where the next section begins."""
    text = version(memories, name, number).text
    document = memories.prepare(source_of(memories, name, MemoryDraft(text), 0.0)).document
    starts = [section.span.start for section in document.sections] + [len(text)]
    texts: dict[Place, tuple[str, str]] = {}
    for section, following in zip(document.sections, starts[1:], strict=True):
        occurrence = sum(path == section.path for path, _ in texts)
        own = text[section.span.start : max(section.span.start, following)]
        texts[section.path, occurrence] = (section.anchor, own)
    return texts
