"""Commands made from the table: options from a request's fields, help and examples from its row.

A field's description, bounds, choices, default and number of values are the option's. A command function gets the
invocation's choices, the request, and what it takes besides.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.interfaces.cli import completion_values
from octavo.interfaces.cli.command_group_with_suggestions import GLOBAL_OPTIONS
from octavo.interfaces.cli.global_options import QUESTIONS, Choices, shared
from octavo.operations.request_fields import RequestField, request_fields

if TYPE_CHECKING:
    from octavo.operations.operation import Operation

_TEXT = "\0"  # marks an argument as text while options are told apart; no argument of a process can hold it
_METAVARS = {int: "N", float: "X"}


def parameters(request: type, optional: Sequence[str] = ()) -> list[click.Parameter]:
    """The options and arguments of a request; of those in `optional` the command itself knows when they are needed."""
    return [_parameter(field, optional) for field in request_fields(request) if field.on_command_line]


def _parameter(field: RequestField, optional: Sequence[str]) -> click.Parameter:
    complete = field.first("complete")
    common: dict[str, Any] = {"shell_complete": getattr(completion_values, complete)} if complete else {}
    if name := field.first("argument"):
        needed = field.required and field.name not in optional and not field.first("reads")
        many = field.several or name.endswith("...")
        shown = name if needed else f"[{name.removesuffix('...')}]" + ("..." if many else "")
        default = {} if field.required or many else {"default": field.default}
        return click.Argument(
            [field.name],
            type=_type(field),
            nargs=-1 if many else 1,
            required=needed,
            metavar=shown,
            **default,
            **common,
        )
    flag = field.first("flag")
    help = field.first("description")
    if field.type is bool:
        return click.Option([field.spelled, field.name], is_flag=True, default=field.default, help=help)
    spelled = field.spelled.split("/")
    if field.first("metavar") and (choices := field.first("choices")):
        help += f" One of: {', '.join(choices)}."
    if flag:
        return click.Option(
            [*spelled, field.name], flag_value=flag, default=field.default, help=help, show_default=False
        )
    return click.Option(
        [*spelled, field.name],
        type=_type(field),
        multiple=field.several,
        required=field.required and not field.several,  # a list that was left out is empty
        default=None if field.required else field.default,
        show_default=field.default not in (MISSING, None, "", ()),
        metavar=field.first("metavar") or _METAVARS.get(field.type),
        help=f"{help} May be repeated." if field.several else help,
        **common,
    )


def _type(field: RequestField) -> Any:
    if not field.first("complete") and (choices := field.first("choices")):
        return click.Choice(choices)
    if field.type is int:
        bounds = field.check("ge", "gt"), field.check("le", "lt")
        return click.INT if bounds == (None, None) else click.IntRange(*bounds)
    if field.type is float:
        return click.FloatRange(field.check("ge", "gt"), field.check("le"), min_open=field.check("gt") is not None)
    if field.first("reads") == "file":
        return click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
    return click.Path(path_type=Path) if issubclass(field.type, Path) else click.STRING


def request_from(request: type, values: dict[str, Any], *, read: bool = True) -> Any:
    """The request that what was typed stands for; what is taken from `values` is removed from it. Texts that were left
    out are read from stdin, unless another option says what they are."""
    made: dict[str, Any] = {}
    for field in request_fields(request):
        if field.name in values:
            value = values.pop(field.name)
            words = field.first("argument").endswith("...") and not field.several
            made[field.name] = " ".join(value) if words else _several(field, value) if field.several else value
            if field.first("reads") and read:
                made[field.name] = _read(field, made[field.name])
        elif local := field.first("local"):
            made[field.name] = local
    return request(**made)


def _several(field: RequestField, values: Sequence[Any]) -> tuple[Any, ...] | None:
    if len(values) == 1 and (separator := field.first("separator")):
        values = values[0].split(separator)
    return None if not values and field.default is None else tuple(values)


def _read(field: RequestField, given: str | Path | None) -> str:
    """A text that was typed, or one from a file or from stdin."""
    if given and str(given) != "-":
        return given.read_text("utf-8") if isinstance(given, Path) else given
    if not given and sys.stdin.isatty():
        raise click.UsageError(f"Give a {field.first('argument').removesuffix('...')}, or pipe the text in.")
    return sys.stdin.read()


class OperationCommand(click.Command):
    """A command whose help is in the table, which is read when somebody asks for it."""

    def __init__(self, *arguments: Any, operation: str = "", examples: Sequence[str] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.operation = operation
        self._examples = tuple(examples)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """A text may be a list item, and a query may begin with what it excludes or names: none is an option."""
        return super().parse_args(ctx, [_TEXT + arg if self._is_text(arg) else arg for arg in args])

    def _is_text(self, argument: str) -> bool:
        if argument.startswith("- "):
            return True
        if (
            len(argument) <= 2
            or argument[0] != "-"
            or not any(parameter.name in QUESTIONS for parameter in self.params)
        ):
            return False
        # `-draft` excludes a word; `--bind reload` in quotation marks is about an option of another program.
        option = argument.partition("=")[0] if argument[1] == "-" else argument[:2]
        if argument[1] == "-" and " " not in option:
            return False
        return not any(option in parameter.opts for parameter in self.params)

    @property
    def row(self) -> Operation | None:
        from octavo.operations.operation_lookup import DEFINITIONS

        return next((row for row in DEFINITIONS if row.name == self.operation), None)

    @property
    def examples(self) -> tuple[str, ...]:
        return self._examples or (self.row.examples if self.row else ())

    def explained(self) -> str:
        """What it is for, and then what is to be known about it."""
        row = self.row
        paragraphs = [row.summary, row.help] if row else []
        return "\n\n".join(text for text in (*paragraphs, inspect.cleandoc(self.help or "")) if text)

    def get_short_help_str(self, limit: int = 45) -> str:
        return self.row.summary if self.row else super().get_short_help_str(limit)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(self.explained())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")
        formatter.write_paragraph()
        formatter.write_text(GLOBAL_OPTIONS)


def command(
    request: type | None = None,
    operation: str = "",
    *,
    name: str | None = None,
    examples: Sequence[str] = (),
    optional: Sequence[str] = (),
    hidden: bool = False,
    formats: Sequence[str] = (),
    instead: str = "",
) -> Callable[[Callable[..., Any]], OperationCommand]:
    """Makes a command of a function that takes the choices, the request, and the options said below it.

    `operation` is the row that explains it; a command that is no operation has a docstring and `examples` of its own.
    `formats` are ways to write the answer that no other command has; `choices.own_format` is the requested one.
    `instead` is an option of its own in whose presence no text is read from stdin.
    """

    def made(function: Callable[..., Any]) -> OperationCommand:
        @click.pass_context
        def run(context: click.Context, /, **values: Any) -> Any:
            choices = context.ensure_object(Choices)
            values = {name: _unmarked(value) for name, value in values.items()}
            read = not (instead and values.get(instead))
            given = () if request is None else (request_from(request, values, read=read),)
            return function(choices, *given, **values)

        own: list[click.Parameter] = getattr(function, "__click_params__", [])[::-1]
        return OperationCommand(
            name or function.__name__.replace("_", "-"),
            callback=run,
            params=[*(parameters(request, optional) if request else ()), *own, *shared(hidden=True, formats=formats)],
            help=function.__doc__,
            operation=operation,
            examples=examples,
            hidden=hidden,
        )

    return made


def _unmarked(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_unmarked(item) for item in value)
    return value.removeprefix(_TEXT) if isinstance(value, str) else value
