"""`octavo mcp`: serves an MCP client over stdin and stdout, and enters the server in clients' configurations."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.config.schema import Config
from octavo.errors import InvalidArgument, OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices, pass_choices, shared_options, tools_option
from octavo.interfaces.mcp.supported_clients import CLIENTS, NAME, Client
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.observability.logs import configure, logger
from octavo.operations.styled_answer_lines import Line, Part
from octavo.path_resolution_and_private_folders import make_folder, real_path

if TYPE_CHECKING:
    from octavo.interfaces.mcp.client_config_installation import InstalledClient


DOTTED = "dotted"  # as the table of operations has it, which starts without being imported here

_scope = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For all of your projects, or in the file that the client reads in this one.",
)


@click.group(cls=CommandGroup, invoke_without_command=True)
@tools_option
@click.option(
    "--daemon/--no-daemon", default=None, help="Whether all clients share one server.", show_default="daemon.enabled"
)
@click.option(
    "--auto/--no-auto",
    default=None,
    help="Whether a repository without a library gets one of its own.",
    show_default="where there is no library at all",
)
@click.option(
    "--names",
    type=click.Choice(["underscores", DOTTED]),
    default="underscores",
    show_default=True,
    help="How tools are named: memory_search, or memory.search, which some clients do not take.",
)
@shared_options
@pass_choices
@click.pass_context
def mcp(
    context: click.Context, choices: Choices, tools: str, daemon: bool | None, auto: bool | None, names: str
) -> None:
    """Serve an MCP client over stdin and stdout.

    Clients start this command themselves: `octavo mcp install` tells them how. It ends when its input does. All clients
    of a library share one server, which the first of them starts; with --no-daemon, and on Windows, each works alone.

    Started in a git repository that no library holds anything of, it makes one for the repository in your data folder,
    indexes and watches it. --no-auto leaves that to you; with --auto the repository gets one even if your library has
    a part of it, or nothing yet.
    """
    if context.invoked_subcommand is not None:
        return
    serve(choices, f"{tools},{DOTTED}" if names == DOTTED else tools, daemon, auto, take_output())


@mcp.add
@command(
    examples=[
        "octavo mcp install --client cursor",
        "octavo mcp install --client zed --tools code,memory",
        "octavo mcp install --client claude-code --scope project --write",
        "octavo mcp install --client cursor --http",
    ]
)
@click.option("--client", type=click.Choice(list(CLIENTS)), required=True, help="Which client to tell.")
@click.option("--write", is_flag=True, help="Change the client's configuration; a copy of the old one is kept.")
@_scope
@tools_option
@click.option("--http", is_flag=True, help="Tell it the address of `octavo serve`, and the token.")
def install(choices: Choices, client: str, write: bool, scope: str, tools: str, http: bool) -> None:
    """Print what a client's configuration needs to start this server, or with --write put it there.

    The server follows the folder that the client works in: a repository has its own library. A --library or --project
    given here becomes part of the entry instead. With --http the client starts nothing: it asks `octavo serve`, which
    has to run, at its address and with its token.
    """
    from octavo.interfaces.mcp.client_config_installation import install as put
    from octavo.interfaces.mcp.client_config_installation import snippet
    from octavo.operations.operation_lookup import chosen

    chosen(tools)
    target = CLIENTS[client]
    path = _file(target, scope)
    if http and scope == "project":
        raise click.UsageError("A project's file may be shared with others, and the token of a server is yours alone.")
    line = command_line(choices, tools, shared=scope == "project")
    entry = remote_entry(choices, target) if http else target.entry(line)
    text = snippet(target, entry)
    row: dict[str, Any] = {
        "client": client,
        "path": str(path),
        "entry": text,
        # None with a token: the list of processes shows every account what a command was given.
        "command": (target.command(line, scope) or None) if target.command and not http else None,
    }
    done = put(target, path, entry) if write else None
    if done:
        row |= {"path": str(done.path), "changed": done.changed, "backup": str(done.backup) if done.backup else None}
    columns = ("client", "path", "changed", "backup") if done else ("client", "path", "entry")
    choices.answer(
        Answer(
            row,
            [row],
            columns,
            lambda width: [
                *_lines(row, target, done),
                *(() if http or "--library" in line else _followed(choices, target)),
            ],
            files=[row["path"]],
        )
    )


@mcp.add
@command(examples=["octavo mcp uninstall --client cursor"])
@click.option("--client", type=click.Choice(list(CLIENTS)), required=True, help="Which client to tell.")
@_scope
def uninstall(choices: Choices, client: str, scope: str) -> None:
    """Take this server out of a client's configuration; a copy of the old one is kept.

    Everything else in the configuration stays as it was, and so does your library.
    """
    from octavo.interfaces.mcp.client_config_installation import uninstall as take_out

    target = CLIENTS[client]
    done = take_out(target, _file(target, scope))
    row: dict[str, Any] = {
        "client": client,
        "path": str(done.path),
        "changed": done.changed,
        "backup": str(done.backup) if done.backup else None,
    }
    columns = ("client", "path", "changed", "backup")
    choices.answer(Answer(row, [row], columns, lambda width: _removal(target, done), files=[row["path"]]))


def _file(target: Client, scope: str) -> Path:
    """The client's configuration: the user's, or that of the repository (else the folder) one is in."""
    from octavo.config.folder_library_discovery import repository
    from octavo.interfaces.mcp.client_config_installation import location, refuse_links_out

    if scope == "user":
        return location(target, os.environ, Path.home())
    if not target.project_file:
        raise click.UsageError(f"{target.title} has no configuration for a project; leave out --scope.")
    project = repository(Path.cwd()) or Path.cwd()
    refuse_links_out(project, [project / target.project_file])
    return project / target.project_file


def serve(choices: Choices, tools: str, daemon: bool | None, auto: bool | None, wire: int) -> None:
    # Native libraries print while they load, so what follows is imported once the output is taken.
    from octavo.config.config_file_reloading import load_with_files
    from octavo.interfaces.daemon.mcp_relay import relayed

    flags = choices.flags() | ({} if daemon is None else {"daemon.enabled": daemon})
    config, files = load_with_files(flags)
    configure("info" if choices.verbose else config.log_level, format=config.log_format)
    if auto is not False and make_for_repository(config, Path.cwd(), beside_others=auto is True):
        config, files = load_with_files(flags)
    if config.daemon.enabled:
        relayed(config, files, tools, wire)
    # A client whose messages are passed on to the library's server pays for none of this.
    from octavo.interfaces.mcp.stdio import serve as serve_alone

    serve_alone(config, files, tools, wire)


def make_for_repository(config: Config, folder: Path, *, beside_others: bool) -> bool:
    """Makes a library for the repository that the folder is in, where nobody has named one; whether it did.

    Nothing is read yet: the server compares the folder with the library first of all.
    """
    from octavo.config.folder_library_discovery import repository, repository_library
    from octavo.config.layered_config_loading import library_location

    root = repository(folder)
    place = library_location(config)
    if root is None or config.library is not None:
        return False
    if not beside_others and isinstance(place, Path) and place.exists() and not _of_elsewhere(config, place, root):
        return False
    from octavo.engine.wiring import open_engine
    from octavo.operations.library.collections import add
    from octavo.operations.library.requests import AddRequest

    library = repository_library(root)
    make_folder(library.parent)
    engine = open_engine(replace(config, library=library), create=True)
    try:
        add(engine, AddRequest(str(root)))
    finally:
        engine.close()
    logger("mcp").warning("made a library for %s: %s (--no-auto would not)", root, library)
    return True


def _of_elsewhere(config: Config, library: Path, root: Path) -> bool:
    """Whether a library holds folders, and none that the repository is in or that is in the repository."""
    from octavo.engine.wiring import open_engine

    with suppress(OctavoError), open_engine(replace(config, library=library)) as engine:
        folders = [real_path(folder) for folder in engine.own_roots().values()]
        here = real_path(root)
        return bool(folders) and not any(here.is_relative_to(at) or at.is_relative_to(here) for at in folders)
    return False


def _removal(target: Client, done: InstalledClient) -> Iterator[Line]:
    if not done.changed:
        yield (Part(f"{done.path} has no {NAME}."),)
        if target.removal:
            yield (Part(f"Added otherwise? {target.removal}", "dim"),)
        return
    yield (Part(f"Removed {NAME} from {done.path}."),)
    yield (Part(f"As it was before: {done.backup}", "dim"),)
    yield (Part("A running client keeps its server until it is started again. Your library stays.", "dim"),)


def remote_entry(choices: Choices, target: Client) -> dict[str, Any]:
    """How the client reaches `octavo serve` of this account, which has to run: the address, and the token."""
    from octavo.interfaces.http.server_token import read_token

    if target.remote is None:
        raise InvalidArgument(f"{target.title} starts servers, and asks none at an address", hint="leave out --http")
    settings = choices.config().serve
    token = read_token(settings)
    return target.remote(
        f"http://{settings.host}:{settings.port}/mcp", {"Authorization": f"Bearer {token}"} if token else {}
    )


def command_line(choices: Choices, tools: str, *, shared: bool = False) -> list[str]:
    """How to start this very installation, whatever the client's search path is.

    In a file that is `shared` with others the program is named as they would type it.
    """
    from octavo.config.layered_config_loading import load

    program = shutil.which(sys.argv[0]) if Path(sys.argv[0]).stem == "octavo" else None
    line = [str(Path(program).absolute())] if program else [sys.executable, "-m", "octavo"]
    if shared:
        line = ["octavo"]
    line.append("mcp")
    line += ["--tools", tools] if tools != "default" else []
    loaded = load(choices.flags())
    if loaded.config.library and loaded.origins["library"] in ("flag", "environment"):
        # A client starts the server without this environment. What files and folders name is found again there.
        # A URL goes in without its password: ~/.pgpass and PGPASSFILE are for that.
        line += ["--library", str(loaded.config.library)]
    line += ["--project", choices.project] if choices.project else []
    return line


def _lines(row: dict[str, Any], target: Client, done: InstalledClient | None) -> Iterator[Line]:
    if done is None:
        if row["command"]:
            yield (Part(f"Run this, and {target.title} does the rest:"),)
            yield (Part(f"  {row['command']}"),)
            yield (Part(f"Or add this to {row['path']}; --write does it for you:"),)
        else:
            yield (Part(f"Add this to {row['path']}; --write does it for you:"),)
        for line in row["entry"].splitlines():
            yield (Part(f"  {line}"),)
    elif not done.changed:
        yield (Part(f"{done.path} has it already."),)
    else:
        yield (Part(f"Changed {done.path}."),)
        if done.backup:
            yield (Part(f"As it was before: {done.backup}", "dim"),)
    yield (Part(target.afterwards, "dim"),)


def _followed(choices: Choices, target: Client) -> Iterator[Line]:
    """Which library an entry that names none leads to."""
    from octavo.config.layered_config_loading import library_location, load

    if not target.works_in_folders:
        default = library_location(load(choices.flags(), directory=Path.home()).config)
        yield (Part(f"{target.title} works in no folder: it gets {default}; --library PATH names another.", "dim"),)
        return
    yield (Part("It serves the library of whichever folder the client works in.", "dim"),)
    config = choices.config()
    place = library_location(config)
    if config.library is None and isinstance(place, Path) and place.exists():
        yield (Part(f"Where a folder has none that is {place}; a repository that this holds nothing of", "dim"),)
        yield (Part("gets one of its own by itself. `octavo add .` puts a repository into it instead.", "dim"),)


def take_output() -> int:
    """Keeps the real standard output for the protocol and points descriptor 1 at stderr, for whoever else writes.

    Called before anything heavy is imported: native libraries print while they load.
    """
    wire = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:  # started without stderr
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return wire
