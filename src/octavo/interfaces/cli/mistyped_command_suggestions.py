"""What somebody who mistyped a command, or calls it as another program does, probably means."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

SYNONYMS: Mapping[str, str] = {
    "ask": "search",
    "backup": "db",
    "benchmark": "eval",
    "cat": "get",
    "check": "doctor",
    "commits": "log",
    "create": "init",
    "delete": "remove",
    "find": "search",
    "git": "log",
    "grep": "search",
    "headings": "outline",
    "health": "doctor",
    "http": "serve",
    "info": "status",
    "ls": "list",
    "migrate": "db",
    "new": "init",
    "note": "notes",
    "query": "search",
    "read": "get",
    "refresh": "index",
    "rm": "remove",
    "save": "remember",
    "server": "serve",
    "settings": "config",
    "show": "get",
    "store": "remember",
    "sync": "index",
    "toc": "outline",
    "train": "models",
    "finetune": "models",
    "snapshot": "snapshots",
    "restore": "doc",
    "update": "index",
}
CALLED_ELSEWHERE: Mapping[str, Sequence[str]] = {
    "rebuild-index": ("reindex", "--scope", "full", "--wait"),
    "run": ("serve", "--tools", "default,ragdocs"),
}
"""Commands of other programs that are one of ours with these options: understood, and not listed."""
_LIKE_ENOUGH = 0.7  # two letters swapped in a word of six


def nearest(typed: str, known: Sequence[str]) -> str | None:
    """What it is a synonym of, the only command that begins so, or one that is spelled nearly the same."""
    if SYNONYMS.get(typed) in known:
        return SYNONYMS[typed]
    words = [*known, *(synonym for synonym, command in SYNONYMS.items() if command in known)]
    begun = [name for name in known if name.startswith(typed)]
    close = begun if len(begun) == 1 else difflib.get_close_matches(typed, words, n=1, cutoff=_LIKE_ENOUGH)
    return SYNONYMS.get(close[0], close[0]) if close else None
