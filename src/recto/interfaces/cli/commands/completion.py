"""`recto completion`: the script that teaches a shell Recto's words."""

from __future__ import annotations

import os
from pathlib import Path

import click

from recto.errors import InvalidArgument
from recto.interfaces.cli.options import shared_options
from recto.interfaces.cli.output import plain

_INSTALL = {
    "bash": 'add to ~/.bashrc:  eval "$(recto completion bash)"',
    "zsh": 'add to ~/.zshrc:  eval "$(recto completion zsh)"',
    "fish": "recto completion fish > ~/.config/fish/completions/recto.fish",
}


@click.command()
@click.argument("shell", required=False, metavar="[SHELL]", type=click.Choice(list(_INSTALL)))
@shared_options
def completion(shell: str | None) -> None:
    """Print the completion script for a shell: bash, zsh or fish; the shell you are in when none is named."""
    from click.shell_completion import get_completion_class

    from recto.interfaces.cli.main import COMPLETE_VARIABLE, NAME, cli

    shell = shell or Path(os.environ.get("SHELL", "")).name
    script = get_completion_class(shell) if shell in _INSTALL else None
    if script is None:
        named = shell or "(unknown)"
        raise InvalidArgument(f"there is no completion for the shell {named}", hint="name bash, zsh or fish")
    plain(f"# To install: {_INSTALL[shell]}\n{script(cli, {}, NAME, COMPLETE_VARIABLE).source()}\n")
