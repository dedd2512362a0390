"""Memories over MCP: all of their tools in one set, and memory:// resources to list and read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cli_calls import Location
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_calls import in_memory

from octavo.engine.wiring import open_library
from octavo.operations.operation_lookup import chosen

TOOLS = {
    *("projects_resolve", "projects_list", "sessions_start", "sessions_end"),
    *("profiles_list", "profiles_set", "profiles_activate"),
    *("memory_commit", "memory_get", "memory_search", "memory_restore", "memory_history", "memory_diff"),
    *("memory_pin", "memory_unpin", "memory_archive", "memory_link"),
    *("canonical_upsert", "canonical_get", "canonical_outline", "canonical_get_section", "canonical_context_pack"),
    *("profiles_reindex", "memory_reingest", "doctor"),
    *("remember", "recall", "forget", "memory_linked"),
}
PLAN = "# Plan\n\nFirst this.\n\n## Later\n\nThen that.\n"


@pytest.fixture
def library(location: Location) -> Location:
    with open_library(location, create=True):
        return location


def test_the_memory_set_has_every_tool_that_memories_need() -> None:
    assert {one.name for one in chosen("memory")} >= TOOLS - {"doctor"}
    assert {one.name for one in chosen("full")} >= TOOLS


def test_a_memory_is_listed_and_read_whole_at_a_version_and_by_section(library: Path) -> None:
    async def talk(client: Client) -> None:
        assert (await client.list_resources()).resources == []
        names = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        assert {name.rpartition("items/{item}")[2] for name in names if name.startswith("memory://")} == {
            "",
            "/versions/{version}",
            "/sections/{anchor}",
        }
        first = await call(client, "canonical_upsert", key="plans/one", text=PLAN, doc_class="implementation_plan")
        await call(client, "canonical_upsert", key="plans/one", text=PLAN.replace("that", "something else"))
        await call(client, "remember", text="A fact by itself.")
        listed = [
            resource
            for resource in (await client.list_resources()).resources
            if str(resource.uri).startswith("memory://")
        ]
        assert [one.name for one in listed] == ["plans/one", "A fact by itself."]
        uri = str(listed[0].uri)
        assert uri == f"memory://projects/default/items/{first['item']}"
        assert await text(client, uri) == PLAN.replace("that", "something else")
        assert await text(client, f"{uri}/versions/1") == PLAN
        assert await text(client, f"{uri}/sections/later") == "## Later\n\nThen something else.\n"
        for wrong in (
            f"{uri}/versions/9",
            f"{uri}/versions/x",
            f"{uri}/sections/nowhere",
            f"{uri}/more",
            "memory://projects/default/items/mem_nowhere",
            f"memory://projects/other/items/{first['item']}",
            "memory://nonsense",
        ):
            with pytest.raises(MCPError):
                await client.read_resource(wrong)

    in_memory(library, talk, chosen("memory"), data=True)


async def call(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    done = await client.call_tool(name, arguments)
    assert not done.is_error, done.content
    assert done.structured_content is not None
    return done.structured_content


async def text(client: Client, uri: str) -> str:
    (found,) = (await client.read_resource(uri)).contents
    return str(found.text)  # type: ignore[union-attr]
