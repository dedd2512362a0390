"""What OpenAPI says of each route: made from the table, with the examples that tests hold true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse

from octavo.interfaces.http.problem_responses import MEDIA_TYPE
from octavo.operations.argument_parsing import aliases
from octavo.operations.json_schemas import input_schema, output_schema
from octavo.operations.operation import Operation

_PROBLEMS: Mapping[int, str] = {
    400: "The request cannot be asked.",
    401: "A token is needed.",
    403: "The page may not ask this server.",
    404: "What the request names is not here.",
    409: "Nothing is indexed yet, something else is being written, or the request contradicts what is recorded.",
    413: "The request is too large.",
    415: "The body is not JSON.",
    421: "The server is not called so.",
    500: "A defect, or a damaged library.",
    502: "A model failed.",
    503: "Too many requests at once; trying again will work.",
    504: "It took too long.",
}


def described(operation: Operation, name: str | None = None) -> dict[str, Any]:
    answer = {"application/json": {"schema": output_schema(operation.gives)}}
    return _route(operation, name or operation.name, operation.summary, answer)


def described_stream(operation: Operation, name: str, summary: str) -> dict[str, Any]:
    answer: dict[str, Any] = {"text/event-stream": {}}
    return _route(operation, name, summary, answer) | {"response_class": StreamingResponse}


def described_get(name: str, summary: str, answer: Operation | Mapping[str, Any] | None) -> dict[str, Any]:
    """A route without arguments; what it gives is an operation's answer, a schema, or plain text."""
    if answer is None:
        content: dict[str, Any] = {"text/plain": {"schema": {"type": "string"}}}
    else:
        schema = output_schema(answer.gives) if isinstance(answer, Operation) else answer
        content = {"application/json": {"schema": schema}}
    return {
        "methods": ["GET"],
        "response_class": PlainTextResponse if answer is None else JSONResponse,
        "operation_id": f"get_{name}",
        "summary": summary,
        "response_model": None,
        "responses": _responses(content),
    }


def _route(operation: Operation, name: str, summary: str, answer: dict[str, Any]) -> dict[str, Any]:
    schema = input_schema(operation.takes)
    body = {
        "required": bool(schema.get("required") or schema.get("anyOf")),
        "content": {"application/json": {"schema": _with_aliases(operation, schema), "example": operation.example}},
    }
    return {
        "methods": ["POST"],
        "operation_id": name,
        "summary": summary,
        "description": operation.description,
        "response_model": None,
        "responses": _responses(answer),
        "openapi_extra": {"requestBody": body},
    }


def _with_aliases(operation: Operation, schema: Mapping[str, Any]) -> dict[str, Any]:
    """An alias stands beside its argument; which of them is there does not matter, so neither is required."""
    also = aliases(operation.takes)
    properties = dict(schema["properties"])
    properties |= {alias: {**properties[name], "description": f"The same as {name}."} for alias, name in also.items()}
    alternatives = []
    for name in schema.get("required", ()):
        spellings = [name, *(alias for alias, other in also.items() if other == name)]
        alternatives.append([{"required": [spelling]} for spelling in spellings])
    plain = [choices[0]["required"][0] for choices in alternatives if len(choices) == 1]
    exactly_one = [{"oneOf": choices} for choices in alternatives if len(choices) > 1]
    once = [_at_most_one(name, also) for name in sorted(set(also.values())) if name not in schema.get("required", ())]
    conditions = [*exactly_one, *once]
    return {
        **{key: value for key, value in schema.items() if key != "required"},
        "properties": properties,
        **({"required": plain} if plain else {}),
        **({"allOf": conditions} if conditions else {}),
    }


def _at_most_one(name: str, also: Mapping[str, str]) -> dict[str, Any]:
    spellings = [name, *(alias for alias, other in also.items() if other == name)]
    pairs = [[spelling, other] for place, spelling in enumerate(spellings) for other in spellings[place + 1 :]]
    return {"not": {"anyOf": [{"required": pair} for pair in pairs]}}


def _responses(answer: dict[str, Any]) -> dict[int | str, Any]:
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    problems: dict[int | str, Any] = {
        status: {"description": text, "content": content} for status, text in _PROBLEMS.items()
    }
    return {200: {"description": "The answer.", "content": answer}, **problems}
