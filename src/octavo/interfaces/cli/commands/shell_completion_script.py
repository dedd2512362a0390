"""`octavo completion`: the script that completes Octavo's commands in a shell."""

from __future__ import annotations

import os
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from octavo.errors import InvalidArgument
from octavo.interfaces.cli import powershell_completion
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.cli.output import plain

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
