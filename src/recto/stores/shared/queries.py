"""Named SQL: `-- name: …` starts a query, `-- include: …` pastes a fragment when the file is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

_NAME = re.compile(r"^-- name: ([a-z][a-z0-9_]*)\s*$", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*-- include: ([a-z][a-z0-9_]*)[ \t]*$", re.MULTILINE)
_FRAGMENT = "fragment_"


def parse_queries(text: str) -> dict[str, str]:
    """The queries of one file, by name, in the order written."""
    parts = _NAME.split(text)
    found: dict[str, str] = {}
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name in found:
            raise ValueError(f"two queries are named {name}")
        found[name] = body.strip().removesuffix(";")
    return found


@cache
def load_queries(package: str, base: str | None = None, without: tuple[str, ...] = ()) -> Mapping[str, str]:
    """Every query of a dialect, fragments already pasted in.

    A dialect with a `base` writes down only what it says differently: the rest is the base's, read word for word, but
    for files of queries that only the base can ask.
    """
    queries = {**(_written(base, without) if base else {}), **_written(package)}
    return {
        name: _INCLUDE.sub(lambda match: queries[_FRAGMENT + match[1]], body)
        for name, body in queries.items()
        if not name.startswith(_FRAGMENT)
    }


@cache
def _written(package: str, without: tuple[str, ...] = ()) -> Mapping[str, str]:
    """The queries and fragments of a dialect's own files."""
    queries: dict[str, str] = {}
    for resource in sorted(_beside(package, "queries").iterdir(), key=lambda entry: entry.name):
        if resource.name.endswith(".sql") and resource.name not in without:
            for name, body in parse_queries(resource.read_text("utf-8")).items():
                if name in queries:
                    raise ValueError(f"two queries are named {name}")
                queries[name] = body
    return queries


@cache
def load_migrations(package: str) -> tuple[tuple[int, str], ...]:
    """Numbered schema changes, in order. Files are never edited once released."""
    found = []
    for resource in _beside(package, "migrations").iterdir():
        if resource.name.endswith(".sql"):
            found.append((int(resource.name.split("_", 1)[0]), resource.read_text("utf-8")))
    return tuple(sorted(found))


def _beside(package: str, folder: str) -> Path:
    """A folder beside a package's modules. `importlib.resources` finds it too, and loads what reads archives for it."""
    return Path(str(import_module(package).__file__)).parent / folder
