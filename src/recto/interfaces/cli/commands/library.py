"""`recto init`, `add`, `remove`, `list`: the library and what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.errors import Conflict
from recto.interfaces.cli import completing
from recto.interfaces.cli.layout import Line, Part, columns, count
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.results import link
from recto.interfaces.cli.session import Session, chosen, opened

if TYPE_CHECKING:
    from recto.model.collection import Collection
    from recto.operations.status import CollectionStatus

_COLLECTION_COLUMNS = ("name", "root", "present", "indexed", "skipped", "failed", "tags")
_DOCUMENT_COLUMNS = ("collection", "uri")


@click.command()
@click.option("--here", is_flag=True, help="In this folder, as .recto/library.db, for work done from inside it.")
@shared_options
@pass_choices
def init(choices: Choices, here: bool) -> None:
    """Make a library.

    It goes into your data folder unless --library or RECTO_LIBRARY says otherwise. With --here it goes into the
    folder you are in, which keeps it beside its documents but within reach of programs that synchronise them.
    """
    if here and choices.library:
        raise click.UsageError("--here and --library both say where; give one of them.")
    library = make_here(Path.cwd()) if here else None
    with opened(choices, create=True, library=library) as session:
        path = session.library
        row = {"library": str(path), "project": session.engine.project.name}
    if library:
        from recto.config.here import make_known

        make_known(library)
    text = [(Part(f"The library is {path}."),), (Part("Next: recto add FOLDER --name NAME", "dim"),)]
    choices.answer(Answer(row, [row], tuple(row), lambda width: text, files=[str(path)], brief=True))


def make_here(directory: Path) -> Path:
    """The folder for a library of its own, told to git as something not to keep."""
    from recto.config.here import LIBRARY_HERE

    library = directory / LIBRARY_HERE
    library.parent.mkdir(exist_ok=True)
    ignore = library.parent / ".gitignore"
    if not ignore.exists():
        ignore.write_text(f"{library.name}*\n", "utf-8")
    return library


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", help="What to call it; the folder's own name unless said.")
@click.option("--include", multiple=True, metavar="GLOB", help="Take only what matches; may be repeated.")
@click.option("--ignore", multiple=True, metavar="GLOB", help="Leave out what matches; may be repeated.")
@click.option("--tag", "tags", multiple=True, help="A tag for every document; may be repeated.")
@click.option("--kind", type=click.Choice(["note", "doc"]), help="What the documents are, where they do not say.")
@click.option("--max-heading-depth", type=click.IntRange(0, 6), metavar="N", help="Deeper headings start no chunk.")
@click.option(
    "--intelligent-heading-depth/--no-intelligent-heading-depth",
    default=None,
    help="Choose that depth for each document by its size.",
)
@click.option("--history/--no-history", default=None, help="Index the commits of git repositories in it, or do not.")
@click.option("--max-commits", type=click.IntRange(1), metavar="N", help="Of each repository the newest N only.")
@click.option("--replace", is_flag=True, help="Point an existing collection at another folder.")
@shared_options
@pass_choices
def add(
    choices: Choices,
    folder: Path,
    name: str | None,
    include: tuple[str, ...],
    ignore: tuple[str, ...],
    tags: tuple[str, ...],
    kind: str | None,
    max_heading_depth: int | None,
    intelligent_heading_depth: bool | None,
    history: bool | None,
    max_commits: int | None,
    replace: bool,
) -> None:
    """Add a folder to the library as a collection. Nothing is read before `recto index`.

    Adding a collection again changes its settings; what it has indexed stays until the next run.
    """
    from recto.model.collection import CollectionSettings
    from recto.model.document import Kind
    from recto.operations.plain import plain
    from recto.operations.status import collection_state, collection_status

    root = folder.resolve()
    settings = CollectionSettings(
        include=include,
        ignore=ignore,
        tags=tuple(tag.lstrip("#") for tag in tags),
        kind=Kind(kind) if kind else None,
        max_heading_depth=max_heading_depth,
        intelligent_heading_depth=intelligent_heading_depth,
        history=history,
        max_commits=max_commits,
    )
    with opened(choices) as session:
        called = name if name is not None else collection_name(root)
        known = {one.name: one.root for one in session.engine.collections()}
        if known.get(called, root) != root and not replace:
            raise Conflict(
                f"the collection {called} is the folder {known[called]} already",
                hint="give this one another --name, or pass --replace to point the collection here",
            )
        collection = session.engine.add_collection(called, root, settings)
        row = plain(collection_state(collection_status(session.engine, collection)))
    text = [
        (Part(f"{'Changed' if called in known else 'Added'} {called}, the folder {root}."),),
        (Part("Next: recto index", "dim"),),
    ]
    columns = _COLLECTION_COLUMNS
    choices.answer(Answer({"collection": row}, [row], columns, lambda width: text, files=[str(root)], brief=True))


def collection_name(root: Path) -> str:
    """A folder's own name, without what a collection's name may not hold."""
    kept = "".join("-" if character in "/\\:" or not character.isprintable() else character for character in root.name)
    return kept.strip() or "files"


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=completing.collections)
@shared_options
@pass_choices
def remove(choices: Choices, names: tuple[str, ...]) -> None:
    """Remove collections from the library. Their folders are not touched."""
    with opened(choices) as session:
        for collection in chosen(session, names):
            session.engine.remove_collection(collection.name)
    rows = [{"name": name} for name in dict.fromkeys(names)]
    text = [(Part(f"Removed {row['name']}; its folder is as it was."),) for row in rows]
    choices.answer(Answer({"removed": rows}, rows, ("name",), lambda width: text, brief=True))


@click.command("list")
@click.option("--documents", is_flag=True, help="The documents rather than the collections.")
@click.option(
    "-c", "--collection", "names", multiple=True, shell_complete=completing.collections, help="Only this one."
)
@shared_options
@pass_choices
def list_collections(choices: Choices, documents: bool, names: tuple[str, ...]) -> None:
    """List the collections, or with --documents what they hold."""
    with opened(choices) as session:
        answer = _documents(session, names) if documents else _collections(session, names)
    choices.answer(answer)


def _collections(session: Session, names: tuple[str, ...]) -> Answer:
    from recto.operations.plain import plain
    from recto.operations.status import collection_state, collection_status

    found = [collection_status(session.engine, collection) for collection in chosen(session, names)]
    rows = [plain(collection_state(one)) for one in found]
    files = [one.collection.place for one in found if one.collection.on_disk]
    lines = list(collection_lines(found)) or [(Part("No collections yet: recto add FOLDER --name NAME", "dim"),)]
    return Answer({"collections": rows}, rows, _COLLECTION_COLUMNS, lambda width: lines, files=files)


def collection_lines(found: list[CollectionStatus]) -> Iterator[Line]:
    rows = [
        (Part(one.collection.name, "title"), _holds(one), _root(one.collection, present=one.present)) for one in found
    ]
    yield from columns(rows)


def _holds(one: CollectionStatus) -> Part:
    skipped = f", {one.skipped:,} skipped" if one.skipped else ""
    failed = f", {one.failed:,} failed" if one.failed else ""
    commits = f", {count(one.commits, 'commit')}" if one.commits else ""
    return Part(count(one.indexed, "document") + commits + skipped + failed, "warn" if one.failed else "")


def _root(collection: Collection, *, present: bool) -> Part:
    if not collection.on_disk:
        return Part("in no folder", "dim")
    root = str(collection.root)
    return Part(root, "place", collection.root.as_uri()) if present else Part(f"{root} (not there)", "bad")


def _documents(session: Session, names: tuple[str, ...]) -> Answer:
    engine = session.engine
    rows: list[dict[str, Any]] = []
    files, lines = [], []
    for collection in chosen(session, names):
        entries = engine.store.ledger.entries(engine.project.id, collection.id)
        for uri in sorted(uri for uri, entry in entries.items() if entry.document_id is not None):
            rows.append({"collection": collection.name, "uri": uri, "document_id": entries[uri].document_id})
            root = collection.root if collection.on_disk else None
            if root:
                files.append(str(root / uri))
            lines.append((Part(f"{collection.name}/{uri}", "", link(root, uri)),))
    return Answer({"documents": rows}, rows, _DOCUMENT_COLUMNS, lambda width: lines, files=files)
