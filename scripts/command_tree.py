"""The commands as data, read from click: what the reference and the manual page are made of."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass

import click

from octavo.interfaces.cli import error_exit_codes
from octavo.interfaces.cli.commands_from_requests import OperationCommand
from octavo.interfaces.cli.main import NAME, cli


@dataclass(frozen=True)
class Paragraph:
    """Of a help text; `verbatim` where click is told to leave the lines as they are."""

    text: str
    verbatim: bool = False


@dataclass(frozen=True)
class Command:
    path: str
    usage: str
    help: tuple[Paragraph, ...]
    options: tuple[click.Option, ...]
    examples: tuple[str, ...] = ()


def commands() -> Iterator[Command]:
    """Every command, groups before what belongs to them. Options that all commands have are not repeated."""
    context = click.Context(cli, info_name=NAME)
    for name in cli.list_commands(context):
        yield from _below(cli, context, name)


def global_options() -> tuple[click.Option, ...]:
    return tuple(option for option in cli.params if isinstance(option, click.Option) and option.name != "version")


def exit_codes() -> str:
    listed = inspect.cleandoc(error_exit_codes.__doc__ or "").partition("\n\n")[2]
    return inspect.cleandoc(listed)


def _below(group: click.Group, parent: click.Context, name: str) -> Iterator[Command]:
    command = group.get_command(parent, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=parent)
    everywhere = {option.name for option in cli.params}
    yield Command(
        path=context.command_path,
        usage=" ".join([context.command_path, *command.collect_usage_pieces(context)]),
        help=tuple(_paragraphs(command)),
        options=tuple(
            option
            for option in command.params
            if isinstance(option, click.Option) and option.name not in everywhere and not option.hidden
        ),
        examples=tuple(command.examples) if isinstance(command, OperationCommand) else (),
    )
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            yield from _below(command, context, inner)


def _paragraphs(command: click.Command) -> Iterator[Paragraph]:
    text = command.explained() if isinstance(command, OperationCommand) else inspect.cleandoc(command.help or "")
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield Paragraph(paragraph[2:], verbatim=True)
        else:
            yield Paragraph(paragraph.replace("\n", " "))
