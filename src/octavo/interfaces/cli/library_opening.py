"""Opens the library that a command's options and the configuration name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from octavo.interfaces.cli.global_options import Choices
from octavo.model.library_location import Location

if TYPE_CHECKING:
    from octavo.config.schema import Config
    from octavo.engine.engine import Engine
    from octavo.model.projects_and_collections import Collection


class Session(NamedTuple):
    """An open library with the configuration that led to it."""

    config: Config
    engine: Engine

    @property
    def library(self) -> Location | None:
        return self.engine.location

    def roots(self) -> dict[str, Path]:
        """Where each collection's documents lie on disk."""
        return self.engine.roots()


@contextmanager
def opened(
    choices: Choices,
    *,
    create: bool = False,
    writes: bool = False,
    library: Location | None = None,
    soon: str | None = None,
    profile: str | None = None,
) -> Iterator[Session]:
    """`library`, where given, goes before everything the configuration says. A project that the command line names is
    made only by what writes to it: a slip of the pen makes none.

    `soon` is what will be searched for at once, by a profile of this name or else by the configured one.
    """
    from octavo.engine.wiring import open_engine

    config = choices.config({"library": library} if library else None)
    by_meaning = soon is not None and _by_meaning(profile or config.retrieval.profile)
    existing = choices.project is not None and not (create or writes)
    engine = open_engine(config, create=create, soon=soon if by_meaning else None, existing=existing)
    try:
        yield Session(config, engine)
    finally:
        engine.close()


def _by_meaning(profile: str) -> bool:
    """Whether a built-in profile asks a model. What another one does is known once it is read."""
    from octavo.retrieval.profiles_by_name import BY_WORDS_ALONE, PROFILES

    return profile in PROFILES and profile not in BY_WORDS_ALONE


def chosen(session: Session, names: tuple[str, ...]) -> tuple[Collection, ...]:
    """The named collections, or all of them."""
    return tuple(session.engine.collection(name) for name in names) or session.engine.collections()
