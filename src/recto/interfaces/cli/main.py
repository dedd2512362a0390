"""The entry point: finds the command, runs it, turns what went wrong into an exit code."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click

from recto import __version__
from recto.errors import StorageError
from recto.interfaces.cli import errors, output
from recto.interfaces.cli.errors import Exit, Failure
from recto.interfaces.cli.layout import visible
from recto.interfaces.cli.options import Choices, shared_options, wants_json


class Entry(NamedTuple):
    """Where a command is defined, and what `recto --help` says of it without going there."""

    target: str
    help: str


NAME = "recto"
COMPLETE_VARIABLE = "_RECTO_COMPLETE"
_AT = "recto.interfaces.cli.commands"

COMMANDS: Mapping[str, Entry] = {
    "try": Entry(f"{_AT}.try_folder:try_folder", "Index a folder into a temporary library and ask it something."),
    "init": Entry(f"{_AT}.library:init", "Make a library."),
    "add": Entry(f"{_AT}.library:add", "Add a folder to the library as a collection."),
    "remove": Entry(f"{_AT}.library:remove", "Remove a collection from the library; its folder is not touched."),
    "list": Entry(f"{_AT}.library:list_collections", "List the collections, or their documents."),
    "index": Entry(f"{_AT}.index:index", "Bring the library in step with its folders."),
    "watch": Entry(f"{_AT}.watch:watch", "Take in what changes in the folders, as it changes."),
    "search": Entry(f"{_AT}.search:search", "Find passages by word and by meaning."),
    "replay": Entry(f"{_AT}.search:replay", "Answer a search again from its trace."),
    "log": Entry(f"{_AT}.history:log", "Find commits by what they say and what they changed."),
    "get": Entry(f"{_AT}.get:get", "Print a document, some of its lines, a section or a chunk."),
    "remember": Entry(f"{_AT}.memory:remember", "Keep something, so that every later search finds it."),
    "recall": Entry(f"{_AT}.memory:recall", "Find what was remembered."),
    "forget": Entry(f"{_AT}.memory:forget", "Put a memory away; its history stays."),
    "history": Entry(f"{_AT}.history:history", "List the commits that touched a file, or say how a memory changed."),
    "diff": Entry(f"{_AT}.memory:diff", "Show what changed between two versions of a memory."),
    "restore": Entry(f"{_AT}.memory:restore", "Make an earlier version of a memory its newest again."),
    "pin": Entry(f"{_AT}.memory:pin", "Keep a memory in front."),
    "sessions": Entry(f"{_AT}.sessions:sessions", "Start a stretch of work, and end it with a summary."),
    "projects": Entry(f"{_AT}.sessions:projects", "Look at projects; find or make the one a folder belongs to."),
    "graph": Entry(f"{_AT}.graph:graph", "See what points where and what belongs together."),
    "canonical": Entry(f"{_AT}.canonical:canonical", "Keep documents under keys; read and pack them by section."),
    "memories": Entry(f"{_AT}.memories:memories", "Keep memories as files; find what was remembered about a file."),
    "worker": Entry(f"{_AT}.jobs:worker", "Do promised work as it comes."),
    "jobs": Entry(f"{_AT}.jobs:jobs", "Look at promised work, try it again, clear it away."),
    "profiles": Entry(f"{_AT}.profiles:profiles", "Look at embedding profiles, make one, fill it, let it answer."),
    "models": Entry(f"{_AT}.models:models", "List the models made here, let one answer, remove one."),
    "finetune": Entry(f"{_AT}.models:finetune", "Train the encoder on the library's own content."),
    "snapshot": Entry(f"{_AT}.snapshot:snapshot", "Make and look at the snapshots of a large library."),
    "cluster": Entry(f"{_AT}.cluster:cluster", "Group the chunks by meaning, and draw a map of them."),
    "db": Entry(f"{_AT}.database:db", "Look after a whole library: move, save, upgrade, check, thin out."),
    "status": Entry(f"{_AT}.status:status", "Say what the library holds."),
    "doctor": Entry(f"{_AT}.status:doctor", "Look for anything that is wrong, and say what to do."),
    "serve": Entry(f"{_AT}.serve:serve", "Serve the library over HTTP, and MCP over HTTP beside it."),
    "mcp": Entry(f"{_AT}.mcp:mcp", "Serve an MCP client over stdin and stdout, or tell a client of this server."),
    "daemon": Entry(f"{_AT}.daemon:daemon", "Look at the server that a library's clients share, or end it."),
    "eval": Entry(f"{_AT}.evaluate:evaluate", "Measure retrieval on data sets with known answers."),
    "config": Entry(f"{_AT}.config:config", "Show settings and where they come from."),
    "completion": Entry(f"{_AT}.completion:completion", "Print the completion script for a shell."),
    "version": Entry(f"{_AT}.version:version", "Print the version."),
}


_OBJECTS_BETWEEN_LOOKS = 50_000  # more than a search leaves behind when it has been answered
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EBADF, errno.EDQUOT})
# A group that was given no command; before 8.2 click printed its help and left by itself.
_BARE: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


class Commands(click.Group):
    """A group whose commands are imported when they are called, so that `recto --help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.target.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            import difflib

            near = difflib.get_close_matches(name, COMMANDS, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"There is no command {name}.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs to the end of the process: every way out of a command passes here."""
        arguments = list(sys.argv[1:] if args is None else args)
        if instruction := os.environ.get(COMPLETE_VARIABLE):
            from click.shell_completion import shell_complete

            sys.exit(shell_complete(self, extra, NAME, COMPLETE_VARIABLE, instruction))
        try:
            with self.make_context(prog_name or NAME, list(arguments), **extra) as context:
                sys.exit(self.invoke(context) or Exit.OK)
        except click.exceptions.Exit as finished:
            sys.exit(finished.exit_code)
        except (KeyboardInterrupt, click.Abort):
            _stop(errors.STOPPED, arguments)
        except click.ClickException as error:
            if isinstance(error, _BARE):
                click.echo(error.format_message(), err=True)
                sys.exit(Exit.USAGE)
            _stop(_usage(error), arguments)
        except BrokenPipeError:
            # Whoever read the answer has had enough. Python would complain again when it closes stdout.
            _give_up_stdout()
            sys.exit(Exit.OK)
        except Exception as error:
            if isinstance(error, OSError) and error.filename is None and error.errno in _UNWRITABLE:
                # Files are opened by name, and what goes wrong with them is translated there: this was stdout.
                _give_up_stdout()
                error = StorageError(
                    f"the answer could not be written: {error.strerror}", hint="check where its output goes"
                )
            if not {"-v", "--verbose"}.isdisjoint(arguments):
                import traceback

                traceback.print_exc()
            _stop(errors.failure(error), arguments)


def _give_up_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _usage(error: click.ClickException) -> Failure:
    context = getattr(error, "ctx", None)
    return errors.usage(error.format_message(), f"see `{context.command_path} --help`" if context else None)


def _stop(failure: Failure, arguments: list[str]) -> NoReturn:
    if wants_json(arguments):
        try:
            output.failed(failure.as_json())
        except OSError:  # people are told below, whoever else cannot be
            _give_up_stdout()
    word = "" if failure.exit is Exit.STOPPED else "error: "
    click.echo(word + visible(failure.message, keep="\n"), err=True)
    if failure.hint:
        click.echo("hint: " + visible(failure.hint, keep="\n"), err=True)
    sys.exit(failure.exit)


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=True)
@click.version_option(__version__, "--version", message="recto %(version)s")
@shared_options
@click.pass_context
def cli(context: click.Context) -> None:
    """Recto indexes folders of notes and documentation into one library and finds the right passage, by word and by
    meaning, with an exact citation.

    \b
    First use:
      recto init
      recto add FOLDER --name NAME
      recto index
      recto search "a question"
    """
    context.ensure_object(Choices)


def main() -> None:
    # A start makes tens of thousands of objects that all stay: it is not worth looking for garbage as often among them.
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS)
    output.stand_in()
    try:
        cli.main()
    finally:
        gc.freeze()  # everything goes with the process: no need to look through all of it for garbage first
