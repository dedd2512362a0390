"""What a reader of source code finds, whatever the language: symbols, places to cut, and imports."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from recto.model.document import BlockKind


class Cut(NamedTuple):
    """A line start at which the text may be parted; `kind` holds from here to the next cut."""

    start: int
    kind: BlockKind


class Symbol(NamedTuple):
    """A declaration: its comments and decorators, signature and body. `names` lead from the module to it."""

    names: tuple[str, ...]
    level: int
    start: int
    end: int


class Import(NamedTuple):
    """A reference to other code, as written; `names` are what is taken from it."""

    target: str
    names: str
    start: int
    end: int


@dataclass(slots=True)
class Outline:
    """All three in document order. Symbols nest or follow one another; they never overlap halfway."""

    symbols: list[Symbol] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
