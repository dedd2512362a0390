"""What operations on memories share: how a memory is named, shown and asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.memory.commit import Committed
from recto.memory.draft import Circumstances
from recto.model.limits import Field
from recto.model.memory import MemoryItem, MemoryKind, SessionId
from recto.operations import fields
from recto.operations.finding import moment

_KINDS = [kind.value for kind in MemoryKind]

ItemName = Annotated[
    str, Field(min_length=1, max_length=500, description="The memory's id, how it begins, or its title.")
]
KindName = Annotated[str, Field(description="What sort of memory it is.", json_schema_extra={"enum": _KINDS})]
Scope = Annotated[str, Field(min_length=1, max_length=200, description="What it belongs to: project, a task, a talk.")]
Tag = Annotated[str, Field(min_length=1, max_length=200)]
Tags = Annotated[tuple[Tag, ...], Field(max_length=50, description="Its tags.")]
Author = Annotated[str, Field(max_length=200, description="Who asks for it.")]
Reason = Annotated[str, Field(max_length=2_000, description="Why, in a sentence.")]
Session = Annotated[str, Field(max_length=100, description="The session it happens in.")]
Key = Annotated[
    str, Field(min_length=1, max_length=200, description="Idempotency key: asking again under it changes nothing.")
]
ProjectName = Annotated[
    str, Field(min_length=1, max_length=200, description="Another project of the library; else this server's own.")
]
Number = Annotated[int, Field(ge=1, description="The number of a version.")]
Time = Annotated[
    str, Field(pattern=fields.TIME, description="2024-05-01, a full ISO time, or an age: 36h 7d 2w 3m 1y.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What every change may say of itself."""

    author: Author = ""
    reason: Reason = ""
    session: Session | None = None
    idempotency_key: Key | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class MemoryState:
    """A memory as it stands. `action` is what was done to it, `unchanged` when nothing was."""

    item: str
    version: int
    action: str
    kind: str
    scope: str
    title: str
    tags: tuple[str, ...]
    pinned: bool
    status: str
    created_at: str
    updated_at: str
    replayed: bool = False
    similarity: float | None = None


def state(done: Committed, similarity: float | None = None) -> MemoryState:
    """The answer to a change. Asked again under its key, it names the version of the first answer."""
    item, commit = done.item, done.commit
    return MemoryState(
        item=item.id,
        version=commit.version,
        action=commit.action.value,
        kind=item.kind.value,
        scope=item.scope,
        title=item.title,
        tags=item.tags,
        pinned=commit.pinned,
        status=commit.status.value,
        created_at=when(item.created_at),
        updated_at=when(item.updated_at),
        replayed=done.replayed,
        similarity=None if similarity is None else round(similarity, 3),
    )


def state_text(answer: MemoryState) -> str:
    like = f" (likeness {answer.similarity})" if answer.similarity is not None else ""
    again = ", as answered before" if answer.replayed else ""
    title = "".join(one if one.isprintable() else " " for one in answer.title)
    return f"{answer.item} v{answer.version} {answer.action}{again}: {title} [{answer.kind}, {answer.scope}]{like}"


def circumstances(request: Asked) -> Circumstances:
    session = SessionId(request.session) if request.session else None
    return Circumstances(request.author, request.reason, session, request.idempotency_key)


def kind_named(name: str) -> MemoryKind:
    try:
        return MemoryKind(name)
    except ValueError:
        raise InvalidArgument(
            f"there is no kind of memory {name}", hint=f"choose one of: {', '.join(_KINDS)}"
        ) from None


def within(engine: Engine, project: str | None) -> Engine:
    """The engine of the project that was asked for by name, or this one."""
    return engine if project is None else engine.within(project)


def item_named(engine: Engine, name: str, *, partly: bool = False) -> MemoryItem:
    """`partly`: a part of the title is enough, where only one has it."""
    return engine.desk.item(name.strip(), partly=partly)


def instant(engine: Engine, text: str | None) -> float | None:
    """A time as it was written, ages counted from the engine's own clock."""
    return None if text is None else moment(text, datetime.fromtimestamp(engine.desk.clock(), UTC))


def when(timestamp: float) -> str:
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="milliseconds")
