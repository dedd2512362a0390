"""What the methods made from the table of operations stand on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from octavo.interfaces.python.handle import Handle


class Caller:
    """Calls operations by name on an open library."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def _call(self, name: str, given: Mapping[str, Any]) -> Any:
        """`given` are a method's local variables: its arguments, `self` and, where it takes one, `progress`."""
        from octavo.interfaces.python.running import run  # opening a library does without the table

        arguments = {name: value for name, value in given.items() if name not in ("self", "progress")}
        return run(self._handle, name, arguments, given.get("progress"))
