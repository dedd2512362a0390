"""`octavo db`: a whole library copied, saved, brought up to date, checked and thinned out."""

from __future__ import annotations

from pathlib import Path

import click

from octavo.interfaces.cli.commands.index import run_index
from octavo.interfaces.cli.errors import Exit
from octavo.interfaces.cli.from_request import command
from octavo.interfaces.cli.generated import OperationGroup
from octavo.interfaces.cli.options import Choices, LibraryPlace, shared_options
from octavo.operations.database.requests import DbBackupRequest, DbRepairRequest, DbUpgradeRequest
from octavo.operations.library.requests import IndexRequest

_PLACE = LibraryPlace(dir_okay=False, path_type=Path)


@click.group(cls=OperationGroup)
@shared_options
def db() -> None:
    """Look after a whole library: move it, save it, bring it up to date, check it, thin it out."""


@command(
    action="database:migrate",
    examples=["octavo db migrate --to copy.db", "octavo db migrate --to postgresql://team@server/octavo"],
)
@click.option(
    "--from",
    "source",
    type=LibraryPlace(path_type=Path),
    metavar="PATH|URL|FOLDER",
    help="The library to copy, or a Chroma directory.",
    show_default="the configured library",
)
@click.option("--to", "target", type=_PLACE, metavar="PATH|URL", required=True, help="Where there is no library yet.")
def migrate() -> None:
    """Copy a library to another file or to a server, either way, and compare both.

    The source is only read. A copy that was interrupted goes on where it was when the same command is given again.
    From a Chroma directory each collection becomes a collection of the library, be that new or not; its vectors are
    kept, and Octavo's own are made as for any text.
    """


@command(DbBackupRequest, "db_backup", action="database:backup")
def backup() -> None: ...


@command(action="database:restore", examples=["octavo db backup saved.db", "octavo db restore saved.db --force"])
@click.argument("saved", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Where there is a library already, rename it and keep it.")
def restore() -> None:
    """Put a saved library back where the configuration looks for one."""


@command(DbUpgradeRequest, "db_upgrade", action="database:upgrade")
def upgrade() -> None: ...


@command(DbRepairRequest, "db_repair", action="database:repair")
def repair() -> None: ...


@command(examples=["octavo db complete"])
def complete(choices: Choices) -> Exit:
    """Index what the library lacks by today's configuration: new kinds of files, changed chunking, missing vectors.

    Only files that would come out otherwise are read again.
    """
    return run_index(choices, IndexRequest(wait=True))


for _made in (migrate, backup, restore, upgrade, repair, complete):
    db.add_command(_made)
