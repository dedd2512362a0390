"""One MCP server over the table of operations, for every transport and every revision the SDK speaks."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from typing import Any, TypeVar

from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from octavo.engine.caller_permissions import CALLER, acting_as, current_caller
from octavo.engine.engine import Engine
from octavo.engine.indexing.index_runs import Stopped
from octavo.errors import OctavoError
from octavo.interfaces.execution.async_operation_calls import Answered, CallProgress, Calls
from octavo.interfaces.mcp import document_resources, memory_resources
from octavo.interfaces.mcp.instructions import PROMPTS, instructions, prompt, usage, without_library
from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias, AliasedTools, aliases
from octavo.model.access_token import AccessScope
from octavo.operations.json_schemas import input_schema, output_schema, slim_input, slim_output
from octavo.operations.names_and_hints_by_interface import error_for_model, for_model
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import DOTTED, chosen, gives_data, set_names
from octavo.version import __version__

Context = ServerRequestContext[Any, Any]

_T = TypeVar("_T")
_R = TypeVar("_R")

_log = logging.getLogger("octavo.mcp")


class LibraryServer(Server[Any]):
    """What a library holds is told to nobody whose token is not for its project: they learn how to use the tools, and
    everybody only of tools that their token allows."""

    told = ""
    own_project: str | None = None
    """Of a server over HTTP; None where the account itself asks."""
    usage = ""
    """How to use the tools of a server over HTTP, with which `told` ends."""
    scopes: Mapping[str, AccessScope] = {}

    @property
    def instructions(self) -> str:
        caller = current_caller()
        hidden = self.own_project is not None and not (caller and caller.sees(self.own_project))
        holdings = "" if hidden else self.told.removesuffix(self.usage)
        allowed = {tool for tool, scope in self.scopes.items() if caller is None or caller.may(scope)}
        return f"{holdings}{usage(allowed) if self.usage else ''}".rstrip()

    @instructions.setter
    def instructions(self, told: str | None) -> None:
        self.told = told or ""


def make_server(
    calls: Calls,
    operations: Sequence[Operation],
    instructions_text: str,
    *,
    data: bool = False,
    seeds: Sequence[Alias] = (),
    dotted: bool = False,
) -> LibraryServer:
    """`data` is for clients that take structured content: they are given that in place of text. `seeds` are tools under
    other programs' names, which go before operations of the same; with `dotted`, names have dots."""
    seed_tools = AliasedTools(seeds, dotted=dotted) if seeds else None
    operations = [row for row in operations if not (seed_tools and seed_tools.named(row.name))]
    tools = {name: operation for operation in operations for name in (operation.name, *operation.aliases)}
    rows = [listed(operation, data=data) for operation in operations]
    if dotted:
        tools |= {dotted_name(row): row for row in operations}
        rows = [tool.model_copy(update={"name": dotted_name(row)}) for tool, row in zip(rows, operations, strict=True)]
    listing = types.ListToolsResult(tools=[*rows, *(seed_tools.listing() if seed_tools else ())])
    schemas = {tool.name: tool.input_schema for tool in listing.tools}

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        caller = current_caller()
        if caller is None:
            return listing
        named = {tool.name: tools.get(tool.name) or seed_tools.named(tool.name).of for tool in listing.tools}  # type: ignore[union-attr]
        return types.ListToolsResult(tools=[tool for tool in listing.tools if caller.may(named[tool.name].scope)])

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if seed_tools and (alias := seed_tools.named(params.name)):
            return await seed_tools.call(alias, calls, params.arguments or {}, conversation(context), data=data)
        operation = tools.get(params.name)
        if operation is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name}; there are: {', '.join(schemas)}")
        progress = _progress(context) if operation.watched else None
        try:
            arguments = params.arguments or {}
            answer = await calls.call(
                operation, arguments, forgiving=True, progress=progress, offered=schemas, text_alone=not data
            )
            return succeeded(answer, data=data)
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
        project = seed_tools.project(conversation(context)) if seed_tools else None

        def everything(engine: Engine) -> list[types.Resource]:
            engine = engine.within(project) if project else engine
            return [*document_resources.collections(engine), *memory_resources.memories(engine)]

        found = await calls.work(everything)
        return types.ListResourcesResult(resources=found)

    async def list_templates(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[*document_resources.TEMPLATES, *memory_resources.TEMPLATES]
        )

    async def read_resource(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        read = memory_resources.read if params.uri.startswith(memory_resources.SCHEME) else document_resources.read
        found = await _translated(calls.work(lambda engine: read(engine, params.uri)), schemas)
        return types.ReadResourceResult(contents=[found])

    async def list_prompts(context: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(PROMPTS))

    async def get_prompt(context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        given = params.arguments or {}
        return await _translated(calls.work(lambda engine: prompt(engine, params.name, given)), schemas)

    async def complete(context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        filled = (params.context.arguments if params.context else None) or {}
        argument = params.argument
        values = await _translated(
            calls.work(lambda engine: document_resources.completions(engine, argument.name, argument.value, filled)),
            schemas,
        )
        return types.CompleteResult(completion=values)

    return LibraryServer(
        "octavo",
        version=__version__,
        title="Octavo",
        description="The library that fits in your pocket: search and read an indexed library.",
        instructions=instructions_text,
        on_list_tools=_on_behalf(list_tools),
        on_call_tool=_on_behalf(call_tool),
        on_list_resources=_on_behalf(list_resources),
        on_list_resource_templates=list_templates,
        on_read_resource=_on_behalf(read_resource),
        on_list_prompts=list_prompts,
        on_get_prompt=_on_behalf(get_prompt),
        on_completion=_on_behalf(complete),
        # Without it every call over HTTP makes the whole listing, to see whether a header should say an argument.
        get_tool_input_schema=schemas.get,
    )


def _on_behalf(handler: Callable[[Context, _T], Awaitable[_R]]) -> Callable[[Context, _T], Awaitable[_R]]:
    """Over HTTP a conversation goes on in a task of its own: each message brings the caller of its request."""

    async def handle(context: Context, params: _T) -> _R:
        scope = getattr(context.request, "scope", None)
        with acting_as(current_caller() if scope is None else scope.get(CALLER)):
            return await handler(context, params)

    return handle


async def prepared_server(calls: Calls, tools: str) -> LibraryServer:
    """A server of the named tools, with its instructions."""
    operations, seeds, dotted = chosen(tools), aliases(tools), DOTTED in set_names(tools)
    told = await library_instructions(calls, operations)
    return make_server(calls, operations, told, data=gives_data(tools), seeds=seeds, dotted=dotted)


async def library_instructions(calls: Calls, operations: Sequence[Operation]) -> str:
    """What a client's model is told of the library, or why it cannot be opened yet."""
    offered = {operation.name for operation in operations}
    try:
        return await calls.work(lambda engine: instructions(engine, offered))
    except OctavoError as error:
        return without_library(error, offered)


def conversation(context: Context) -> str | None:
    """Which conversation a request belongs to: over stdin there is one, over HTTP the client says, or there is none."""
    headers = getattr(context.request, "headers", None)
    return "" if headers is None else headers.get("mcp-session-id")


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


def dotted_name(operation: Operation) -> str:
    """`memory.search` of `memory_search`: below a noun, as its command is."""
    return operation.command.replace(" ", ".").replace("-", "_") or operation.name


def listed(operation: Operation, *, data: bool = False) -> types.Tool:
    hints = operation.annotations
    return types.Tool(
        name=operation.name,
        description=operation.description,
        input_schema=slim_input(input_schema(operation.takes), operation.unlisted),
        output_schema=slim_output(output_schema(operation.gives)) if data else None,
        annotations=types.ToolAnnotations(
            read_only_hint=hints.read_only,
            # Of a tool that only reads, the protocol gives these two no meaning.
            destructive_hint=None if hints.read_only else hints.destructive,
            idempotent_hint=None if hints.read_only else hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def succeeded(answered: Answered, *, data: bool = False) -> types.CallToolResult:
    """Text, or data for a client that takes it: some clients forward both to their model, which would pay twice."""
    if data:
        return types.CallToolResult(content=[], structured_content=answered.data)
    return types.CallToolResult(content=[types.TextContent(type="text", text=answered.text)])


def failed(
    error: OctavoError, offered: Container[str] = (), operation: Operation | None = None
) -> types.CallToolResult:
    """A failure the model can read and act on: the hint names tools that are offered, not commands."""
    failure = error_for_model(error, offered, operation)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=failure.text)], is_error=True, _meta={"octavo/error": failure.data}
    )
