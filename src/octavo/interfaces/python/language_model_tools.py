"""Operations as tools for a language model, whatever framework carries its messages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from octavo.errors import InvalidArgument, LibraryClosed, NotFound, OctavoError
from octavo.fast_dataclass import Value
from octavo.operations.argument_parsing import request
from octavo.operations.argument_types import DEFAULT_TOKENS
from octavo.operations.json_schemas import dump, input_schema, slim_input
from octavo.operations.names_and_hints_by_interface import error_for_model
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import chosen
from octavo.operations.token_counts_and_page_cursor import read_as_text

if TYPE_CHECKING:
    from octavo.interfaces.python.shared_engine_handle import Handle


class ToolAnswer(Value):
    """What a tool said: the whole answer as text, and again as data. With `is_error` both say what went wrong."""

    text: str
    data: dict[str, Any]
    is_error: bool = False


class Tools:
    """Tools of one open library. Iterating gives their definitions."""

    def __init__(self, handle: Handle, names: str) -> None:
        self._handle = handle
        self._operations = {operation.name: operation for operation in chosen(names)}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.definitions())

    def __len__(self) -> int:
        return len(self._operations)

    def __repr__(self) -> str:
        return f"<octavo.Tools: {', '.join(self._operations)}>"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._operations)

    def definitions(self, schema_key: str = "parameters") -> list[dict[str, Any]]:
        """Name, description and the JSON Schema of the arguments of each tool, as plain dicts.

        Args:
            schema_key: What the client calls the schema: `parameters`, `input_schema`, `inputSchema`.
        """
        return [_definition(operation, schema_key) for operation in self._operations.values()]

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> ToolAnswer:
        """Runs a tool as a model asked for it. What the model got wrong is an answer that it can read.

        Args:
            name: The name of the tool.
            arguments: Its arguments, as a mapping or as the JSON text that the model wrote.
        """
        try:
            operation = self._operation(name)
            made = request(operation.name, operation.takes, _parsed(arguments), forgiving=True)
            with self._handle.use() as engine, read_as_text(made, DEFAULT_TOKENS):
                answer = operation.run(engine, made)
                return ToolAnswer(operation.written(answer), dump(operation.gives, answer))
        except LibraryClosed:
            raise
        except OctavoError as error:
            failure = error_for_model(error, self._operations, self._operations.get(name))
            return ToolAnswer(failure.text, failure.data, is_error=True)

    def _operation(self, name: str) -> Operation:
        if name not in self._operations:
            raise NotFound(f"there is no tool {name!r}", hint=f"the tools are: {', '.join(self._operations)}")
        return self._operations[name]


def _definition(operation: Operation, schema_key: str) -> dict[str, Any]:
    schema = slim_input(input_schema(operation.takes), operation.unlisted)
    return {"name": operation.name, "description": operation.description, schema_key: schema}


def _parsed(arguments: Mapping[str, Any] | str | None) -> Mapping[str, Any]:
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        parsed = json.loads(arguments or "{}")
    except ValueError as error:
        raise InvalidArgument(f"the arguments are not JSON: {error}", hint="write one JSON object") from None
    if not isinstance(parsed, dict):
        raise InvalidArgument("the arguments are not a JSON object", hint='write {"name": value, …}')
    return parsed
