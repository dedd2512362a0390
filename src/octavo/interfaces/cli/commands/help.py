"""`octavo help`: what `--help` says."""

from __future__ import annotations

import click

from octavo.interfaces.cli import output
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.options import Choices


@command(name="help", examples=["octavo help", "octavo help search", "octavo help mcp install"])
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
def explain(choices: Choices, words: tuple[str, ...]) -> None:
    """Explain a command."""
    context = click.get_current_context().find_root()
    for word in words:
        group = context.command
        if not isinstance(group, click.Group):
            raise click.UsageError(f"{context.command_path} has no command {word}.")
        _, found, _ = group.resolve_command(context, [word])
        assert found is not None
        context = click.Context(found, parent=context, info_name=word)
    output.plain(context.get_help() + "\n")
