"""A memory as a file: Markdown with front matter that says what it is, and back."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from recto.errors import InvalidArgument
from recto.memory.draft import Draft
from recto.model.memory import DEFAULT_SCOPE, MemoryId, MemoryItem, MemoryKind, MemoryStatus
from recto.model.text import normalise
from recto.parsing.frontmatter import front_matter

_SLUG = 60  # characters of a title that name a file
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./ -]*[A-Za-z0-9_]|[A-Za-z_]")
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "none"}


@dataclass(frozen=True, slots=True)
class Note:
    """What a file says: its text, and what its front matter claims. `version` is the one it was written from."""

    item: MemoryId | None
    version: int | None
    draft: Draft
    status: MemoryStatus
    pinned: bool


def read_note(content: str) -> Note:
    """A file as a memory; what it does not say has its default. Raises `InvalidArgument` where that is impossible."""
    text = normalise(content)
    matter = front_matter(text)
    if matter.warnings:
        raise InvalidArgument(matter.warnings[0])
    data = matter.data
    name = data.get("id")
    version = data.get("version")
    tags = data.get("tags", ())
    draft = Draft(
        text=text[matter.end :].lstrip("\n"),
        kind=_kind(data.get("type")),
        scope=_text(data.get("scope")) or DEFAULT_SCOPE,
        title=_text(data.get("title")),
        tags=tuple(str(tag) for tag in (tags if isinstance(tags, list | tuple) else [tags]) if str(tag).strip()),
    )
    return Note(
        item=MemoryId(name) if isinstance(name, str) and name.startswith("mem_") else None,
        version=version if isinstance(version, int) and not isinstance(version, bool) else None,
        draft=draft,
        status=MemoryStatus.ARCHIVED if _text(data.get("status")).lower() == "archived" else MemoryStatus.ACTIVE,
        pinned=data.get("pinned") is True,
    )


def write_note(item: MemoryItem, text: str, given_title: str) -> str:
    """The file of a memory as it stands. Reading it gives the same memory back."""
    fields: list[tuple[str, Any]] = [("id", item.id), ("type", item.kind.value), ("status", item.status.value)]
    if given_title:
        fields.append(("title", given_title))
    if item.scope != DEFAULT_SCOPE:
        fields.append(("scope", item.scope))
    if item.tags:
        fields.append(("tags", list(item.tags)))
    if item.pinned:
        fields.append(("pinned", True))
    created = datetime.fromtimestamp(item.created_at, UTC).isoformat(timespec="seconds")
    fields += [("created_at", created), ("version", item.version)]
    lines = [f"{name}: {_scalar(value)}" for name, value in fields]
    return "\n".join(["---", *lines, "---", "", text])


def file_name(item: MemoryItem) -> str:
    """From the title, with enough of the id to tell it from others: `we-ship-on-mondays-0a1b2c3d.md`."""
    folded = unicodedata.normalize("NFKD", item.title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:_SLUG].rstrip("-")
    tail = item.id.removeprefix("mem_")[:8]
    return f"{slug}-{tail}.md" if slug else f"{tail}.md"


def _kind(value: Any) -> MemoryKind:
    named = _text(value).lower() or MemoryKind.NOTE.value
    try:
        return MemoryKind(named)
    except ValueError:
        known = ", ".join(kind.value for kind in MemoryKind)
        raise InvalidArgument(f"there is no type of memory {named}", hint=f"choose one of: {known}") from None


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return json.dumps([str(one) for one in value], ensure_ascii=False)
    written = str(value)
    plain = _PLAIN.fullmatch(written) and written.lower() not in _WORDS
    # JSON's strings are YAML's double-quoted ones.
    return written if plain or isinstance(value, int) else json.dumps(written, ensure_ascii=False)
