"""What a reader of source code finds, whatever the language: symbols, places to cut, and imports."""

from __future__ import annotations

from collections.abc import Sequence
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


def nested(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Symbols as an outline promises them: in order of their starts, each wholly inside or wholly after another.

    A grammar that recovers from errors may let a node reach into its neighbour: the earlier one then ends there.
    """
    kept: list[Symbol] = []
    above: list[int] = []
    for symbol in symbols:
        if kept and symbol.start < kept[-1].start:
            continue
        while above and kept[above[-1]].end <= symbol.start:
            above.pop()
        while above and kept[above[-1]].level >= symbol.level:
            kept[above[-1]] = kept[above[-1]]._replace(end=symbol.start)
            above.pop()
        if above and kept[above[-1]].end < symbol.end:
            symbol = symbol._replace(end=kept[above[-1]].end)
        above.append(len(kept))
        kept.append(symbol)
    return [symbol for symbol in kept if symbol.start < symbol.end]
