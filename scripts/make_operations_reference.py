"""Writes docs/reference/operations.md from the table of operations; with --check, says whether it is up to date."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from runpy import run_path
from typing import Any

from generated import ROOT, main

from octavo.operations.argument_parsing import aliases
from octavo.operations.json_schemas import input_schema, kind, limits, output_schema
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import OPERATIONS

TARGET = ROOT / "docs" / "reference" / "operations.md"
ERROR_CASES = run_path(str(ROOT / "tests" / "support" / "error_cases.py"))["ERROR_CASES"]

_INTRODUCTION = """\
# Operations

<!-- Written by scripts/make_operations_reference.py from the table of operations: change that, not this page. -->

Everything a client can do. Over HTTP an operation is `POST /v1/NAME` with its arguments as a JSON object; over MCP it
is a tool, if it belongs to the set that was chosen (`--tools default`, the name of a set, `full`, or names with commas
between them). The examples use the vault in `examples/vault`, as a collection called `observatory`; tests run them, and
the requests that fail.

- An unknown argument is an error that names the nearest. `q` stands for `query`, and `k`, `top_k`, `top_n`,
  `max_results` and `limit` for each other. Over MCP, null is the same as leaving an argument out, and `"5"` is accepted
  for 5; over HTTP types are strict.
- A tool accepts arguments marked with *, but does not list them: every listed argument costs the client's model tokens,
  and few need these.
- Fields without a value are left out of an answer. It has `next_cursor` when more was found than fits into `max_tokens`
  (four bytes of UTF-8 count as a token): repeat the request with it as `cursor`.
- An error has a code, a message, a hint and details. Over HTTP it is an RFC 9457 problem; over MCP a result marked as
  an error.

| operation | what it does | sets | changes |
| --- | --- | --- | --- |
"""


def reference() -> str:
    rows = [_row(operation) for operation in OPERATIONS.values()]
    sections = [line for operation in OPERATIONS.values() for line in _section(operation)]
    return _INTRODUCTION + "\n".join([*rows, "", *sections])


def _row(operation: Operation) -> str:
    hints = operation.annotations
    sets = ", ".join(sorted(operation.tool_sets)) or "full only"
    changes = "nothing" if hints.read_only else "the library" + (", destructively" if hints.destructive else "")
    return f"| [`{operation.name}`](#{operation.name}) | {operation.summary} | {sets} | {changes} |"


def _section(operation: Operation) -> Iterator[str]:
    yield f"## {operation.name}\n"
    yield f"{operation.description}\n"
    schema = input_schema(operation.takes)
    if schema["properties"]:
        yield "| argument | type | meaning |"
        yield "| --- | --- | --- |"
        for name, field in schema["properties"].items():
            yield _argument(operation, name, field, required=name in schema.get("required", ()))
        yield ""
    yield "Example:\n"
    yield f"```json\n{json.dumps(dict(operation.example), indent=2, ensure_ascii=False)}\n```\n"
    yield "Answer:\n"
    yield from _fields(output_schema(operation.gives), 0)
    yield ""
    if cases := ERROR_CASES.get(operation.name):
        yield "Requests that fail, besides errors of the transport:\n"
        for arguments, code in cases:
            yield f"- `{code}`: `{json.dumps(arguments, ensure_ascii=False)}`"
        yield ""


def _argument(operation: Operation, name: str, field: Mapping[str, Any], *, required: bool) -> str:
    also = [alias for alias, argument in aliases(operation.takes).items() if argument == name]
    spelled = f"`{name}`" + ("*" if name in operation.unlisted else "")
    spelled += f" ({', '.join(f'`{alias}`' for alias in also)})" if also else ""
    notes = [field.get("description", "")]
    notes += ["Required."] if required else []
    notes += limits(field)
    if "default" in field:
        notes.append(f"The default is {json.dumps(field['default'])}.")
    return f"| {spelled} | {kind(field)} | {' '.join(notes).replace('|', chr(92) + '|')} |"


def _fields(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        inner = field.get("items", field) if field.get("type") == "array" else field
        optional = "" if name in required else ", if there is one"
        yield f"{'  ' * depth}- `{name}`: {kind(field)}{optional}"
        yield from _fields(inner, depth + 1)


if __name__ == "__main__":
    sys.exit(main({TARGET: reference()}))
