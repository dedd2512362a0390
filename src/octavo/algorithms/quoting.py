"""Retrieved text in front of a reader who also takes instructions: every line carries a mark the text cannot forge.

A closing tag or a fence could stand in the text itself and end the quotation early. A number and a bar in front of
each line cannot be written from inside.
"""

from __future__ import annotations


def one_line(text: str) -> str:
    """A name or a title, which may hold anything a file system or a heading can: never more than one line."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def quoted(text: str, first_line: int) -> str:
    """`text` with its line numbers: `  12| …`. What also ends a line to some readers starts no unmarked one."""
    lines = text.removesuffix("\n").split("\n")
    width = len(str(first_line + len(lines) - 1))
    marked = []
    for number, line in enumerate(lines, first_line):
        for part, piece in enumerate(line.splitlines() or [""]):
            marked.append(f"{'' if part else number:>{width}}| {piece}".rstrip(" "))
    return "\n".join(marked)
