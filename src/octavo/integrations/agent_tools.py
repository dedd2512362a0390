"""`library.tools` as tools of Pydantic AI, of OpenAI's Agents SDK and of smolagents.

agent = Agent("…", tools=pydantic_ai_tools(library))
agent = agents.Agent(name="…", tools=openai_agents_tools(library))
agent = CodeAgent(tools=smolagents_tools(library), model=…)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

from octavo import Library

_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})


def pydantic_ai_tools(library: Library, names: str = "default") -> list[Any]:
    make = import_module("pydantic_ai").Tool.from_schema
    tools = library.tools(names)

    def said(name: str, /, **arguments: Any) -> str:
        return tools.call(name, arguments).text

    return [make(partial(said, tool["name"]), tool["name"], tool["description"], tool["parameters"]) for tool in tools]


def openai_agents_tools(library: Library, names: str = "default") -> list[Any]:
    make = import_module("agents").FunctionTool
    tools = library.tools(names)

    async def said(name: str, context: Any, arguments: str) -> str:
        return tools.call(name, arguments).text

    return [
        make(
            name=tool["name"],
            description=tool["description"],
            params_json_schema=tool["parameters"],
            on_invoke_tool=partial(said, tool["name"]),
            strict_json_schema=False,
        )
        for tool in tools
    ]


def smolagents_tools(library: Library, names: str = "default") -> list[Any]:
    base = import_module("smolagents").Tool
    tools = library.tools(names)

    def forward(self: Any, **arguments: Any) -> str:
        return tools.call(self.name, arguments).text

    def made(tool: Mapping[str, Any]) -> Any:
        needed = tool["parameters"].get("required", ())
        inputs = {
            name: {
                "type": about["type"] if about.get("type") in _TYPES else "any",
                "description": about.get("description", name),
                **({} if name in needed else {"nullable": True}),
            }
            for name, about in tool["parameters"]["properties"].items()
        }
        told = {"name": tool["name"], "description": tool["description"], "inputs": inputs, "output_type": "string"}
        return type("OctavoTool", (base,), {**told, "forward": forward, "skip_forward_signature_validation": True})()

    return [made(tool) for tool in tools]
