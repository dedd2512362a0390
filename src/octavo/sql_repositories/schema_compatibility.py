"""Tells which schema versions this Octavo opens, and which migrations a library still lacks."""

from __future__ import annotations

from octavo.errors import LibraryError, NewerLibrary
from octavo.sql_repositories.named_sql_queries import load_migrations


def outdated(package: str, version: int, library: object) -> bool:
    """Whether migrations are missing. Raises where no migration leads from a library's schema to the newest."""
    migrations = load_migrations(package)
    oldest, newest = migrations[0][0], migrations[-1][0]
    if version > newest:
        raise NewerLibrary(
            f"{library} was written by a newer Octavo (schema {version}, this one knows {newest})",
            hint="upgrade Octavo, or use another library with --library",
        )
    if 0 < version < oldest:
        raise LibraryError(
            f"{library} was written before Octavo's first release (schema {version}; the oldest that still opens is"
            f" {oldest})",
            hint="index its folders into a new library, and carry memories over as files: `octavo memory sync` of the"
            " Octavo that wrote it, then of this one",
        )
    return version < newest


EXPANDS = "-- expands"
"""How a migration begins that only adds what an Octavo without it can leave alone."""


def usable_from(package: str) -> int:
    """The oldest schema whose Octavo can go on using the newest: that of the last migration that does more than add."""
    return max(number for number, script in load_migrations(package) if not script.startswith(EXPANDS))


def newest_schema(package: str) -> int:
    return load_migrations(package)[-1][0]


def missing_migrations(package: str, version: int) -> list[tuple[int, str]]:
    """Number and script of every migration that a schema has not seen."""
    return [(number, script) for number, script in load_migrations(package) if number > version]
