"""Writes from the commands their reference, the manual page and what `octavo --help` says of operations.

With --check, says whether they are current.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import click
from command_tree import Command, commands, exit_codes, global_options
from generated import ROOT, main
from man_page import manual

from octavo.interfaces.cli.operation_help_summaries import SUMMARIES
from octavo.operations.operation_lookup import COMMANDS

TARGET = ROOT / "docs" / "reference" / "commands.md"
MANUAL = ROOT / "docs" / "man" / "octavo.1"
SUMMARIES_MODULE = ROOT / "src" / "octavo" / "interfaces" / "cli" / "operation_help_summaries.py"

_INTRODUCTION = """\
# The command line

<!-- Written by scripts/make_cli_reference.py from the commands themselves: change those, not this page. -->

Answers go to stdout and nothing else does; errors and hints go to stderr, and progress too if it is a terminal.
`NO_COLOR` turns colours and links off. Control characters in names and texts are shown as `\\x1b` or `\\n` in every
format but JSON, which has them exactly, as escapes.

## Options of every command

They may be given before or after the command's name.
"""

_SUMMARIES = '''\
"""The line `octavo --help` shows for each operation, kept here so that help imports no operations.

Written by scripts/make_cli_reference.py from the table: change that, not this module.
"""

from __future__ import annotations

SUMMARIES = {{
{entries}
}}
'''

_FORMATS = """\
## Formats

| format | what is written |
| --- | --- |
| `text` | for people; plain into a pipe, and for `octavo get` the exact text |
| `md` | Markdown: hits as a list with quotations and citations, everything else as a table |
| `csv` | a header and a row for each hit, collection, file or setting |
| `files` | one path a line, `path:line` for a hit: what an editor takes |
| `json` | one object, with stable names |
| `jsonl` | one object a line: hits, collections, files or settings |

An empty result is valid in each of them. With `json` and `jsonl` an error is an object too:
`{"error": {"code": …, "message": …, "hint": …, "details": …}}`.

## Exit codes
"""


def summaries_module() -> str:
    entries = "\n".join(f'    "{name}": "{summary}",' for name, summary in SUMMARIES.items())
    return _SUMMARIES.format(entries=entries)


def reference() -> str:
    every = list(commands())
    parts = [_INTRODUCTION, _options(global_options()), _FORMATS, f"```\n{exit_codes()}\n```\n", _overview(every)]
    return "\n".join([*parts, *(line for command in every for line in _command(command))])


def _overview(every: Sequence[Command]) -> str:
    rows = [f"| [`{command.path}`](#{command.path.replace(' ', '-')}) | {command.help[0].text} |" for command in every]
    return "\n".join(["## Commands\n", "| command | what it does |", "| --- | --- |", *rows, ""])


def _command(command: Command) -> Iterator[str]:
    yield f"## {command.path}\n"
    yield f"```\n{command.usage}\n```\n"
    for paragraph in command.help:
        yield f"```\n{paragraph.text}\n```\n" if paragraph.verbatim else f"{paragraph.text}\n"
    if command.options:
        yield _options(command.options)
    if command.examples:
        yield "Examples:\n\n```\n" + "\n".join(command.examples) + "\n```\n"


def _options(options: Sequence[click.Option]) -> str:
    return "| option | meaning |\n| --- | --- |\n" + "\n".join(map(_row, options)) + "\n"


def _row(option: click.Option) -> str:
    spelled = ", ".join(f"`{spelling}`" for spelling in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {_value(option)}"
    shown = option.show_default if isinstance(option.show_default, str) else option.default
    default = f" The default is {shown}." if option.show_default else ""
    return f"| {spelled}{value} | {option.help or ''}{default} |"


def _value(option: click.Option) -> str:
    if isinstance(option.type, click.Choice):
        return "*" + " \\| ".join(str(choice) for choice in option.type.choices) + "*"
    if isinstance(option.type, click.IntRange):
        low, high = option.type.min, option.type.max
        return f"*{option.metavar or 'N'}, {low} to {high}*" if high is not None else f"*{option.metavar or 'N'}*"
    return "*" + (option.metavar or "TEXT").replace("|", " \\| ") + "*"


if __name__ == "__main__":
    SUMMARIES.clear()  # an operation that is new has to be in the other pages too
    SUMMARIES.update({words: row.summary for words, row in COMMANDS.items() if " " not in words})
    sys.exit(main({SUMMARIES_MODULE: summaries_module(), TARGET: reference(), MANUAL: manual()}))
