"""`octavo note`: notes of every day, opened in an editor when asked."""

from __future__ import annotations

import click

from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import OperationGroup
from octavo.interfaces.cli.options import shared_options
from octavo.operations.writing.requests import NoteAppendRequest, NoteNewRequest, NoteTodayRequest

_edit = click.option("--edit", is_flag=True, help="Open it in $VISUAL or $EDITOR, and index what was saved.")


@click.group(cls=OperationGroup)
@shared_options
def note() -> None:
    """Make notes from templates, add to them, keep one for each day. A collection must allow it: `octavo add
    --writable`."""


@note.add
@command(NoteNewRequest, "note_new", name="new", action="note:new")
@_edit
def new() -> None: ...


@note.add
@command(NoteAppendRequest, "note_append", name="append", action="note:append")
@_edit
def append() -> None: ...


@note.add
@command(NoteTodayRequest, "note_today", name="today", action="note:today")
@_edit
def today() -> None: ...
