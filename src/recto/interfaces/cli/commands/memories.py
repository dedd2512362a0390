"""`recto memories`: memories as a folder of Markdown files, and what was remembered about a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.memory_files import MemoryFilesAnswer

_COLUMNS = ("folder", "created", "revised", "written", "archived", "trashed", "conflicts", "problems")
_SAID = {
    "created": "remembered",
    "revised": "revised",
    "written": "written",
    "archived": "put away",
    "trashed": "moved to .trash",
    "conflicts": "changed on both sides: both texts are versions now",
}


@click.group()
@shared_options
def memories() -> None:
    """Keep memories as files, and find what was remembered about a file."""


@memories.command("sync")
@click.argument("folder", required=False, type=click.Path(file_okay=False, path_type=Path))
@click.option("--user", is_flag=True, help="The user's own memories, in the data folder, rather than a project's.")
@click.option("--watch", is_flag=True, help="Go on until stopped, looking every two seconds.")
@click.option("--accept-deletions", is_flag=True, help="Even if every file is gone.")
@shared_options
@pass_choices
def sync(choices: Choices, folder: Path | None, user: bool, watch: bool, accept_deletions: bool) -> Exit:
    """Bring a folder of Markdown and the project's memories in step, both ways.

    FOLDER is `.memories` here unless said. A file that is new is remembered, one that was edited is the next version,
    one that was deleted is put away; what was remembered or revised otherwise is written to its file. Exit code 6 means
    that a file was left alone, and why is said.
    """
    import threading

    from recto.operations.jobs import work_shortly
    from recto.operations.memory_files import PROJECT_FOLDER, USER_PROJECT, memory_files

    if user:
        from platformdirs import user_data_path

        choices.project = choices.project or USER_PROJECT
        folder = folder or user_data_path("recto") / "memories"
    folder = folder or Path(PROJECT_FOLDER)
    stop = threading.Event()
    with opened(choices, create=True) as session:
        while True:
            done = memory_files(session.engine, folder, accept_deletions=accept_deletions)
            work_shortly(session.engine, session.config.jobs)
            if not watch:
                break
            if any((done.created, done.revised, done.written, done.archived, done.trashed)):
                choices.answer(_answer(done))
            stop.wait(2.0)
    choices.answer(_answer(done))
    return Exit.PARTIAL if done.problems else Exit.OK


@memories.command("about")
@click.argument("target")
@click.argument("words", nargs=-1, metavar="QUERY...")
@click.option("--type", "types", multiple=True, help="Only links of this type: mentions, plans, refactors, fixes…")
@click.option("-n", "--limit", type=click.IntRange(1, 200), default=10, help="How many memories at most.")
@shared_options
@pass_choices
def about(choices: Choices, target: str, words: tuple[str, ...], types: tuple[str, ...], limit: int) -> Exit:
    """Find memories that link to TARGET: a file, a note, or anything with a name."""
    from recto.operations.memory_links import LinkedMemoriesRequest, linked_text, search_linked_memories

    with opened(choices) as session:
        found = search_linked_memories(session.engine, LinkedMemoriesRequest(target, " ".join(words), types, limit))
    rows = [plain(one) for one in found.memories]
    text = linked_text(found)
    lines = [(Part(line),) for line in text.split("\n")]
    columns = ("rank", "item", "version", "kind", "scope", "title", "text")
    choices.answer(Answer(plain(found), rows, columns, lambda width: lines))
    return Exit.OK if found.memories else Exit.NO_MATCH


def _answer(done: MemoryFilesAnswer) -> Answer:
    row = plain(done)
    cells = [[", ".join(one["path"] for one in row[name]) if name == "problems" else row[name] for name in _COLUMNS]]
    return Answer(row, [row], _COLUMNS, lambda width: _lines(done), cells=lambda: cells, brief=True)


def _lines(done: MemoryFilesAnswer) -> Iterator[Line]:
    row = plain(done)
    for name, said in _SAID.items():
        for path in row[name]:
            yield Part(path, "place"), Part(f"  {said}", "warn" if name == "conflicts" else "")
    for one in done.problems:
        yield Part(one.path, "place"), Part(f"  left alone: {one.reason}", "bad")
    if not any(row[name] for name in (*_SAID, "problems")):
        yield (Part(f"{done.folder} is in step."),)
