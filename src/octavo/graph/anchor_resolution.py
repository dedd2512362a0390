"""Which part of a document an anchor names: a heading by its title or its path, a symbol, or a block by its id."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from octavo.algorithms.text.document_name_normalisation import folded
from octavo.lazy_regex import regex
from octavo.model.document import Section
from octavo.model.normalised_text_and_spans import Span

# What Obsidian leaves out of a heading when it compares it with a link.
_LEFT_OUT = regex(r"[!\"#$%&()*+,.:;<=>?@^`{|}~/\[\]\\]")


def anchored(sections: Sequence[Section], metadata: Mapping[str, Any], anchor: str) -> Span | None:
    """Where an anchor leads, or None if it leads nowhere: `Heading`, `Heading#Sub`, `github-slug`, `^block`."""
    written = anchor.strip().strip("#")
    if written.startswith("^"):
        return _block(metadata, written[1:])
    for fits in _ways(written):
        for section in sections:
            if section.level and fits(section):
                return section.span
    return None


def _ways(anchor: str) -> tuple[Callable[[Section], bool], ...]:
    path = tuple(plain(part) for part in anchor.split("#"))
    whole = plain(anchor)
    slug = folded(anchor)
    return (
        lambda section: tuple(plain(title) for title in section.path[-len(path) :]) == path,
        lambda section: plain(section.title) == whole,
        lambda section: folded(section.anchor) == slug,
        lambda section: len(path) > 1 and plain(section.title) == path[-1] and _within(section.path, path),
    )


def plain(title: str) -> str:
    """A title as links compare it: no case, no punctuation that a link cannot hold, single blanks."""
    return " ".join(_LEFT_OUT.sub(" ", folded(title)).split())


def _within(path: tuple[str, ...], anchor_path: tuple[str, ...]) -> bool:
    """Whether the wanted titles come in this order in a heading's path, others between them or not."""
    titles = iter(plain(title) for title in path)
    return all(any(title == part for title in titles) for part in anchor_path)


def _block(metadata: Mapping[str, Any], name: str) -> Span | None:
    blocks = metadata.get("block_refs")
    stored = blocks.get(name) if isinstance(blocks, Mapping) else None
    return Span(stored[0], stored[1]) if stored else None
