"""`octavo config`: settings, where each comes from, and changing them."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from octavo.errors import ConfigurationError
from octavo.interfaces.cli import completion_values
from octavo.interfaces.cli.command_group_with_suggestions import CommandGroup
from octavo.interfaces.cli.commands_from_requests import command
from octavo.interfaces.cli.global_options import Choices, shared_options
from octavo.interfaces.presenting.formatted_answer_writing import Answer
from octavo.model.library_location import Location
from octavo.operations.styled_answer_lines import Line, Part, columns

if TYPE_CHECKING:
    from octavo.config.config_file_edits import Change


@click.group(cls=CommandGroup)
@shared_options
def config() -> None:
    """Look at settings, and change them.

    A setting comes from a flag, else the environment (OCTAVO_…), else the project's .octavo/config.toml, else your own
    configuration file, else it has its default.
    """


@config.add
@command(examples=["octavo config show --origin"])
@click.option("--origin", is_flag=True, help="Say where each value comes from.")
def show(choices: Choices, origin: bool) -> None:
    """Show every setting."""
    columns = ("name", "value", "origin") if origin else ("name", "value")
    rows = [{column: row[column] for column in columns} for row in _settings(choices)]
    data = {"settings": {row["name"]: {column: row[column] for column in columns[1:]} for row in rows}}
    choices.answer(Answer(data, rows, columns, lambda width: _as_toml(rows)))


@config.add
@command(name="get", examples=["octavo config get retrieval.limit"])
@click.argument("name", shell_complete=completion_values.settings)
def get_setting(choices: Choices, name: str) -> None:
    """Print one setting."""
    from octavo.config.setting_descriptions import describe, written

    describe(name)
    setting = next(row for row in _settings(choices) if row["name"] == name)
    text = [(Part(written(setting["value"]).strip('"')),)]
    choices.answer(Answer(setting, [setting], tuple(setting), lambda width: text))


@config.add
@command(name="describe", examples=["octavo config describe retrieval.limit", "octavo config describe retrieval"])
@click.argument("name", required=False, shell_complete=completion_values.settings)
def describe_settings(choices: Choices, name: str | None) -> None:
    """Say what a setting means: type, default, variable, current value and where it comes from.

    NAME is a setting such as retrieval.limit or a section such as retrieval; without it, every setting is listed.
    """
    rows = _described(choices, name)
    names = ("name", "meaning", "type", "default", "variable", "project_file", "value", "origin")
    data = rows[0] if len(rows) == 1 else {"settings": {row["name"]: row for row in rows}}
    text = _paragraphs(rows) if name else columns([(Part(row["name"]), Part(row["meaning"], "dim")) for row in rows])
    choices.answer(Answer(data, rows, names, lambda width: text))


_project_file = click.option(
    "--project-file", is_flag=True, help="Change the project's .octavo/config.toml, not your own configuration file."
)


@config.add
@command(name="set", examples=["octavo config set retrieval.limit 20"])
@click.argument("name", shell_complete=completion_values.settings)
@click.argument("values", nargs=-1, required=True, metavar="VALUE...", shell_complete=completion_values.setting_values)
@_project_file
def set_setting(choices: Choices, name: str, values: tuple[str, ...], project_file: bool) -> None:
    """Write a setting into a configuration file.

    Comments and order of the file stay. A setting that is a list takes several values, or an array as the file has it.
    Nothing is written unless the whole configuration is valid with the change.
    """
    from octavo.config.config_file_edits import set_value, target

    file = target(os.environ, Path.cwd(), project=project_file)
    _confirm(choices, set_value(file, name, values, os.environ, Path.cwd()))


@config.add
@command(name="unset", examples=["octavo config set retrieval.limit 20", "octavo config unset retrieval.limit"])
@click.argument("name", shell_complete=completion_values.settings)
@_project_file
def unset_setting(choices: Choices, name: str, project_file: bool) -> None:
    """Take a setting out of a configuration file, so that it has its default again."""
    from octavo.config.config_file_edits import target, unset

    _confirm(choices, unset(target(os.environ, Path.cwd(), project=project_file), name, os.environ, Path.cwd()))


@config.add
@command(examples=["octavo config edit"])
@_project_file
def edit(choices: Choices, project_file: bool) -> None:
    """Open a configuration file in your editor ($VISUAL or $EDITOR).

    The file is replaced when the editor is closed, if what it says is valid. A file that does not exist yet begins with
    every setting as a comment.
    """
    from octavo.config.config_file_edits import target
    from octavo.config.setting_descriptions import template

    file = target(os.environ, Path.cwd(), project=project_file)
    before = file.read_text("utf-8") if file.is_file() else template(in_project_file=project_file)
    folder = Path(tempfile.mkdtemp(prefix="octavo-config-"))
    draft = folder / file.name
    draft.write_text(before, "utf-8")
    changed = _edited(file, draft, before)
    shutil.rmtree(folder)
    data = {"file": str(file), "changed": changed}
    text = [(Part(f"Wrote {file}" if changed else f"Nothing changed in {file}"),)]
    choices.answer(Answer(data, [data], tuple(data), lambda width: text, files=[str(file)], brief=True))


@config.add
@command(examples=["octavo config path"])
def path(choices: Choices) -> None:
    """Print where the library and the configuration files are."""
    from octavo.config.folder_library_discovery import nearest, trusted
    from octavo.config.layered_config_loading import library_location, project_file, user_file

    here = Path.cwd()
    places: dict[str, Location | None] = {
        "library": library_location(choices.config()),
        "user": user_file(os.environ),
        "project": project_file(here),
    }
    unknown = nearest(here) if trusted(here) is None else None
    notes = {"unused": unknown} if unknown else {}
    rows = [_place(name, where) for name, where in (places | notes).items()]
    data = {row["name"]: row["path"] for row in rows}
    files = [row["path"] for row in rows if row["path"]]
    choices.answer(Answer(data, rows, ("name", "path", "exists"), lambda width: _places(rows), files=files))


def _edited(file: Path, draft: Path, before: str) -> bool:
    """Whether the file was replaced. An invalid draft is edited again, or left where the person can find it."""
    from octavo.config.config_file_edits import replace

    while True:
        click.edit(filename=str(draft))
        after = draft.read_text("utf-8")
        if after == before:
            return False
        try:
            replace(file, after, os.environ, Path.cwd())
            return True
        except ConfigurationError as error:
            again = sys.stdin.isatty() and click.confirm(f"{error.message}\nEdit it again?", True, err=True)
            if not again:
                hint = f"{file} is as it was; what you wrote is in {draft}"
                raise ConfigurationError(error.message, hint=hint) from error


def _place(name: str, where: Location | None) -> dict[str, Any]:
    """Whether a server has a library is for `octavo status` to find out: it may take a while to say no."""
    there = where.exists() if isinstance(where, Path) else None
    return {"name": name, "path": str(where) if where else None, "exists": bool(there) if where is None else there}


def _places(rows: list[dict[str, Any]]) -> Iterator[Line]:
    notes = {"unused": " (not made by you here: `octavo init --here` would take it into use)"}
    yield from columns([(Part(row["name"], "dim"), Part(row["path"] or "none"), _note(row, notes)) for row in rows])


def _note(row: dict[str, Any], notes: dict[str, str]) -> Part:
    return Part(notes.get(row["name"], "" if row["exists"] is not False or not row["path"] else "(not there)"), "dim")


def _settings(choices: Choices) -> list[dict[str, Any]]:
    from octavo.config.layered_config_loading import load, settings
    from octavo.config.setting_descriptions import plain

    loaded = load(choices.flags())
    return [
        {"name": name, "value": plain(value), "origin": loaded.origins[name]} for name, value in settings(loaded.config)
    ]


def _described(choices: Choices, name: str | None) -> list[dict[str, Any]]:
    from octavo.config.setting_descriptions import describe, described

    chosen = [setting for setting in described().values() if not name or setting.name.startswith(f"{name}.")]
    current = {row["name"]: row for row in _settings(choices)}
    return [
        {
            "name": setting.name,
            "meaning": setting.meaning,
            "type": setting.type,
            "default": setting.default,
            "variable": setting.variable,
            "project_file": setting.in_project_file,
            **{key: current[setting.name][key] for key in ("value", "origin")},
        }
        for setting in chosen or [describe(name or "")]
    ]


def _paragraphs(rows: list[dict[str, Any]]) -> Iterator[Line]:
    from octavo.config.setting_descriptions import written

    for at, row in enumerate(rows):
        if at:
            yield ()
        yield (Part(row["name"], "title"),)
        yield (Part(f"  {row['meaning']}"),)
        facts = {
            "type": row["type"],
            "default": written(row["default"]) or "unset",
            "value": f"{written(row['value']) or 'unset'} ({row['origin']})",
            "variable": row["variable"],
            "files": "yours or a project's" if row["project_file"] else "yours only",
        }
        yield from columns([(Part(f"  {fact}", "dim"), Part(text)) for fact, text in facts.items()])


def _confirm(choices: Choices, change: Change) -> None:
    from octavo.config.setting_descriptions import written

    data = {"name": change.name, "value": change.value, "file": str(change.file), "overridden_by": change.overridden}
    assigned = f"{change.name} = {written(change.value)}" if change.value is not None else f"{change.name} is unset"
    lines: list[Line] = [(Part(f"{assigned}  "), Part(f"# {change.file}", "dim"))]
    if change.overridden:
        lines.append((Part(f"It has no effect here: {change.overridden} sets it too, and goes first.", "warn"),))
    choices.answer(Answer(data, [data], tuple(data), lambda width: lines, files=[str(change.file)], brief=True))


def _as_toml(rows: list[dict[str, Any]]) -> Iterator[Line]:
    """Assignments as in a file; what is unset is a comment."""
    from octavo.config.setting_descriptions import written

    table = []
    for row in rows:
        unset = row["value"] is None
        text = f"# {row['name']} is unset" if unset else f"{row['name']} = {written(row['value'])}"
        table.append(
            (Part(text, "dim" if unset else ""), Part(f"# {row['origin']}" if row.get("origin") else "", "dim"))
        )
    yield from columns(table)
