"""Writes docs/cli.md from the commands themselves; with --check, says whether it is up to date."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from recto.interfaces.cli import errors
from recto.interfaces.cli.main import COMMANDS, cli

TARGET = Path(__file__).parents[1] / "docs" / "cli.md"

_INTRODUCTION = """\
# The command line

<!-- Written by scripts/make_cli_reference.py from the commands themselves: change those, not this page. -->

Answers go to stdout and nothing else does; progress, errors and hints go to stderr, progress only where a terminal
watches. `NO_COLOR` turns colours and links off. Control characters in names and texts are written out as `\\x1b` or
`\\n` in every format but JSON, which keeps them exactly, as escapes.

## Options of every command

They may stand before or after the command's name.
"""

_FORMATS = """\
## Formats

| format | what is written |
| --- | --- |
| `text` | for people; plain into a pipe, and for `recto get` the exact text |
| `md` | Markdown: hits as a list with quotations and citations, everything else as a table |
| `csv` | a header and a row for each hit, collection, file or setting |
| `files` | one path a line, `path:line` for a hit: what an editor takes |
| `json` | one object, with stable names |
| `jsonl` | one object a line: hits, collections, files or settings |

An empty result is valid in each of them. With `json` and `jsonl` an error is an object too:
`{"error": {"code": …, "message": …, "hint": …, "details": …}}`.

## Exit codes
"""


def reference() -> str:
    context = click.Context(cli, info_name="recto")
    parts = [_INTRODUCTION, _options(cli, without=frozenset({"version"})), _FORMATS, _exit_codes()]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None
        parts += _command(command, f"recto {name}", context)
    return "\n".join(parts)


def _command(command: click.Command, path: str, parent: click.Context) -> Iterator[str]:
    context = click.Context(command, info_name=path.rpartition(" ")[2], parent=parent)
    yield f"## {path}\n"
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    yield _help(command)
    own = _options(command, without=frozenset(_names(cli)))
    if own:
        yield own
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _command(inner, f"{path} {name}", context)


def _help(command: click.Command) -> str:
    """The help text; what click is told to leave as it stands becomes a code block."""
    paragraphs = []
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            paragraphs.append(f"```\n{paragraph[2:]}\n```")
        else:
            paragraphs.append(paragraph.replace("\n", " "))
    return "\n\n".join(paragraphs) + "\n"


def _names(command: click.Command) -> Iterator[str]:
    yield from (one.name or "" for one in command.params if isinstance(one, click.Option))


def _options(command: click.Command, without: frozenset[str] = frozenset()) -> str:
    rows = [_row(one) for one in command.params if isinstance(one, click.Option) and one.name not in without]
    if not rows:
        return ""
    return "| option | meaning |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _row(option: click.Option) -> str:
    spelled = ", ".join(f"`{one}`" for one in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {_value(option)}"
    return f"| {spelled}{value} | {option.help or ''} |"


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "*" + " \\| ".join(str(one) for one in option.type.choices) + "*"
    if isinstance(option.type, click.IntRange):
        low, high = option.type.min, option.type.max
        return f"*{option.metavar or 'N'}, {low} to {high}*" if high is not None else f"*{option.metavar or 'N'}*"
    return f"*{option.metavar or 'TEXT'}*"


def _exit_codes() -> str:
    listed = inspect.cleandoc(errors.__doc__ or "").partition("\n\n")[2]
    return f"```\n{inspect.cleandoc(listed)}\n```\n"


def main() -> int:
    written = reference()
    if "--check" in sys.argv[1:]:
        if TARGET.is_file() and TARGET.read_text("utf-8") == written:
            return 0
        print(f"{TARGET} is not what the commands say: run `python scripts/make_cli_reference.py`", file=sys.stderr)
        return 1
    TARGET.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
