"""`octavo` alone: a greeting, and the next step for the folder one is in; in a terminal the first one is offered."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from octavo.config.layered_config_loading import load
from octavo.engine.wiring.collection_sources import file_rules
from octavo.errors import NotIndexed
from octavo.interfaces.cli import output
from octavo.interfaces.cli.commands.start_and_try import begin
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, Session, opened
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.model.projects_and_collections import CollectionSettings
from octavo.operations.styled_answer_lines import Part, count
from octavo.version import __version__

_LOOKED_AT = 1_000  # entries: a greeting does not walk a disk


def welcome() -> Exit:
    """Says what is here and what to do next. A library that cannot be opened is told as every command would."""
    folder, asks = Path.cwd(), False
    try:
        with opened(Choices()) as session:
            here, steps = _with_library(session, folder)
    except NotIndexed:
        readable = _has_documents(folder)
        here, steps = _without_library(readable)
        asks = readable and output.on_terminal() and sys.stdin.isatty()
    steps.append(("octavo --help", "everything else"))
    width = max(len(command) for command, _ in steps)
    lines = [(Part(f"Octavo {__version__}", "title"),), (Part(here),), ()]
    lines += [(Part(f"  {command:{width}}"), Part(f"  {why}", "dim")) for command, why in steps]
    Choices().answer(Answer({}, [], (), lambda _: lines))
    if asks and click.confirm("\nStart now, and show the library in the browser?", default=True, err=True):
        return begin(Choices(), folder, browse=True)
    return Exit.OK


def _without_library(readable: bool) -> tuple[str, list[tuple[str, str]]]:
    if not readable:
        return "There is no library yet, and nothing in this folder to read.", [
            ("octavo start FOLDER", "makes one of your notes, documents or code")
        ]
    return "There is no library yet. This folder has files to read.", [
        ('octavo try . "a question"', "answers at once and leaves nothing behind"),
        ("octavo start", "makes a library that stays, and reads this folder"),
    ]


def _with_library(session: Session, folder: Path) -> tuple[str, list[tuple[str, str]]]:
    counts = session.engine.store.counts(session.engine.project.id)
    roots = session.roots()
    here = (
        f"The library is {session.library}: {count(counts.documents, 'document')} in {count(len(roots), 'collection')}."
    )
    steps: list[tuple[str, str]] = []
    if not any(folder.is_relative_to(root) for root in roots.values()) and _has_documents(folder):
        steps.append(("octavo start", "adds and reads this folder, which is not in it"))
    elif not roots:
        steps.append(("octavo start FOLDER", "adds and reads your notes, documents or code"))
    elif not counts.documents:
        steps.append(("octavo index", "reads what is new"))
    if counts.documents:
        steps += [('octavo search "a question"', "finds passages"), ('octavo ask "a question"', "answers from them")]
    return here, steps


def _has_documents(folder: Path) -> bool:
    """Whether a first look finds a file that would be indexed; a home folder is nobody's collection."""
    endings = file_rules(load({}).config, CollectionSettings()).extensions - {""}
    return folder != Path.home() and any(
        Path(name).suffix.lower() in endings for name in islice(_names(folder), _LOOKED_AT)
    )


def _names(folder: Path) -> Iterator[str]:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from ("", *files)  # a folder counts as looked at too
