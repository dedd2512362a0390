"""A memory through time: read it as it was, see what changed, bring a version back, pin it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from recto.engine.engine import Engine
from recto.memory import commit, diffs, history
from recto.memory.quoting import PREFACE, quoted
from recto.model.limits import Field
from recto.model.memory import MemoryId, MemoryLink, MemoryVersion
from recto.operations.memories import (
    Asked,
    ItemName,
    MemoryState,
    Number,
    ProjectName,
    Time,
    circumstances,
    instant,
    item_named,
    state,
    when,
    within,
)


@dataclass(frozen=True, slots=True)
class MemoryGetRequest:
    """As it stands, at a version, or as of an instant."""

    item: ItemName
    version: Number | None = None
    as_of: Time | None = None
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class MemoryGetAnswer:
    item: str
    version: int
    kind: str
    scope: str
    title: str
    tags: tuple[str, ...]
    links: tuple[str, ...]
    pinned: bool
    status: str
    text: str
    author: str
    reason: str
    created_at: str
    valid_from: str
    valid_to: str | None = None
    supersedes: int | None = None
    superseded_by: int | None = None


@dataclass(frozen=True, slots=True)
class MemoryHistoryRequest:
    item: ItemName
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class VersionState:
    version: int
    title: str
    author: str
    reason: str
    created_at: str
    valid_from: str
    valid_to: str | None = None
    supersedes: int | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class ChangeState:
    """What was done, when, by whom and why, and how the memory stood after it."""

    action: str
    at: str
    version: int
    status: str
    pinned: bool
    author: str
    reason: str
    session: str | None = None


@dataclass(frozen=True, slots=True)
class MemoryHistoryAnswer:
    item: str
    title: str
    status: str
    versions: tuple[VersionState, ...]
    changes: tuple[ChangeState, ...]


@dataclass(frozen=True, slots=True)
class MemoryDiffRequest:
    """From one version to another; without them, from the one before last to the last."""

    item: ItemName
    old: Number | None = None
    new: Number | None = None
    context: Annotated[int, Field(ge=0, le=1_000, description="Unchanged lines around a change.")] = 3
    by_section: Annotated[bool, Field(description="Section by section, instead of the whole text.")] = False
    project: ProjectName | None = None


@dataclass(frozen=True, slots=True)
class SectionState:
    """`change` is added, removed or changed; `diff` is unified."""

    heading_path: tuple[str, ...]
    anchor: str
    change: str
    diff: str


@dataclass(frozen=True, slots=True)
class MemoryDiffAnswer:
    """`diff` is unified, and empty when the texts are the same; `sections` are there when they were asked for."""

    item: str
    old: int
    new: int
    diff: str
    sections: tuple[SectionState, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoryRestoreRequest(Asked):
    item: ItemName
    version: Number


@dataclass(frozen=True, slots=True)
class MemoryChangeRequest(Asked):
    item: ItemName


@dataclass(frozen=True, slots=True)
class MemoryLinkRequest(Asked):
    item: ItemName
    target: Annotated[str, Field(min_length=1, max_length=4_096, description="A uri, a memory's id, or any name.")]
    type: Annotated[str, Field(min_length=1, max_length=100, description="How they relate.")] = "mentions"


def memory_get(engine: Engine, request: MemoryGetRequest) -> MemoryGetAnswer:
    engine = within(engine, request.project)
    item = item_named(engine, request.item, partly=True)
    moment = history.as_of(engine.desk, item, instant(engine, request.as_of))
    shown = moment.shown if request.version is None else history.version(engine.desk, item.id, request.version)
    version = shown.version
    return MemoryGetAnswer(
        item=item.id,
        version=version.number,
        kind=item.kind.value,
        scope=item.scope,
        title=version.title,
        tags=version.tags,
        links=tuple(link.target for link in item.links),
        pinned=moment.pinned,
        status=moment.status.value,
        text=shown.text,
        author=version.author,
        reason=version.reason,
        created_at=when(version.created_at),
        valid_from=when(version.valid_from),
        valid_to=None if version.valid_to is None else when(version.valid_to),
        supersedes=version.supersedes,
        superseded_by=shown.superseded_by,
    )


def memory_get_text(answer: MemoryGetAnswer) -> str:
    about = [answer.kind, answer.scope, answer.created_at[:10], *(f"#{tag}" for tag in answer.tags)]
    about += ["pinned"] * answer.pinned + ["archived"] * (answer.status == "archived")
    if answer.superseded_by:
        about.append(f"superseded by v{answer.superseded_by}")
    return f"{PREFACE}\n\n{quoted(MemoryId(answer.item), answer.version, ' ' + ' '.join(about), answer.text)}"


def memory_history(engine: Engine, request: MemoryHistoryRequest) -> MemoryHistoryAnswer:
    engine = within(engine, request.project)
    told = history.history(engine.desk, item_named(engine, request.item, partly=True))
    return MemoryHistoryAnswer(
        item=told.item.id,
        title=told.item.title,
        status=told.item.status.value,
        versions=tuple(_version(one) for one in told.versions),
        changes=tuple(
            ChangeState(
                action=one.action.value,
                at=when(one.at),
                version=one.version,
                status=one.status.value,
                pinned=one.pinned,
                author=one.author,
                reason=one.reason,
                session=one.session_id,
            )
            for one in told.commits
        ),
    )


def memory_history_text(answer: MemoryHistoryAnswer) -> str:
    lines = [f"{answer.item} {answer.status}: {_plain(answer.title)}"]
    for one in answer.changes:
        told = ", ".join(filter(None, (one.author, one.reason)))
        lines.append(f"{one.at} {one.action} v{one.version}" + (f" ({_plain(told)})" if told else ""))
    return "\n".join(lines)


def memory_diff(engine: Engine, request: MemoryDiffRequest) -> MemoryDiffAnswer:
    engine = within(engine, request.project)
    item = item_named(engine, request.item, partly=True)
    new = request.new or item.version
    old = request.old or max(1, new - 1)
    told = diffs.diff(engine.desk, item.id, old, new, request.context)
    if not request.by_section:
        return MemoryDiffAnswer(item.id, old, new, told)
    found = diffs.section_diff(engine.desk, item.id, old, new, request.context)
    sections = tuple(SectionState(one.heading_path, one.anchor, one.change, one.diff) for one in found)
    return MemoryDiffAnswer(item.id, old, new, told, sections)


def memory_diff_text(answer: MemoryDiffAnswer) -> str:
    if not answer.diff:
        return f"{answer.item}: v{answer.old} and v{answer.new} are the same."
    if not answer.sections:
        return answer.diff
    return "\n".join(
        f"{one.change}: {_plain(' → '.join(one.heading_path)) or 'before the first heading'}\n{one.diff}"
        for one in answer.sections
    )


def memory_restore(engine: Engine, request: MemoryRestoreRequest) -> MemoryState:
    engine = within(engine, request.project)
    item = item_named(engine, request.item)
    return state(commit.restore(engine.desk, item.id, request.version, circumstances(request)))


def memory_pin(engine: Engine, request: MemoryChangeRequest) -> MemoryState:
    engine = within(engine, request.project)
    item = item_named(engine, request.item)
    return state(commit.pin(engine.desk, item.id, circumstances(request)))


def memory_unpin(engine: Engine, request: MemoryChangeRequest) -> MemoryState:
    engine = within(engine, request.project)
    item = item_named(engine, request.item)
    return state(commit.pin(engine.desk, item.id, circumstances(request), pinned=False))


def memory_link(engine: Engine, request: MemoryLinkRequest) -> MemoryState:
    engine = within(engine, request.project)
    item = item_named(engine, request.item)
    target = MemoryLink(request.target, request.type)
    return state(commit.link(engine.desk, item.id, target, circumstances(request)))


def _version(one: MemoryVersion) -> VersionState:
    return VersionState(
        version=one.number,
        title=one.title,
        author=one.author,
        reason=one.reason,
        created_at=when(one.created_at),
        valid_from=when(one.valid_from),
        valid_to=None if one.valid_to is None else when(one.valid_to),
        supersedes=one.supersedes,
        session=one.session_id,
    )


def _plain(text: str) -> str:
    return "".join(one if one.isprintable() else " " for one in text)
