"""Values put into front matter: written so that a YAML or TOML reader gives the same text back."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping

from octavo.errors import InvalidArgument
from octavo.lazy_regex import regex
from octavo.parsing.markdown.front_matter_parsing import UNREADABLE, load_yaml, quoted

Scalar = str | int | float | bool | None

_PLAIN = regex(r"[A-Za-z\u00c0-\u1fff/(][^\n\r:#\[\]{},&*!|>'\"%@`]*\Z")
_DATE = regex(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?\Z")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})

PLACEHOLDER = regex(r"\{\{(\w+)\}\}")
TOML = regex(r"\+\+\+[ \t]*\r?\n(?:[^\n]*\n)*?\+\+\+[ \t]*(?:\r?\n|\Z)")
_LEAD = {
    "---": re.compile(r"[ \t]*+(?:-[ \t]+)*(?:[^\s\"'#\[{|>-][^:\n]*?:[ \t]+)?"),
    "+++": re.compile(r"[ \t]*+[^\s=#]+[ \t]*=[ \t]*"),
}
_COMMENT = regex(r"[ \t]+#[^\n]*\Z")
_BLOCK = regex(r"(?:^|[:-])[ \t]+[|>][-+0-9]*[ \t]*(?:#.*)?\Z")
_QUOTES = regex(r"\\?[\"']|\{\{(\w+)\}\}")


def scalar(value: Scalar) -> str:
    """A value as YAML reads it back, with its type."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value)
    plain = value.isprintable() and value == value.strip() and value.lower() not in _WORDS
    return value if _DATE.match(value) or (plain and _PLAIN.match(value)) else quoted(value)


def typed(written: str) -> Scalar | tuple[Scalar, ...]:
    """`4`, `2.5`, `true` and `[a, b]` as YAML reads them, and what stands in quotes without them; all else is text."""
    try:
        value = load_yaml(written)
    except Exception:
        return written
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return tuple(value)
    plain = isinstance(value, int | float) and json.dumps(value) == written
    return value if plain or (isinstance(value, str) and written[:1] in ('"', "'")) else written


def written_key(name: str) -> str:
    return quoted(name) if name.lower() in _WORDS else name


def filled(front: str, fields: Mapping[str, str]) -> str:
    """A template's front matter, from its first line of `---` or `+++` on, with its fields replaced."""
    lines, block = [], -1
    for line in front.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        block = block if indent > block or not line.strip() else -1
        lines.append(_filled_line(line, front[:3], fields) if block < 0 else _as_text(line, fields))
        if block < 0 and _BLOCK.search(line):
            block = indent
    made = "\n".join(lines)
    words = PLACEHOLDER.sub(lambda match: "x" if match[1] in fields else match[0], front)
    if _readable(words) and not _readable(made):
        given = ", ".join(sorted({match for match in PLACEHOLDER.findall(front) if match in fields}))
        raise InvalidArgument(
            f"the template's front matter cannot hold this {given}",
            hint='write each placeholder as a whole value, or in "double quotes"',
        )
    return made


def _filled_line(line: str, fence: str, fields: Mapping[str, str]) -> str:
    if not any(match in fields for match in PLACEHOLDER.findall(line)):
        return line
    lead = _LEAD[fence].match(line)
    start = lead.end() if lead else 0
    value = line[start:]
    if value[:1] in ('"', "'", "[") or (value[:1] == "{" and not value.startswith("{{")):
        return line[:start] + _filled_quotes(value, fields)
    value = _COMMENT.sub("", value).rstrip()
    behind = _as_text(line[start + len(value) :], fields)
    if not PLACEHOLDER.search(value) or value.startswith("#"):
        return _as_text(line[: start + len(value)], fields) + behind
    text = PLACEHOLDER.sub(lambda match: fields.get(match[1], match[0]), value)
    bare = _DATE.match(text) if fence == "+++" else not text
    return line[:start] + (text if bare else quoted(text) if fence == "+++" else scalar(text)) + behind


def _filled_quotes(value: str, fields: Mapping[str, str]) -> str:
    """A value that has quotes or brackets: each field as it must be written between those that are open."""
    pieces, done, opened = [], 0, ""
    for match in _QUOTES.finditer(value):
        pieces.append(value[done : match.start()])
        done = match.end()
        if match[1] is not None:
            pieces.append(_inside(opened, fields[match[1]]) if match[1] in fields else match[0])
            continue
        pieces.append(match[0])
        escaped = len(match[0]) == 2 and opened == '"'
        if not escaped and opened in ("", match[0][-1]):
            opened = "" if opened else match[0][-1]
    return "".join((*pieces, value[done:]))


def _inside(opened: str, text: str) -> str:
    if opened == '"':
        return quoted(text)[1:-1]
    return UNREADABLE.sub(" ", text).replace("'", "''") if opened else scalar(text)


def _as_text(line: str, fields: Mapping[str, str]) -> str:
    """In a comment or a block of text nothing is escaped: one line, without what YAML cannot hold."""
    return PLACEHOLDER.sub(lambda match: UNREADABLE.sub(" ", fields.get(match[1], match[0])), line)


def _readable(front: str) -> bool:
    body = "\n".join(front.rstrip("\n").split("\n")[1:-1])
    try:
        return isinstance(tomllib.loads(body) if front.startswith("+++") else load_yaml(body), dict)
    except Exception:  # whatever a reader says of hostile text
        return False
