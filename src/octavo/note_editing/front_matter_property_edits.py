"""One property of a note's front matter set or removed; every other line keeps its bytes."""

from __future__ import annotations

import json
import re

from octavo.errors import InvalidArgument
from octavo.lazy_regex import regex
from octavo.note_editing.blank_lines_and_line_endings import line_ending
from octavo.note_editing.front_matter_value_writing import TOML, Scalar, scalar, written_key
from octavo.note_editing.note_files import encoded
from octavo.note_editing.note_heading_outline import NoteOutline
from octavo.note_editing.section_edits import EditedText
from octavo.parsing.markdown.front_matter_parsing import load_yaml

Value = Scalar | tuple[Scalar, ...]

_KEY = regex(r"[A-Za-z0-9_][A-Za-z0-9_ ./-]*\Z")


def set_property(document: NoteOutline, key: str, value: Value, *, remove: bool = False) -> EditedText:
    """The text with this property; front matter is made where there is none."""
    check_key(key)
    text, floor, end = document.text, document.floor, document.start
    ending = line_ending(text)
    field = "" if remove else _field(key, value, ending)
    encoded(field)
    if end == floor:
        _refuse_other_languages(document)
        if remove:
            return EditedText(text, floor, floor)
        _check("", field, key, value, remove=False)
        made = f"---{ending}{field}---{ending}"
        return EditedText(text[:floor] + made + text[floor:], floor, floor + len(made))
    first = text.index("\n", floor) + 1
    last = text.rindex("\n", first - 1, end - 1) + 1
    raw = text[first:last]
    _refuse_unreadable(raw)
    places = _places(raw, key)
    # Written twice, the last is what readers take: that one is set, and all are removed.
    changed = places if remove else places[-1:] or [(len(raw), len(raw))]
    new = raw
    for start, stop in reversed(changed):
        new = new[:start] + field + new[stop:]
    _check(raw, new, key, value, remove=remove)
    whole = text[:first] + new + text[last:]
    return EditedText(whole, floor, end + len(whole) - len(text))


def check_key(key: str) -> None:
    if not _KEY.match(key) or key != key.strip():
        raise InvalidArgument(f"{key!r} cannot be a property's name", hint="use letters, digits, - and _")


def _places(raw: str, key: str) -> list[tuple[int, int]]:
    """Where the lines of a property are; several where it is written more than once."""
    names = "|".join(re.escape(name) for name in (key, f'"{key}"', f"'{key}'"))
    # Its value goes on in lines that are indented, or items of a list; comments and blank lines between stay with it.
    more = re.compile(r"(?:(?:[ \t]*\r?\n|#[^\n]*\n)*(?:[ \t]+[^ \t\r\n][^\n]*|-(?:[ \t][^\n]*|\r?))\n)+")
    places = []
    for opening in re.finditer(rf"^(?:{names})[ \t]*:(?:[ \t]|\r?$)", raw, re.MULTILINE):
        stop = raw.find("\n", opening.end()) + 1 or len(raw)
        rest = more.match(raw, stop)
        places.append((opening.start(), rest.end() if rest else stop))
    return places


def _field(key: str, value: Value, ending: str) -> str:
    if isinstance(value, tuple):
        items = "".join(f"{ending}  - {scalar(item)}" for item in value)
        return f"{written_key(key)}:{items or ' []'}{ending}"
    written = scalar(value)
    return f"{written_key(key)}: {written}{ending}" if written else f"{written_key(key)}:{ending}"


def _refuse_unreadable(raw: str) -> None:
    try:
        fields = load_yaml(raw)
    except Exception as error:
        raise InvalidArgument(f"the front matter cannot be read: {error}", hint="mend it by hand first") from None
    if fields is not None and not isinstance(fields, dict):
        raise InvalidArgument("the front matter is not a list of properties", hint="mend it by hand first")


def _check(before: str, after: str, key: str, value: Value, *, remove: bool) -> None:
    """The property reads as what was given, and every other one as before."""
    try:
        old, new = load_yaml(before) or {}, load_yaml(after) or {}
    except Exception:
        old, new = {"": None}, {}
    values = [new.pop(key)] if key in new else []
    old.pop(key, None)
    if new != old:
        raise InvalidArgument(f"{key} cannot be changed without changing others", hint="edit the file by hand")
    if bool(values) == remove or (values and not _reads_as(values[0], value)):
        raise InvalidArgument(f"{key} would not read as the value given", hint="edit the file by hand")


def _reads_as(stored: object, value: Value) -> bool:
    """A number of more digits than are read as one stays the text that it is written as."""
    if isinstance(value, tuple) and isinstance(stored, list):
        return len(stored) == len(value) and all(map(_reads_as, stored, value))
    return stored == value or stored == json.dumps(value)


def _refuse_other_languages(document: NoteOutline) -> None:
    """Front matter in TOML or JSON: a block of YAML above it would hide it from whoever reads it."""
    text, start = document.text, document.floor
    language = "TOML (+++)" if TOML.match(text, start) else "JSON" if _begins_with_json(text, start) else None
    if language:
        raise InvalidArgument(
            f"the front matter is {language}, and only YAML (---) is edited", hint="edit the file itself"
        )


def _begins_with_json(text: str, start: int) -> bool:
    try:
        return text.startswith("{", start) and bool(json.JSONDecoder().raw_decode(text, start)[0])
    except ValueError:
        return False
