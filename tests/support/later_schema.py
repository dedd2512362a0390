"""A schema after the present one, so that a library of today is an older one."""

from __future__ import annotations

import pytest

from octavo.sql_repositories.named_sql_queries import load_migrations


def add_migration(monkeypatch: pytest.MonkeyPatch, package: str, script: str) -> int:
    """Number of the schema that was the newest until now."""
    known = load_migrations(package)
    newest = known[-1][0]
    later = (*known, (newest + 1, script))
    monkeypatch.setattr("octavo.sql_repositories.schema_compatibility.load_migrations", lambda package: later)
    return newest
