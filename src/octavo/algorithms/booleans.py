"""AND, OR, NOT and parentheses in a query, read into a condition.

    any   := both ("OR" both)*
    both  := group ("AND" group)*
    group := (["NOT" | "-"] unit)+          of words side by side any must hold, of everything else all
    unit  := word | begin* | "a phrase" | field:value | "(" any ")"

Operators are written in capitals, as nobody writes these words otherwise. Nothing is an error: a parenthesis without
its other half counts for nothing, and an operator without a side is a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from octavo.dataclass import dataclass
from octavo.model.query import Condition

OPERATORS = frozenset({"AND", "OR", "NOT"})
_SENTENCE = 6  # words, all in capitals: somebody shouts, or pasted a statement
_MOST_NEGATED = 8  # words around a lone NOT: a longer text stresses the word
_STATEMENT = re.compile(r"\b(?:SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE|JOIN)\b")
_DEEPEST = 32  # parentheses inside each other
_OPEN, _CLOSE = "(", ")"
_TOKEN = re.compile(r'-?(?:[A-Za-z]+:)?"[^"]*"(?!\w)|\S+')

Leaf = Callable[[str], Condition | None]
"""What a clause as typed means; None where it means nothing."""


class Clause(NamedTuple):
    """A word, a phrase or a filter as typed, and whether it is under a NOT."""

    text: str
    negated: bool


def is_boolean(text: str) -> bool:
    """Whether operators in a text are meant as such.

    >>> [is_boolean(text) for text in ("session NOT token", "is this NOT a question?", "a and b", "AND")]
    [True, False, False, False]
    """
    tokens = [token.strip("()") for token in _TOKEN.findall(text)]
    operators = [token for token in tokens if token in OPERATORS]
    words = [token for token in tokens if token and token not in OPERATORS]
    if not operators or not words or text.rstrip().endswith("?") or _STATEMENT.search(text):
        return False
    if text.upper() == text and len(words) >= _SENTENCE:
        return False
    if set(operators) == {"NOT"}:
        return len(words) <= _MOST_NEGATED and tokens[-1] != "NOT"
    inner = tokens[1:-1]
    return any(token in ("AND", "OR") for token in inner)


def read_condition(text: str, leaf: Leaf) -> tuple[Condition | None, tuple[Clause, ...]]:
    """The condition, and its clauses in order: those not negated are what is looked for."""
    reader = _Reader(list(_tokens(text)), leaf, [])
    found: list[Condition] = []
    while reader.left:
        if (part := reader.any_of(False, 0)) is not None:
            found.append(part)
        reader.skip(_CLOSE)
    return _joined("all", found), tuple(reader.clauses)


def _tokens(text: str) -> Iterator[str]:
    """Clauses, operators and the parentheses around them; those inside a word stay: `print()`, `f(x)`."""
    for token in _TOKEN.findall(text):
        lead = token.startswith("-(")
        bare = token[lead:]
        opened = len(bare) - len(bare.lstrip(_OPEN))
        bare = bare[opened:]
        closed = 0
        while bare.endswith(_CLOSE) and bare.count(_CLOSE) > bare.count(_OPEN):
            bare, closed = bare[:-1], closed + 1
        yield from ["NOT"] * lead
        yield from [_OPEN] * opened
        if bare:
            yield bare
        yield from [_CLOSE] * closed


@dataclass(slots=True)
class _Reader:
    left: list[str]
    leaf: Leaf
    clauses: list[Clause]

    def any_of(self, negated: bool, depth: int) -> Condition | None:
        return self._series("OR", "any", self._all_of, negated, depth)

    def _all_of(self, negated: bool, depth: int) -> Condition | None:
        return self._series("AND", "all", self._group, negated, depth)

    def _series(
        self, operator: str, kind: str, part: Callable[[bool, int], Condition | None], negated: bool, depth: int
    ) -> Condition | None:
        found = [part(negated, depth)]
        while self.skip(operator):
            found.append(part(negated, depth))
        return _joined(kind, [condition for condition in found if condition is not None])

    def _group(self, negated: bool, depth: int) -> Condition | None:
        """Words side by side are alternatives, as in a query without operators; everything else is demanded."""
        words: list[Condition] = []
        demanded: list[Condition] = []
        refused: list[Condition] = []
        while self.left and self.left[0] not in ("AND", "OR", _CLOSE):
            turned = False
            while self.skip("NOT"):
                turned = not turned
            if not self.left or self.left[0] in ("AND", "OR", _CLOSE):
                break
            unit, loose = self._unit(negated != turned, depth)
            if unit is not None:
                (refused if turned else words if loose else demanded).append(unit)
        if words and not demanded:
            demanded = [Condition("any", parts=tuple(words)) if len(words) > 1 else words[0]]
        return _joined("all", [*demanded, *(Condition("not", parts=(unit,)) for unit in refused)])

    def _unit(self, negated: bool, depth: int) -> tuple[Condition | None, bool]:
        """The next unit, and whether it is a word, which its neighbours can stand in for."""
        text = self.left.pop(0)
        if text == _OPEN:
            inner = self.any_of(negated, depth + 1) if depth < _DEEPEST else None
            self.skip(_CLOSE)
            return inner, False
        refused = text.startswith("-") and len(text) > 2 and not text[1].isdigit()
        self.clauses.append(Clause(text[refused:], negated != refused))
        found = self.leaf(text[refused:])
        if found is None:
            return None, True
        if refused:
            return Condition("not", parts=(found,)), False
        return found, found.kind == "holds" and '"' not in text

    def skip(self, token: str) -> bool:
        if self.left and self.left[0] == token:
            self.left.pop(0)
            return True
        return False


def _joined(kind: str, parts: Sequence[Condition]) -> Condition | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return Condition("any" if kind == "any" else "all", parts=tuple(parts))
