"""Keep something, or put it away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.memory import commit
from recto.memory.draft import Draft, checked
from recto.memory.remember import remember as keep
from recto.model.limits import Field
from recto.model.memory import DEFAULT_SCOPE, MemoryKind, MemoryLink
from recto.operations.memories import (
    Asked,
    ItemName,
    KindName,
    MemoryState,
    Scope,
    Tags,
    Time,
    circumstances,
    instant,
    item_named,
    kind_named,
    state,
    within,
)


@dataclass(frozen=True, slots=True)
class RememberRequest(Asked):
    """One self-contained thing to keep. What is known already is answered with; what edits it becomes a version."""

    text: Annotated[str, Field(min_length=1, max_length=1_000_000, description="What to keep, in Markdown.")]
    kind: KindName = MemoryKind.NOTE.value
    scope: Scope = DEFAULT_SCOPE
    title: Annotated[str, Field(max_length=500, description="A title; else its first line serves.")] = ""
    tags: Tags = ()
    links: Annotated[tuple[str, ...], Field(max_length=50, description="Documents or memories it is about.")] = ()
    pin: Annotated[bool, Field(description="Keep it in front.")] = False
    valid_from: Time | None = None
    valid_to: Time | None = None
    force: Annotated[bool, Field(description="Keep it although it looks like a secret.")] = False


@dataclass(frozen=True, slots=True)
class ForgetRequest(Asked):
    item: ItemName


def remember(engine: Engine, request: RememberRequest) -> MemoryState:
    engine = within(engine, request.project)
    draft = checked(
        Draft(
            text=request.text,
            kind=kind_named(request.kind),
            scope=request.scope,
            title=request.title.strip(),
            tags=request.tags,
            links=tuple(MemoryLink(target) for target in request.links),
            pinned=request.pin,
            valid_from=instant(engine, request.valid_from),
            valid_to=instant(engine, request.valid_to),
        )
    )
    # Checked before the desk is opened: what is refused leaves no trace, not even an empty collection.
    done = keep(engine.desk, draft, circumstances(request), force=request.force)
    return state(done.committed, done.like.jaccard if done.like else None)


def forget(engine: Engine, request: ForgetRequest) -> MemoryState:
    """Out of every search; its history stays, and `memory_restore` brings it back."""
    engine = within(engine, request.project)
    item = item_named(engine, request.item)
    return state(commit.archive(engine.desk, item.id, circumstances(request)))
