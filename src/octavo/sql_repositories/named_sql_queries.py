"""Named SQL queries: `-- name: …` starts a query, `-- include: …` inserts a fragment when the file is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from octavo.lazy_regex import regex

_NAME = regex(r"^-- name: ([a-z][a-z0-9_]*)\s*$", re.MULTILINE)
_INCLUDE = regex(r"^[ \t]*-- include: ([a-z][a-z0-9_]*)[ \t]*$", re.MULTILINE)
_FRAGMENT = "fragment_"


def parse_queries(text: str) -> dict[str, str]:
    """The queries of one file, by name, in the order written."""
    pieces = _NAME.split(text)
    queries: dict[str, str] = {}
    for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
        if name in queries:
            raise ValueError(f"two queries are named {name}")
        queries[name] = body.strip().removesuffix(";")
    return queries


@cache
def load_queries(package: str, base: str | None = None, without: tuple[str, ...] = ()) -> Mapping[str, str]:
    """Every query of a dialect, with fragments inserted.

    A dialect with a `base` has files only for the queries it writes differently; the others are the base's, except
    those in files named by `without`.
    """
    queries = {**(_queries_in(base, without) if base else {}), **_queries_in(package)}
    return {name: _with_fragments(body, queries) for name, body in queries.items() if not name.startswith(_FRAGMENT)}


def _with_fragments(body: str, queries: Mapping[str, str]) -> str:
    """A fragment may include another."""
    return _INCLUDE.sub(lambda match: _with_fragments(queries[_FRAGMENT + match[1]], queries), body)


@cache
def _queries_in(package: str, without: tuple[str, ...] = ()) -> Mapping[str, str]:
    """The queries and fragments of a dialect's own files."""
    queries: dict[str, str] = {}
    for resource in sorted(_folder(package, "queries").iterdir(), key=lambda entry: entry.name):
        if resource.name.endswith(".sql") and resource.name not in without:
            for name, body in parse_queries(resource.read_text("utf-8")).items():
                if name in queries:
                    raise ValueError(f"two queries are named {name}")
                queries[name] = body
    return queries


@cache
def load_migrations(package: str) -> tuple[tuple[int, str], ...]:
    """Numbered migrations, in order. Files are never edited once released."""
    migrations: dict[int, str] = {}
    for resource in _folder(package, "migrations").iterdir():
        if resource.name.endswith(".sql"):
            number = int(resource.name.split("_", 1)[0])
            if number in migrations:  # a library that has seen one of them would never get the other
                raise ValueError(f"two migrations have the number {number}")
            migrations[number] = resource.read_text("utf-8")
    return tuple(sorted(migrations.items()))


def _folder(package: str, folder: str) -> Path:
    """A folder inside a package. `importlib.resources` finds it too, but imports zip support to do so."""
    return Path(str(import_module(package).__file__)).parent / folder
