"""What changed between two versions of a memory: line by line, or section by section."""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from recto.memory.desk import Desk
from recto.memory.draft import Draft, source_of
from recto.memory.history import version
from recto.model.memory import MemoryId

Place = tuple[tuple[str, ...], int]
"""A heading path, and how many sections with the same path come before."""


@dataclass(frozen=True, slots=True)
class SectionChange:
    """One section that differs. `change` is added, removed or changed; `anchor` is where it is in the newer text."""

    heading_path: tuple[str, ...]
    anchor: str
    change: str
    diff: str


def diff(desk: Desk, name: MemoryId, old: int, new: int, context: int = 3) -> str:
    """What changed from one version's text to another's, as a unified diff; empty when nothing did."""
    before, after = version(desk, name, old), version(desk, name, new)
    return unified(before.text, after.text, f"{name} v{old}", f"{name} v{new}", context)


def section_diff(desk: Desk, name: MemoryId, old: int, new: int, context: int = 3) -> tuple[SectionChange, ...]:
    """The same by section, in the order of the newer text; what was removed comes where it stood, after the others."""
    before, after = _sections(desk, name, old), _sections(desk, name, new)
    found = []
    for place, (anchor, text) in after.items():
        earlier = before.get(place)
        if earlier is None:
            found.append(_change(name, old, new, place, anchor, "added", "", text, context))
        elif earlier[1] != text:
            found.append(_change(name, old, new, place, anchor, "changed", earlier[1], text, context))
    for place, (anchor, text) in before.items():
        if place not in after:
            found.append(_change(name, old, new, place, anchor, "removed", text, "", context))
    return tuple(found)


def unified(before: str, after: str, old: str, new: str, context: int) -> str:
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True), old, new, n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def _change(
    name: MemoryId, old: int, new: int, place: Place, anchor: str, change: str, before: str, after: str, context: int
) -> SectionChange:
    where = f"#{anchor}" if anchor else ""
    told = unified(before, after, f"{name} v{old}{where}", f"{name} v{new}{where}", context)
    return SectionChange(place[0], anchor, change, told)


def _sections(desk: Desk, name: MemoryId, number: int) -> dict[Place, tuple[str, str]]:
    """Each section's own text, up to where the next begins."""
    text = version(desk, name, number).text
    document = desk.prepare(source_of(desk, name, Draft(text), 0.0)).document
    starts = [section.span.start for section in document.sections] + [len(text)]
    found: dict[Place, tuple[str, str]] = {}
    for section, following in zip(document.sections, starts[1:], strict=True):
        occurrence = sum(path == section.path for path, _ in found)
        own = text[section.span.start : max(section.span.start, following)]
        found[section.path, occurrence] = (section.anchor, own)
    return found
