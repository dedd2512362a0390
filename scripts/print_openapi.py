"""Print the operations as OpenAPI, from the table: the TypeScript client's types are generated from it.

`octavo serve` describes the same at /openapi.json, with other spellings of the arguments and every route's problems.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from octavo.interfaces.http.problem_responses import MEDIA_TYPE, SCHEMA
from octavo.operations.json_schemas import input_schema, output_schema
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import OPERATIONS
from octavo.version import __version__


def document() -> dict[str, Any]:
    return {
        "openapi": "3.1.0",
        "info": {"title": "Octavo", "version": __version__},
        "paths": {f"/v1/{name}": {"post": _described(operation)} for name, operation in OPERATIONS.items()},
        "components": {"schemas": {"Problem": dict(SCHEMA)}},
    }


def _described(operation: Operation) -> dict[str, Any]:
    problem = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": input_schema(operation.takes)}}},
        "responses": {
            "200": {
                "description": "The answer.",
                "content": {"application/json": {"schema": output_schema(operation.gives)}},
            },
            "default": {"description": "What went wrong.", "content": problem},
        },
    }


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1)
