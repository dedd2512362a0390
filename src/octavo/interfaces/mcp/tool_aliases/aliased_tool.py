"""A tool of another program, answered by operations; the sets of them, and the project a conversation chose last.

Nothing here is imported unless such a set of tools is asked for. A table's rows say everything: the arguments with the
program's own names, limits and defaults, what each is called here, and a function that makes the program's answer.
"""

from __future__ import annotations

import difflib
import json
import logging
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from importlib import import_module
from typing import Any

from mcp import types

from octavo.config.setting_name_aliases import snake
from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, OctavoError
from octavo.fast_dataclass import Value
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.operations.argument_parsing import request
from octavo.operations.json_schemas import dump
from octavo.operations.names_and_hints_by_interface import for_model
from octavo.operations.operation import Operation
from octavo.operations.operation_lookup import EVERY, SEEDS, set_names

Json = dict[str, Any]
PROJECT = "project"
"""What an argument that names the project is called here: that project's part of the library answers such a call."""

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


class Argument(Value):
    """`to` is what the operation calls it, by default the same; None where nothing comes of it here, or only `run`
    looks at it. What is `inside` of an object are arguments of their own."""

    schema: Mapping[str, Any]
    to: str | None = ""
    coerce: Callable[[Any], Any] | None = None
    required: bool = False
    inside: Mapping[str, Argument] = field(default_factory=dict)


class Alias(Value):
    """A row. `name` has dots where the program has them. `operation` is what answers, or what says how careful a client
    should be, where `run` asks several. What `settles_project` names the project of the conversation in its answer."""

    name: str
    operation: str
    description: str
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    run: Callable[[SeedCall], Any] = lambda call: call.ask()
    settles_project: bool = False
    error_details: Callable[[Json], Json] | None = None
    """Writes an error's details; then its code and message stand at the top, not below `error`."""

    def called(self, *, dotted: bool) -> str:
        return self.name if dotted else self.name.replace(".", "_")

    @property
    def of(self) -> Operation:
        return EVERY[self.operation]

    def input_schema(self) -> Json:
        return _object_schema(self.arguments)

    def answered(self, engine: Engine, given: Mapping[str, Any], project: str | None) -> Any:
        """The payload: what the program itself would answer."""
        values = _understood(self.name, self.arguments, given)
        renamed = dict(_renamed(self.arguments, values))
        project = renamed.pop(PROJECT, None) or project
        return self.run(SeedCall(self, engine.within(project) if project else engine, values, renamed))


class SeedCall(Value):
    """`given` are the arguments by the program's names, defaults included; `renamed` those by the operation's."""

    alias: Alias
    engine: Engine
    given: Json
    renamed: Json

    @property
    def project(self) -> str:
        return self.engine.project.name

    def ask(self, name: str = "", /, **arguments: Any) -> Json:
        """What an operation answers, as plain data: with the renamed arguments where it is the alias's own."""
        operation = EVERY[name or self.alias.operation]
        values = arguments if name else {**self.renamed, **arguments}
        made = request(operation.name, operation.takes, values, forgiving=True)
        return dump(operation.gives, operation.run(self.engine, made))


def text(to: str | None = "", *, longest: int = 20_000, required: bool = False, **schema: Any) -> Argument:
    return Argument({"type": "string", "maxLength": longest, **schema}, to, required=required)


def whole(least: int, most: int, default: int | None = None, to: str | None = "", **more: Any) -> Argument:
    return Argument(_with_default({"type": "integer", "minimum": least, "maximum": most}, default), to, **more)


def number(least: float, most: float, default: float | None = None, to: str | None = "") -> Argument:
    return Argument(_with_default({"type": "number", "minimum": least, "maximum": most}, default), to)


def flag(default: bool | None = None, to: str | None = "", *, required: bool = False) -> Argument:
    return Argument(_with_default({"type": "boolean"}, default), to, required=required)


def texts(most: int, to: str | None = "", coerce: Callable[[Any], Any] | None = None, **schema: Any) -> Argument:
    items = {"type": "string", "maxLength": 4_096}
    return Argument({"type": "array", "items": items, "maxItems": most, **schema}, to, coerce)


def choice(options: Iterable[str], default: str | None = None, to: str | None = "") -> Argument:
    return Argument(_with_default({"type": "string", "enum": list(options)}, default), to)


def group(*, required: bool = False, **inside: Argument) -> Argument:
    """An object whose members are the operation's own arguments."""
    return Argument(_object_schema(inside), None, required=required, inside=inside)


def anything() -> Argument:
    """An object of the client's own, which only `run` looks at."""
    return Argument({"type": "object", "maxProperties": 100}, None)


def tool(alias: Alias, *, dotted: bool) -> types.Tool:
    hints = alias.of.annotations
    return types.Tool(
        name=alias.called(dotted=dotted),
        description=alias.description,
        input_schema=alias.input_schema(),
        annotations=types.ToolAnnotations(read_only_hint=hints.read_only, destructive_hint=hints.destructive),
    )


def result(payload: Any, *, data: bool) -> types.CallToolResult:
    """JSON as text, as these programs answer; for a client that takes data also as that, which is never a list."""
    written = types.TextContent(type="text", text=json.dumps(payload, ensure_ascii=False))
    structured = payload if isinstance(payload, dict) else {"result": payload}
    return types.CallToolResult(content=[written], structured_content=structured if data else None)


def failure(
    error: OctavoError, offered: Container[str], details: Callable[[Json], Json] | None = None
) -> types.CallToolResult:
    """Its hint names tools that are offered, not commands. Code and message stand at the top where `details` writes the
    rest as the program has it, else below `error`."""
    hint = error.hint and for_model(error.hint, offered)
    body = {"code": error.code, "message": error.message, "hint": hint, "details": dict(error.details)}
    body = {"error": body} if details is None else {**body, "details": details(error.details)}
    written = json.dumps(body, ensure_ascii=False, default=str)
    return types.CallToolResult(content=[types.TextContent(type="text", text=written)], is_error=True)


