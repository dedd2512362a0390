"""`octavo init` makes a library; `octavo list` lists its collections, documents or properties."""

from __future__ import annotations

import os
from pathlib import Path

import click

from octavo.config.folder_library_discovery import LIBRARY_HERE, trust
from octavo.errors import StorageError
from octavo.fast_dataclass import replace
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.default_operation_commands import operation_of, write_answer
from octavo.interfaces.cli.global_options import Choices, opened
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.interfaces.presenting.terminal_rendering import TerminalView
from octavo.operations.answer_table_rendering import Listing
from octavo.operations.library.requests import CollectionsListRequest
from octavo.operations.styled_answer_lines import Part
from octavo.path_resolution_and_private_folders import make_folder

_KEYS = Listing(rows="keys", columns=("key", "documents", "values"))
_DOCUMENTS = Listing(rows="documents", columns=("collection", "uri"))


@command(examples=["octavo init", "octavo init --here"])
@click.option("--here", is_flag=True, help="In this folder, as .octavo/library.db, for work done from inside it.")
def init(choices: Choices, here: bool) -> None:
    """Make a library.

    It goes into your data folder unless --library or OCTAVO_LIBRARY says otherwise. With --here it goes into the
    folder you are in, which keeps it beside its documents but within reach of programs that synchronise them.
    """
    if here and choices.library:
        raise click.UsageError("--here and --library both say where; give one of them.")
    library = make_here(Path.cwd()) if here else None
    with opened(choices, create=True, library=library) as session:
        path = session.library
        folders = {collection.name: collection.place for collection in session.engine.library.collections()}
        row = {"library": str(path), "project": session.engine.project.name, "collections": folders}
    if library:
        trust(library)
    text = [(Part(f"The library is {path}."),)]
    # One that came with a folder may name any other: whoever takes it over sees which before they are read.
    text += [(Part(f"It has {name} already, the folder {place}."),) for name, place in folders.items() if place]
    text.append((Part("Next: octavo start" if here else "Next: octavo add FOLDER --name NAME", "dim"),))
    choices.answer(Answer(row, [row], ("library", "project"), lambda width: text, files=[str(path)], brief=True))


def make_here(directory: Path) -> Path:
    """The folder for a library of its own, which git is told to ignore."""
    library = directory / LIBRARY_HERE
    for place in (library.parent, library):
        if place.is_symlink():
            raise click.UsageError(f"{place} is a link: nothing is written where it leads.")
    try:
        make_folder(library.parent)
        ignore = library.parent / ".gitignore"
        if not os.path.lexists(ignore):
            ignore.write_text("*\n", "utf-8")
    except OSError as error:
        raise StorageError(
            f"no library can be made in {directory}: {(error.strerror or str(error)).lower()}",
            hint="`octavo init` without --here makes one in your data folder, and --library names another place",
        ) from error
    return library


@command(CollectionsListRequest, "collections_list", name="list")
def collections_list(choices: Choices, request: CollectionsListRequest) -> None:
    operation = operation_of("list")
    with opened(choices) as session:
        answer = operation.run(session.engine, request)
        roots = session.roots()
    if answer.keys is not None:
        operation = replace(operation, listing=_KEYS)
    elif answer.documents is not None:
        operation = replace(operation, listing=_DOCUMENTS)
    write_answer(choices, operation, answer, TerminalView(roots=roots))
