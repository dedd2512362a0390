"""What a declaration declares: a function, a method, a class; read from its first line of code."""

from __future__ import annotations

import re

_COMMENT = ("//", "/*", "*", "#", "--", "@", "<!--", '"""')
_KINDS = (
    ("class", re.compile(r"\b(?:class|record)\b")),
    ("interface", re.compile(r"\b(?:interface|protocol)\b")),
    ("struct", re.compile(r"\bstruct\b")),
    ("union", re.compile(r"\bunion\b")),
    ("enum", re.compile(r"\benum\b")),
    ("trait", re.compile(r"\btrait\b")),
    ("implementation", re.compile(r"^(?:unsafe\s+)?impl\b")),
    ("module", re.compile(r"\b(?:mod|module|namespace|package)\b")),
    ("macro", re.compile(r"#\s*define\b|\bmacro(?:_rules!)?\b")),
    ("type", re.compile(r"\b(?:type|typedef|typealias)\b")),
    (
        "function",
        re.compile(r"\b(?:def|func|fn|fun|function|sub|proc|async)\b|=>|\)\s*(?:const\b[^{;]*)?[{:]?\s*$|\w\s*\("),
    ),
    ("constant", re.compile(r"\b(?:const|static|final|let|var|val)\b|=")),
)
_WITH_MEMBERS = frozenset({"class", "interface", "struct", "trait", "implementation", "enum"})
_LOOKED_AT = 60  # lines: a declaration may begin with a long comment


def symbol_kind(declaration: str, name: str, *, nested: bool) -> str:
    """`declaration` is the text with its comments; `nested` is whether it stands inside another declaration.

    >>> symbol_kind("// Closes it.\\nfunc (d *Dome) Close() error {", "Close", nested=True)
    'method'
    """
    line = _signature_line(declaration, name)
    before = line.split(name, 1)[0] if name and name in line else line
    for kind, pattern in _KINDS:
        if pattern.search(before if kind in _WITH_MEMBERS or kind in ("module", "union") else line):
            return "method" if kind == "function" and nested else kind
    return "symbol"


def _signature_line(declaration: str, name: str) -> str:
    """The first line of code that has the name; without one, the first line of code."""
    first = ""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") if name else None
    for line in declaration.split("\n", _LOOKED_AT)[:_LOOKED_AT]:
        bare = line.strip()
        if not bare or (bare.startswith(_COMMENT) and not bare.startswith(("#define", "# define"))):
            continue
        if word is None or word.search(bare):
            return bare
        first = first or bare
    return first
