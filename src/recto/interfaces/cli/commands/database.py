"""`recto db`: a whole library copied, saved, brought up to date, checked and thinned out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli.errors import Exit
from recto.interfaces.cli.layout import Line, Part, columns, count, size
from recto.interfaces.cli.options import Choices, LibraryPlace, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.session import opened

if TYPE_CHECKING:
    from recto.engine.importing import Imported
    from recto.model.location import Location
    from recto.operations.database import Migrated, Saved, Upgraded
    from recto.operations.pruning import Pruned

_PLACE = LibraryPlace(dir_okay=False, path_type=Path)


@click.group()
@shared_options
def db() -> None:
    """Look after a whole library: move it, save it, bring it up to date, check it, thin it out."""


@db.command()
@click.option(
    "--from",
    "source",
    type=LibraryPlace(path_type=Path),
    metavar="PATH|URL|FOLDER",
    help="The library to copy, the configured one unless said; or a Chroma directory.",
)
@click.option("--to", "target", type=_PLACE, metavar="PATH|URL", required=True, help="Where there is no library yet.")
@shared_options
@pass_choices
def migrate(choices: Choices, source: Location | None, target: Location) -> None:
    """Copy a library to another file or to a server, either way, and compare both.

    The source is only read. A copy that was interrupted goes on where it was when the same command is given again.
    From a Chroma directory each collection becomes a collection of the library, be that new or not; its vectors are
    kept, and Recto's own are made as for any text.
    """
    from recto.interfaces.cli.progress import progress
    from recto.operations.database import migrate as copy

    if isinstance(source, Path) and source.is_dir():
        _take_in(choices, source, target)
        return
    done = copy(source or _configured(choices), target, progress(quiet=choices.quiet))
    rows = [{"table": one.table, "rows": one.rows, "sha256": one.sha256} for one in done.carried]
    data = {"source": done.source, "target": done.target, "resumed": done.transfer.resumed, "tables": rows}
    choices.answer(Answer(data, rows, ("table", "rows", "sha256"), lambda width: _migrated(done), brief=True))


@db.command()
@click.argument("to", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace a file of that name.")
@shared_options
@pass_choices
def backup(choices: Choices, to: Path, force: bool) -> None:
    """Save the library to a file, while it is in use."""
    from recto.operations.database import backup as save

    choices.answer(_saved(save(_configured(choices), to, replace=force), "Saved the library to"))


@db.command()
@click.argument("saved", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Where there is a library already, keep it beside the restored one.")
@shared_options
@pass_choices
def restore(choices: Choices, saved: Path, force: bool) -> None:
    """Put a saved library back where the configuration looks for one."""
    from recto.operations.database import restore as put_back

    choices.answer(_saved(put_back(saved, _configured(choices), replace=force), "Restored"))


@db.command()
@click.option("--background", is_flag=True, help="Leave new vectors to `recto worker`.")
@click.option("--rebuild", is_flag=True, help="Read every file again, whatever its recipe.")
@shared_options
@pass_choices
def upgrade(choices: Choices, background: bool, rebuild: bool) -> None:
    """Bring the library up to this version of Recto and to the configuration: schema, chunks, words, vectors.

    A file of an older schema is saved beside itself first; save a server's library with `pg_dump` before. Files that
    were indexed another way than the configuration says are indexed again; texts are embedded again only where the
    model changed.
    """
    from recto.interfaces.cli.progress import progress
    from recto.operations.database import upgrade as bring_up
    from recto.operations.database import upgrade_schema

    kept = upgrade_schema(_configured(choices))
    with opened(choices) as session:
        done = bring_up(session.engine, background=background, rebuild=rebuild, progress=progress(quiet=choices.quiet))
    row: dict[str, Any] = {
        "differences": list(done.differences),
        "promised": done.promised,
        "saved": str(kept) if kept else None,
    }
    choices.answer(Answer(row, [row], tuple(row), lambda width: _upgraded(done, kept), brief=True))


@db.command()
@shared_options
@pass_choices
def complete(choices: Choices) -> Exit:
    """Index what the library lacks by today's configuration: new kinds of files, changed chunking, missing vectors.

    Only files that would come out otherwise are read again.
    """
    from recto.interfaces.cli.commands.index import report_answer
    from recto.interfaces.cli.progress import progress
    from recto.operations.index import complete as is_whole

    with opened(choices) as session:
        report = session.engine.index(progress=progress(quiet=choices.quiet))
    whole = is_whole(report)
    choices.answer(report_answer(report, verbose=choices.verbose, brief=whole))
    return Exit.OK if whole else Exit.PARTIAL


@db.command()
@click.option("--older-than", metavar="DAYS", type=float, help="Versions that were replaced longer ago than this.")
@click.option("--keep", metavar="N", type=click.IntRange(min=0), help="All but so many earlier versions of a document.")
@click.option(
    "--max-bytes", metavar="N", type=click.IntRange(min=0), help="The oldest, until earlier texts take no more."
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@shared_options
@pass_choices
def prune(choices: Choices, older_than: float | None, keep: int | None, max_bytes: int | None, dry_run: bool) -> None:
    """Let earlier versions of documents go, with the texts and vectors nothing else needs.

    What is current and what was remembered stays, whatever is asked. Without an option, what nothing refers to goes.
    """
    from recto.operations.pruning import prune as thin_out

    with opened(choices) as session:
        done = thin_out(session.engine, older_than_days=older_than, keep=keep, max_bytes=max_bytes, dry_run=dry_run)
    row = {
        "versions": done.versions,
        "texts": done.texts,
        "vectors": done.vectors,
        "bytes": done.bytes,
        "dry_run": dry_run,
    }
    choices.answer(Answer(row, [row], tuple(row), lambda width: _pruned(done, dry_run), brief=True))


@db.command()
@shared_options
@pass_choices
def check(choices: Choices) -> Exit:
    """Read the whole library and say what is wrong with it. Exit code 6 means that something is."""
    with opened(choices) as session:
        problems = session.engine.store.check()
    rows = [{"problem": one} for one in problems]
    text = [(Part(one, "bad"),) for one in problems] or [(Part("Nothing is wrong with the library.", "good"),)]
    choices.answer(Answer({"sound": not problems, "problems": list(problems)}, rows, ("problem",), lambda width: text))
    return Exit.PARTIAL if problems else Exit.OK


@db.command()
@shared_options
@pass_choices
def repair(choices: Choices) -> Exit:
    """Make anew what can be made anew: the word index, and chunks of memories and of files still in their folders.

    Versions are never made up: where one is damaged, restore a backup.
    """
    from recto.interfaces.cli.progress import progress
    from recto.operations.database import repair as make_anew

    with opened(choices) as session:
        done = make_anew(session.engine, progress(quiet=choices.quiet))
    row = {"found": list(done.found), "left": list(done.left)}
    text = [(Part(one, "bad"),) for one in done.left]
    repaired = count(max(0, len(done.found) - len(done.left)), "problem")
    text.append((Part(f"{repaired} repaired, {len(done.left)} left" if done.found else "Nothing was wrong."),))
    choices.answer(Answer(row, [row], tuple(row), lambda width: text))
    return Exit.PARTIAL if done.left else Exit.OK


def _take_in(choices: Choices, source: Path, target: Location) -> None:
    from recto.interfaces.cli.progress import progress
    from recto.operations.database import open_chroma, take_in_chroma

    with open_chroma(source) as directory, opened(choices, create=True, library=target) as session:
        done = take_in_chroma(session.engine, directory, progress(quiet=choices.quiet))
    rows = [
        {
            "collection": one.name,
            "records": one.records,
            "added": one.added,
            "unchanged": one.unchanged,
            "without_text": list(one.without_text),
            "vectors": one.vectors,
            "profile": one.profile or None,
            "sha256": one.sha256,
        }
        for one in done.collections
    ]
    data = {"source": str(source), "target": str(target), "embedded": done.embedded, "collections": rows}
    names = tuple(rows[0]) if rows else ("collection",)
    choices.answer(Answer(data, rows, names, lambda width: _taken_in(done, source, target), brief=True))


def _configured(choices: Choices) -> Location:
    from recto.config.load import library_location, load

    return library_location(load(choices.flags()).config)


def _migrated(done: Migrated) -> Iterator[Line]:
    yield from columns([(Part(f"  {one.table}"), Part(f"{one.rows:,}")) for one in done.carried if one.rows])
    again = ", continued from an earlier copy" if done.transfer.resumed else ""
    yield (Part(f"{done.target} holds the same {done.transfer.rows:,} rows as {done.source}{again}."),)
    yield (Part("Counts and checksums of every table agree.", "dim"),)


def _taken_in(done: Imported, source: Path, target: Location) -> Iterator[Line]:
    if not done.collections:
        yield (Part(f"{source} has no collections."),)
        return
    for one in done.collections:
        said = [f"{one.added:,} added" if one.added or not one.unchanged else "nothing new"]
        said += [f"{one.unchanged:,} there already"] if one.unchanged else []
        said += [f"{len(one.without_text):,} without a text left out"] if one.without_text else []
        said += [f"{one.vectors:,} vectors kept as {one.profile}"] if one.vectors else []
        yield (Part(f"{one.name}: {count(one.records, 'record')}, {', '.join(said)}"),)
    yield (Part(f"{target} holds what {source} does; counts and checksums agree.", "dim"),)
    if done.embedded:
        yield (Part(f"{count(done.embedded, 'vector')} made by the library's own model.", "dim"),)


def _saved(saved: Saved, word: str) -> Answer:
    row = {"path": str(saved.path), "bytes": saved.size, "sha256": saved.sha256}
    text = [(Part(f"{word} {saved.path} ({size(saved.size)})."),)]
    return Answer(row, [row], tuple(row), lambda width: text, files=[str(saved.path)], brief=True)


def _upgraded(done: Upgraded, kept: Path | None) -> Iterator[Line]:
    from recto.interfaces.cli.commands.index import summary

    if kept:
        yield (Part(f"As it was before: {kept}", "dim"),)
    said = f"changed: {', '.join(done.differences)}" if done.differences else "indexed as configured"
    yield (Part(f"The library is up to date; {said}."),)
    if done.report:
        yield (Part(summary(done.report), "dim"),)
    if done.promised:
        yield (Part("New vectors are promised: recto worker makes them.", "dim"),)


def _pruned(done: Pruned, dry_run: bool) -> Iterator[Line]:
    word = "would go" if dry_run else "went"
    told = f"{count(done.versions, 'version')}, {count(done.texts, 'text')}, {count(done.vectors, 'vector')}"
    yield (Part(f"{told} {word}, {size(done.bytes)} in all."),)
