"""Writes docs/operations.md from the table of operations; with --check, says whether it is up to date."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recto.operations.arguments import aliases
from recto.operations.operation import Operation
from recto.operations.schemas import input_schema, output_schema
from recto.operations.table import OPERATIONS

TARGET = Path(__file__).parents[1] / "docs" / "operations.md"

_INTRODUCTION = """\
# Operations

<!-- Written by scripts/make_operations_reference.py from the table of operations: change that, not this page. -->

Everything a client can do. Over HTTP an operation is `POST /v1/NAME` with its arguments as a JSON object; over MCP it
is a tool, if it belongs to the set that was chosen (`--tools default`, the name of a set, `full`, or names with commas
between them). Examples speak of the vault in `examples/vault`, as a collection called `observatory`; tests hold them
and the errors true.

- An argument that is not known is refused by the nearest name. `q` stands for `query`, and `k`, `top_k`, `top_n`,
  `max_results` and `limit` for each other. Over MCP null counts as unsaid and `"5"` as 5; over HTTP types are strict.
- Arguments marked with * are taken by a tool, but not listed by it: they cost every client's model and few need them.
- Answers leave out what there is nothing to say of. `next_cursor` is there when more was found than `max_tokens` holds
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
    schema = input_schema(operation.request)
    if schema["properties"]:
        yield "| argument | type | meaning |"
        yield "| --- | --- | --- |"
        for name, one in schema["properties"].items():
            yield _argument(operation, name, one, required=name in schema.get("required", ()))
        yield ""
    yield "Example:\n"
    yield f"```json\n{json.dumps(dict(operation.example), indent=2, ensure_ascii=False)}\n```\n"
    yield "Answer:\n"
    yield from _fields(output_schema(operation.answer), 0)
    yield ""
    yield "Errors, besides those of the transport:\n"
    for case in operation.errors:
        yield f"- `{case.code}`: `{json.dumps(dict(case.arguments), ensure_ascii=False)}`"
    yield ""


def _argument(operation: Operation, name: str, one: Mapping[str, Any], *, required: bool) -> str:
    also = [alias for alias, argument in aliases(operation.request).items() if argument == name]
    spelled = f"`{name}`" + ("*" if name in operation.unlisted else "")
    spelled += f" ({', '.join(f'`{alias}`' for alias in also)})" if also else ""
    notes = [one.get("description", "")]
    notes += ["Required."] if required else []
    notes += [f"One of {', '.join(f'`{value}`' for value in one['enum'])}."] if "enum" in one else []
    choices = one.get("items", {}).get("enum")
    notes += [f"Each one of {', '.join(f'`{value}`' for value in choices)}."] if choices else []
    if "minimum" in one and "maximum" in one:
        notes.append(f"{one['minimum']:,} to {one['maximum']:,}.")
    notes += [f"At most {one['maxLength']:,} characters."] if "maxLength" in one else []
    notes += [f"At most {one['maxItems']:,}."] if "maxItems" in one else []
    if "default" in one:
        notes.append(f"{json.dumps(one['default'])} unless said.")
    return f"| {spelled} | {_kind(one)} | {' '.join(notes).replace('|', chr(92) + '|')} |"


def _kind(one: Mapping[str, Any]) -> str:
    if one.get("type") == "array":
        return f"list of {_kind(one['items'])}"
    return str(one.get("type", "anything"))


def _fields(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        inner = one.get("items", one) if one.get("type") == "array" else one
        optional = "" if name in required else ", where there is one"
        yield f"{'  ' * depth}- `{name}`: {_kind(one)}{optional}"
        yield from _fields(inner, depth + 1)


def main() -> int:
    written = reference()
    if "--check" in sys.argv[1:]:
        if TARGET.is_file() and TARGET.read_text("utf-8") == written:
            return 0
        print(
            f"{TARGET} is not what the table says: run `python scripts/make_operations_reference.py`", file=sys.stderr
        )
        return 1
    TARGET.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
