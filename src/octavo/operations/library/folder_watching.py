"""Says whether the folders are watched, and turns that on or off."""

from __future__ import annotations

from octavo.algorithms.text.time_parsing_and_formatting import when
from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace
from octavo.operations.library.requests import WatchRequest
from octavo.operations.library.results import WatchAnswer


def watch(engine: Engine, request: WatchRequest) -> WatchAnswer:
    watching = engine.watcher
    if request.debounce_ms is not None:
        watching.settings = replace(watching.settings, debounce_ms=request.debounce_ms)
    if request.enabled is True:
        watching.start()
    elif request.enabled is False:
        watching.stop()
    return watch_state(engine)


def watch_state(engine: Engine) -> WatchAnswer:
    state = engine.watcher.state()
    last = None if state.last_event is None else when(state.last_event)
    return WatchAnswer(state.active, state.queued, engine.watcher.settings.debounce_ms, state.folders, last)
