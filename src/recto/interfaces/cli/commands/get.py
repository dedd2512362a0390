"""`recto get`: read what a hit points at, exactly as stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from recto.interfaces.cli import completing
from recto.interfaces.cli.highlight import flattened
from recto.interfaces.cli.layout import Line, Part
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer
from recto.interfaces.cli.results import root_of
from recto.interfaces.cli.session import opened
from recto.model.document import shown_path

if TYPE_CHECKING:
    from recto.operations.get import Passage

_COLUMNS = ("collection", "uri", "start_line", "end_line", "title", "heading_path", "text")


@click.command()
@click.argument("reference", metavar="REF", shell_complete=completing.uris)
@click.option("-c", "--collection", shell_complete=completing.collections, help="Where, when several have this uri.")
@click.option("-B", "--before", type=click.IntRange(0), default=0, metavar="N", help="N lines before it as well.")
@click.option("-A", "--after", type=click.IntRange(0), default=0, metavar="N", help="N lines after it as well.")
@shared_options
@pass_choices
def get(choices: Choices, reference: str, collection: str | None, before: int, after: int) -> None:
    """Print a document, some of its lines, a section or a chunk.

    \b
    REF is one of   notes/a.md             the whole document
                    notes/a.md:10-20       lines 10 to 20
                    notes/a.md#anchor      a section, by anchor, title or heading path
                    chk_…                  a chunk, by the id a search gave

    Into a pipe or a file goes the exact text and nothing else.
    """
    from recto.operations.get import GetRequest, as_json, backlinks_of, read

    with opened(choices) as session:
        passage = read(session.engine, GetRequest(reference, collection, before, after))
        pointing = backlinks_of(session.engine, passage.document)
        root = root_of(passage.document.collection, passage.document.kind, session.roots())
    row = {**as_json(passage), **({"backlinks": list(pointing)} if pointing else {})}
    choices.answer(
        Answer(
            data=row,
            rows=[row],
            columns=_COLUMNS,
            cells=lambda: [[shown_path(passage.heading_path) if c == "heading_path" else row[c] for c in _COLUMNS]],
            text=lambda width: _text(passage, pointing),
            files=[f"{root / passage.document.uri}:{passage.lines.first}"] if root else [],
            markdown=lambda: passage.text,
            exact=passage.text,
        )
    )


def _text(passage: Passage, pointing: Sequence[str]) -> Iterator[Line]:
    document, lines = passage.document, passage.lines
    path = f"  {shown_path(passage.heading_path)}" if passage.heading_path else ""
    yield Part(f"{document.collection}/{document.uri}:{lines.first}-{lines.last}", "place"), Part(path, "heading")
    if pointing:
        yield (Part(f"linked from {', '.join(pointing)}", "dim"),)
    for line in flattened(passage.text).split("\n"):
        yield (Part(line),)
