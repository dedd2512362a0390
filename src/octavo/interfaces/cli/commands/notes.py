"""`octavo notes`: notes of every day, opened in an editor when asked."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import OperationGroup
from octavo.interfaces.cli.options import shared_options
from octavo.operations.writing.requests import NotesAppendRequest, NotesNewRequest, NotesTodayRequest

_edit = click.option("--edit", is_flag=True, help="Open it in $VISUAL or $EDITOR, and index what was saved.")


@click.group(cls=OperationGroup)
@shared_options
def notes() -> None:
    """Make notes from templates, add to them, keep one for each day. A collection must allow it: `octavo add
    --writable`."""


@notes.add
@command(NotesNewRequest, "notes_new", name="new", action="notes:new")
@_edit
def new() -> None: ...


@notes.add
@command(NotesAppendRequest, "notes_append", name="append", action="notes:append")
@_edit
def append() -> None: ...


@notes.add
@command(NotesTodayRequest, "notes_today", name="today", action="notes:today")
@_edit
def today() -> None: ...
