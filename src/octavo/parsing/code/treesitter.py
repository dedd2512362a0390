"""Tree-sitter parsing within limits: of size, of line length and of time."""

from __future__ import annotations

import importlib
import threading
import time
import warnings
from functools import cache
from typing import TYPE_CHECKING

from octavo.lazy_regex import regex
from octavo.parsing.code.treesitter_node_roles import GRAMMARS, Grammar, NodeRole

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Tree

LONGEST_TEXT = 1_000_000  # characters; a longer text is data or generated, and is cut at line ends
LONGEST_LINE = 20_000  # recovery from errors is quadratic within a line
MOST_LINES = 25_000  # a megabyte of ordinary source has fewer; each may be a statement, and so a block
PARSE_SECONDS = 1.0  # of processor time; a megabyte of ordinary source takes a fifth of it
SLICE_SECONDS = 0.1  # on the wall, after which a parser looks how much it has worked

_WIDE_SPACE = regex(r"[^\S\x00-\x7f]")
_WIDE = regex(r"[^\x00-\x7f]+")
# Swift's scanner looks ahead to the end of a run from each of its characters.
_LONG_RUN = regex(rb"#{200,}")

_ERROR = 0xFFFF  # the kind of every error node, in every grammar


class Unparsable(Exception):
    """A text that no grammar can parse within limits, and why; it is cut at line ends instead."""


class Syntax:
    """One language's parser with the roles of its node kinds. A parser is used by one thread at a time."""

    __slots__ = ("_kinds", "_lock", "_parser", "grammar", "imports", "roles")

    def __init__(self, grammar: Grammar) -> None:
        import tree_sitter

        language = tree_sitter.Language(getattr(importlib.import_module(grammar.module), grammar.function)())
        with warnings.catch_warnings():
            # The successor of the time limit, a callback, crashes the interpreter (0.25.2 and 0.26.0, Python 3.11).
            warnings.simplefilter("ignore", DeprecationWarning)
            self._parser: Parser = tree_sitter.Parser(language, timeout_micros=int(SLICE_SECONDS * 1e6))
        self._lock = threading.Lock()
        self.grammar = grammar
        kinds = [(number, language.node_kind_for_id(number) or "") for number in range(language.node_kind_count)]
        self._kinds = frozenset(kind for _, kind in kinds)
        roles = grammar.roles()
        self.roles: dict[int, NodeRole] = {number: roles[kind] for number, kind in kinds if kind in roles}
        self.roles[_ERROR] = NodeRole.THROUGH
        imports = frozenset(grammar.imports.split())
        self.imports = frozenset(number for number, kind in kinds if kind in imports)

    def kinds(self) -> frozenset[str]:
        """All node types of the grammar."""
        return self._kinds

    def tree(self, source: bytes) -> Tree:
        """Its limit is of processor time: on a busy machine a file is parsed as on an idle one."""
        with self._lock:
            started = time.thread_time()
            while True:
                try:
                    return self._parser.parse(source)  # continues what a slice began
                except ValueError as error:
                    if time.thread_time() - started > PARSE_SECONDS:
                        self._parser.reset()
                        raise Unparsable(f"no syntax tree within {PARSE_SECONDS:g} seconds of work") from error
                except BaseException:
                    self._parser.reset()
                    raise


@cache
def syntax_for(language: str) -> Syntax | None:
    """The parser of a language, loaded on first use; None if there is no grammar for it."""
    if language not in GRAMMARS:
        return None
    try:
        return Syntax(GRAMMARS[language])
    except (ImportError, OSError, ValueError) as error:
        raise Unparsable(f"the grammar of {language} cannot be loaded: {error}") from error


def parse(syntax: Syntax, text: str) -> tuple[Node, bytes]:
    """The root of a text's tree and the bytes it was parsed from: one byte for each character."""
    if len(text) > LONGEST_TEXT:
        raise Unparsable(f"longer than {LONGEST_TEXT:,} characters")
    source = ascii_bytes(text)
    if source.count(b"\n") > MOST_LINES:
        raise Unparsable(f"more than {MOST_LINES:,} lines")
    if max(map(len, source.split(b"\n"))) > LONGEST_LINE:
        raise Unparsable(f"a line longer than {LONGEST_LINE:,} characters")
    return syntax.tree(source).root_node, source


def ascii_bytes(text: str) -> bytes:
    """ASCII of the same length: other letters become `x`, so that byte offsets are character offsets.

    Grammars only need to know that a letter is one. A NUL makes some of them loop.
    """
    if not text.isascii():
        text = _WIDE.sub(lambda match: "x" * len(match[0]), _WIDE_SPACE.sub(" ", text))
    if "\0" in text:
        text = text.replace("\0", " ")
    source = text.encode("ascii")
    if b"#" * 200 in source:
        source = _LONG_RUN.sub(lambda match: b" " * len(match[0]), source)
    return source
