"""`recto remember`, `recall`, `forget`, `history`, `diff`, `restore`, `pin`: what is kept, and how it changed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.memories import MemoryState
    from recto.operations.memory_history import MemoryDiffAnswer, MemoryHistoryAnswer
    from recto.operations.recall import FoundMemory, RecallAnswer

_F = TypeVar("_F", bound=Callable[..., Any])
_KINDS = (
    "note",
    "plan",
    "journal",
    "fact",
    "observation",
    "reflection",
    "decision",
    "task",
    "bug",
    "constraint",
    "rule",
    "preference",
    "experiment",
    "summary",
)
_STATE = ("item", "version", "action", "kind", "scope", "title", "tags", "pinned", "status")
_FOUND = ("rank", "item", "version", "kind", "scope", "title", "created_at", "holds", "text")
_CHANGES = ("at", "action", "version", "status", "pinned", "author", "reason")

_ASKING: tuple[Callable[[Any], Any], ...] = (
    click.option("--author", default="", metavar="NAME", help="Who asks for it."),
    click.option("--reason", default="", metavar="TEXT", help="Why, in a sentence."),
    click.option("--session", metavar="ID", help="The session it happens in."),
    click.option("--key", metavar="KEY", help="Idempotency key: asking again under it changes nothing."),
)


def asking_options(command: _F) -> _F:
    """What every change may say of itself."""
    for option in reversed(_ASKING):
        command = option(command)
    return command


@click.command()
@click.argument("words", nargs=-1, metavar="TEXT...")
@click.option("--kind", type=click.Choice(_KINDS), default="note", help="What sort of memory it is; note unless said.")
@click.option("--scope", default="project", metavar="NAME", help="What it belongs to; the project unless said.")
@click.option("--title", default="", help="A title; else its first line serves.")
@click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
@click.option("--link", "links", multiple=True, metavar="NAME", help="A document or memory it is about.")
@click.option("--pin", is_flag=True, help="Keep it in front.")
@click.option("--valid-from", metavar="TIME", help="When what it tells began to be true, if not now.")
@click.option("--valid-to", metavar="TIME", help="When it stops being true.")
@click.option("--force", is_flag=True, help="Keep it although it looks like a secret.")
@click.option("--later", is_flag=True, help="Leave its vector to a worker: until then it is found by word only.")
@asking_options
@shared_options
@pass_choices
def remember(
    choices: Choices,
    words: tuple[str, ...],
    kind: str,
    scope: str,
    title: str,
    tags: tuple[str, ...],
    links: tuple[str, ...],
    pin: bool,
    valid_from: str | None,
    valid_to: str | None,
    force: bool,
    later: bool,
    author: str,
    reason: str,
    session: str | None,
    key: str | None,
) -> None:
    """Keep something, so that every later search finds it.

    TEXT is what to keep; without it, or with -, it is read from stdin. What is known already is not kept twice; what
    edits a memory becomes its next version. A text that holds a secret is refused.
    """
    from recto.operations.remember import RememberRequest
    from recto.operations.remember import remember as keep

    request = RememberRequest(
        text=_given(words),
        kind=kind,
        scope=scope,
        title=title,
        tags=tags,
        links=links,
        pin=pin,
        valid_from=valid_from,
        valid_to=valid_to,
        force=force,
        author=author,
        reason=reason,
        session=session,
        idempotency_key=key,
    )
    with opened(choices, create=True) as opening:
        choices.answer(_state_answer(keep(opening.engine, request)))
        if not later:
            from recto.operations.jobs import work_shortly

            # What was answered is committed. What fails from here on is tried again by the next worker.
            work_shortly(opening.engine, opening.config.jobs)


@click.command()
@click.argument("words", nargs=-1, metavar="QUERY...")
@click.option("-n", "--limit", type=click.IntRange(1, 200), default=10, help="How many memories at most.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(_KINDS), help="Only this kind; may be repeated.")
@click.option("--scope", "scopes", multiple=True, metavar="NAME", help="Only this scope; may be repeated.")
@click.option("--tag", "tags_all", multiple=True, help="Only with this tag; all of them when repeated.")
@click.option("--any-tag", "tags_any", multiple=True, help="Only with one of these tags.")
@click.option("--pinned", "pinned_only", is_flag=True, help="Only pinned ones.")
@click.option("--after", metavar="TIME", help="Only made since: 2024-05-01, or an age such as 7d.")
@click.option("--before", metavar="TIME", help="Only made before.")
@click.option("--max-chars", type=click.IntRange(1), default=2_000, metavar="N", help="Cut each after N characters.")
@shared_options
@pass_choices
def recall(
    choices: Choices,
    words: tuple[str, ...],
    limit: int,
    kinds: tuple[str, ...],
    scopes: tuple[str, ...],
    tags_all: tuple[str, ...],
    tags_any: tuple[str, ...],
    pinned_only: bool,
    after: str | None,
    before: str | None,
    max_chars: int,
) -> Exit:
    """Find what was remembered.

    Without QUERY: pinned memories, then the ones changed last. Exit code 1 means that nothing was found.
    """
    from recto.operations.recall import RecallRequest
    from recto.operations.recall import recall as find

    request = RecallRequest(
        query=" ".join(words),
        limit=limit,
        kinds=kinds,
        scopes=scopes,
        tags_all=tags_all,
        tags_any=tags_any,
        pinned_only=pinned_only,
        created_after=after,
        created_before=before,
        max_chars=max_chars,
    )
    with opened(choices) as opening:
        found = find(opening.engine, request)
    choices.answer(_recall_answer(found))
    return Exit.OK if found.memories else Exit.NO_MATCH


@click.command()
@click.argument("item", metavar="ID")
@asking_options
@shared_options
@pass_choices
def forget(choices: Choices, item: str, author: str, reason: str, session: str | None, key: str | None) -> None:
    """Put a memory away: no search finds it, its history stays, and `recto restore` brings it back."""
    from recto.operations.remember import ForgetRequest
    from recto.operations.remember import forget as put_away

    request = ForgetRequest(item=item, author=author, reason=reason, session=session, idempotency_key=key)
    with opened(choices) as opening:
        done = put_away(opening.engine, request)
    choices.answer(_state_answer(done))


@click.command()
@click.argument("item", metavar="ID")
@shared_options
@pass_choices
def history(choices: Choices, item: str) -> None:
    """Say how a memory changed, when, by whom and why."""
    from recto.operations.memory_history import MemoryHistoryRequest, memory_history

    with opened(choices) as opening:
        told = memory_history(opening.engine, MemoryHistoryRequest(item))
    rows = [plain(change) for change in told.changes]
    choices.answer(Answer(plain(told), rows, _CHANGES, lambda width: _history_lines(told)))


@click.command()
@click.argument("item", metavar="ID")
@click.option("--old", type=click.IntRange(1), metavar="N", help="From this version; the one before, unless said.")
@click.option("--new", type=click.IntRange(1), metavar="N", help="To this version; the last, unless said.")
@shared_options
@pass_choices
def diff(choices: Choices, item: str, old: int | None, new: int | None) -> Exit:
    """Show what changed between two versions of a memory. Exit code 1 means that nothing did."""
    from recto.operations.memory_history import MemoryDiffRequest, memory_diff

    with opened(choices) as opening:
        told = memory_diff(opening.engine, MemoryDiffRequest(item, old, new))
    row = plain(told)
    columns = ("item", "old", "new", "diff")
    choices.answer(Answer(row, [row], columns, lambda width: _diff_lines(told), exact=told.diff))
    return Exit.OK if told.diff else Exit.NO_MATCH


@click.command()
@click.argument("item", metavar="ID")
@click.argument("version", type=click.IntRange(1), metavar="N")
@asking_options
@shared_options
@pass_choices
def restore(
    choices: Choices, item: str, version: int, author: str, reason: str, session: str | None, key: str | None
) -> None:
    """Make version N of a memory its newest again; what came in between stays in its history."""
    from recto.operations.memory_history import MemoryRestoreRequest, memory_restore

    request = MemoryRestoreRequest(
        item=item, version=version, author=author, reason=reason, session=session, idempotency_key=key
    )
    with opened(choices) as opening:
        done = memory_restore(opening.engine, request)
    choices.answer(_state_answer(done))


@click.command()
@click.argument("item", metavar="ID")
@click.option("--off", is_flag=True, help="Pin it no longer.")
@asking_options
@shared_options
@pass_choices
def pin(choices: Choices, item: str, off: bool, author: str, reason: str, session: str | None, key: str | None) -> None:
    """Keep a memory in front."""
    from recto.operations.memory_history import MemoryChangeRequest, memory_pin, memory_unpin

    request = MemoryChangeRequest(item=item, author=author, reason=reason, session=session, idempotency_key=key)
    with opened(choices) as opening:
        done = (memory_unpin if off else memory_pin)(opening.engine, request)
    choices.answer(_state_answer(done))


def _given(words: tuple[str, ...]) -> str:
    if words and words != ("-",):
        return " ".join(words)
    if sys.stdin.isatty() and not words:
        raise click.UsageError("There is nothing to remember: give a text, or pipe one in.")
    return sys.stdin.read()


def _state_answer(done: MemoryState) -> Answer:
    row = plain(done)
    cells = [[", ".join(done.tags) if name == "tags" else row[name] for name in _STATE]]
    return Answer(row, [row], _STATE, lambda width: _state_lines(done), cells=lambda: cells, brief=True)


def _state_lines(done: MemoryState) -> Iterator[Line]:
    words = {"unchanged": "Known already", "created": "Remembered", "archived": "Forgotten"}
    said = words.get(done.action, done.action.capitalize())
    yield Part(said, "good"), Part(f" as {done.item} (version {done.version}): "), Part(done.title, "title")


def _recall_answer(found: RecallAnswer) -> Answer:
    rows = [plain(one) for one in found.memories]
    data = {"query": found.query, "memories": rows, "pending": found.pending}
    cells = [[row[name] for name in _FOUND] for row in rows]
    return Answer(
        data,
        rows,
        _FOUND,
        lambda width: _memory_lines(found.memories),
        cells=lambda: cells,
        markdown=lambda: _text(found),
    )


def _text(found: RecallAnswer) -> str:
    from recto.operations.recall import text

    return text(found) + "\n"


def _memory_lines(found: tuple[FoundMemory, ...]) -> Iterator[Line]:
    for one in found:
        about = [one.kind, one.scope, one.created_at[:10], *(f"#{tag}" for tag in one.tags)]
        about += ["pinned"] * one.pinned + ["does not hold now"] * (not one.holds)
        yield Part(f"{one.rank}. ", "dim"), Part(one.title, "title")
        yield Part("   "), Part(f"{one.item} v{one.version}", "place"), Part("  " + " · ".join(about), "dim")
        for line in one.text.removesuffix("\n").split("\n"):
            yield Part("   "), Part("│ ", "dim"), Part(line)
        yield ()
    if not found:
        yield (Part("Nothing is remembered about that."),)


def _history_lines(told: MemoryHistoryAnswer) -> Iterator[Line]:
    yield Part(told.title, "title"), Part(f"  {told.item}, {told.status}", "dim")
    yield from columns(
        [
            (
                Part(one.at, "dim"),
                Part(one.action),
                Part(f"v{one.version}"),
                Part(", ".join(filter(None, (one.author, one.reason))), "dim"),
            )
            for one in told.changes
        ]
    )


def _diff_lines(told: MemoryDiffAnswer) -> Iterator[Line]:
    styles = {"+": "good", "-": "bad", "@": "heading"}
    for line in told.diff.splitlines():
        yield (Part(line, styles.get(line[:1], "")),)
    if not told.diff:
        yield (Part(f"Versions {told.old} and {told.new} are the same."),)
