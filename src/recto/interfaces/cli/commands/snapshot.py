"""`recto snapshot`: the accelerators of a large library, made, looked at, checked and chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns, count, size
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.progress import progress
from recto.interfaces.cli.session import opened
from recto.operations.plain import plain

if TYPE_CHECKING:
    from recto.operations.snapshots import SnapshotsAnswer

_COLUMNS = ("snapshot", "current", "created_at", "chunks", "vectors", "bytes", "files", "carried", "problem")


@click.group()
@shared_options
def snapshot() -> None:
    """Make and look at the snapshots that a large library is searched through.

    A library of 20,000 chunks and more makes its own whenever it is indexed. They lie beside its file and can be
    deleted at any time: everything in them comes from the library.
    """


@snapshot.command("list")
@shared_options
@pass_choices
def list_snapshots(choices: Choices) -> None:
    """List the snapshots, newest first, and how much was written since."""
    from recto.operations.snapshots import SnapshotsListRequest, snapshots_list

    with opened(choices) as session:
        found = snapshots_list(session.engine, SnapshotsListRequest())
    _tell(choices, found)


@snapshot.command()
@click.option("--full", is_flag=True, help="Carry nothing over from the one before.")
@shared_options
@pass_choices
def build(choices: Choices, full: bool) -> None:
    """Make a snapshot now, whatever the size of the library."""
    from recto.operations.snapshots import SnapshotBuildRequest, snapshots_build

    with opened(choices) as session:
        found = snapshots_build(session.engine, SnapshotBuildRequest(full), progress(quiet=choices.quiet))
    _tell(choices, found)


@snapshot.command()
@shared_options
@pass_choices
def verify(choices: Choices) -> Exit:
    """Read every byte and compare it with what was written. Exit code 6 means that a snapshot is damaged."""
    from recto.operations.snapshots import SnapshotsListRequest, snapshots_list

    with opened(choices) as session:
        found = snapshots_list(session.engine, SnapshotsListRequest(verify=True))
    _tell(choices, found)
    return Exit.PARTIAL if any(one.problem for one in found.snapshots) else Exit.OK


@snapshot.command()
@click.argument("name", required=False, metavar="[SNAPSHOT]")
@shared_options
@pass_choices
def rollback(choices: Choices, name: str | None) -> None:
    """Let an earlier snapshot answer: the one before, or the one named."""
    from recto.operations.snapshots import SnapshotRollbackRequest, snapshots_rollback

    with opened(choices) as session:
        found = snapshots_rollback(session.engine, SnapshotRollbackRequest(name))
    _tell(choices, found)


@snapshot.command()
@shared_options
@pass_choices
def recover(choices: Choices) -> None:
    """Clear away unfinished ones, and let the newest that is whole answer."""
    from recto.operations.snapshots import snapshots_recover

    with opened(choices) as session:
        found = snapshots_recover(session.engine)
    _tell(choices, found)


def _tell(choices: Choices, found: SnapshotsAnswer) -> None:
    rows = [plain(one) for one in found.snapshots]
    whole = {"snapshots": rows, "behind": found.behind, "state": found.state}
    choices.answer(Answer(whole, rows, _COLUMNS, lambda width: _lines(found)))


def _lines(found: SnapshotsAnswer) -> Iterator[Line]:
    if not found.snapshots:
        yield (Part(f"No snapshots. {count(found.behind, 'chunk')} searched in the library itself."),)
        return
    rows = [
        (
            Part(one.snapshot, "title" if one.current else ""),
            Part("current" if one.current else "", "good"),
            Part(count(one.chunks, "chunk")),
            Part(count(one.vectors, "vector")),
            Part(size(one.bytes)),
            Part(f"{one.carried} of {one.files} files carried over", "dim"),
            Part(one.problem or "", "bad"),
        )
        for one in found.snapshots
    ]
    yield from columns(rows)
    yield (Part(f"{count(found.behind, 'chunk')} written since", "dim"),)
