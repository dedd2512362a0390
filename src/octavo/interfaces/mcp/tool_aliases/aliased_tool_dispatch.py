"""Lists the tools of other programs and calls them; remembers which project each conversation chose last."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mcp import types

from octavo.errors import OctavoError
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias, failure, result, tool
from octavo.operations.operation_lookup import SEEDS, set_names

_MOST_CONVERSATIONS = 1_000
_log = logging.getLogger("octavo.mcp")


class AliasedTools:
    """By either spelling of their names, whichever is listed."""

    def __init__(self, rows: Sequence[Alias], *, dotted: bool) -> None:
        self._rows = rows
        self._dotted = dotted
        self._named = {alias.called(dotted=dots): alias for dots in (True, False) for alias in rows}
        self._projects: dict[str, str] = {}

    def listing(self) -> Iterator[types.Tool]:
        return (tool(alias, dotted=self._dotted) for alias in self._rows)

    def named(self, name: str) -> Alias | None:
        return self._named.get(name)

    def project(self, conversation: str | None) -> str | None:
        """The one that the client resolved last; None for the server's own."""
        return None if conversation is None else self._projects.get(conversation)

    async def call(
        self, alias: Alias, calls: Calls, arguments: Mapping[str, Any], conversation: str | None, *, data: bool
    ) -> types.CallToolResult:
        project = self.project(conversation)
        try:
            payload = await calls.perform(alias.of, lambda engine: alias.answered(engine, arguments, project))
        except OctavoError as error:
            return failure(error, self._named, alias.error_details)
        except Exception:
            _log.exception("%s failed", alias.name)
            defect = OctavoError("unexpected failure", hint="this is a defect in Octavo; its log has the details")
            return failure(defect, self._named, alias.error_details)
        if alias.settles_project and conversation is not None:
            while len(self._projects) >= _MOST_CONVERSATIONS:
                del self._projects[next(iter(self._projects))]
            self._projects[conversation] = payload["project_id"]
        return result(payload, data=data)


if TYPE_CHECKING:
    from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias


def aliases(tools: str) -> tuple[Alias, ...]:
    """The rows of every set that is named; nothing is imported where none is."""
    rows: dict[str, Alias] = {}
    for name in sorted(set_names(tools) & SEEDS):
        rows |= {alias.name: alias for alias in import_module(f"octavo.interfaces.mcp.tool_aliases.{name}").TOOLS}
    return tuple(rows.values())
