"""Command groups that answer an unknown name with the nearest command they have."""

from __future__ import annotations

from typing import TypeVar

import click

GLOBAL_OPTIONS = "Options of every command, such as --library and --json: octavo --help."

_WHOLE = 1_000  # characters: no sentence is as long

_Command = TypeVar("_Command", bound=click.Command)


class CommandGroup(click.Group):
    """Explains a mistyped command by the nearest it has."""

    def add(self, command: _Command) -> _Command:
        """Takes a command in; a decorator above the one that makes it."""
        self.add_command(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        typed = args[0]
        if typed.startswith("-") or self.get_command(ctx, typed) is not None:
            return super().resolve_command(ctx, args)
        from octavo.interfaces.cli.mistyped_command_suggestions import CALLED_ELSEWHERE, beside, nearest

        if ctx.parent is None and typed in CALLED_ELSEWHERE:
            return super().resolve_command(ctx, [*CALLED_ELSEWHERE[typed], *args[1:]])
        near = beside(self.name or "", typed) or nearest(typed, self.list_commands(ctx))
        hint = f" Did you mean {near}?" if near else ""
        raise click.UsageError(f"There is no command {typed}.{hint}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first sentence of each command whole: click would cut it at the end of the line."""
        named = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, command.get_short_help_str(_WHOLE)) for name, command in named if command and not command.hidden]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.parent is not None:
            formatter.write_paragraph()
            formatter.write_text(GLOBAL_OPTIONS)
