"""`octavo search`: find passages; `octavo replay`: answer a recorded search again."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from octavo.config.schema import Config
from octavo.errors import InvalidArgument, OctavoError, StorageError
from octavo.fast_dataclass import replace
from octavo.interfaces.cli import completion_values, daemon_search_and_watch_state
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.operations.search.requests import SearchRequest, refuse_empty_query

if TYPE_CHECKING:
    from octavo.retrieval.stage import RetrievalProfile

_F = TypeVar("_F", bound=Callable[..., Any])


_FULL = click.option("--full", is_flag=True, help="Whole excerpts rather than the lines around the best match.")
_EXPLAIN = click.option("--explain", is_flag=True, help="Every channel's rank and score, and what each stage did.")
_SHOWING: tuple[Callable[[Any], Any], ...] = (
    click.option("-n", "--limit", type=click.IntRange(1, 1000), help="How many hits at most."),
    click.option(
        "-p",
        "--profile",
        shell_complete=completion_values.profiles,
        help="The retrieval profile, by name or as a .toml file.",
    ),
    _EXPLAIN,
    _FULL,
    click.option("--max-chars", type=click.IntRange(1), metavar="N", help="Cut excerpts after N characters."),
)


def showing_options(command: _F) -> _F:
    """How a result is made and shown, for every command that ends in one."""
    for option in reversed(_SHOWING):
        command = option(command)
    return command


@command(SearchRequest, "search", optional=["query"])
@_FULL
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the whole trace to FILE as JSON, for `octavo replay`.",
)
def search(choices: Choices, request: SearchRequest, full: bool, trace_file: Path | None) -> Exit:
    """
    \b
    QUERY may hold   words            found by word and by meaning
                     "a phrase"       these words next to each other
                     -word            passages without it
                     begin* -begin*   words that begin so, or none of them
                     a AND (b OR c)   as they say; NOT too, all in capitals
                     tag: path: title: kind: in:   narrow where to look
                     after: before:                when it was changed: 2024-05, 7d, yesterday
                     -tag: -path: …   leave out what they would let through

    Filters alone, in the query or as options, list what they let through, newest first. `-` reads the query from
    standard input. A query that could be an option, such as `-nord`, goes after `--`. A profile may be a .toml file.
    Exit code 1 means that nothing matched.
    """
    if request.query == "-":
        request = replace(request, query=sys.stdin.read().strip())
    try:
        refuse_empty_query(request)
    except InvalidArgument as error:  # `-project` is taken for `-p roject`: what is said of wrong options is said here
        raise click.UsageError(error.message) from error
    if (refused := request.query.strip())[:1] == "-" != refused[1:2] and len(refused.split()) == 1:
        message = f"these are the passages without {refused[1:]!r}; one with it as written is found by '\"{refused}\"'"
        click.echo(f"info: {message}", err=True)
    own = profile_file(request.profile)
    if own:
        request = replace(request, profile=None)

    # A profile from a file and a recording are not what a server keeps at hand.
    config = choices.config()
    any_hit = None
    if not own and not trace_file:
        # Of several libraries the first may be what the server cannot open: the others are searched all the same.
        with suppress(OctavoError) if config.also_search else nullcontext():
            any_hit = daemon_search_and_watch_state.search(choices, config, asdict(request), full=full)
    if any_hit is None and config.also_search:
        if trace_file:
            raise click.UsageError("--trace records the search of one library, and several are to be searched")
        any_hit = _together(choices, config, request, own, full=full)
    if any_hit is None:
        any_hit = _alone(choices, request, own, trace_file, full=full)
    return Exit.OK if any_hit else Exit.NO_MATCH


def _alone(
    choices: Choices, request: SearchRequest, own: RetrievalProfile | None, trace_file: Path | None, *, full: bool
) -> bool:
    """Searches in this process, and says whether anything was found."""
    # One question's arithmetic is not worth threads of numpy's own, which would spin beside the model's loading.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    soon = None if own else request.hypothesis or request.query
    with opened(choices, soon=soon, profile=request.profile) as session:
        # Here the model is being loaded already: what else a search needs is imported meanwhile.
        from octavo.interfaces.cli.local_search_and_output import answer, find, search_recorded

        if trace_file:
            result = search_recorded(session.engine, request, own, trace_file)
        else:
            result = find(session.engine, request, own)
        roots = session.roots()
    answer(choices, result, roots, full=full, explain=request.explain)
    return bool(result.hits)


def _together(
    choices: Choices, config: Config, request: SearchRequest, own: RetrievalProfile | None, *, full: bool
) -> bool:
    """Searches several libraries, none of which need be there; says whether anything was found."""
    from octavo.engine.wiring import open_together
    from octavo.interfaces.cli.local_search_and_output import answer
    from octavo.operations.search.federated_search import find_in_group
    from octavo.operations.search.search_execution import find

    group = open_together(config)
    search = partial(find, request=request, profile=own)
    try:
        result = find_in_group(group, search, limit=request.limit or config.retrieval.limit)
        answer(choices, result, group.roots({}), full=full, explain=request.explain)
    finally:
        group.close()
    return bool(result.hits)


def profile_file(name: str | None) -> RetrievalProfile | None:
    """The profile that a file describes, if it is a file that was named."""
    if name is None or not name.endswith(".toml"):
        return None
    from octavo.retrieval.profile_toml_files import read_profile

    try:
        return read_profile(Path(name).read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(
            f"the profile {name} cannot be read: {getattr(error, 'strerror', None) or error}",
            hint="give the path of a TOML file, or the name of a profile",
        ) from error


@command(examples=["octavo search humidity --trace trace.json", "octavo replay trace.json"])
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@_EXPLAIN
@_FULL
def replay(choices: Choices, file: Path, explain: bool, full: bool) -> Exit:
    """Answer a search again from its trace, which `octavo search --trace FILE` writes.

    Fusion and every refinement run as they did, on what the channels said then; no model is needed. A trace replays
    on the library it was made on.
    """
    from octavo.interfaces.cli.local_search_and_output import answer
    from octavo.retrieval.search_replay import HINT, read_recording

    try:
        whole = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}", hint=HINT) from error
    except ValueError as error:
        raise InvalidArgument(f"{file} is not a trace: it is not JSON", hint=HINT) from error
    if not isinstance(whole, dict) or "recording" not in whole:
        raise InvalidArgument(f"{file} is not a trace: it holds no recorded search", hint=HINT)
    recording = read_recording(json.dumps(whole["recording"]))
    with opened(choices) as session:
        if session.engine.store.generation() != recording.generation:
            click.echo("the library has changed since this was recorded: hits may differ", err=True)
        result = session.engine.replay(recording)
        roots = session.roots()
    answer(choices, result, roots, full=full, explain=explain)
    return Exit.OK if result.hits else Exit.NO_MATCH
