"""`recto log` and `recto history`: commits that say something, and what became of a file or a memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from recto.errors import NotFound
from recto.interfaces.cli import completing
from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns, count
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.results import files_at
from recto.interfaces.cli.session import Session, opened

if TYPE_CHECKING:
    from recto.operations.history import CommitHit, GitHistoryAnswer, HistoryAnswer, Touched

_TOUCHED = ("hash", "committed_at", "author", "title", "collection", "uri", "file_count")
_COMMITS = ("rank", "score", "hash", "committed_at", "author", "title", "collection", "uri", "file_count")
_SHORT = 10  # digits of a hash, enough to be read and to be asked with
_LINES = 4
_MEMORY = "mem_"
_PLENTY = 100_000  # tokens: a terminal has no budget


@click.command()
@click.argument("words", nargs=-1, metavar="[QUERY]...")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True, help="How many at most.")
@click.option("--author", metavar="NAME", help="Only by an author whose name or address contains this.")
@click.option("--file", "file_pattern", metavar="GLOB", help="Only commits that touched such a file: *.py, docs/.")
@click.option("--after", metavar="TIME", help="Only since: 2024-05-01, or an age such as 7d.")
@click.option("--before", metavar="TIME", help="Only before.")
@click.option("--min-score", type=click.FloatRange(0, 1), default=0.0, help="Only as near in meaning as this cosine.")
@click.option(
    "-c",
    "--collection",
    "collections",
    multiple=True,
    shell_complete=completing.collections,
    help="Only this collection; may be repeated.",
)
@shared_options
@pass_choices
def log(
    choices: Choices,
    words: tuple[str, ...],
    limit: int,
    author: str | None,
    file_pattern: str | None,
    after: str | None,
    before: str | None,
    min_score: float,
    collections: tuple[str, ...],
) -> Exit:
    """Find commits by what they say and what they changed; without a QUERY, list the newest.

    Exit code 1 means that no commit matched. `recto get HASH` shows a commit whole, with its diff; --format files lists
    what the commits changed and is still there.
    """
    from recto.operations.history import GitHistoryRequest, changed_files, newest, search_git_history

    if min_score and not words:
        raise click.UsageError("Say what to look for: recto log QUERY --min-score COSINE")
    request = GitHistoryRequest(
        query=" ".join(words),
        top_n=limit,
        min_score=min_score,
        file_pattern=file_pattern,
        author=author,
        after=after,
        before=before,
        collections=collections,
        max_tokens=_PLENTY,
    )
    with opened(choices) as session:
        if not words:
            told = newest(session.engine, request)
            files = files_at(changed_files(session.engine, told.commits), session.roots())
            narrowed = bool(author or file_pattern or after or before or collections)
            choices.answer(_history_answer(told, files, narrowed=narrowed))
            return Exit.OK if told.commits else Exit.NO_MATCH
        found = search_git_history(session.engine, request)
        files = files_at(changed_files(session.engine, found.commits), session.roots())
    choices.answer(_log_answer(found, files))
    return Exit.OK if found.commits else Exit.NO_MATCH


@click.command()
@click.argument("reference", metavar="FILE|MEMORY", shell_complete=completing.uris)
@click.option("-c", "--collection", shell_complete=completing.collections, help="Where, if several have this uri.")
@click.option("-n", "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many at most.")
@shared_options
@pass_choices
@click.pass_context
def history(context: click.Context, choices: Choices, reference: str, collection: str | None, limit: int) -> None:
    """List the commits that touched a file and its stored versions, or say how a memory changed.

    A file is followed through its renames, and may be gone.
    """
    from recto.interfaces.cli.commands import memory
    from recto.operations.history import HistoryRequest
    from recto.operations.history import history as history_of

    if not reference.startswith(_MEMORY):
        with opened(choices) as session:
            try:
                told = history_of(session.engine, HistoryRequest(reference, collection, limit, max_tokens=_PLENTY))
            except NotFound:
                if not _is_memory(session, reference):
                    raise
            else:
                places = [f"{within}/{name}" for within in session.roots() for name in told.names]
                choices.answer(_history_answer(told, files_at(places, session.roots())))
                return
    context.invoke(memory.history, item=reference)


def _is_memory(session: Session, reference: str) -> bool:
    from recto.operations.memory_history import MemoryHistoryRequest, memory_history

    if all(collection.on_disk for collection in session.engine.collections()):
        return False  # nothing was ever remembered, and asking would make room for it
    try:
        memory_history(session.engine, MemoryHistoryRequest(reference))
    except NotFound:
        return False
    return True


def _log_answer(found: GitHistoryAnswer, files: Sequence[str]) -> Answer:
    rows = [_row(one) for one in found.commits]
    data = {"commits": rows, "profile": found.profile, "took_ms": found.took_ms, "note": found.note}
    return Answer(data, rows, _COMMITS, lambda width: _log_lines(found), files=files)


def _row(one: Any) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(one).items()}


def _log_lines(found: GitHistoryAnswer) -> Iterator[Line]:
    for one in found.commits:
        yield Part(f"{one.rank}. ", "dim"), Part(one.title, "title")
        yield Part("   "), Part(one.hash[:_SHORT], "place"), Part(f"  {_about(one)}", "dim")
        yield from _excerpt(one)
        yield ()
    if not found.commits:
        yield (Part("No commit matches."),)
    if found.note:
        yield (Part(found.note, "dim"),)


def _about(one: CommitHit) -> str:
    return f"{one.committed_at[:10]} · {one.author.partition(' <')[0]} · {count(one.file_count, 'file')}"


def _excerpt(one: CommitHit) -> Iterator[Line]:
    lines = [line for line in one.excerpt.split("\n") if line.strip()]
    for line in lines[:_LINES]:
        yield Part("   "), Part("│ ", "dim"), Part(line[:160])


def _history_answer(told: HistoryAnswer, files: Sequence[str], *, narrowed: bool = False) -> Answer:
    rows = [_row(one) for one in told.commits]
    data = {
        "uri": told.uri,
        "names": list(told.names),
        "versions": [{k: v for k, v in asdict(one).items() if v is not None} for one in told.versions],
        "commits": rows,
        "more": told.more,
    }
    return Answer(data, rows, _TOUCHED, lambda width: _history_lines(told, narrowed=narrowed), files=files)


def _history_lines(told: HistoryAnswer, *, narrowed: bool) -> Iterator[Line]:
    if told.uri:
        stored = f"  {count(len(told.versions), 'stored version')}" if told.versions else ""
        yield Part(told.uri, "title"), Part(stored, "dim")
    if len(told.names) > 1:
        yield (Part(f"earlier {', '.join(told.names[1:])}", "dim"),)
    yield from columns([_touched(one) for one in told.commits])
    if not told.commits:
        nothing = "No commit matches." if narrowed else "The library holds no commits."
        yield (Part("No commit in the library touched it." if told.uri else nothing),)
    if told.more:
        yield (Part("… there are more; --limit shows them", "dim"),)


def _touched(one: Touched) -> Line:
    who = one.author.partition(" <")[0]
    return Part(one.hash[:_SHORT], "place"), Part(one.committed_at[:10], "dim"), Part(one.title), Part(who, "dim")
