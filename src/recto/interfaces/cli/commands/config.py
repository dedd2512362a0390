"""`recto config`: settings, and where each came from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from recto.interfaces.cli import completing
from recto.interfaces.cli.layout import Line, Part, columns
from recto.interfaces.cli.options import Choices, pass_choices, shared_options
from recto.interfaces.cli.output import Answer

if TYPE_CHECKING:
    from recto.model.location import Location


@click.group()
@shared_options
def config() -> None:
    """Show settings and where they come from.

    A setting comes from a flag, else the environment (RECTO_…), else the project's .recto/config.toml, else your own
    configuration file, else it has its default.
    """


@config.command()
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
@shared_options
@pass_choices
def show(choices: Choices, origin: bool) -> None:
    """Show every setting."""
    columns = ("name", "value", "origin") if origin else ("name", "value")
    rows = [{column: row[column] for column in columns} for row in _settings(choices)]
    data = {"settings": {row["name"]: {column: row[column] for column in columns[1:]} for row in rows}}
    choices.answer(Answer(data, rows, columns, lambda width: _lines(rows)))


@config.command("get")
@click.argument("name", shell_complete=completing.settings)
@shared_options
@pass_choices
def get_setting(choices: Choices, name: str) -> None:
    """Print one setting."""
    from recto.config.load import unknown

    found = next((row for row in _settings(choices) if row["name"] == name), None)
    if found is None:
        raise unknown(name, f"{name} is not a setting")
    text = [(Part(_written(found["value"]).strip('"')),)]
    choices.answer(Answer(found, [found], tuple(found), lambda width: text))


@config.command()
@shared_options
@pass_choices
def path(choices: Choices) -> None:
    """Print where the library and the configuration files are."""
    from recto.config.here import found_here, known_here
    from recto.config.load import library_location, load, project_file, user_file

    here = Path.cwd()
    places: dict[str, Location | None] = {
        "library": library_location(load(choices.flags()).config),
        "user": user_file(os.environ),
        "project": project_file(here),
    }
    unknown = found_here(here) if known_here(here) is None else None
    notes = {"unused": unknown} if unknown else {}
    rows = [_place(name, where) for name, where in (places | notes).items()]
    data = {row["name"]: row["path"] for row in rows}
    files = [row["path"] for row in rows if row["path"]]
    choices.answer(Answer(data, rows, ("name", "path", "exists"), lambda width: _places(rows), files=files))


def _place(name: str, where: Location | None) -> dict[str, Any]:
    """Whether a server has a library is for `recto status` to find out: it may take a while to say no."""
    there = where.exists() if isinstance(where, Path) else None
    return {"name": name, "path": str(where) if where else None, "exists": bool(there) if where is None else there}


def _places(rows: list[dict[str, Any]]) -> Iterator[Line]:
    notes = {"unused": " (not made by you here: `recto init --here` would take it into use)"}
    yield from columns([(Part(row["name"], "dim"), Part(row["path"] or "none"), _note(row, notes)) for row in rows])


def _note(row: dict[str, Any], notes: dict[str, str]) -> Part:
    return Part(notes.get(row["name"], "" if row["exists"] is not False or not row["path"] else "(not there)"), "dim")


def _settings(choices: Choices) -> list[dict[str, Any]]:
    from recto.config.load import load, settings

    loaded = load(choices.flags())
    return [
        {"name": name, "value": _plain(value), "origin": loaded.origins[name]}
        for name, value in settings(loaded.config)
    ]


def _plain(value: Any) -> Any:
    from recto.model.location import DatabaseUrl

    if isinstance(value, Path | DatabaseUrl):
        return str(value)
    return list(value) if isinstance(value, tuple) else value


def _lines(rows: list[dict[str, Any]]) -> Iterator[Line]:
    """As TOML would have it; what is unset is a comment."""
    table = []
    for row in rows:
        unset = row["value"] is None
        text = f"# {row['name']} is unset" if unset else f"{row['name']} = {_written(row['value'])}"
        table.append(
            (Part(text, "dim" if unset else ""), Part(f"# {row['origin']}" if row.get("origin") else "", "dim"))
        )
    yield from columns(table)


def _written(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
