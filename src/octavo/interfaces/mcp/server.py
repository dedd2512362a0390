"""One MCP server over the table of operations, for every transport and every revision the SDK speaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Container, Sequence
from typing import Any, TypeVar

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from octavo.engine.index_runs import Stopped
from octavo.errors import OctavoError
from octavo.interfaces.calls import CallProgress, Calls
from octavo.interfaces.mcp import memory_resources, prompts, resources
from octavo.interfaces.mcp.instructions import instructions, without_library
from octavo.interfaces.mcp.tools import failed, listed, succeeded
from octavo.operations.hints import for_model
from octavo.operations.operation import Operation
from octavo.version import __version__

Context = ServerRequestContext[Any, Any]

_T = TypeVar("_T")

_log = logging.getLogger("octavo.mcp")


def make_server(calls: Calls, operations: Sequence[Operation], said: str) -> Server[Any]:
    tools = {name: operation for operation in operations for name in (operation.name, *operation.aliases)}
    listing = types.ListToolsResult(tools=[listed(operation) for operation in operations])
    schemas = {tool.name: tool.input_schema for tool in listing.tools}

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return listing

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        operation = tools.get(params.name)
        if operation is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name}; there are: {', '.join(schemas)}")
        progress = _progress(context) if operation.watched else None
        try:
            arguments = params.arguments or {}
            answer = await calls.call(operation, arguments, forgiving=True, progress=progress, offered=schemas)
            return succeeded(answer)
        except OctavoError as error:
            return failed(error, schemas, operation)
        except Stopped:
            return failed(OctavoError("stopped; what was indexed so far is kept"))
        except Exception:
            _log.exception("%s failed", operation.name)
            return failed(OctavoError("unexpected failure", hint="this is a defect in Octavo; its log has the details"))

    async def list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        found = await calls.work(lambda engine: [*resources.collections(engine), *memory_resources.memories(engine)])
        return types.ListResourcesResult(resources=found)

    async def list_templates(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[*resources.TEMPLATES, *memory_resources.TEMPLATES])

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        read = memory_resources.read if params.uri.startswith(memory_resources.SCHEME) else resources.read
        found = await _translated(calls.work(lambda engine: read(engine, params.uri)), schemas)
        return types.ReadResourceResult(contents=[found])

    async def list_prompts(context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(prompts.PROMPTS))

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        given = params.arguments or {}
        return await _translated(calls.work(lambda engine: prompts.prompt(engine, params.name, given)), schemas)

    async def complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        filled = (params.context.arguments if params.context else None) or {}
        argument = params.argument
        values = await _translated(
            calls.work(lambda engine: resources.completions(engine, argument.name, argument.value, filled)), schemas
        )
        return types.CompleteResult(completion=values)

    return Server(
        "octavo",
        version=__version__,
        title="Octavo",
        description="The library that fits in your pocket: search and read an indexed library.",
        instructions=said,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        # Without it every call over HTTP makes the whole listing, to see whether a header should say an argument.
        get_tool_input_schema=schemas.get,
    )


async def prepared_server(calls: Calls, operations: Sequence[Operation]) -> Server[Any]:
    """A server whose instructions tell of the library, or why it cannot be opened yet."""
    offered = {operation.name for operation in operations}
    try:
        said = await calls.work(lambda engine: instructions(engine, offered))
    except OctavoError as error:
        said = without_library(error, offered)
    return make_server(calls, operations, said)


async def _translated(answer: Awaitable[_T], offered: Container[str]) -> _T:
    """Outside of tools an error has no result to be told in: it is the protocol's. Its hint names tools too."""
    try:
        return await answer
    except OctavoError as error:
        hint = error.hint and for_model(error.hint, offered)
        data = {"code": error.code, "hint": hint, "details": error.details}
        raise MCPError(types.INVALID_PARAMS, f"{error.message} ({hint})" if hint else error.message, data) from error


def _progress(context: Context) -> CallProgress:
    """Reports go out one after another; a client that did not ask for them gets none."""
    tasks: set[asyncio.Task[None]] = set()
    last = -1.0
    send: Callable[[float, float | None, str], Awaitable[None]] = context.session.report_progress

    def tell(done: float, total: float | None, phase: str) -> None:
        nonlocal last
        if done <= last:
            return  # the protocol wants every report to be further than the one before
        last = done
        task = asyncio.ensure_future(send(done, total, phase))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return CallProgress(tell)
