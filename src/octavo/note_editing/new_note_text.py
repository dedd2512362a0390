"""The text of a new note: from a title and content, or from a template."""

from __future__ import annotations

from octavo.note_editing.blank_lines_and_line_endings import content_lines
from octavo.note_editing.front_matter_value_writing import PLACEHOLDER, TOML, filled
from octavo.note_editing.heading_lines import heading_line
from octavo.note_editing.note_heading_outline import BOM, headings, text_start
from octavo.note_editing.section_edits import without_own_heading


def new_note(title: str, content: str) -> str:
    front, body = _parted(content_lines(content))
    body = without_own_heading(body, 1, title)
    return "\n\n".join(piece for piece in (front, heading_line(1, title), body) if piece) + "\n"


def from_template(template: str, title: str, content: str, values: dict[str, str] | None = None) -> str:
    """The template's text with its fields replaced in one pass; braces around anything else stay."""
    template = content_lines(template.removeprefix(BOM))
    front, body = _parted(content_lines(content))
    if front and text_start(template):
        front, body = "", content_lines(content)
    fields = {**(values or {}), "title": title, "content": ""}
    if any((heading.level, heading.text) == (1, title) for heading in headings(_filled(template, fields) + "\n")):
        body = without_own_heading(body, 1, title)
    text = _filled(template, fields | {"content": body})
    if "{{content}}" not in template and body:
        text = f"{content_lines(text)}\n\n{body}" if content_lines(text) else body
    whole = content_lines(text)
    return "\n\n".join(piece for piece in (front, whole) if piece) + "\n"


def _filled(template: str, fields: dict[str, str]) -> str:
    toml = TOML.match(template)
    end = toml.end() if toml else text_start(template)
    front = filled(template[:end], fields) if end else ""
    return front + PLACEHOLDER.sub(lambda match: fields.get(match[1], match[0]), template[end:])


def _parted(content: str) -> tuple[str, str]:
    """Front matter at the beginning of content, and what follows it."""
    end = text_start(content)
    return content[:end].removesuffix("\n"), content_lines(content[end:])
