"""Globs over the paths of documents, as regular expressions."""

from __future__ import annotations

import re
from functools import lru_cache


@lru_cache(maxsize=256)
def glob_expression(glob: str) -> re.Pattern[str]:
    """`*` and `?` stay within a folder, `**` crosses folders; without a slash, the file's name is meant."""
    made = "" if "/" in glob else "(?:.*/)?"
    for part in re.split(r"(\*\*/|\*\*|\*|\?|\[[^\]]+\])", glob):
        if part == "**/":
            made += "(?:.*/)?"
        elif part in ("**", "*", "?"):
            made += {"**": ".*", "*": "[^/]*", "?": "[^/]"}[part]
        elif part.startswith("[") and part.endswith("]"):
            made += (
                "[" + ("^" if part[1] in "!^" else "") + re.escape(part[1:-1].lstrip("!^")).replace(r"\-", "-") + "]"
            )
        else:
            made += re.escape(part)
    return re.compile(made, re.DOTALL)
