"""Opening a library from Python: a path, and a configuration that is nobody else's unless asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from octavo.config.layered_config_loading import library_location, load, load_isolated
from octavo.config.schema import Config
from octavo.engine.wiring import open_engine
from octavo.engine.wiring.embedder_construction import ConfiguredEmbedder
from octavo.errors import InvalidArgument, NotFound, NotIndexed, OctavoError
from octavo.fast_dataclass import replace
from octavo.interfaces.python.library import Library
from octavo.interfaces.python.shared_engine_handle import Handle
from octavo.path_resolution_and_private_folders import expand_user

USER = "user"
Settings = Mapping[str, Any] | str | PathLike[str]

_embedders = cache(ConfiguredEmbedder)
"""One model for all libraries of this process that name the same: each would take tens of megabytes."""


def open(
    path: str | PathLike[str] | None = None,
    *,
    create: bool = False,
    project: str | None = None,
    config: Settings | None = None,
    also_search: Iterable[str | PathLike[str]] = (),
) -> Library:
    """Opens a library. It stands alone: no configuration file and no environment variable changes what it does.

    The encoder that ships with Octavo embeds what is indexed and asked, on this machine: nothing is downloaded and no
    key is needed.

    Args:
        path: The library's file, or the URL of a PostgreSQL database.
        create: Make the library when there is none.
        project: The project whose collections and memories it shows; `default` unless said.
        config: Settings by name, such as `{"retrieval.limit": 5}`; or a TOML file of them; or `"user"` for what
            the command `octavo` would go by here: the user's file, the project's and the environment. With `"user"`
            the path may be left out.
        also_search: Further libraries that `search` and `get` read; nothing is written to them. Each hit has its
            `library`, and one that does not answer is named in `degraded`.

    Raises:
        NotFound: There is no library at the path or in the database, and `create` was not given.
        ConfigurationError: A setting is unknown or malformed.
    """
    chosen, profiles = _configuration(config, _flags(path, project, also_search))
    if chosen.library is None and config != USER:
        raise InvalidArgument("no library was named", hint=f'give a path, or config="{USER}" for the one `octavo` uses')
    place = library_location(chosen)
    if isinstance(place, Path):
        place = place.absolute()  # each thread opens a connection of its own, wherever the process has gone by then
    also = tuple(expand_user(other).absolute() if isinstance(other, Path) else other for other in chosen.also_search)
    chosen = replace(chosen, library=place, also_search=also)
    try:
        engine = open_engine(chosen, create=create, profiles=profiles, embedders=_embedders)
    except NotIndexed as error:
        raise NotFound(str(error), hint="create=True makes one") from error
    except OctavoError as error:
        error.hint = error.hint and re.sub(" with --library|--library ", "", error.hint)
        raise
    return Library(Handle(engine), str(place), engine.project.name)


def _flags(
    path: str | PathLike[str] | None, project: str | None, also: Iterable[str | PathLike[str]]
) -> dict[str, Any]:
    if path is not None and not isinstance(path, str | PathLike):
        raise InvalidArgument(f"{path!r} is not a path", hint="give a string or a pathlib.Path")
    others = [fspath(other) for other in also] or None
    flags = {"library": None if path is None else fspath(path), "project": project, "also_search": others}
    return {name: value for name, value in flags.items() if value is not None}


def _configuration(given: object, flags: Mapping[str, Any]) -> tuple[Config, tuple[Path, ...] | None]:
    """The configuration, and the folders of its retrieval profiles: None for those of this process's surroundings."""
    if given == USER:
        return load(flags).config, None
    if given is None or isinstance(given, Mapping):
        return load_isolated(given or {}, flags).config, ()
    if not isinstance(given, str | PathLike):
        hint = f'give settings by name, a TOML file, or "{USER}"'
        raise InvalidArgument(f"config cannot be a {type(given).__name__}", hint=hint)
    file = expand_user(fspath(given))
    return load_isolated(file, flags).config, (file.parent / "profiles",)
