"""What an operation is called as a Python method or a tool, and hints of errors reworded to name it so."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from functools import cache
from typing import Any, NamedTuple

from octavo.errors import OctavoError
from octavo.fast_dataclass import replace
from octavo.lazy_regex import regex
from octavo.model.maintenance_advisory import Advisory
from octavo.model.memory import SUPERSEDES
from octavo.operations.library.results import HealthAnswer, IndexAnswer, StatusAnswer
from octavo.operations.memory.results import MemoryState
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import EVERY
from octavo.operations.request_fields import RequestField, request_fields

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


_COMMAND = regex(r"`octavo ([^`]+)`")
_OPTION = regex(r"(?<![\w`-])--[a-z-]+")


def for_python(hint: str, called: Operation) -> str:
    """With methods of a library in place of commands, and arguments in place of the options of what was `called`.

    >>> for_python("`octavo search` finds passages, `octavo init` makes a library", EVERY["get"])
    '`library.search(query)` finds passages, `octavo init` makes a library'
    >>> for_python("give another --name, or pass --replace", EVERY["add"])
    'give another name=…, or pass replace=True'
    """

    def call(operation: Operation, options: str) -> str:
        required = [field.name for field in request_fields(operation.takes) if field.required]
        known = _options(operation.takes)
        given = [_argument(known[option]) for option in _OPTION.findall(options) if option in known]
        return f"`library.{method_of(operation)}({', '.join([*required, *given])})`"

    return _without_options(_respelled(hint, call), called, _argument)


def for_model(hint: str, offered: Container[str], called: Operation | None = None) -> str:
    """With tools and arguments in place of commands and options, where they are offered.

    What is not offered remains for a person to run.

    >>> for_model("`octavo search` finds passages, `octavo get` reads them", {"search"})
    'search finds passages, `octavo get` reads them'
    >>> for_model("run `octavo index`, or look at `octavo status --problems`", {"reindex", "status"})
    'run reindex, or look at status with problems'
    >>> for_model("choose one with --collection", {"get"}, EVERY["get"])
    'choose one with collection'
    """

    def tool(operation: Operation, options: str) -> str | None:
        name = next((name for name in (operation.name, operation.served_as) if name in offered), None)
        if name is None:
            return None
        known, given = _options(EVERY[name].takes), _OPTION.findall(options)
        if not known.keys() >= set(given):
            return None
        return f"{name} with {', '.join(known[option].name for option in given)}" if given else name

    return _without_options(_respelled(hint, tool), called, lambda field: field.name)


def answer_for_model(answer: Any, offered: Container[str]) -> Any:
    """An answer with tools in place of commands in its own hints and advice; what documents say stays as it is."""
    if isinstance(answer, HealthAnswer):
        checks = tuple(
            replace(check, hint=for_model(check.hint, offered)) if check.hint else check for check in answer.checks
        )
        answer = replace(answer, checks=checks)
    if isinstance(answer, MemoryState) and answer.contradicts is not None and "memory_link" in offered:
        call = f"memory_link with item={answer.item}, target={answer.contradicts.item}, type={SUPERSEDES}"
        return replace(answer, contradicts=replace(answer.contradicts, supersede=call))
    if isinstance(answer, (HealthAnswer, IndexAnswer, StatusAnswer)):
        return replace(answer, advisories=tuple(_advised(advisory, offered) for advisory in answer.advisories))
    return answer


def _advised(advisory: Advisory, offered: Container[str]) -> Advisory:
    if advisory.command is None:
        return advisory
    return replace(advisory, command=for_model(f"`{advisory.command}`", offered).strip("`"))


class ErrorForModel(NamedTuple):
    """An error as the text a model reads, and again as data."""

    text: str
    data: dict[str, Any]


def error_for_model(error: OctavoError, offered: Container[str], operation: Operation | None = None) -> ErrorForModel:
    hint = error.hint and for_model(error.hint, offered, operation)
    text = f"{error.code}: {error.message}" + (f"\nHint: {hint}" if hint else "")
    return ErrorForModel(text, {"code": error.code, "message": error.message, "hint": hint, "details": error.details})


def _respelled(hint: str, spelled: Callable[[Operation, str], str | None]) -> str:
    def spell(match: re.Match[str]) -> str:
        words = match[1].split()
        for length in range(len(words), 0, -1):
            operation = _by_command().get(" ".join(words[:length]))
            if operation is not None:
                return spelled(operation, " ".join(words[length:])) or match[0]
        return match[0]

    return _COMMAND.sub(spell, hint)


def _without_options(hint: str, operation: Operation | None, spelled: Callable[[RequestField], str]) -> str:
    """With arguments for the options that stand outside of commands."""
    known = _options(operation.takes) if operation else {}
    parts = re.split("(`[^`]*`)", hint)
    parts[::2] = [
        _OPTION.sub(lambda match: spelled(known[match[0]]) if match[0] in known else match[0], part)
        for part in parts[::2]
    ]
    return "".join(parts)


@cache
def _by_command() -> dict[str, Operation]:
    return {operation.command: operation for operation in EVERY.values() if operation.command}


@cache
def _options(request: type) -> Mapping[str, RequestField]:
    """What a command line calls an argument → the argument."""
    named = {f"--{field.name.replace('_', '-')}": field for field in request_fields(request)}
    spelled = {
        option: field
        for field in request_fields(request)
        if field.on_command_line
        for option in field.spelled.split("/")
    }
    return named | spelled


def _argument(field: RequestField) -> str:
    """As Python writes it: what is a switch is switched on."""
    return f"{field.name}=True" if field.default is False else f"{field.name}=…"
