"""An open library goes by a configuration that has changed meanwhile."""

from __future__ import annotations

from dataclasses import asdict, replace

from recto.config.schema import Config, Watch
from recto.engine.engine import Engine
from recto.engine.parts import WatchSettings
from recto.engine.wiring import looking

_LOOKING = ("ingest", "history", "retrieval")


def reconfigure(engine: Engine, before: Config, config: Config) -> bool:
    """Applies what needs no other model and no other library; whether any of it differs.

    That is which files are looked at, how they are watched, and what a search does unless told. What the operation
    `watch` switched meanwhile stays so until the setting itself changes.
    """
    watched = before.watch != config.watch
    looked = any(getattr(before, name) != getattr(config, name) for name in _LOOKING)
    if watched:
        _watch(engine, before.watch, config.watch)
    if looked:
        for one in (engine, *engine._others.values()):
            one._parts = replace(one._parts, **looking(config))
            one.defaults = one._parts.defaults
    if watched or looked:
        engine.watching.look_again()
    return watched or looked


def _watch(engine: Engine, before: Watch, now: Watch) -> None:
    watching = engine.watching
    watching.settings = WatchSettings(**asdict(now))
    otherwise = (before.polling, before.poll_ms) != (now.polling, now.poll_ms)
    again = watching.active and otherwise and now.enabled
    if watching.active and (otherwise or not now.enabled):
        watching.stop()
    if again or (now.enabled and not before.enabled):
        watching.start()
