"""The grammar of a query: what is typed, cut into clauses, and the tree that AND, OR, NOT and parentheses make of them.

    query  := any
    any    := all ("OR" all)*
    all    := group ("AND" group)*
    group  := unit+                         of words side by side any must hold, of everything else all
    unit   := ["NOT" | "-"] (clause | "(" any ")")
    clause := word | begin* | "a phrase" | field:value | field:"a value"

A query without an operator is one group, and its parentheses are punctuation. Operators are written in capitals, as
nobody writes these words otherwise. Nothing is an error: a parenthesis without its other half and an operator without
a side count for nothing, and `malformed` names them. `docs/reference/queries.md` says all this to who types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from octavo.algorithms.text.unicode_folding import is_ideograph
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.model.query import Condition

OPERATORS = frozenset({"AND", "OR", "NOT"})
_SENTENCE = 6  # words, all in capitals: somebody shouts, or pasted a statement
_MOST_NEGATED = 8  # words around a lone NOT: a longer text stresses the word
_STATEMENT = regex(r"\b(?:SELECT|UPDATE|DELETE FROM|INSERT INTO|WHERE|JOIN)\b")
_DEEPEST = 32  # parentheses inside each other: those further inside count for nothing
_OPEN, _CLOSE, _REFUSED_OPEN = "(", ")", "-("
_QUOTES = str.maketrans("“”„‟«»", '""""""')

# A quote opens only where a word can start and closes only where one can end: `print("a")` and 5" are words.
_PHRASE = r'(?P<minus>-)?(?:(?P<field>[A-Za-z]+):)?"(?P<quoted>[^"]*)"(?!\w)'
_PLAIN = regex(rf"[(\[{{]*{_PHRASE}[)\]}}]*|(?P<word>\S+)")
_WITH_PARENTHESES = regex(rf"(?P<parenthesis>-?\(|\))|{_PHRASE}|(?P<word>\S+)")
# A sign before a number and a command's one-letter flag exclude nothing; a character of Chinese is a word.
_EXCLUDED = regex(r"-(?=[^\s\d-]\S)")


# Quotations and words with parentheses inside them, such as `f(x)`, are one token; the end is an empty one.
_TOKEN = regex(r'"[^"]*"|[()]|[^\s()"]+(?:\([^\s()]*\)[^\s()]*)*|"|$')
_SIDES = ("AND", "OR")


class Clause(NamedTuple):
    """A word, a phrase or a filter as typed, without the minus sign in front of it.

    `field` is what stands before a colon, `value` what stands behind it or in quotes.
    """

    text: str
    minus: bool = False
    field: str = ""
    value: str = ""
    quoted: bool = False


Lexeme = Clause | str
"""A clause, an operator or a parenthesis."""
Leaf = Callable[[Clause], Condition | None]
"""What a clause means; None where it means nothing."""


def clauses(text: str) -> Iterator[Clause]:
    """Those of a query without operators."""
    for match in _PLAIN.finditer(text.translate(_QUOTES)):
        yield _clause(match)


def operands(text: str) -> list[Lexeme] | None:
    """The clauses, operators and parentheses of a query with operators; None where none is meant as such.

    >>> [operands(text) is not None for text in ("session NOT token", "is this NOT a question?", "a and b", "AND")]
    [True, False, False, False]
    """
    text = text.translate(_QUOTES)
    if not (_REFUSED_OPEN in text or any(operator in text for operator in OPERATORS)):
        return None
    lexemes = list(_balanced(_lexemes(text)))
    words = [lexeme for lexeme in lexemes if isinstance(lexeme, Clause)]
    flat = [lexeme for lexeme in lexemes if lexeme not in (_OPEN, _CLOSE)]
    operators = {lexeme for lexeme in flat if isinstance(lexeme, str)}
    if not operators or not words or text.rstrip().endswith(("?", "？")) or _STATEMENT.search(text):
        return None
    typed = " ".join(word.text for word in words)
    if typed.upper() == typed != typed.lower() and len(words) >= _SENTENCE:
        return None
    if operators == {"NOT"}:
        return lexemes if len(words) <= _MOST_NEGATED and flat[-1] != "NOT" else None
    return lexemes if any(lexeme in ("AND", "OR") for lexeme in flat[1:-1]) else None


def malformed(text: str) -> str:
    """What is wrong with a query that has operators, and where; empty where nothing is.

    >>> malformed("a AND (b OR c"), malformed("a AND (b OR"), malformed("a AND (b OR c)")
    ('the parenthesis at character 7 is not closed', 'OR at character 10 has nothing after it', '')
    """
    opened: list[int] = []
    before, last = "", 0
    for match in _TOKEN.finditer(text.translate(_QUOTES)):
        token, at = match[0], match.start() + 1
        if token == _OPEN:
            opened.append(at)
        elif token == _CLOSE:
            if not opened:
                return f"the parenthesis at character {at} was not opened"
            opened.pop()
        if token in _SIDES and before in ("", _OPEN, *OPERATORS):
            return f"{token} at character {at} has nothing before it"
        if token in ("", _CLOSE, *_SIDES) and before in OPERATORS:
            return f"{before} at character {last} has nothing after it"
        before, last = token, at
    return f"the parenthesis at character {opened[-1]} is not closed" if opened else ""


def read_condition(lexemes: Sequence[Lexeme], leaf: Leaf) -> tuple[Condition | None, tuple[Clause, ...]]:
    """The condition, and the clauses in order that are not under a negation: what is looked for."""
    reader = _Reader(list(lexemes), leaf, [])
    return reader.any_of(False), tuple(reader.wanted)


def _lexemes(text: str) -> Iterator[Lexeme]:
    """Parentheses inside a word belong to it: `print()`, `f(x)`."""
    for match in _WITH_PARENTHESES.finditer(text):
        if parenthesis := match["parenthesis"]:
            yield from ("NOT", _OPEN) if parenthesis == _REFUSED_OPEN else (parenthesis,)
            continue
        clause, closed = _clause(match), 0
        bare = clause.text
        while not clause.quoted and bare.endswith(_CLOSE) and bare.count(_CLOSE) > bare.count(_OPEN):
            bare, closed = bare[:-1], closed + 1
        if bare in OPERATORS and not clause.minus:
            yield bare
        elif bare:
            yield _word(bare, minus=clause.minus) if closed else clause
        yield from [_CLOSE] * closed


def _balanced(lexemes: Iterator[Lexeme]) -> Iterator[Lexeme]:
    """Without parentheses that were never opened, or that lie too deep; those never closed end with the query."""
    depth = 0
    for lexeme in lexemes:
        depth += lexeme == _OPEN
        if lexeme not in (_OPEN, _CLOSE) or 0 < depth <= _DEEPEST:
            yield lexeme
        depth -= lexeme == _CLOSE and depth > 0


def _clause(match: re.Match[str]) -> Clause:
    if match["word"] is None:
        name, value = match["field"] or "", match["quoted"]
        return Clause(f'{name}:"{value}"' if name else f'"{value}"', bool(match["minus"]), name.lower(), value, True)
    word = match["word"]
    minus = _EXCLUDED.match(word) is not None or (word[0] == "-" and is_ideograph(word[1:]))
    return _word(word[1:] if minus else word, minus=minus)


def _word(text: str, *, minus: bool) -> Clause:
    name, colon, value = text.partition(":")
    return Clause(text, minus, name.lower(), value) if colon else Clause(text, minus)


@dataclass(slots=True)
class _Reader:
    left: list[Lexeme]
    leaf: Leaf
    wanted: list[Clause]

    def any_of(self, negated: bool) -> Condition | None:
        return self._series("OR", "any", self._all_of, negated)

    def _all_of(self, negated: bool) -> Condition | None:
        return self._series("AND", "all", self._group, negated)

    def _series(
        self, operator: str, kind: str, part: Callable[[bool], Condition | None], negated: bool
    ) -> Condition | None:
        parts = [part(negated)]
        while self._skip(operator):
            parts.append(part(negated))
        return _joined(kind, [condition for condition in parts if condition is not None])

    def _group(self, negated: bool) -> Condition | None:
        """Words side by side are alternatives, as in a query without operators; everything else is demanded."""
        words: list[Condition] = []
        demanded: list[Condition] = []
        refused: list[Condition] = []
        while self.left and self.left[0] not in ("AND", "OR", _CLOSE):
            turned = False
            while self._skip("NOT"):
                turned = not turned
            if not self.left or self.left[0] in ("AND", "OR", _CLOSE):
                break
            unit, minus, is_word = self._unit(negated, turned)
            if unit is not None:
                (refused if turned != minus else words if is_word else demanded).append(unit)
        if words and not demanded:
            demanded = [Condition("any", parts=tuple(words)) if len(words) > 1 else words[0]]
        return _joined("all", [*demanded, *(Condition("not", parts=(unit,)) for unit in refused)])

    def _unit(self, negated: bool, turned: bool) -> tuple[Condition | None, bool, bool]:
        """The next unit, whether it has a minus sign, and whether it is a word, which its neighbours can stand for."""
        lexeme = self.left.pop(0)
        if isinstance(lexeme, str):
            inner = self.any_of(negated != turned)
            self._skip(_CLOSE)
            return inner, False, False
        if not negated ^ turned ^ lexeme.minus:
            self.wanted.append(lexeme)
        meaning = self.leaf(lexeme)
        return meaning, lexeme.minus, meaning is not None and meaning.kind != "passes" and not lexeme.quoted

    def _skip(self, token: str) -> bool:
        if self.left and self.left[0] == token:
            self.left.pop(0)
            return True
        return False


def _joined(kind: str, parts: Sequence[Condition]) -> Condition | None:
    if len(parts) < 2:
        return parts[0] if parts else None
    return Condition("any" if kind == "any" else "all", parts=tuple(parts))
