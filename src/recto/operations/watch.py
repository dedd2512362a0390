"""Watch the folders, or stop watching them, for as long as this process lives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from recto.engine.engine import Engine
from recto.engine.watching import WatchState
from recto.model.limits import Field
from recto.operations.quoting import one_line


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """Without anything it only tells. What is changed here lasts until the process ends."""

    enabled: Annotated[bool, Field(description="Start or stop watching; left out, nothing changes.")] | None = None
    debounce_ms: (
        Annotated[int, Field(ge=250, le=30_000, description="How long a folder must be quiet before it is looked at.")]
        | None
    ) = None


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """`queued` paths wait to be looked at. `detail` says what is wrong with the folder, or why it is polled."""

    collection: str
    state: str
    queued: int
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class WatchAnswer:
    watching: bool
    queued: int
    debounce_ms: int
    folders: tuple[WatchedFolder, ...]


def watch(engine: Engine, request: WatchRequest) -> WatchAnswer:
    watching = engine.watching
    if request.debounce_ms is not None:
        watching.settings = replace(watching.settings, debounce_ms=request.debounce_ms)
    if request.enabled is True:
        watching.start()
    elif request.enabled is False:
        watching.stop()
    return told(engine)


def told(engine: Engine) -> WatchAnswer:
    state: WatchState = engine.watching.state()
    folders = tuple(WatchedFolder(one.collection, one.state, one.queued, one.detail or None) for one in state.folders)
    return WatchAnswer(state.active, state.queued, engine.watching.settings.debounce_ms, folders)


def text(answer: WatchAnswer) -> str:
    if not answer.watching:
        return "Folders are not watched."
    lines = [f"Watching {len(answer.folders)} folders; {answer.queued} changes wait; debounce {answer.debounce_ms} ms."]
    for one in answer.folders:
        detail = f" ({one.detail})" if one.detail else ""
        lines.append(one_line(f"- {one.collection}: {one.state}, {one.queued} queued{detail}"))
    return "\n".join(lines)
