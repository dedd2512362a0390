"""Regular expressions compiled at first use: imports define hundreds, a run uses a few."""

from __future__ import annotations

import re
from typing import Any, AnyStr

__all__ = ["regex"]


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`. What is wrong with an expression is said when it is used; a test uses all of them."""
    lazy: Any = _Lazy(source, flags)
    made: re.Pattern[AnyStr] = lazy
    return made


class _Lazy:
    """Has the attributes of its pattern once one of them was asked for."""

    def __init__(self, source: Any, flags: int) -> None:
        self.pattern, self._flags = source, flags  # expressions are made of each other's sources

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        vars(self).update((each, getattr(compiled, each)) for each in dir(compiled) if each[0] != "_")
        return getattr(compiled, name)
