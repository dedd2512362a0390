"""Classifies a query by its form alone as code, navigational, question or keyword."""

from __future__ import annotations

import re
from enum import StrEnum

from octavo.lazy_regex import regex


class Intent(StrEnum):
    CODE = "code"
    """Names and fragments of programs: `getUserById`, `std::map`, `x = foo()`."""
    NAVIGATIONAL = "navigational"
    """A place: a path, a file name, an address."""
    QUESTION = "question"
    """A sentence that asks."""
    KEYWORD = "keyword"
    """Words, and everything else."""


_PLACE = regex(
    r"https?://\S+|(?:[\w.~-]+|\.{1,2})?(?:/[\w.@+-]+)+/?|[\w-]+(?:\.[\w-]+)*\.(?:md|txt|rst|html?|pdf|docx?|ipynb|org"
    r"|py|pyi|js|jsx|ts|tsx|go|rs|c|h|cc|cpp|hpp|cs|java|kt|rb|php|swift|sh|sql|css|toml|json|ya?ml|ini|cfg|xml|csv|lock)"
)
_CODE = regex(
    r"""
      \w\(\S*\) | \w\(\)         # a call
    | [\w>]::\w | \w->\w | =>    # members
    | [{};]\s*$ | [=!<>]=        # statements
    | ^\s*(?:def|class|import|from|fn|func|function|const|let|var|return|public|private|select|SELECT)\s+\S+.*[:({=*;]
    | \b_*[a-z0-9]+(?:_[a-z0-9]+)+\b        # snake_case
    | \b[a-z][a-z0-9]+[A-Z]\w*              # camelCase
    | \b(?:[A-Z][a-z0-9]+){2,}\b            # PascalCase
    | \b[a-z_]\w+(?:\.[a-z_]\w+){2,}        # dotted.names.of.modules
    | `[^`]+` | (?:^|\s)--?[a-z][\w-]+=     # quoted code, a flag with its value
    """,
    re.VERBOSE,
)
_ASKING = regex(
    r"(?:how|what|what's|why|when|where|which|who|whom|whose|is|are|was|were|does|do|did|can|could|should|would|will"
    r"|may|has|have|had)\b",
    re.IGNORECASE,
)
_SHORTEST_QUESTION = 3


def intent_of(text: str) -> Intent:
    """Total and cheap: one look at the text, no model.

    >>> [str(intent_of(text)) for text in ("src/app.py", "getUserById null", "how do I log in", "login page")]
    ['navigational', 'code', 'question', 'keyword']
    """
    bare = text.strip()
    words = bare.split()
    if len(words) == 1 and _PLACE.fullmatch(bare):
        return Intent.NAVIGATIONAL
    asking = bare.endswith("?") or (len(words) >= _SHORTEST_QUESTION and _ASKING.match(bare))
    if asking and len(words) >= _SHORTEST_QUESTION:
        # A question about a name is still a question.
        return Intent.QUESTION
    return Intent.CODE if _CODE.search(bare) else Intent.QUESTION if asking else Intent.KEYWORD
