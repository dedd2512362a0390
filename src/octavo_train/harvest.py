"""A document → the material that pairs are made of: sections with what is their own, symbols with their code."""

from __future__ import annotations

from collections.abc import Sequence

from octavo.model.document import Document, Kind, Section
from octavo_train.pairs import Material, TrainingSection

_ABOVE = 2_000  # characters before a symbol in which its comment may stand


def material_of(document: Document, group: str, links: Sequence[tuple[str, str]] = ()) -> Material:
    return material(group, document.kind, document.title, document.text, document.sections, links)


def material(
    group: str,
    kind: Kind,
    title: str,
    text: str,
    sections: Sequence[Section],
    links: Sequence[tuple[str, str]] = (),
) -> Material:
    parts = _symbols(text, sections) if kind is Kind.CODE else _own(text, sections)
    return Material(group, kind, title, parts, tuple(links))


def _own(text: str, sections: Sequence[Section]) -> tuple[TrainingSection, ...]:
    """Each section up to where the next begins, without its heading line."""
    if not sections:
        return (TrainingSection((), text),)
    starts = [section.span.start for section in sections] + [len(text)]
    parts = []
    for section, following in zip(sections, starts[1:], strict=True):
        own = text[section.span.start : max(section.span.start, following)]
        if section.level and section.path:
            heading, _, below = own.partition("\n")
            own = below if section.title.split(" ")[0] in heading else own
        parts.append(TrainingSection(section.path, own))
    return tuple(parts)


def _symbols(text: str, sections: Sequence[Section]) -> tuple[TrainingSection, ...]:
    return tuple(
        TrainingSection(
            section.path, section.span.of(text), text[max(0, section.span.start - _ABOVE) : section.span.start]
        )
        for section in sections
        if section.path
    )


def lead(title: str, text: str, most: int = 1_200) -> str:
    """What a link to a document stands for: its title and how it begins."""
    return f"{title}\n{text.strip()}"[:most]
