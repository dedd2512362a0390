"""The draft of a memory and its provenance: the input of every change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any

from octavo.errors import Conflict, InvalidArgument
from octavo.fast_dataclass import dataclass, replace
from octavo.memory.project_memories import ProjectMemories
from octavo.model.document import Kind, Source
from octavo.model.ids import document_id, text_hash
from octavo.model.memory import DEFAULT_SCOPE, MemoryId, MemoryItem, MemoryKind, MemoryLink, SessionId, memory_uri
from octavo.model.normalised_text_and_spans import normalise
from octavo.model.prepared_document import PreparedDocument
from octavo.sources.secret_redaction import redacted

_TITLE_LENGTH = 80  # characters of the first line that become the title of a text without one
_LONGEST = 1_000_000  # characters: more is a document, not a memory


_LATER_FIELDS = ("created_at", "allow_secrets")


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory to be stored. Without a title, the first line of the text becomes the title."""

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
    created_at: float | None = None
    """When the memory was first written down, if its source says so; else it is the time of its first commit."""
    allow_secrets: bool = False
    """Whether keys and tokens in it are stored as they are: somebody said that they are none, or they are stored."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who makes a change, why and in which session. `key` is the idempotency key: a retry under it changes nothing.

    The log can never be changed, so that no key or token may enter it.
    """

    author: str = ""
    reason: str = ""
    session: SessionId | None = None
    key: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "author", redacted(self.author)[0])
        object.__setattr__(self, "reason", redacted(self.reason)[0])
        if self.key is not None and redacted(self.key)[1]:
            object.__setattr__(self, "key", text_hash(self.key))


ANONYMOUS = Provenance()


def checked(draft: MemoryDraft) -> MemoryDraft:
    """The draft with its text and tags normalised; an error when it cannot be stored."""
    text = normalise(draft.text)
    if not text.strip():
        raise InvalidArgument(
            "there is nothing to remember: the text is empty", hint='give a text: `octavo remember "what to keep"`'
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
            "a memory cannot stop being true before it starts", hint="give a --valid-to later than --valid-from"
        )
    tags = tuple(dict.fromkeys(tag.lstrip("#").strip() for tag in draft.tags))
    return replace(draft, text=text, tags=tuple(tag for tag in tags if tag))


def draft_of(item: MemoryItem, text: str, title: str, tags: tuple[str, ...]) -> MemoryDraft:
    """The item with a text that it has had: what is stored may be stored again, whatever it looks like."""
    return MemoryDraft(
        *(text, item.kind, item.scope, title, tags, item.links),
        metadata=item.metadata,
        canonical_key=item.canonical_key,
        doc_class=item.doc_class,
        allow_secrets=True,
    )


def payload_of(action: str, draft: MemoryDraft | None, by: Provenance, **more: Any) -> str:
    """A hash of everything that was asked for, except the idempotency key."""
    fields = asdict(draft) if draft else None
    if fields is not None:
        # Payloads of libraries made before there were these fields stay the same.
        fields = {name: value for name, value in fields.items() if name not in _LATER_FIELDS or value}
    payload = {"action": action, "draft": fields, "by": asdict(replace(by, key=None)), **more}
    return text_hash(json.dumps(payload, sort_keys=True, ensure_ascii=False, default=str))


def first_written(draft: MemoryDraft, otherwise: float, now: float) -> float:
    """When a memory was written down. A time in the future is a mistake: nothing is newer than now."""
    return otherwise if draft.created_at is None else min(draft.created_at, now)


def sequence_of(scope: str, session: SessionId | None) -> str:
    """The sequence a new memory joins: its session, or a scope of its own such as a conversation; empty for none."""
    if session is not None:
        return f"{scope}#{session}"
    return "" if scope == DEFAULT_SCOPE else scope


def source_of(memories: ProjectMemories, name: MemoryId, draft: MemoryDraft, at: float) -> Source:
    uri = memory_uri(name)
    return Source(
        id=document_id(memories.project, memories.collection.id, uri),
        uri=uri,
        text=draft.text,
        modified_at=at,
        kind=Kind.MEMORY,
        tags=draft.tags,
        title=draft.title or first_line(draft.text),
        metadata={"memory_kind": draft.kind.value, "scope": draft.scope},
        allow_secrets=draft.allow_secrets,
    )


def prepared_of(memories: ProjectMemories, name: MemoryId, draft: MemoryDraft, at: float) -> PreparedDocument:
    """Chunked and analysed; canonical documents without overlap, so that a pack of their passages repeats nothing."""
    prepare = memories.prepare if draft.canonical_key is None else memories.prepare_canonical
    return prepare(source_of(memories, name, draft, at))


def first_line(text: str) -> str:
    """The title of a text that was given none."""
    line = next(line for line in text.split("\n") if line.strip()).strip()
    if line.startswith(("#", "---")):
        return ""  # a heading or front matter: the parser finds the title itself
    return line if len(line) <= _TITLE_LENGTH else line[: _TITLE_LENGTH - 1].rsplit(" ", 1)[0] + "…"
