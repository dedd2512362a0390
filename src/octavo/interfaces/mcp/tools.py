"""Operations as tools: how they are listed, and how their answers and failures are told."""

from __future__ import annotations

from collections.abc import Container

from mcp import types

from octavo.errors import OctavoError
from octavo.interfaces.operation_threads import Answered
from octavo.operations.hints import error_for_model
from octavo.operations.operation import Operation
from octavo.operations.schemas import input_schema, output_schema, slim_input, slim_output


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
