"""`octavo db`: a whole library copied, saved, brought up to date, checked, thinned out; `octavo snapshots`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from octavo.errors import InvalidArgument, LibraryError, NewerLibrary
from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands.index_and_watch import run_index
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import answered, group_of, operation_of, write_answer
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices, LibraryPlace, opened
from octavo.interfaces.cli.progress import progress
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.interfaces.presenting.operation_answer_in_every_format import operation_answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.model.library_location import Location
from octavo.operations.database.requests import DbBackupRequest, DbRepairRequest, DbUpgradeRequest
from octavo.operations.database.results import Imported, RepairAnswer
from octavo.operations.library.requests import IndexRequest
from octavo.operations.search_snapshots.requests import SnapshotsListRequest
from octavo.operations.styled_answer_lines import Line, Part, columns, count, size

if TYPE_CHECKING:
    from octavo.operations.database.copy_backup_and_restore import Migrated
    from octavo.operations.database.importer_choice import ImportSource

_RESTORE = "put back a saved copy with `octavo db restore FILE --force`"

_MOST_NAMED = 20  # records that were left out, on a terminal

_PLACE = LibraryPlace(dir_okay=False, path_type=Path)


db = group_of("db", "Look after a whole library: move it, save it, bring it up to date, check it, thin it out.")


@command(
    examples=[
        "octavo db migrate --to copy.db",
        "octavo db migrate --to postgresql://team@server/octavo",
        "octavo db migrate --from ~/.basic-memory --to ~/notes.db --dry-run",
    ]
)
@click.option(
    "--from",
    "source",
    type=LibraryPlace(path_type=Path),
    metavar="PATH|URL|FOLDER",
    help="The library to copy, or where another program keeps its data.",
    show_default="the configured library",
)
@click.option("--to", "target", type=_PLACE, metavar="PATH|URL", required=True, help="Where there is no library yet.")
@click.option("--dry-run", is_flag=True, help="Count what another program's data holds, and write nothing.")
def migrate(choices: Choices, source: Location | None, target: Location, dry_run: bool) -> None:
    """Copy a library to another file or to a server, either way, and compare both.

    The source is only read. A copy that was interrupted goes on where it was when the same command is given again.
    Of Chroma, Memento, mcp-memory-service, basic-memory, ragdocs, MSRL and Obsidian, records, memories or folders of
    notes come into the library, be that new or not. Octavo makes vectors of its own; Chroma's are kept beside them.
    """
    from octavo.operations.database.copy_backup_and_restore import migrate as copy
    from octavo.operations.database.importer_choice import find_source, open_source

    find = open_source if isinstance(source, Path) and source.is_dir() else find_source
    if source is not None and (foreign := find(source)) is not None:
        with foreign as program:
            _import_from(choices, program, source, target, dry_run=dry_run)
        return
    if dry_run:
        raise InvalidArgument("a library is copied whole: --dry-run is for what another program stored")
    done = copy(source or _configured(choices), target, progress(quiet=choices.quiet))
    rows = [asdict(carried) for carried in done.carried]
    data = {"source": done.source, "target": done.target, "resumed": done.transfer.resumed, "tables": rows}
    choices.answer(Answer(data, rows, ("table", "rows", "sha256"), lambda width: _migrated(done), brief=True))


@command(DbBackupRequest, "db_backup")
def backup(choices: Choices, request: DbBackupRequest) -> Exit:
    # Read without opening an engine: no model is needed, and a library of an older version can be saved too.
    from octavo.operations.database.copy_backup_and_restore import save_copy

    saved = save_copy(_configured(choices), Path(request.to), replace=request.force)
    return write_answer(choices, operation_of("db backup"), saved)


@command(examples=["octavo db backup saved.db", "octavo db restore saved.db --force"])
@click.argument("saved", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Where there is a library already, rename it and keep it.")
def restore(choices: Choices, saved: Path, force: bool) -> None:
    """Put a saved library back where the configuration looks for one."""
    from octavo.operations.database.copy_backup_and_restore import restore as put_back

    done = put_back(saved, _configured(choices), replace=force)
    made = operation_answer(operation_of("db backup"), done, TerminalView())
    text = [(Part(f"Restored {done.path} ({size(done.bytes)})."),)]
    choices.answer(replace(made, text=lambda width: text))


@command(DbUpgradeRequest, "db_upgrade")
def upgrade(choices: Choices, request: DbUpgradeRequest) -> Exit:
    from octavo.operations.database.upgrade_repair_and_prune import upgrade_schema

    operation = operation_of("db upgrade")
    saved = upgrade_schema(_configured(choices))
    with opened(choices) as session:
        done = operation.run(session.engine, request, progress(quiet=choices.quiet))
    return write_answer(choices, operation, replace(done, saved=str(saved) if saved else None))


@command(DbRepairRequest, "db_repair")
def repair(choices: Choices, request: DbRepairRequest) -> Exit:
    # Mends what can be mended in place; a file that is damaged itself is read into a new one.
    from octavo.operations.database.upgrade_repair_and_prune import file_damage, rebuilt, salvage_library

    operation, library, damage = operation_of("db repair"), _configured(choices), ""
    try:
        with opened(choices) as session:
            # A file that is damaged is not written to: that could spread the damage, and it is kept as it was found.
            damage = file_damage(session.engine) if isinstance(library, Path) else ""
            if not damage:
                done: RepairAnswer = operation.run(session.engine, request, progress(quiet=choices.quiet))
    except LibraryError as error:
        if isinstance(error, NewerLibrary) or not isinstance(library, Path) or not library.is_file():
            raise
        damage = error.message
    if damage and isinstance(library, Path):
        kept, salvaged = salvage_library(library)
        try:
            with opened(choices) as session:
                done = rebuilt(session.engine, kept, salvaged, damage, progress(quiet=choices.quiet))
        except LibraryError as error:  # whose hint would be this command
            raise LibraryError(error.message, hint=f"{_RESTORE}; the damaged file is kept as {kept}") from error
    return write_answer(choices, operation, done)


@command(examples=["octavo db complete"])
def complete(choices: Choices) -> Exit:
    """Index what the library lacks by today's configuration: new kinds of files, changed chunking, missing vectors.

    Only files that would come out otherwise are read again.
    """
    return run_index(choices, IndexRequest(wait=True))


for _made in (migrate, backup, restore, upgrade, repair, complete):
    db.add_command(_made)


snapshots = group_of(
    "snapshots",
    """Make and look at the snapshots that a large library is searched through.

    A library of 20,000 chunks and more makes its own whenever it is indexed. They lie beside its file and can be
    deleted at any time: everything in them comes from the library.
    """,
)


@snapshots.add
@command(examples=["octavo snapshots verify"])
def verify(choices: Choices) -> Exit:
    """Read every byte and compare it with what was written. Exit code 6 means that a snapshot is damaged."""
    return answered(choices, operation_of("snapshots list"), SnapshotsListRequest(verify=True))


def _import_from(choices: Choices, foreign: ImportSource, source: Location, target: Location, *, dry_run: bool) -> None:
    if dry_run:
        done = foreign.preview()
    else:
        with opened(choices, create=True, library=target) as session:
            done = foreign.import_into(session.engine, progress(quiet=choices.quiet))
    rows = [
        {"collection": values.pop("name"), **{name: None if value == "" else value for name, value in values.items()}}
        for values in map(asdict, done.collections)
    ]
    data = {
        "source": str(source),
        "target": str(target),
        "dry_run": dry_run,
        "embedded": done.embedded,
        "collections": rows,
    }
    names = tuple(rows[0]) if rows else ("collection",)
    choices.answer(Answer(data, rows, names, lambda width: _imported(done, source, target, dry_run), brief=True))


def _configured(choices: Choices) -> Location:
    from octavo.config.layered_config_loading import library_location

    return library_location(choices.config())


def _migrated(done: Migrated) -> Iterator[Line]:
    tables = [(Part(f"  {carried.table}"), Part(f"{carried.rows:,}")) for carried in done.carried if carried.rows]
    yield from columns(tables)
    again = ", continued from an earlier copy" if done.transfer.resumed else ""
    yield (Part(f"{done.target} holds the same {done.transfer.rows:,} rows as {done.source}{again}."),)
    yield (Part("Counts and checksums of every table agree.", "dim"),)


def _imported(done: Imported, source: Location, target: Location, dry_run: bool) -> Iterator[Line]:
    if not done.collections:
        yield (Part(f"{source} has no collections."),)
        return
    for imported in done.collections:
        taken = "to be added" if dry_run else "added"
        counts = [f"{imported.added:,} {taken}" if imported.added or not imported.unchanged else "nothing new"]
        counts += [f"{imported.unchanged:,} there already"] if imported.unchanged else []
        counts += [f"{len(imported.without_text):,} without a text left out"] if imported.without_text else []
        counts += [f"{imported.earlier_versions:,} of earlier versions left out"] if imported.earlier_versions else []
        counts += [f"{len(imported.left_out):,} left out"] if imported.left_out else []
        counts += [f"{imported.vectors:,} vectors kept as {imported.profile}"] if imported.vectors else []
        yield (Part(f"{imported.name}: {count(imported.records, 'record')}, {', '.join(counts)}"),)
        yield from ((Part(f"  {line}", "dim"),) for line in imported.left_out[:_MOST_NAMED])
        if len(imported.left_out) > _MOST_NAMED:
            yield (Part(f"  and {len(imported.left_out) - _MOST_NAMED:,} more; --json names them", "dim"),)
    if dry_run:
        yield (Part("Nothing was written.", "dim"),)
    elif all(imported.sha256 for imported in done.collections):
        yield (Part(f"{target} holds what {source} does; counts and checksums agree.", "dim"),)
    if done.embedded:
        yield (Part(f"{count(done.embedded, 'vector')} made by the library's own model.", "dim"),)
