"""Commit a memory exactly as it is given, and put one away: what `remember` and `forget` do without second thoughts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from recto.engine.engine import Engine
from recto.errors import InvalidArgument
from recto.memory import commit, history
from recto.memory.draft import Draft
from recto.memory.remember import refuse_secrets
from recto.model.limits import Field
from recto.model.memory import SUPERSEDES, MemoryItem, MemoryLink
from recto.operations.memories import (
    Asked,
    ItemName,
    KindName,
    MemoryState,
    Number,
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
class MemoryCommitRequest(Asked):
    """A new memory, or with `item` the next version of one. What is left out of a next version stays as it was."""

    __pydantic_config__ = {"json_schema_extra": {"dependentRequired": {"expected_version": ["item"]}}}  # noqa: RUF012

    text: Annotated[str, Field(min_length=1, max_length=1_000_000, description="What to keep, in Markdown.")]
    item: ItemName | None = None
    expected_version: Number | None = None
    kind: KindName | None = None
    scope: Scope | None = None
    title: Annotated[str, Field(max_length=500, description="A title; else its first line serves.")] = ""
    tags: Tags | None = None
    links: Annotated[tuple[str, ...], Field(max_length=50, description="Documents or memories it is about.")] = ()
    supersedes: Annotated[
        tuple[ItemName, ...], Field(max_length=50, description="Memories that hold no longer because of it.")
    ] = ()
    pin: Annotated[bool, Field(description="Keep it in front.")] = False
    valid_from: Time | None = None
    valid_to: Time | None = None
    force: Annotated[bool, Field(description="Keep it although it looks like a secret.")] = False


@dataclass(frozen=True, slots=True)
class MemoryArchiveRequest(Asked):
    item: ItemName


def memory_commit(engine: Engine, request: MemoryCommitRequest) -> MemoryState:
    engine = within(engine, request.project)
    item = item_named(engine, request.item) if request.item else None
    if request.expected_version is not None and item is None:
        raise InvalidArgument("expected_version speaks of an item, and none is given")
    draft = _draft(engine, request, item)
    if not request.force:
        refuse_secrets(draft)
    by = circumstances(request)
    if item is None:
        return state(commit.create(engine.desk, draft, by))
    return state(commit.revise(engine.desk, item.id, draft, by, expected=request.expected_version))


def memory_archive(engine: Engine, request: MemoryArchiveRequest) -> MemoryState:
    """Out of every search; its history stays, and `memory_restore` brings it back."""
    engine = within(engine, request.project)
    item = item_named(engine, request.item)
    return state(commit.archive(engine.desk, item.id, circumstances(request)))


def _draft(engine: Engine, request: MemoryCommitRequest, item: MemoryItem | None) -> Draft:
    replaced = [item_named(engine, name).id for name in request.supersedes]
    if item is not None and item.id in replaced:
        raise InvalidArgument(
            f"{item.id} cannot supersede itself", hint="a new version already takes the place of the one before"
        )
    links = (*map(MemoryLink, request.links), *(MemoryLink(name, SUPERSEDES) for name in replaced))
    kept = _kept(engine, item, request.text) if item else Draft(request.text)
    return replace(
        kept,
        kind=kind_named(request.kind) if request.kind else kept.kind,
        scope=request.scope or kept.scope,
        title=request.title.strip() or kept.title,
        tags=kept.tags if request.tags is None else request.tags,
        links=links,
        pinned=request.pin,
        valid_from=instant(engine, request.valid_from),
        valid_to=instant(engine, request.valid_to),
    )


def _kept(engine: Engine, item: MemoryItem, text: str) -> Draft:
    """What the item is, with another text; a title that was only its first line goes with the line."""
    given = history.given_title(engine.desk, item)
    return Draft(
        text, item.kind, item.scope, given, item.tags, canonical_key=item.canonical_key, doc_class=item.doc_class
    )
