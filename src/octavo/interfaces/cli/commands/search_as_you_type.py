"""`octavo pick`: search as you type below the prompt, and print where the chosen passage is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.engine.search.containing_file_on_disk import containing_file
from octavo.errors import OctavoError
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.error_exit_codes import Exit
from octavo.interfaces.cli.global_options import Choices
from octavo.interfaces.cli.terminal_list_picker import Choice, keyboard
from octavo.interfaces.cli.terminal_list_picker import pick as pick_from
from octavo.interfaces.presenting.editor_command import editor_command
from octavo.interfaces.presenting.formatted_answer_writing import Answer, OutputFormat
from octavo.interfaces.presenting.operation_answer_in_every_format import file_and_line
from octavo.operations.search.results import FoundHit
from octavo.operations.styled_answer_lines import Part

if TYPE_CHECKING:
    from octavo.interfaces.daemon.server_or_local_library import LibraryClient

_COLUMNS = ("path", "line", "place", "label")


@command(examples=["octavo pick dome humidity --first", "octavo pick closing --list"])
@click.argument("words", nargs=-1, metavar="[QUERY]...")
@click.option(
    "-c", "--collection", "collections", multiple=True, metavar="NAME", help="Only this one. May be repeated."
)
@click.option(
    "-n", "--limit", type=click.IntRange(1, 200), default=50, show_default=True, metavar="N", help="Most rows."
)
@click.option("--first", is_flag=True, help="Print the best one without asking.")
@click.option("--list", "all_rows", is_flag=True, help="Print all of them without asking.")
@click.option(
    "--open", "edit", is_flag=True, help="Open it in $VISUAL or $EDITOR, at the line, instead of printing it."
)
def pick(
    choices: Choices,
    words: tuple[str, ...],
    collections: tuple[str, ...],
    limit: int,
    first: bool,
    all_rows: bool,
    edit: bool,
) -> Exit:
    """Search as you type below the prompt, and print the chosen PATH:LINE.

    Rows are passages that the query finds by word and by meaning, then files whose names have its letters in order.
    The list is drawn on the terminal and only the choice goes to stdout, for `$(octavo pick)` and for editors. Where
    there is no terminal, all rows are printed, as with --list.

    \b
    In a shell:
      $EDITOR "$(octavo pick | cut -d: -f1)"
      octavo pick dome --open
    """
    from octavo.interfaces.daemon.server_or_local_library import LibraryClient

    query = " ".join(words)
    client = LibraryClient(choices.config())
    try:
        rows = _Rows(client, collections, limit)
        unasked = first or all_rows or choices.format is not OutputFormat.TEXT
        picked = rows.found(query) if unasked else _picked(rows, query)
    finally:
        client.close()
    picked = picked[:1] if first or edit else picked
    if not picked:
        return Exit.NO_MATCH
    if edit:
        return Exit(min(1, subprocess.call(editor_command(Path(picked[0].path), picked[0].line, os.environ))))
    shown = [{"path": row.path, "line": row.line, "place": row.place, "label": row.label} for row in picked]
    text = "".join(f"{row}\n" for row in picked)
    choices.answer(
        Answer(
            {"rows": shown},
            shown,
            _COLUMNS,
            lambda width: [(Part(str(row)),) for row in picked],
            files=[row.path for row in picked],
            exact=text,
        )
    )
    return Exit.OK


def _picked(rows: _Rows, query: str) -> Sequence[Choice]:
    with keyboard() as terminal:
        if terminal is None:
            if not query:
                raise click.UsageError("There is no terminal to type into: give a QUERY.")
            return rows.found(query)
        colours = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        chosen = pick_from(terminal, query, rows.found, colours=colours)
        return [chosen] if chosen else []


class _Rows:
    """What a query finds on this machine: passages of files, then files by name."""

    def __init__(self, client: LibraryClient, collections: tuple[str, ...], limit: int) -> None:
        self._client = client
        self._collections: dict[str, Any] = {"collections": collections} if collections else {}
        self._limit = limit
        listed = client.ask("collections_list", **self._collections).collections or ()
        self._roots = {state.name: Path(state.root) for state in listed if state.root}
        names = client.ask("collections_list", documents=True, **self._collections).documents or ()
        self._names = {
            f"{document.collection}/{document.uri}": (self._roots[document.collection], document.uri)
            for document in names
            if document.collection in self._roots
        }

    def found(self, query: str) -> list[Choice]:
        passages = self._passages(query) if query.strip() else []
        known = {row.place for row in passages}
        names = fuzzy_order(query, (name for name in self._names if name not in known))
        files = [Choice(str(containing_file(*self._names[name])), 1, name) for name in names[: self._limit]]
        return [*passages, *files][: self._limit]

    def _passages(self, query: str) -> list[Choice]:
        try:
            answer = self._client.ask(
                "search", query=query, limit=self._limit, max_excerpt_chars=100, **self._collections
            )
        except OctavoError:  # while a query is being typed it is often not one yet
            return []
        return [self._choice(hit) for hit in answer.hits if f"{hit.collection}/{hit.uri}" in self._names]

    def _choice(self, hit: FoundHit) -> Choice:
        place = f"{hit.collection}/{hit.uri}"
        file, line = file_and_line(*self._names[place], hit.kind, hit.start_line)
        return Choice(str(file), line, place, " → ".join(hit.heading_path) or hit.title)


_FIRST_OF_WORD = 8
_NEXT_TO_LAST = 5
_GAP = 1
_MOST_GAP = 3


def fuzzy_score(query: str, name: str) -> int | None:
    """How well a name has the letters of a query in their order; None where it does not. Spaces are ignored.

    >>> fuzzy_score("cld", "Closing down.md") is not None, fuzzy_score("xyz", "Closing down.md")
    (True, None)
    """
    letters = [letter for letter in query.casefold() if not letter.isspace()]
    folded = name.casefold()
    if len(folded) != len(name):  # a letter that folds to two: the positions of words would be wrong
        name = folded
    starts = (_score_from(letters, name, folded, start) for start in _places(letters, folded))
    return max((score for score in starts if score is not None), default=None if letters else 0)


def fuzzy_order(query: str, names: Iterable[str]) -> list[str]:
    """The names that match, best first; the shorter and then the earlier in the alphabet of equals."""
    scored = [(score, name) for name in names if (score := fuzzy_score(query, name)) is not None]
    return [name for score, name in sorted(scored, key=lambda pair: (-pair[0], len(pair[1]), pair[1]))]


def _places(letters: Sequence[str], folded: str) -> Iterable[int]:
    """Where a match may begin: at each place of the first letter."""
    at = folded.find(letters[0]) if letters else -1
    while at >= 0:
        yield at
        at = folded.find(letters[0], at + 1)


def _score_from(letters: Sequence[str], name: str, folded: str, start: int) -> int | None:
    score, last = 0, start - 1
    for letter in letters:
        at = _best_place(letter, name, folded, last + 1)
        if at is None:
            return None
        if _begins_word(name, at):
            score += _FIRST_OF_WORD
        if at == last + 1 and last >= start:
            score += _NEXT_TO_LAST
        score -= min(_MOST_GAP, _GAP * max(0, at - last - 1)) if last >= start else 0
        last = at
    return score


def _best_place(letter: str, name: str, folded: str, after: int) -> int | None:
    """The very next place if the letter is there, else the next start of a word with it, else its next place."""
    at = folded.find(letter, after)
    if at < 0:
        return None
    if at == after:
        return at
    place = at
    while place >= 0:
        if _begins_word(name, place):
            return place
        place = folded.find(letter, place + 1)
    return at


def _begins_word(name: str, at: int) -> bool:
    before = name[at - 1] if at else "/"
    return not before.isalnum() or (before.islower() and name[at].isupper())
