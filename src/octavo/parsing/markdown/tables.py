"""Pipe tables as GitHub and Obsidian write them: a header row, a delimiter row with as many cells, then rows."""

from __future__ import annotations

import re

_DELIMITER = re.compile(r"\n[ ]{0,3}(\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+){0,1000}\|?)[ \t]*+(?=\n)")
_PIPE = re.compile(r"(?<!\\)\|")


def table_start(text: str, start: int, end: int) -> int | None:
    """Where a table begins inside the paragraph `text[start:end]`, at its header row, if there is one."""
    if text.find("|", start, end) < 0:
        return None
    for row in _DELIMITER.finditer(text, start, end):
        header = text.rfind("\n", start, row.start()) + 1 or start
        if "|" in row[1] and _cells(text[header : row.start()]) == _cells(row[1]):
            return header
    return None


def _cells(row: str) -> int:
    row = row.strip()
    return len(_PIPE.findall(row)) + 1 - row.startswith("|") - (row.endswith("|") and len(row) > 1 and row[-2] != "\\")
