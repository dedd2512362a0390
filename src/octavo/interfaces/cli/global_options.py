"""Options that every command takes, what was chosen with them, and the library that they and the configuration name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from octavo.fast_dataclass import dataclass
from octavo.interfaces.cli.output import write
from octavo.interfaces.presenting.formatted_answer_writing import Answer, OutputFormat
from octavo.model.library_location import DatabaseUrl, Location, location
from octavo.path_resolution_and_private_folders import expand_user

if TYPE_CHECKING:
    from octavo.config.schema import Config
    from octavo.engine.engine import Engine

_FORMATS = tuple(form.value for form in OutputFormat)
_F = TypeVar("_F", bound=Callable[..., Any])
_SEVERAL_LIBRARIES = ("search", "get", "serve", "mcp")
"""Commands that take several libraries. The first is that of a server's writes."""

QUESTIONS = ("query", "question")
"""Arguments in which a word may begin with a dash."""


@dataclass(slots=True)
class Choices:
    """One invocation's choices. Filled while the arguments are read, not changed afterwards."""

    library: Location | None = None
    also: tuple[Location, ...] = ()
    """Further libraries to search, where a command takes several."""
    project: str | None = None
    format: OutputFormat = OutputFormat.TEXT
    verbose: bool = False
    quiet: bool = False
    own_format: str = ""
    """A format that only this command has."""

    def flags(self) -> dict[str, Any]:
        """What the configuration calls flags: only what was given."""
        # Absolute, because a server that is asked in place of this process runs in another folder.
        library, *also = [
            expand_user(place).absolute() if isinstance(place, Path) else place for place in (self.library, *self.also)
        ]
        given = {"library": library, "also_search": tuple(also) or None, "project": self.project}
        return {name: value for name, value in given.items() if value is not None}

    def config(self, own: Mapping[str, Any] | None = None) -> Config:
        """What these, the environment and the files say; `own` goes before all of it."""
        from octavo.config.layered_config_loading import load  # `--help` does without

        return load(self.flags() | dict(own or {})).config

    def answer(self, answer: Answer) -> None:
        write(answer, self.format, quiet=self.quiet)


def _choose(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    # The group and the command share these options: what was not given here leaves what was given there.
    if value is None or value is False:
        return
    choices = context.ensure_object(Choices)
    match parameter.name:
        case "library":
            _choose_libraries(context, choices, value)
        case "json" | "jsonl":
            choices.format = OutputFormat(parameter.name)
        case "format" if value not in _FORMATS:
            choices.own_format = value
        case "format":
            choices.format, choices.own_format = OutputFormat(value), ""
        case str(name):
            setattr(choices, name, value)


def _choose_libraries(context: click.Context, choices: Choices, given: tuple[Location, ...]) -> None:
    before = () if choices.library is None else (choices.library, *choices.also)
    named = tuple(dict.fromkeys((*before, *given)))
    choices.library, choices.also = next(iter(named), None), named[1:]
    command, words = context.command, context.command_path.partition(" ")[2]
    calls_another = isinstance(command, click.Group) and not command.invoke_without_command
    if choices.also and words and not calls_another and words not in _SEVERAL_LIBRARIES:
        raise click.UsageError(
            f"{words} works on one library, and {len(named)} were named: {', '.join(map(str, named))}; "
            f"only {', '.join(_SEVERAL_LIBRARIES)} take several",
            context,
        )


class LibraryPlace(click.Path):
    """A path, or the URL of a database."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        given = location(value)
        return given if isinstance(given, DatabaseUrl) else super().convert(value, parameter, context)


def shared(*, hidden: bool, formats: Sequence[str] = ()) -> list[click.Option]:
    """The options of every command, which `octavo --help` explains; elsewhere they are `hidden`.

    `formats` are those that a command has beyond what every command has.
    """

    def option(*spelled: str, **settings: Any) -> click.Option:
        return click.Option([*spelled], expose_value=False, callback=_choose, hidden=hidden, **settings)

    return [
        option(
            "--library",
            type=LibraryPlace(dir_okay=False, path_type=Path),
            multiple=True,
            metavar="PATH|URL",
            help="The library to use: a file, or postgresql://… for a server's; OCTAVO_LIBRARY says the same. Given "
            "again, search and get read all of them.",
        ),
        option("--project", metavar="NAME", help="The project inside the library."),
        option("--format", type=click.Choice([*_FORMATS, *formats]), help="How to write the answer."),
        option("--json", is_flag=True, help="The same as --format json."),
        option("--jsonl", is_flag=True, help="The same as --format jsonl."),
        option("-v", "--verbose", is_flag=True, help="More detail, and tracebacks."),
        option("-q", "--quiet", is_flag=True, help="No progress and no confirmations."),
    ]


tools_option = click.option(
    "--tools",
    default="default",
    show_default=True,
    metavar="SETS",
    help="Which tools MCP clients get: full, or sets and single names with commas between them, such as code,memory; "
    "with data among them, answers are structured content in place of text. memento, msrl, ragdocs, lsm and edgecoder "
    "are tools as these programs name them, dotted gives names dots.",
)
pass_choices = click.make_pass_decorator(Choices, ensure=True)


def shared_options(command: _F) -> _F:
    """The options of every command, for one that is not made from the table."""
    given: list[click.Parameter] = getattr(command, "__click_params__", [])
    command.__click_params__ = [*given, *reversed(shared(hidden=True))]  # type: ignore[attr-defined]
    return command


def wants_json(arguments: list[str]) -> bool:
    """Whether errors go to stdout as JSON. Asked of the raw arguments: they may be what could not be understood."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    joined = {f"--format={after}" for option, after in pairwise(before) if option == "--format"}
    return not {"--json", "--jsonl", "--format=json", "--format=jsonl"}.isdisjoint({*before, *joined})


class Session(NamedTuple):
    """An open library with the configuration that led to it."""

    config: Config
    engine: Engine

    @property
    def library(self) -> Location | None:
        return self.engine.location

    def roots(self) -> dict[str, Path]:
        """Where each collection's documents lie on disk."""
        return self.engine.roots()


@contextmanager
def opened(
    choices: Choices,
    *,
    create: bool = False,
    writes: bool = False,
    library: Location | None = None,
    soon: str | None = None,
    profile: str | None = None,
) -> Iterator[Session]:
    """`library`, where given, goes before everything the configuration says. A project that the command line names is
    made only by what writes to it: a slip of the pen makes none.

    `soon` is what will be searched for at once, by a profile of this name or else by the configured one.
    """
    from octavo.engine.wiring import open_engine

    config = choices.config({"library": library} if library else None)
    by_meaning = soon is not None and _by_meaning(profile or config.retrieval.profile)
    existing = choices.project is not None and not (create or writes)
    engine = open_engine(config, create=create, soon=soon if by_meaning else None, existing=existing)
    try:
        yield Session(config, engine)
    finally:
        engine.close()


def _by_meaning(profile: str) -> bool:
    """Whether a built-in profile asks a model. What another one does is known once it is read."""
    from octavo.retrieval.profiles_by_name import BY_WORDS_ALONE, PROFILES

    return profile in PROFILES and profile not in BY_WORDS_ALONE
