"""Methods of a library, looked up by name in the table of operations; `method_lookup.pyi` has their types."""

from __future__ import annotations

from typing import Any


class Methods:
    """Finds a method, or the noun that methods are below, by its name in the table of operations.

    `caller` is an open engine's handle, or a function of an operation's name, its arguments and a progress callback.
    """

    def __init__(self, caller: Any, noun: str = "", library: object = None) -> None:
        self._caller = caller
        self._noun = noun
        self._library = library  # stays open as long as one of its nouns is used

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name, name=name, obj=self)
        method = _dispatch().method_or_noun(self._noun, name)
        if isinstance(method, str):
            raise AttributeError(method, name=name, obj=self)
        return Methods(self._caller, name, self) if method is None else _dispatch().Method(self, self._caller, method)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_dispatch().names_below(self._noun)})


class AsyncMethods(Methods):
    """The same methods, whose `caller` is a coroutine."""


def _dispatch() -> Any:
    from octavo.interfaces.python import operation_methods  # opening a library does without the table

    return operation_methods
