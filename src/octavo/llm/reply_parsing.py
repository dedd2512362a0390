"""What a model wrote, read tolerantly: thoughts left out, JSON found among words, values checked against a schema."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from octavo.fast_dataclass import replace
from octavo.model.language_model_calls import Message, Prompt

_CHARACTERS_PER_TOKEN = 16  # no tokenizer has longer tokens on average: more is a service that ignores the limit
_OPENING, _CLOSING = "<think>", "</think>"
_KINDS: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


def without_thoughts(pieces: Iterable[str]) -> Iterator[str]:
    """A reasoning model's text without the thoughts it begins with."""
    buffer, thinking, begun = "", False, False
    for piece in pieces:
        if begun:
            yield piece
            continue
        buffer += piece
        start = buffer.lstrip()
        if not thinking:
            if start.startswith(_OPENING):
                thinking = True
            elif not _OPENING.startswith(start[: len(_OPENING)]):
                begun = True
                yield buffer
        if thinking and _CLOSING in buffer:
            begun = True
            yield buffer.partition(_CLOSING)[2].lstrip()
    if not begun and not thinking:
        yield buffer


def clipped(pieces: Iterable[str], max_tokens: int) -> Iterator[str]:
    """No more than so many tokens can be, whatever a service sends."""
    left = max_tokens * _CHARACTERS_PER_TOKEN
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


def with_schema(prompt: Prompt, schema: Mapping[str, Any], problem: str = "") -> Prompt:
    """The prompt with the form of the answer at its end, and what was wrong with the answer before."""
    form = f"Answer with JSON alone, in this form: {json.dumps(schema, ensure_ascii=False)}"
    again = f"\n\nThe answer before was refused: {problem}." if problem else ""
    *earlier, last = prompt.messages
    return replace(prompt, messages=(*earlier, Message(last.role, f"{last.text}\n\n{form}{again}")))


def read_json(text: str, schema: Mapping[str, Any]) -> tuple[Any, str]:
    """The first JSON in a text that the schema allows, else None and what is wrong with what there is."""
    problem = "there is no JSON in it"
    decoder = json.JSONDecoder()
    for at, character in enumerate(text):
        if character not in '[{"' and not (at == 0 and not text[:1].isspace()):
            continue
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        broken = violation(value, schema)
        if not broken:
            return value, ""
        if problem == "there is no JSON in it":
            problem = broken
    return None, problem


def violation(value: Any, schema: Mapping[str, Any], place: str = "the value") -> str:
    """The first thing about a value that a JSON schema forbids; empty where there is none.

    Types, enumerations, bounds, lengths, required and additional properties, items: what prompts ask for.
    """
    kinds = schema.get("type")
    if kinds is not None and not any(_is_kind(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return f"{place} is not of type {kinds}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{place} is none of {schema['enum']}"
    if isinstance(value, dict):
        return _object_violation(value, schema, place)
    if isinstance(value, list):
        return _array_violation(value, schema, place)
    if isinstance(value, str):
        return _outside(len(value), schema.get("minLength"), schema.get("maxLength"), f"the length of {place}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _outside(value, schema.get("minimum"), schema.get("maximum"), place)
    return ""


def _is_kind(value: Any, kind: str) -> bool:
    return isinstance(value, _KINDS.get(kind, (object,))) and (kind == "boolean" or not isinstance(value, bool))


def _object_violation(value: Mapping[str, Any], schema: Mapping[str, Any], place: str) -> str:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            return f"{place} has no {name}"
    for name, inner in value.items():
        if name in properties:
            problem = violation(inner, properties[name], name)
            if problem:
                return problem
        elif schema.get("additionalProperties") is False:
            return f"{place} has a {name[:40]}, which nobody asked for"
    return ""


def _array_violation(value: list[Any], schema: Mapping[str, Any], place: str) -> str:
    outside = _outside(len(value), schema.get("minItems"), schema.get("maxItems"), f"the length of {place}")
    if outside or "items" not in schema:
        return outside
    inside = (violation(item, schema["items"], f"{place}[{at}]") for at, item in enumerate(value))
    return next(filter(None, inside), "")


def _outside(number: float, least: float | None, most: float | None, place: str) -> str:
    if least is not None and number < least:
        return f"{place} is below {least}"
    return f"{place} is above {most}" if most is not None and number > most else ""
