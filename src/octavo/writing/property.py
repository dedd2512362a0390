"""One property of a note's front matter set or removed; every other line keeps its bytes."""

from __future__ import annotations

import json
import re

from octavo.errors import InvalidArgument
from octavo.parsing.markdown.frontmatter import load_yaml
from octavo.writing.edit import Edit
from octavo.writing.outline import Outline
from octavo.writing.spacing import line_ending

Scalar = str | int | float | bool | None
Value = Scalar | tuple[Scalar, ...]

_KEY = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_ ./-]*\Z")
_PLAIN = re.compile(r"[A-Za-z\u00c0-\u1fff/(][^\n\r:#\[\]{},&*!|>'\"%@`]*\Z")


def set_property(document: Outline, key: str, value: Value, *, remove: bool = False) -> Edit:
    """The text with this property; front matter is made where there is none."""
    check_key(key)
    text, floor, end = document.text, document.floor, document.start
    ending = line_ending(text)
    if end == floor:
        if remove:
            return Edit(text, floor, floor)
        made = document.written(f"---{ending}{_field(key, value, ending)}---{ending}")
        return Edit(text[:floor] + made + text[floor:], floor, floor + len(made))
    first = text.index("\n", floor) + 1
    last = text.rindex("\n", first - 1, end - 1) + 1
    raw = document.readable(text[first:last])
    _refuse_unreadable(raw)
    start, stop = _place(raw, key)
    field = "" if remove else _field(key, value, ending)
    new = raw[:start] + field + raw[stop:]
    _check(raw, new, key)
    whole = text[:first] + document.written(new) + text[last:]
    return Edit(whole, floor, end + len(whole) - len(text))


def check_key(key: str) -> None:
    if not _KEY.match(key) or key != key.strip():
        raise InvalidArgument(f"{key!r} cannot be a property's name", hint="use letters, digits, - and _")


def _place(raw: str, key: str) -> tuple[int, int]:
    """Where a property's lines are; the end, if it has none."""
    names = "|".join(re.escape(name) for name in (key, f'"{key}"', f"'{key}'"))
    opening = re.search(rf"^(?:{names})[ \t]*:(?:[ \t]|\r?$)", raw, re.MULTILINE)
    if opening is None:
        return len(raw), len(raw)
    stop = raw.find("\n", opening.end()) + 1 or len(raw)
    # Its value goes on in lines that are indented, or items of a list; comments and blank lines between stay with it.
    more = re.compile(r"(?:(?:[ \t]*\r?\n|#[^\n]*\n)*(?:[ \t]+[^ \t\r\n][^\n]*|-(?:[ \t][^\n]*|\r?))\n)+")
    rest = more.match(raw, stop)
    return opening.start(), rest.end() if rest else stop


def _field(key: str, value: Value, ending: str) -> str:
    if isinstance(value, tuple):
        items = "".join(f"{ending}  - {_written(item)}" for item in value)
        return f"{key}:{items or ' []'}{ending}"
    written = _written(value)
    return f"{key}: {written}{ending}" if written else f"{key}:{ending}"


def _written(value: Scalar) -> str:
    """A scalar as YAML reads it back, with its type."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return json.dumps(value)
    readable = _DATE.match(value) or _PLAIN.match(value)
    plain = readable is not None and value == value.strip() and value.lower() not in _WORDS
    return value if plain else json.dumps(value, ensure_ascii=False)


_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?\Z")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def _refuse_unreadable(raw: str) -> None:
    try:
        fields = load_yaml(raw)
    except Exception as error:
        raise InvalidArgument(f"the front matter cannot be read: {error}", hint="mend it by hand first") from None
    if fields is not None and not isinstance(fields, dict):
        raise InvalidArgument("the front matter is not a list of properties", hint="mend it by hand first")


def _check(before: str, after: str, key: str) -> None:
    """Every other property is what it was."""
    try:
        new, old = load_yaml(after) or {}, load_yaml(before) or {}
    except Exception:
        new, old = {}, {key: None, "": None}
    if {name: value for name, value in new.items() if name != key} != {
        name: value for name, value in old.items() if name != key
    }:
        raise InvalidArgument(f"{key} cannot be changed without changing others", hint="edit the file by hand")
