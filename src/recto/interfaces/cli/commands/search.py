"""`recto search`: find passages; `recto replay`: answer a recorded search again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recto.errors import InvalidArgument, StorageError
from recto.interfaces.cli import completing, served
from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.session import opened

if TYPE_CHECKING:
    from recto.model.result import Result
    from recto.retrieval.stage import Profile

_F = TypeVar("_F", bound=Callable[..., Any])

_KINDS = ("note", "doc", "code", "config", "commit", "memory")

_SHOWING: tuple[Callable[[Any], Any], ...] = (
    click.option("-n", "--limit", type=click.IntRange(1, 1000), help="How many hits at most."),
    click.option(
        "-p", "--profile", shell_complete=completing.profiles, help="The retrieval profile, by name or as a .toml file."
    ),
    click.option("--explain", is_flag=True, help="Every channel's rank and score, and what each stage did."),
    click.option("--full", is_flag=True, help="Whole excerpts rather than the lines around the best match."),
    click.option("--max-chars", type=click.IntRange(1), metavar="N", help="Cut excerpts after N characters."),
)


def showing_options(command: _F) -> _F:
    """How a result is made and shown, for every command that ends in one."""
    for option in reversed(_SHOWING):
        command = option(command)
    return command


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY...")
@click.option(
    "-c",
    "--collection",
    "collections",
    multiple=True,
    shell_complete=completing.collections,
    help="Only this collection; may be repeated.",
)
@click.option("--path", "path_prefix", metavar="PREFIX", help="Only documents whose uri starts so.")
@click.option("--uri", "uris", multiple=True, help="Only this document; may be repeated.")
@click.option("--heading", metavar="TEXT", help="Only below headings that contain this.")
@click.option("--tag", "tags_all", multiple=True, help="Only with this tag; all of them when repeated.")
@click.option("--any-tag", "tags_any", multiple=True, help="Only with one of these tags.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Only this kind; may be repeated.")
@click.option("--language", metavar="NAME", help="Only code in this language, in files or in notes: python, c++, sh.")
@click.option("--after", metavar="TIME", help="Only modified since: 2024-05-01, or an age such as 7d.")
@click.option("--before", metavar="TIME", help="Only modified before.")
@click.option("--compressed", is_flag=True, help="Leave out what is hardly about it, and what is said twice.")
@click.option("--min-score", type=click.FloatRange(0, 1), metavar="COSINE", help="Least cosine of a hit.")
@click.option("--similarity", type=click.FloatRange(0.5, 1), metavar="COSINE", help="From where two say the same.")
@click.option("--require-fresh", is_flag=True, help="Fail with exit code 4 unless every vector is there.")
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the whole trace to FILE as JSON, for `recto replay`.",
)
@showing_options
@shared_options
@pass_choices
def search(
    choices: Choices,
    words: tuple[str, ...],
    collections: tuple[str, ...],
    path_prefix: str | None,
    uris: tuple[str, ...],
    heading: str | None,
    tags_all: tuple[str, ...],
    tags_any: tuple[str, ...],
    kinds: tuple[str, ...],
    language: str | None,
    after: str | None,
    before: str | None,
    compressed: bool,
    min_score: float | None,
    similarity: float | None,
    require_fresh: bool,
    trace_file: Path | None,
    limit: int | None,
    profile: str | None,
    explain: bool,
    full: bool,
    max_chars: int | None,
) -> Exit:
    """Find passages by word and by meaning.

    \b
    QUERY may hold   words            found by word and by meaning
                     "a phrase"       these words next to each other
                     -word            passages without it
                     begin*           words that begin so
                     tag: path: title: kind: in:   narrow where to look
                     -tag: -path: …   leave out what they would let through

    A query that starts with a minus sign goes after `--`. Exit code 1 means that nothing matched.
    """
    own = profile_file(profile)
    asked: dict[str, Any] = {
        "query": " ".join(words),
        "limit": limit,
        "profile": None if own else profile,
        "collections": collections,
        "path_prefix": path_prefix,
        "uris": uris,
        "heading_contains": heading,
        "tags_all": tags_all,
        "tags_any": tags_any,
        "kinds": kinds,
        "language": language,
        "modified_after": after,
        "modified_before": before,
        "max_excerpt_chars": max_chars,
        "mode": "compressed" if compressed else "full",
        "min_score": min_score,
        "similarity_threshold": similarity,
        "require_fresh": require_fresh,
    }
    # A profile from a file and a recording are not what a server keeps at hand.
    found = None if own or trace_file else served.search(choices, asked, full=full, explain=explain)
    if found is None:
        result, roots = _alone(choices, asked, own, trace_file)
        answer(choices, result, roots, full=full, explain=explain)
        found = bool(result.hits)
    return Exit.OK if found else Exit.NO_MATCH


def _alone(
    choices: Choices, asked: dict[str, Any], own: Profile | None, trace_file: Path | None
) -> tuple[Result, dict[str, Path]]:
    # One question's arithmetic is not worth threads of numpy's own, which would spin beside the model's loading.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with opened(choices, soon=None if own else asked["query"], profile=asked["profile"]) as session:
        # Here the model is being loaded already: what else a search needs is imported meanwhile.
        from recto.operations.finding import SearchRequest, find, record

        request = SearchRequest(**asked)
        if trace_file:
            result, recording = record(session.engine, request, own)
            write_trace(result, trace_file, json.loads(recording.to_json()))
        else:
            result = find(session.engine, request, own)
        return result, session.roots()


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--explain", is_flag=True, help="Every channel's rank and score, and what each stage did.")
@click.option("--full", is_flag=True, help="Whole excerpts rather than the lines around the best match.")
@shared_options
@pass_choices
def replay(choices: Choices, file: Path, explain: bool, full: bool) -> Exit:
    """Answer a search again from the trace that `recto search --trace FILE` wrote.

    Fusion and every refinement run as they did, on what the channels said then; no model is needed. A trace replays
    on the library it was made on.
    """
    from recto.retrieval.replay import HINT, read_recording

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


def answer(choices: Choices, result: Result, roots: dict[str, Path], *, full: bool, explain: bool) -> None:
    from recto.interfaces.cli.results import result_answer

    choices.answer(result_answer(result, roots, full=full, explain=explain))


def profile_file(name: str | None) -> Profile | None:
    """The profile that a file describes, if it is a file that was named."""
    if name is None or not name.endswith(".toml"):
        return None
    from recto.retrieval.toml import read_profile

    try:
        return read_profile(Path(name).read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidArgument(
            f"the profile {name} cannot be read: {getattr(error, 'strerror', None) or error}",
            hint="give the path of a TOML file, or the name of a profile",
        ) from error


def write_trace(result: Result, path: Path, recording: Any) -> None:
    from recto.operations.hits import trace_json, whole
    from recto.operations.plain import plain

    told = trace_json(result) | {"hits": plain(whole(result, explain=False))["hits"], "recording": recording}
    try:
        path.write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error
