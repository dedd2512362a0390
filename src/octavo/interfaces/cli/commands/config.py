"""`octavo config`: settings, where each comes from, and changing them."""

from __future__ import annotations

import click

from octavo.interfaces.cli import completing
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.groups import CommandGroup
from octavo.interfaces.cli.options import shared_options


@click.group(cls=CommandGroup)
@shared_options
def config() -> None:
    """Look at settings, and change them.

    A setting comes from a flag, else the environment (OCTAVO_…), else the project's .octavo/config.toml, else your own
    configuration file, else it has its default.
    """


@config.add
@command(action="config:show", examples=["octavo config show --origin"])
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
def show() -> None:
    """Show every setting."""


@config.add
@command(action="config:get_setting", name="get", examples=["octavo config get retrieval.limit"])
@click.argument("name", shell_complete=completing.settings)
def get_setting() -> None:
    """Print one setting."""


@config.add
@command(
    action="config:describe_settings",
    name="describe",
    examples=["octavo config describe retrieval.limit", "octavo config describe retrieval"],
)
@click.argument("name", required=False, shell_complete=completing.settings)
def describe_settings() -> None:
    """Say what a setting means: type, default, variable, current value and where it comes from.

    NAME is a setting such as retrieval.limit or a section such as retrieval; without it, every setting is listed.
    """


_project_file = click.option(
    "--project-file", is_flag=True, help="Change the project's .octavo/config.toml, not your own configuration file."
)


@config.add
@command(action="config:set_setting", name="set", examples=["octavo config set retrieval.limit 20"])
@click.argument("name", shell_complete=completing.settings)
@click.argument("values", nargs=-1, required=True, metavar="VALUE...", shell_complete=completing.setting_values)
@_project_file
def set_setting() -> None:
    """Write a setting into a configuration file.

    Comments and order of the file stay. A setting that is a list takes several values, or an array as the file has it.
    Nothing is written unless the whole configuration is valid with the change.
    """


@config.add
@command(
    action="config:unset_setting",
    name="unset",
    examples=["octavo config set retrieval.limit 20", "octavo config unset retrieval.limit"],
)
@click.argument("name", shell_complete=completing.settings)
@_project_file
def unset_setting() -> None:
    """Take a setting out of a configuration file, so that it has its default again."""


@config.add
@command(action="config:edit", examples=["octavo config edit"])
@_project_file
def edit() -> None:
    """Open a configuration file in your editor ($VISUAL or $EDITOR).

    The file is replaced when the editor is closed, if what it says is valid. A file that does not exist yet begins with
    every setting as a comment.
    """


@config.add
@command(action="config:path", examples=["octavo config path"])
def path() -> None:
    """Print where the library and the configuration files are."""
