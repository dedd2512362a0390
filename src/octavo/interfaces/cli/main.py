"""The entry point: finds the command, runs it, turns what went wrong into an exit code."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

import click

from octavo.errors import StorageError
from octavo.interfaces.cli import error_exit_codes, output
from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.error_exit_codes import CommandFailure, Exit
from octavo.interfaces.cli.global_options import QUESTIONS, Choices, shared, wants_json
from octavo.interfaces.cli.operation_help_summaries import SUMMARIES
from octavo.operations.styled_answer_lines import visible


class Entry(NamedTuple):
    """Where a command is defined, and what `octavo --help` says of it without going there.

    Of an operation its row of the table says both, unless there is more to its command. A group without a target is
    made of the operations whose commands begin with its name.
    """

    target: str = ""
    help: str = ""


NAME = "octavo"
COMPLETE_VARIABLE = "_OCTAVO_COMPLETE"
_AT = "octavo.interfaces.cli.commands"

COMMANDS: Mapping[str, Entry] = {
    "try": Entry("welcome_start_and_try:try_folder", "Index a folder into a temporary library and ask it something."),
    "start": Entry("welcome_start_and_try:start", "Make a library, add a folder to it and read it."),
    "init": Entry("init_and_list:init", "Make a library."),
    "add": Entry(),
    "remove": Entry(),
    "list": Entry("init_and_list:collections_list"),
    "index": Entry("index_and_watch:index"),
    "watch": Entry("index_and_watch:watch", "Take in what changes in the folders, as it changes."),
    "search": Entry("search_and_replay:search"),
    "ask": Entry("ask:ask"),
    "replay": Entry("search_and_replay:replay", "Answer a search again from its trace."),
    "log": Entry("commit_log_and_file_history:log"),
    "get": Entry(),
    "open": Entry(
        "open_library_or_file:open_file", "Open the library in the browser, or the file of a hit at its page."
    ),
    "outline": Entry(),
    "pick": Entry("search_as_you_type:pick", "Search as you type below the prompt, and print the chosen PATH:LINE."),
    "remember": Entry("remember_and_memory:remember"),
    "recall": Entry(),
    "forget": Entry(),
    "history": Entry("commit_log_and_file_history:history"),
    "memory": Entry(
        "remember_and_memory:memory", "Read, change and follow memories, or keep them as a folder of files."
    ),
    "sessions": Entry("projects_and_sessions:sessions", "Start a period of work, and end it with a summary."),
    "projects": Entry("projects_and_sessions:projects", "Look at projects; find or make the one a folder belongs to."),
    "graph": Entry("graph_and_summaries:graph", "See what points where and what belongs together."),
    "canonical": Entry("remember_and_memory:canonical", "Keep documents under keys; read and pack them by section."),
    "doc": Entry(
        "notes_and_lint:doc",
        "Check, create and edit notes by their sections. A collection must allow it: `octavo add --writable`.",
    ),
    "notes": Entry("notes_and_lint:notes", "Make notes from templates, add to them, keep one for each day."),
    "lint": Entry("notes_and_lint:lint"),
    "worker": Entry("worker:worker", "Do queued jobs as they come."),
    "jobs": Entry("", "Look at queued jobs, try them again, delete those that have ended."),
    "profiles": Entry("models_and_profiles:profiles", "Look at embedding profiles, make one, fill it, search with it."),
    "models": Entry("models_and_profiles:models", "List the models there are, fetch one, search with one, remove one."),
    "export": Entry(),
    "fetch": Entry(),
    "embed": Entry("models_and_profiles:embed"),
    "snapshots": Entry("database:snapshots", "Make and look at the snapshots of a large library."),
    "summaries": Entry("graph_and_summaries:summaries", "Summarise sections and files, for searches that look there."),
    "cluster": Entry("", "Group the chunks by meaning, and draw a map of them."),
    "db": Entry("database:db", "Look after a whole library: move, save, upgrade, check, thin out."),
    "status": Entry("status_and_doctor:status"),
    "doctor": Entry("status_and_doctor:doctor"),
    "tui": Entry("tui:tui", "Look at the library in the terminal."),
    "tokens": Entry("", "Make and revoke tokens of people and programs; see what they changed."),
    "serve": Entry("serve:serve", "Serve the library to browsers and programs over HTTP, and to MCP clients."),
    "mcp": Entry(
        "mcp_server_and_client_setup:mcp", "Serve an MCP client over stdin and stdout, or tell a client of this server."
    ),
    "skill": Entry("agent_skill_file:skill", "Teach an agent when and how to use Octavo."),
    "daemon": Entry("daemon:daemon", "Look at the server that a library's clients share, or end it."),
    "eval": Entry("evaluate:evaluate", "Measure retrieval on data sets with known answers."),
    "queries": Entry("", "Look at what was asked and opened, where that is logged; forget it."),
    "config": Entry("config:config", "Look at settings and where they come from, and change them."),
    "completion": Entry("help_version_and_completion:completion", "Print the completion script for a shell."),
    "version": Entry("help_version_and_completion:version", "Print the version."),
    "help": Entry("help_version_and_completion:explain", "Explain a command."),
}

EVERY_DAY = "start try add index status search ask get remember recall serve doctor"
GROUPS = (
    "notes doc memory canonical sessions projects graph cluster summaries profiles models eval queries jobs db "
    "snapshots tokens mcp skill daemon config"
)
"""What `octavo --help` lists: a dozen commands, and all groups."""

SECTIONS: Mapping[str, str] = {
    "Fill a library": "start try init add fetch remove list index watch status doctor",
    "Search": "search search-docs search-code find-similar ask log pick inspect replay",
    "Read": "get get-many outline recent open diff history export",
    "Remember": "remember recall forget memory canonical sessions projects",
    "Write notes": "notes doc lint",
    "See what belongs together": "graph cluster summaries",
    "Serve people and programs": "tui serve tokens mcp skill daemon worker jobs",
    "Choose and measure models": "profiles models embed eval queries",
    "Look after it": "db snapshots config completion version help",
}
"""The headings of `octavo help --all`, each with its commands; a command that has none is listed at the end."""

_END_SECONDS = 10  # that a command has for giving back what it claimed, once it is told to end
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EBADF, errno.EDQUOT})
# A group that was given no command; before 8.2 click printed its help and left by itself.
_BARE: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


class Commands(CommandGroup):
    """A group whose commands are imported when they are called, so that `octavo --help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys((*COMMANDS, *SUMMARIES)))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry and entry.target:
            module, _, name = entry.target.partition(":")
            command: click.Command = getattr(import_module(f"{_AT}.{module}"), name)
            return command
        from octavo.interfaces.cli.default_operation_commands import command_of, group_of
        from octavo.operations.operation_lookup import called

        if entry and entry.help:
            return group_of(cmd_name, entry.help)
        operation = called(cmd_name)
        if operation is None:
            return None
        if operation.command not in ("", cmd_name):
            return self._walked(ctx, operation.command)
        return command_of(operation)

    def _walked(self, ctx: click.Context, words: str) -> click.Command | None:
        """The command that these words call."""
        group: click.Command | None = self
        for word in words.split():
            group = group.get_command(ctx, word) if isinstance(group, click.Group) else None
        return group

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Every day"):
            formatter.write_dl([(name, summary(name)) for name in EVERY_DAY.split()])
        with formatter.section("Groups of commands"):
            formatter.write_dl([(name, summary(name)) for name in GROUPS.split()])
        formatter.write_paragraph()
        formatter.write_text("`octavo help --all` lists every command, `octavo help COMMAND` explains one.")

    def every_command(self, ctx: click.Context) -> str:
        """All of them below their headings."""
        formatter = ctx.make_formatter()
        names = self.list_commands(ctx)
        placed = {heading: [name for name in inside.split() if name in names] for heading, inside in SECTIONS.items()}
        placed["Others"] = [name for name in names if not any(name in inside for inside in placed.values())]
        for heading, inside in placed.items():
            if inside:
                with formatter.section(heading):
                    formatter.write_dl([(name, summary(name)) for name in inside])
        return formatter.getvalue()

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

            from octavo.interfaces.cli import powershell_completion

            powershell_completion.register()
            sys.exit(shell_complete(self, extra, NAME, COMPLETE_VARIABLE, instruction))
        try:
            if not arguments:
                sys.exit(import_module(f"{_AT}.welcome_start_and_try").welcome())
            with self.make_context(prog_name or NAME, list(arguments), **extra) as context:
                sys.exit(self.invoke(context) or Exit.OK)
        except click.exceptions.Exit as finished:
            sys.exit(finished.exit_code)
        except (KeyboardInterrupt, click.Abort):
            _stop(error_exit_codes.STOPPED, arguments)
        except click.ClickException as error:
            if isinstance(error, _BARE):
                click.echo(error.format_message(), err=True)
                sys.exit(Exit.USAGE)
            _stop(_usage(error, arguments), arguments)
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
            _stop(error_exit_codes.failure(error), arguments)


def summary(name: str) -> str:
    """What a command is for, in a line."""
    entry = COMMANDS.get(name)
    return f"{entry.help.split('. ')[0].rstrip('.')}." if entry and entry.help else SUMMARIES[name]


def _give_up_stdout() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _usage(error: click.ClickException, arguments: Sequence[str]) -> CommandFailure:
    context = getattr(error, "ctx", None)
    hint = f"see `{context.command_path} --help`" if context else None
    # `-notes` is `-n otes` to an option parser; who excludes a word of a query meant neither. Nor did who looks for
    # an option of another program.
    dashed = next((typed for typed in arguments if len(typed) > 2 and typed[0] == "-" != typed[1]), None)
    if isinstance(error, click.NoSuchOption):
        dashed = None if error.possibilities else error.option_name
    asks = context and any(
        isinstance(given, click.Argument) and given.name in QUESTIONS for given in context.command.params
    )
    if context and dashed and asks:
        hint = f"a query that begins with a dash goes after `--`: {context.command_path} -- {dashed}"
    # Choices come one a line behind a tab, which a message would show as an escape.
    message = " ".join(error.format_message().split())
    parameter = getattr(error, "param", None)
    choices = getattr(getattr(parameter, "type", None), "choices", None)
    details = {
        "field": getattr(parameter, "name", None) or getattr(error, "option_name", None),
        "reason": message,
        "valid_options": list(choices) if choices else None,
    }
    return error_exit_codes.usage(message, hint, details)


def _stop(failure: CommandFailure, arguments: list[str]) -> NoReturn:
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


def _tell_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from octavo.engine.maintenance.build_info import version_line

        output.plain(version_line() + "\n")
        context.exit()


@click.command(
    NAME, cls=Commands, params=shared(hidden=False), context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version, the commit and the formats, and exit.",
)
@click.pass_context
def cli(context: click.Context) -> None:
    """Octavo indexes notes, documentation, source code and git history into one library, keeps what it is asked to
    remember, and finds the right passage by word and by meaning, with an exact citation.

    \b
    First use:
      octavo start FOLDER
      octavo search "a question"
    """
    context.ensure_object(Choices)


def _terminated(number: int, frame: object) -> NoReturn:
    """Ends as Ctrl-C does: what is claimed is given back. What cannot end so, such as a wait in C, is killed."""
    signal.signal(number, signal.SIG_DFL)
    signal.alarm(_END_SECONDS)
    sys.exit(128 + number)


def main() -> None:
    for number in (signal.SIGTERM, signal.SIGHUP) if os.name == "posix" else ():
        if signal.getsignal(number) is signal.SIG_DFL:  # `nohup` has it ignored
            signal.signal(number, _terminated)
    output.stand_in()
    try:
        cli.main()
    finally:
        gc.freeze()  # everything goes with the process: no need to look through all of it for garbage first
