"""A memory as a Markdown file with front matter, and back."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import Any

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.errors import InvalidArgument
from octavo.fast_dataclass import dataclass
from octavo.lazy_regex import regex
from octavo.memory.draft import MemoryDraft
from octavo.model.memory import DEFAULT_SCOPE, MemoryId, MemoryItem, MemoryKind, MemoryStatus
from octavo.model.normalised_text_and_spans import normalise
from octavo.parsing.markdown.front_matter_parsing import front_matter, quoted

_SLUG_LENGTH = 60  # characters of a title in a file name
_PLAIN_SCALAR = regex(r"[A-Za-z_][A-Za-z0-9_./ -]*[A-Za-z0-9_]|[A-Za-z_]")
_YAML_KEYWORDS = {"null", "true", "false", "yes", "no", "on", "off", "none"}


@dataclass(frozen=True, slots=True)
class MemoryNote:
    """The content of a file: its text and its front matter. `version` is the memory's version it was written from."""

    item: MemoryId | None
    version: int | None
    draft: MemoryDraft
    status: MemoryStatus
    pinned: bool


def read_note(content: str) -> MemoryNote:
    """Parses a file; what its front matter leaves out has its default. Raises `InvalidArgument` when it cannot."""
    text = normalise(content)
    matter = front_matter(text)
    if matter.warnings:
        raise InvalidArgument(matter.warnings[0])
    data = matter.data
    name = data.get("id")
    version = data.get("version")
    tags = data.get("tags", ())
    draft = MemoryDraft(
        text=text[matter.end :].lstrip("\n"),
        kind=_kind(data.get("type")),
        scope=_text(data.get("scope")) or DEFAULT_SCOPE,
        title=_text(data.get("title")),
        tags=tuple(str(tag) for tag in (tags if isinstance(tags, list | tuple) else [tags]) if str(tag).strip()),
        created_at=_moment(data.get("created_at")),
    )
    return MemoryNote(
        item=MemoryId(name) if isinstance(name, str) and name.startswith("mem_") else None,
        version=version if isinstance(version, int) and not isinstance(version, bool) else None,
        draft=draft,
        status=MemoryStatus.ARCHIVED if _text(data.get("status")).lower() == "archived" else MemoryStatus.ACTIVE,
        pinned=data.get("pinned") is True,
    )


def write_note(item: MemoryItem, text: str, given_title: str) -> str:
    """The file content of a memory. `read_note` gives the same memory back."""
    lines = [field_line(name, value) for name, value in fields(item, given_title).items()]
    return "\n".join(["---", *lines, "---", "", text])


def fields(item: MemoryItem, given_title: str) -> dict[str, Any]:
    """The front matter of a memory's file, in its order; what has its default is left out."""
    named: dict[str, Any] = {"id": item.id, "type": item.kind.value, "status": item.status.value}
    if given_title:
        named["title"] = given_title
    if item.scope != DEFAULT_SCOPE:
        named["scope"] = item.scope
    if item.tags:
        named["tags"] = list(item.tags)
    if item.pinned:
        named["pinned"] = True
    created = when(item.created_at)
    return {**named, "created_at": created, "version": item.version}


def field_line(name: str, value: Any) -> str:
    return f"{name}: {_scalar(value)}"


def file_name(item: MemoryItem) -> str:
    """The title and enough of the id to be unique: `we-ship-on-mondays-0a1b2c3d.md`."""
    folded = unicodedata.normalize("NFKD", item.title.casefold()).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:_SLUG_LENGTH].rstrip("-")
    tail = item.id.removeprefix("mem_")[:8]
    return f"{slug}-{tail}.md" if slug else f"{tail}.md"


def _kind(value: Any) -> MemoryKind:
    named = _text(value).lower() or MemoryKind.NOTE.value
    try:
        return MemoryKind(named)
    except ValueError:
        known = ", ".join(kind.value for kind in MemoryKind)
        raise InvalidArgument(f"there is no type of memory {named}", hint=f"choose one of: {known}") from None


def _moment(value: Any) -> float | None:
    """A date or a time as ISO 8601 writes it, UTC when it names no zone; None for anything else."""
    try:
        moment = datetime.fromisoformat(_text(value))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(quoted(str(element)) for element in value)}]"
    written = str(value)
    plain = _PLAIN_SCALAR.fullmatch(written) and written.lower() not in _YAML_KEYWORDS
    return written if plain or isinstance(value, int) else quoted(written)
