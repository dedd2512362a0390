"""`octavo help`, `octavo version` and `octavo completion`: what the command line says of itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.shell_completion import get_completion_class

from octavo.algorithms.compiled.library_loading import in_use
from octavo.engine.maintenance.build_info import commit_here, formats_here, version_line
from octavo.errors import InvalidArgument
from octavo.interfaces.cli import output, powershell_completion
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.cli.output import plain
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.operations.styled_answer_lines import Part
from octavo.version import __version__

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


@command(examples=["octavo version", "octavo version --json"])
def version(choices: Choices) -> None:
    """Print the version, the commit it was built from and the formats it writes."""
    row: dict[str, Any] = {"version": __version__, "commit": commit_here(), "formats": formats_here()}
    row["compiled"] = in_use()
    choices.answer(Answer(row, [row], ("version",), lambda width: [(Part(version_line()),)]))


_INSTALL = {
    "bash": 'add to ~/.bashrc:  eval "$(octavo completion bash)"',
    "zsh": 'add to ~/.zshrc:  eval "$(octavo completion zsh)"',
    "fish": "octavo completion fish > ~/.config/fish/completions/octavo.fish",
    "powershell": "add to $PROFILE:  octavo completion powershell | Out-String | Invoke-Expression",
}


@command(examples=["octavo completion bash", "octavo completion fish"])
@click.argument("shell", required=False, metavar="[SHELL]", type=click.Choice(list(_INSTALL)))
def completion(choices: Choices, shell: str | None) -> None:
    """Print the completion script for a shell: bash, zsh, fish or powershell; yours when none is named."""
    from octavo.interfaces.cli.main import COMPLETE_VARIABLE, NAME, cli

    powershell_completion.register()
    shell = shell or _current()
    script = get_completion_class(shell) if shell in _INSTALL else None
    if script is None:
        named = shell or "(unknown)"
        raise InvalidArgument(
            f"there is no completion for the shell {named}", hint=f"name one of {', '.join(_INSTALL)}"
        )
    plain(f"# To install: {_INSTALL[shell]}\n{script(cli, {}, NAME, COMPLETE_VARIABLE).source()}\n")


def _current() -> str:
    shell = Path(os.environ.get("SHELL", "")).name
    # Windows sets no SHELL, and on other systems PowerShell leaves the one of the log-in shell.
    return shell or ("powershell" if os.name == "nt" else "")
