"""The outline of a source file, for any language: symbols, cut points, and imports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import NamedTuple

from octavo.fast_dataclass import dataclass
from octavo.model.document import BlockKind


class Cut(NamedTuple):
    """A line start at which the text may be cut; `kind` applies up to the next cut."""

    start: int
    kind: BlockKind


class Symbol(NamedTuple):
    """A declaration: its comments and decorators, signature and body. `names` is its qualified name in the module."""

    names: tuple[str, ...]
    level: int
    start: int
    end: int


class Import(NamedTuple):
    """A reference to other code, as written; `names` are the imported names."""

    target: str
    names: str
    start: int
    end: int


@dataclass(slots=True)
class CodeOutline:
    """All lists in document order. Symbols nest or follow one another; they never overlap partially."""

    symbols: list[Symbol] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def nested(symbols: Sequence[Symbol]) -> list[Symbol]:
    """Symbols that satisfy an outline's invariant: sorted by start, each completely inside or after another.

    A grammar that recovers from errors may let a node extend into its neighbour: the earlier one is cut there.
    """
    nested_symbols: list[Symbol] = []
    above: list[int] = []
    for symbol in symbols:
        if nested_symbols and symbol.start < nested_symbols[-1].start:
            continue
        while above and nested_symbols[above[-1]].end <= symbol.start:
            above.pop()
        while above and nested_symbols[above[-1]].level >= symbol.level:
            nested_symbols[above[-1]] = nested_symbols[above[-1]]._replace(end=symbol.start)
            above.pop()
        if above and nested_symbols[above[-1]].end < symbol.end:
            symbol = symbol._replace(end=nested_symbols[above[-1]].end)
        above.append(len(nested_symbols))
        nested_symbols.append(symbol)
    return [symbol for symbol in nested_symbols if symbol.start < symbol.end]
