"""Recognises source code that mostly imports what others declare, or that holds nothing but comments."""

from __future__ import annotations

import re

from octavo.lazy_regex import regex

_COMMENT = regex(r"^\s*(?://|#(?!\s*(?:include|import|ifn?def|define|endif|if|else|elif|pragma|undef)\b)|--|;|\*)")
_BLOCK = regex(r"/\*.*?(?:\*/|\Z)|^[rRuU]?(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z))", re.DOTALL | re.MULTILINE)
_TAKES_IN = regex(
    r"^\s*(?:import\b|from\s+\S+\s+import\b|#\s*(?:include|import|pragma|ifn?def|if|elif|else|endif|undef)\b"
    r"|#\s*define\s+\w+\s*$|package\b|(?:pub\s+)?use\s|using\s|namespace\s+[\w.\\]+\s*;|module\s|extern\s+(?:crate\b|\"C\")"
    r"|(?:const|let|var)\b.*\brequire\s*\(|require\w*\b|load\b|export\b.*\bfrom\b|__all__\s*="
    r"|'use strict'|\"use strict\""
    r"|[(){}\[\];,]+\s*$|(?:const|var|type)\s*\($)"
)
_INSIDE_DECLARED_HERE = regex(r"^\s*(?:extern\s+\"C\"|(?:const|var|type)\s*\($)")
_OPENING, _CLOSING = "([{", ")]}"


def is_file_head(text: str) -> bool:
    r"""Whether most lines of a piece of source code, comments aside, only take in what others have declared.

    >>> is_file_head('package shop\n\nimport (\n\t"fmt"\n\t"os"\n)\n')
    True
    >>> is_file_head("from tea import brew\n\nPOTS = 4\nCUPS = 12\n")
    False
    """
    lines = lines_of_code(text)
    taken_in = depth = 0
    for line in lines:
        if depth > 0 or _TAKES_IN.match(line):
            taken_in += 1
            opened, closed = (sum(map(line.count, brackets)) for brackets in (_OPENING, _CLOSING))
            depth = max(0, depth + opened - closed)
            if _INSIDE_DECLARED_HERE.match(line):
                depth = 0
    return taken_in * 2 > len(lines)


def is_only_comments(text: str) -> bool:
    """Whether no line of a piece of source code does anything.

    >>> is_only_comments("// FIXME unused\\n\\n/* Adds\\n two */\\n"), is_only_comments("x = 1  # one\\n")
    (True, False)
    """
    return not lines_of_code(text)


def lines_of_code(text: str) -> list[str]:
    """The lines that hold something else than a comment."""
    return [line for line in _BLOCK.sub("", text).split("\n") if line.strip() and not _COMMENT.match(line)]
