"""The manual page, made from the commands themselves; make_cli_reference.py writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
from command_tree import Command, commands, exit_codes, global_options

from octavo.interfaces.cli.main import cli

_HEAD = r"""
.\" Written by scripts/make_cli_reference.py from the commands themselves: change those, not this page.
.TH OCTAVO 1 "" "Octavo" "User Commands"
.SH NAME
octavo \- search notes, code, git history and memories, by word and by meaning
.SH SYNOPSIS
.B octavo
.RI [ options ]
.I command
.RI [ arguments ]
.SH DESCRIPTION
""".lstrip()

_FILES = (
    ("~/.config/octavo/config.toml", "Your configuration; OCTAVO_CONFIG names another file."),
    (".octavo/config.toml", "The configuration of a project, in its folder or one above."),
    ("~/.local/share/octavo/library.db", "The library, unless --library or a setting names another."),
    (".octavoignore", "Patterns of files that are not indexed, as in .gitignore."),
)


def manual() -> str:
    return "\n".join([_HEAD.rstrip("\n"), *_lines(), ""])


def _lines() -> Iterator[str]:
    introduction = (cli.help or "").partition("\n\n")[0]
    yield _text(" ".join(introduction.split()))
    yield from _section("OPTIONS OF EVERY COMMAND")
    for option in global_options():
        yield from _option(option)
    yield from _section("COMMANDS")
    for command in commands():
        yield from _command(command)
    yield from _section("EXIT STATUS")
    yield from _verbatim(exit_codes())
    yield from _section("ENVIRONMENT")
    yield _text(
        "Every setting has a variable: OCTAVO_LIBRARY, OCTAVO_RETRIEVAL_LIMIT. `octavo config describe` lists them."
    )
    yield from _section("FILES")
    for path, meaning in _FILES:
        yield from (".TP", f".I {_text(path)}", _text(meaning))


def _section(title: str) -> Iterator[str]:
    yield f".SH {title}"


def _command(command: Command) -> Iterator[str]:
    yield f'.SS "{_text(command.usage)}"'
    for at, paragraph in enumerate(command.help):
        if paragraph.verbatim:
            yield from _verbatim(paragraph.text)
        else:
            yield from ((".PP",) if at else ())
            yield _text(paragraph.text)
    for option in command.options:
        yield from _option(option)
    if command.examples:
        yield from (".PP", "Examples:")
        yield from _verbatim("\n".join(command.examples))


def _option(option: click.Option) -> Iterator[str]:
    record = option.get_help_record(click.Context(cli))
    spelled = record[0] if record else ", ".join(option.opts)
    yield ".TP"
    yield rf"\fB{_text(spelled)}\fR"
    yield _text(record[1] if record else option.help or "")


def _verbatim(text: str) -> Iterator[str]:
    yield from (".PP", ".nf")
    yield from (_text(line) for line in text.splitlines())
    yield ".fi"


def _text(text: str) -> str:
    """Text in which nothing is a request to the formatter."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    escaped = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", escaped)
    escaped = "".join(char if char.isascii() else rf"\[u{ord(char):04X}]" for char in escaped)
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
