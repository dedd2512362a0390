"""What is to be kept, who asks for it and why: everything a change of a memory begins with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from recto.errors import Conflict, InvalidArgument
from recto.memory.desk import Desk
from recto.model.document import Kind, Source
from recto.model.ids import document_id, text_hash
from recto.model.index import Prepared
from recto.model.memory import DEFAULT_SCOPE, MemoryId, MemoryKind, MemoryLink, SessionId, memory_uri
from recto.model.text import normalise

_TITLE = 80  # characters of a first line that stand for a text without a title
_LONGEST = 1_000_000  # characters: more is a document, not a memory


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be kept. Without a title the text's own first line serves."""

    text: str
    kind: MemoryKind = MemoryKind.NOTE
    scope: str = DEFAULT_SCOPE
    title: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[MemoryLink, ...] = ()
    pinned: bool = False
    valid_from: float | None = None
    valid_to: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    canonical_key: str | None = None
    doc_class: str = ""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Who asks for a change, why, in which session, and the key under which asking again changes nothing."""

    author: str = ""
    reason: str = ""
    session: SessionId | None = None
    key: str | None = None


NOBODY = Circumstances()


def checked(draft: Draft) -> Draft:
    """The draft with its text normalised, or the reason why it cannot be kept."""
    text = normalise(draft.text)
    if not text.strip():
        raise InvalidArgument(
            "there is nothing to remember: the text is empty", hint='give a text: `recto remember "what to keep"`'
        )
    if len(text) > _LONGEST:
        raise InvalidArgument(
            f"the text has {len(text):,} characters; a memory holds at most {_LONGEST:,}",
            hint="add the file's folder as a collection instead",
        )
    if not draft.scope.strip():
        raise InvalidArgument("a scope needs a name", hint=f"the usual scope is {DEFAULT_SCOPE}")
    if draft.valid_from is not None and draft.valid_to is not None and draft.valid_to <= draft.valid_from:
        raise Conflict(
            "a memory cannot stop being true before it starts", hint="give a valid_to that is later than valid_from"
        )
    tags = tuple(dict.fromkeys(tag.lstrip("#").strip() for tag in draft.tags))
    return replace(draft, text=text, tags=tuple(tag for tag in tags if tag))


def payload_of(action: str, draft: Draft | None, by: Circumstances, **more: Any) -> str:
    """A hash of everything that was asked for, the idempotency key aside."""
    asked = {"action": action, "draft": asdict(draft) if draft else None, "by": asdict(replace(by, key=None)), **more}
    return text_hash(json.dumps(asked, sort_keys=True, ensure_ascii=False, default=str))


def sequence_of(scope: str, session: SessionId | None) -> str:
    """What a new memory is one of: a session, or a scope of its own such as a conversation; empty when it is alone."""
    if session is not None:
        return f"{scope}#{session}"
    return "" if scope == DEFAULT_SCOPE else scope


def source_of(desk: Desk, name: MemoryId, draft: Draft, at: float) -> Source:
    uri = memory_uri(name)
    return Source(
        id=document_id(desk.project, desk.collection.id, uri),
        uri=uri,
        text=draft.text,
        modified_at=at,
        kind=Kind.MEMORY,
        tags=draft.tags,
        title=draft.title or first_line(draft.text),
        metadata={"memory_kind": draft.kind.value, "scope": draft.scope},
    )


def prepared_of(desk: Desk, name: MemoryId, draft: Draft, at: float) -> Prepared:
    """Cut and analysed; canonical documents without overlap, so that a pack of their parts repeats nothing."""
    prepare = desk.prepare if draft.canonical_key is None else desk.prepare_canonical
    return prepare(source_of(desk, name, draft, at))


def first_line(text: str) -> str:
    """What stands for a text without a title."""
    line = next(line for line in text.split("\n") if line.strip()).strip()
    if line.startswith(("#", "---")):
        return ""  # a heading or front matter: the parser finds the title itself
    return line if len(line) <= _TITLE else line[: _TITLE - 1].rsplit(" ", 1)[0] + "…"
