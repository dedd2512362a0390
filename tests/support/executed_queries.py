"""Which named queries the conformance suite has executed, on each engine.

A run of the whole suite fails where a query is neither executed nor listed in `queries_elsewhere`. Tests
may run in several processes, so each sends what it has seen to the one that reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from queries_elsewhere import ELSEWHERE

from octavo.sql_repositories.named_sql_queries import load_queries
from octavo.sql_repositories.store import Store

_EXECUTED: defaultdict[str, set[str]] = defaultdict(set)
_KEY = "octavo_executed_queries"
_MISSING = pytest.StashKey[dict[str, list[str]]]()
_SUITE = Path(__file__).parents[1] / "conformance"


class _Recorded(dict[str, Any]):
    """An engine's queries, which notes the name of each that is asked for."""

    def __init__(self, queries: Mapping[str, Any], engine: str) -> None:
        super().__init__(queries)
        self._engine = engine

    def __getitem__(self, name: str) -> Any:
        _EXECUTED[self._engine].add(name)
        return super().__getitem__(name)


def record(store: Store, engine: str) -> None:
    database: Any = getattr(store, "database", None) or store.database  # type: ignore[attr-defined]
    database.queries = _Recorded(database.queries, engine)
    run_many = database.run_many

    def recording(name: str, parameters: Iterable[Any]) -> None:
        _EXECUTED[engine].add(name)  # PostgreSQL's batches are statements of their own
        run_many(name, parameters)

    database.run_many = recording


def never_executed() -> dict[str, list[str]]:
    """By engine, without those left to other suites; an engine that was not there at all is left out."""
    return {
        engine: sorted(known_queries(engine) - executed - listed_elsewhere()) for engine, executed in _EXECUTED.items()
    }


def known_queries(engine: str) -> set[str]:
    if engine == "sqlite":
        return set(load_queries("octavo.stores.sqlite"))
    from octavo_postgres.sql_dialect import query_texts  # needs psycopg

    return set(query_texts())


def listed_elsewhere() -> set[str]:
    return {name for names in ELSEWHERE.values() for name in names.split()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    for engine, names in getattr(node, "workeroutput", {}).get(_KEY, {}).items():
        _EXECUTED[engine].update(names)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput[_KEY] = {engine: sorted(names) for engine, names in _EXECUTED.items()}
    elif not exitstatus and _whole_suite(config) and (missing := {k: v for k, v in never_executed().items() if v}):
        config.stash[_MISSING] = missing
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _whole_suite(config: pytest.Config) -> bool:
    chosen = (
        config.option.keyword
        or config.option.markexpr
        or getattr(config.option, "lf", False)
        or config.option.collectonly
    )
    chosen = chosen or config.option.deselect or config.option.ignore or config.option.ignore_glob
    return not chosen and any(_SUITE.is_relative_to(Path(argument).absolute()) for argument in config.args)


def summarise_missing_queries(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for engine, names in config.stash.get(_MISSING, {}).items():
        terminalreporter.section(f"named queries that the conformance suite does not execute on {engine}", red=True)
        terminalreporter.line(", ".join(names))
        terminalreporter.line("Test each in tests/conformance/, or list it with the reason in queries_elsewhere.py.")
