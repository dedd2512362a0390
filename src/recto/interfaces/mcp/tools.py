"""Operations as tools: how they are listed, and how their answers and failures are told."""

from __future__ import annotations

from mcp import types

from recto.errors import RectoError
from recto.interfaces.calls import Answered
from recto.operations.operation import Operation
from recto.operations.schemas import input_schema, output_schema, slim_input, slim_output


def listed(operation: Operation) -> types.Tool:
    hints = operation.annotations
    return types.Tool(
        name=operation.name,
        description=operation.description,
        input_schema=slim_input(input_schema(operation.request), operation.unlisted),
        output_schema=slim_output(output_schema(operation.answer)),
        annotations=types.ToolAnnotations(
            read_only_hint=hints.read_only,
            # Of a tool that only reads, the protocol gives these two no meaning.
            destructive_hint=None if hints.read_only else hints.destructive,
            idempotent_hint=None if hints.read_only else hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def succeeded(answered: Answered) -> types.CallToolResult:
    """Clients forward the text or the data to their model, so each is the whole answer."""
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=answered.text)], structured_content=answered.data
    )


def failed(error: RectoError) -> types.CallToolResult:
    """A failure the model can read and act on."""
    hint = f"\nHint: {error.hint}" if error.hint else ""
    text = f"{error.code}: {error.message}{hint}"
    told = {"code": error.code, "message": error.message, "hint": error.hint, "details": error.details}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], is_error=True, _meta={"recto/error": told}
    )
