"""Suggests the command that is meant by a mistyped name, or by one that other programs use."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

_SYNONYMS_OF = {
    "config": "settings",
    "db": "backup migrate",
    "doc": "restore",
    "doctor": "check health",
    "eval": "benchmark",
    "get": "cat read show",
    "index": "refresh sync update",
    "init": "create new",
    "list": "ls",
    "log": "commits git",
    "models": "finetune train",
    "notes": "note",
    "outline": "headings toc",
    "remember": "save store",
    "remove": "delete rm",
    "search": "ask find grep query",
    "serve": "http server",
    "snapshots": "snapshot",
    "status": "info",
}
SYNONYMS: Mapping[str, str] = {word: command for command, words in _SYNONYMS_OF.items() for word in words.split()}
_ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    "doc": {"list --documents": "list ls", "get": "cat read show", "notes new": "new"},
    "graph": {"graph plot": "draw html map show view"},
    "memory": {
        "forget": "delete forget remove rm",
        "recall": "list ls recall",
        "remember": "add create new remember save",
    },
    "notes": {"list --documents": "list ls", "get": "cat get read show", "doc rename": "mv rename", "recent": "recent"},
    "projects": {"--project NAME add FOLDER": "add create new", "--project NAME": "use switch"},
}
"""Of each group, the commands beside it that do what somebody looks for in it."""
CALLED_ELSEWHERE: Mapping[str, Sequence[str]] = {
    "rebuild-index": ("reindex", "--scope", "full", "--wait"),
    "run": ("serve", "--tools", "default,ragdocs"),
}
"""Commands of other programs that are one of ours with these options: understood, and not listed."""
_LIKE_ENOUGH = 0.7  # two letters swapped in a word of six


def beside(group: str, typed: str) -> str | None:
    """The whole command, outside of the group, that does it."""
    return next(
        (f"octavo {words}" for words, named in _ELSEWHERE.get(group, {}).items() if typed in named.split()), None
    )


def nearest(typed: str, known: Sequence[str]) -> str | None:
    """What it is a synonym of, the only command that begins so, or one that is spelled nearly the same."""
    if SYNONYMS.get(typed) in known:
        return SYNONYMS[typed]
    words = [*known, *(synonym for synonym, command in SYNONYMS.items() if command in known)]
    begun = [name for name in known if name.startswith(typed)]
    close = begun if len(begun) == 1 else difflib.get_close_matches(typed, words, n=1, cutoff=_LIKE_ENOUGH)
    return SYNONYMS.get(close[0], close[0]) if close else None
