"""The method of a Python library that an operation is: `search` on top, `memory.get` below a noun."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import EVERY

_ON_TOP = frozenset(
    ("search", "ask", "get", "add", "remove", "index", "reindex", "status", "doctor", "remember", "recall", "forget")
)
_NOUN_OF = {
    "answering": "doc",
    "database": "db",
    "evaluation": "eval",
    "history": "git",
    "library": "collections",
    "reading": "doc",
    "search": "doc",
    "writing": "notes",
}
"""Subject → its noun, where that is another word."""
_MORE_NOUNS = frozenset(("cluster", "sessions"))
_ELSEWHERE = {
    "history": "doc.history",
    "search_docs": "doc.search",
    "search_code": "code.search",
    "list_documents": "doc.list",
}
"""Tools that are called by a verb and its object."""
_BY_HAND = "watch"
"""The library's method of this name does more than call the operation."""


def method_of(operation: Operation) -> str:
    """Where the operation is below `library`.

    >>> [method_of(EVERY[name]) for name in ("search", "memory_get", "find_similar")]
    ['search', 'memory.get', 'doc.find_similar']
    """
    name = operation.name
    if name in _ON_TOP or name == _BY_HAND:
        return name
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    first, _, rest = name.partition("_")
    return f"{first}.{rest}" if first in _nouns() else f"{_noun(operation)}.{name}"


def _noun(operation: Operation) -> str:
    return _NOUN_OF.get(operation.subject, operation.subject)


@cache
def _nouns() -> frozenset[str]:
    return _MORE_NOUNS | {_noun(operation) for operation in EVERY.values()}


@cache
def methods() -> Mapping[str, Operation]:
    """Method → operation, of all that are made from the table."""
    return {method_of(operation): operation for operation in EVERY.values() if operation.name != _BY_HAND}