def _with_default(schema: Json, default: Any) -> Json:
    return schema if default is None else {**schema, "default": default}


def _object_schema(arguments: Mapping[str, Argument]) -> Json:
    schema: Json = {
        "type": "object",
        "properties": {name: dict(argument.schema) for name, argument in arguments.items()},
        "additionalProperties": False,
    }
    required = [name for name, argument in arguments.items() if argument.required]
    return {**schema, "required": required} if required else schema


def camel(name: str) -> str:
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def _understood(tool_name: str, arguments: Mapping[str, Argument], given: Mapping[str, Any], inside: str = "") -> Json:
    """The arguments by the table's names, whether they were written in camelCase or snake_case. Null is unsaid."""
    where = f"{tool_name}.{inside}".rstrip(".")
    names = {snake(name): name for name in arguments}
    values: Json = {}
    for written, value in given.items():
        name = names.get(snake(written))
        if name is None:
            near = difflib.get_close_matches(snake(written), names, 1)
            hint = f"did you mean {names[near[0]]}?" if near else f"it takes: {', '.join(arguments) or 'nothing'}"
            field = f"{inside}{written[:100]}"
            raise InvalidArgument(f"{where} takes no {written[:100]}", hint=hint, details={"field": field})
        if value is None:
            continue
        argument = arguments[name]
        field = f"{inside}{name}"
        _check(tool_name, field, argument.schema, value)
        values[name] = _understood(tool_name, argument.inside, value, f"{field}.") if argument.inside else value
    for name, argument in arguments.items():
        if name in values:
            continue
        if argument.required:
            raise InvalidArgument(f"{where} needs {name}", details={"field": inside + name, "reason": "it is required"})
        if "default" in argument.schema:
            values[name] = argument.schema["default"]
    return values


def _renamed(arguments: Mapping[str, Argument], values: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in values.items():
        argument = arguments[name]
        if argument.inside:
            yield from _renamed(argument.inside, value)
        elif argument.to is not None:
            yield argument.to or snake(name), argument.coerce(value) if argument.coerce else value


def _check(tool_name: str, field: str, schema: Mapping[str, Any], value: Any) -> None:
    """What these schemas say, and no more of JSON Schema than that."""
    kind = schema["type"]
    reason = ""
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        reason = f"it has to be of type {kind}"
    elif "enum" in schema and value not in schema["enum"]:
        reason = f"it has to be one of {', '.join(schema['enum'])}"
    elif "minimum" in schema and not schema["minimum"] <= value <= schema["maximum"]:
        reason = f"it has to be from {schema['minimum']:,} to {schema['maximum']:,}"
    elif len(value) > schema.get("maxLength", len(value)) if isinstance(value, str) else False:
        reason = f"it is longer than {schema['maxLength']:,} characters"
    elif isinstance(value, str | list) and len(value) < schema.get("minLength", schema.get("minItems", 0)):
        reason = "it is empty"
    elif isinstance(value, list) and len(value) > schema.get("maxItems", len(value)):
        reason = f"it has more than {schema['maxItems']:,} items"
    if reason:
        shown = value if isinstance(value, bool | int | float) else str(value)[:200]
        details = {"field": field, "value": shown, "reason": reason, "valid_options": schema.get("enum")}
        raise InvalidArgument(f"{tool_name}.{field}: {reason}", details=details)
    if isinstance(value, list):
        for item in value:
            _check(tool_name, field, schema["items"], item)


_MOST_CONVERSATIONS = 1_000
_log = logging.getLogger("octavo.mcp")


class AliasedTools:
    """By either spelling of their names, whichever is listed."""

    def __init__(self, rows: Sequence[Alias], *, dotted: bool) -> None:
        self._rows = rows
        self._dotted = dotted
        self._named = {alias.called(dotted=dots): alias for dots in (True, False) for alias in rows}
        self._projects: dict[str, str] = {}

    def listing(self) -> Iterator[types.Tool]:
        return (tool(alias, dotted=self._dotted) for alias in self._rows)

    def named(self, name: str) -> Alias | None:
        return self._named.get(name)

    def project(self, conversation: str | None) -> str | None:
        """The one that the client resolved last; None for the server's own."""
        return None if conversation is None else self._projects.get(conversation)

    async def call(
        self, alias: Alias, calls: Calls, arguments: Mapping[str, Any], conversation: str | None, *, data: bool
    ) -> types.CallToolResult:
        project = self.project(conversation)
        try:
            payload = await calls.perform(alias.of, lambda engine: alias.answered(engine, arguments, project))
        except OctavoError as error:
            return failure(error, self._named, alias.error_details)
        except Exception:
            _log.exception("%s failed", alias.name)
            defect = OctavoError("unexpected failure", hint="this is a defect in Octavo; its log has the details")
            return failure(defect, self._named, alias.error_details)
        if alias.settles_project and conversation is not None:
            while len(self._projects) >= _MOST_CONVERSATIONS:
                del self._projects[next(iter(self._projects))]
            self._projects[conversation] = payload["project_id"]
        return result(payload, data=data)


def aliases(tools: str) -> tuple[Alias, ...]:
    """The rows of every set that is named; nothing is imported where none is."""
    rows: dict[str, Alias] = {}
    for name in sorted(set_names(tools) & SEEDS):
        rows |= {alias.name: alias for alias in import_module(f"octavo.interfaces.mcp.tool_aliases.{name}").TOOLS}
    return tuple(rows.values())
