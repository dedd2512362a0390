"""Applies a changed configuration to an open library, where that takes no other model or library."""

from __future__ import annotations

from octavo.config.schema import Config, Watch
from octavo.engine.engine import Engine
from octavo.fast_dataclass import replace

_FOLLOWED = ("ingest", "history", "retrieval", "writing")


def reconfigure(engine: Engine, before: Config, config: Config) -> bool:
    """Applies what needs no other model and no other library; whether any of it differs.

    That is which files are changed at, how they are watched, and what a search does unless told. What the operation
    `watch` switched meanwhile stays so until the setting itself changes.
    """
    watched = before.watch != config.watch
    changed = any(getattr(before, name) != getattr(config, name) for name in _FOLLOWED)
    if watched:
        _watch(engine, before.watch, config.watch)
    if changed:
        engine.use(replace(engine.library.config, **{name: getattr(config, name) for name in _FOLLOWED}))
    engine.watcher.look_again()  # the file of a folder may have changed what is read below it, and nothing else
    return watched or changed


def _watch(engine: Engine, before: Watch, now: Watch) -> None:
    watching = engine.watcher
    watching.settings = now
    otherwise = (before.polling, before.poll_ms) != (now.polling, now.poll_ms)
    again = watching.active and otherwise and now.enabled
    if watching.active and (otherwise or not now.enabled):
        watching.stop()
    if again or (now.enabled and not before.enabled):
        watching.start()
