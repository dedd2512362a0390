"""JSON Schemas of requests and answers, with references resolved and generated titles left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter


@cache
def adapter(model: type) -> TypeAdapter[Any]:
    return TypeAdapter(model)


@cache
def input_schema(model: type) -> dict[str, Any]:
    """Arguments are flat; each is described; others are refused. An argument is left out rather than null."""
    schema = _plain(adapter(model).json_schema())
    schema.pop("description", None)
    return {**schema, "type": "object", "additionalProperties": False}


@cache
def output_schema(model: type) -> dict[str, Any]:
    """Types only: the names speak. What is null is left out of an answer."""
    schema: dict[str, Any] = _types(_plain(adapter(model).json_schema(mode="serialization")))
    return schema


def dump(model: type, answer: Any) -> dict[str, Any]:
    """The answer as plain data, as `output_schema` describes it."""
    plain: dict[str, Any] = adapter(model).dump_python(answer, mode="json", exclude_none=True)
    return plain


def kind(schema: Mapping[str, Any]) -> str:
    """A type in a word or three: `integer`, `list of string`."""
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    return str(schema.get("type", "anything"))


def limits(schema: Mapping[str, Any]) -> Iterator[str]:
    """What an argument may be, besides its type, as sentences."""
    if "enum" in schema:
        yield f"One of {', '.join(f'`{value}`' for value in schema['enum'])}."
    choices = schema.get("items", {}).get("enum")
    if choices:
        yield f"Each one of {', '.join(f'`{value}`' for value in choices)}."
    if "minimum" in schema and "maximum" in schema:
        yield f"{schema['minimum']:,} to {schema['maximum']:,}."
    if "maxLength" in schema:
        yield f"At most {schema['maxLength']:,} characters."
    if "maxItems" in schema:
        yield f"At most {schema['maxItems']:,}."


def slim_input(schema: Mapping[str, Any], unlisted: Collection[str] = ()) -> dict[str, Any]:
    """Arguments without their limits, and without those that few callers need: a client's model pays for every word.

    The server still holds every caller to the whole schema, and takes what is unlisted here.
    """
    listed = {name: _worth(argument) for name, argument in schema["properties"].items() if name not in unlisted}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": listed, **required}


def slim_output(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What an answer always has, down to the fields of its list items: what it may have speaks when it is there."""
    return {"type": "object", "properties": {name: _shape(schema["properties"][name]) for name in _always(schema)}}


_INPUT = frozenset({"type", "description", "enum", "default"})
_ITEM = frozenset({"type", "enum"})


def _worth(node: Mapping[str, Any]) -> dict[str, Any]:
    """A list's items are described by the list; that nothing is said by default says itself."""
    slim = {key: value for key, value in node.items() if key in _INPUT}
    if not slim.get("default", True):
        del slim["default"]
    if "items" in node:
        slim["items"] = {key: value for key, value in node["items"].items() if key in _ITEM}
    return slim


def _shape(node: Mapping[str, Any]) -> dict[str, Any]:
    """A list with the fields of its items; that an object has fields says its name."""
    items = node.get("items", {})
    if items.get("type") != "object":
        return {"type": node["type"]}
    fields = {name: {"type": items["properties"][name]["type"]} for name in _always(items)}
    return {"type": "array", "items": {"type": "object", "properties": fields}}


def _always(schema: Mapping[str, Any]) -> Sequence[str]:
    required: Sequence[str] = schema.get("required", ())
    return required


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    definitions = schema.pop("$defs", {})
    simplified: dict[str, Any] = _simplified(schema, definitions)
    return simplified


def _simplified(node: Any, definitions: Mapping[str, Any]) -> Any:
    """References replaced by what they mean, `X or null` by X, and generated titles left out."""
    if isinstance(node, list):
        return [_simplified(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _simplified(definitions[node["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in node:
        real = [choice for choice in node["anyOf"] if choice != {"type": "null"}]
        if len(real) == 1:
            rest = {key: value for key, value in node.items() if key != "anyOf" and (key, value) != ("default", None)}
            return _simplified({**real[0], **rest}, definitions)
    kept = {}
    for key, value in node.items():
        if key == "properties":
            kept[key] = {name: _simplified(inner, definitions) for name, inner in value.items()}
        elif (key == "title" and isinstance(value, str)) or (key == "default" and value in (None, [])):
            continue
        else:
            kept[key] = _simplified(value, definitions) if key not in ("default", "enum", "required") else value
    return kept


def _types(node: Any) -> Any:
    if isinstance(node, list):
        return [_types(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {name: _types(inner) for name, inner in value.items()} if key == "properties" else _types(value)
        for key, value in node.items()
        if key not in ("description", "default")
    }
