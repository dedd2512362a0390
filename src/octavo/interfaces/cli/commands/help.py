"""`octavo help`: what `--help` says."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices

if TYPE_CHECKING:
    from octavo.interfaces.cli.main import Commands


@command(name="help", examples=["octavo help --all", "octavo help search", "octavo help mcp install"])
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--all", "every", is_flag=True, help="List every command.")
def explain(choices: Choices, words: tuple[str, ...], every: bool) -> None:
    """Explain a command, or list all of them."""
    context = click.get_current_context().find_root()
    if every:
        output.plain(cast("Commands", context.command).every_command(context))
        return
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no command {word}.")
        _, resolved, _ = group.resolve_command(context, [word])
        assert resolved is not None
        context = click.Context(resolved, parent=context, info_name=word)
    output.plain(context.get_help() + "\n")
