"""Memento's tools: projects, sessions, embedding profiles, memories with versions, canonical documents.

Names, limits and answers are those of its schemas. An item's version is called `ITEM@N`; a project's id is its name.
"""

from octavo.interfaces.mcp.tool_aliases.memento.tool_table import TOOLS

__all__ = ["TOOLS"]
