"""Writes a memory into the file a person keeps it in, and leaves everything else in that file as it is.

Fields that Octavo does not know, the order of the lines, comments, line endings and the text stay byte for byte; only
fields whose value the memory contradicts are written anew, on the line where they stand.
"""

from __future__ import annotations

from typing import Any

from octavo.errors import InvalidArgument
from octavo.lazy_regex import regex
from octavo.memory.draft import checked
from octavo.memory.memory_markdown_files import MemoryNote, field_line, fields, read_note, write_note
from octavo.model.memory import DEFAULT_SCOPE, MemoryItem, MemoryKind, MemoryStatus
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.front_matter_parsing import front_matter

_LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_KEY = regex(r"(?:([A-Za-z_][\w-]*)|\"([^\"]+)\"|'([^']+)')[ \t]*:(?=\s|\Z)")
_COMMENT = regex(r"[ \t]+#[^\r\n\"']*")
_MARK = "\ufeff"
_DEFAULTS = {"type": MemoryKind.NOTE.value, "status": MemoryStatus.ACTIVE.value}


def edited(original: str, item: MemoryItem, text: str, given_title: str) -> str | None:
    """The file's text with what the memory says now; None when that cannot be said without losing something."""
    try:
        note = read_note(original)
    except InvalidArgument:
        return None
    head, body = _split(original)
    newline = "\r\n" if "\r\n" in original else "\n"
    if note.draft.text != text:
        blank = body[: len(body) - len(body.lstrip("\r\n"))] if head else ""
        body = (blank or newline if head else "") + text.replace("\n", newline)
    if not head:
        mark = _MARK if original.startswith(_MARK) else ""
        content = mark + write_note(item, "", given_title).replace("\n", newline) + body.removeprefix(_MARK)
    else:
        content = "".join([head[0], *_merged(head[1:-1], note, item, given_title, newline), head[-1], body])
    return content if _says(content, item, text) else None


def _split(original: str) -> tuple[list[str], str]:
    """The lines of the front matter with the rules around it, and what follows; no lines when there is none."""
    text = normalise(original)
    count = text[: front_matter(text).end].count("\n")
    lines = _LINE.findall(original)
    return lines[:count], "".join(lines[count:])


def _merged(lines: list[str], note: MemoryNote, item: MemoryItem, given_title: str, newline: str) -> list[str]:
    expected = fields(item, given_title)
    wrong = _contradicted(note, item)
    present = set[str]()
    merged: list[str] = []
    at = 0
    while at < len(lines):
        end = _end_of_field(lines, at)
        match = _KEY.match(lines[at])
        name = next(filter(None, match.groups()), "") if match else ""
        present.add(name)
        if name in wrong:
            value = item.title if name == "title" else expected.get(name, _EMPTY.get(name))
            if value is not None:
                comment = _COMMENT.search(lines[at], match.end() if match else 0)
                merged.append(field_line(name, value) + (comment[0] if comment else "") + newline)
        else:
            merged += lines[at:end]
        at = end
    missing = (name for name, value in expected.items() if name not in present and _DEFAULTS.get(name) != value)
    return [*merged, *(field_line(name, expected[name]) + newline for name in missing)]


_EMPTY: dict[str, Any] = {"pinned": False, "scope": DEFAULT_SCOPE}
"""What a field says that has its default, where a person wrote the field down."""


def _end_of_field(lines: list[str], start: int) -> int:
    """The index after a field's last line: what follows its key indented, or as a list, is its value."""
    end = start + 1
    if _KEY.match(lines[start]) is None:
        return end
    ahead = end
    while ahead < len(lines) and (lines[ahead][0] in " \t-" or not lines[ahead].strip()):
        ahead += 1
        if lines[ahead - 1].strip():
            end = ahead
    return end


def _contradicted(note: MemoryNote, item: MemoryItem) -> set[str]:
    """The fields of a file that say something else than the memory."""
    draft = note.draft
    tags = set(checked(draft).tags)
    # A tag inside the text need not be repeated in the front matter.
    unsaid = [tag for tag in item.tags if tag not in tags and f"#{tag}" not in draft.text]
    differing = {
        "id": note.item != item.id,
        "type": draft.kind is not item.kind,
        "status": note.status is not item.status,
        "title": draft.title != item.title,
        "scope": draft.scope != item.scope,
        "tags": bool(unsaid) or not tags <= set(item.tags),
        "pinned": note.pinned != item.pinned,
        "version": note.version != item.version,
    }
    return {name for name, differs in differing.items() if differs}


def _says(content: str, item: MemoryItem, text: str) -> bool:
    """Whether the file is read as this memory: front matter of an unusual shape may not be."""
    try:
        note = read_note(content)
    except InvalidArgument:
        return False
    expected = (item.id, item.version, text, item.kind, item.scope, item.status, item.pinned)
    draft = note.draft
    actual = (note.item, note.version, draft.text, draft.kind, draft.scope, note.status, note.pinned)
    return actual == expected and set(checked(draft).tags) <= set(item.tags) and draft.title in ("", item.title)
