"""Which named queries the conformance suite has executed, on each engine: the end of a run lists those it has not.

Tests may run in several processes, so each sends what it has seen to the one that reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from octavo.ports import Store

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
    database: Any = getattr(store, "database", None) or store._database  # type: ignore[attr-defined]
    database._queries = _Recorded(database._queries, engine)
    run_many = database.run_many

    def recording(name: str, parameters: Iterable[Any]) -> None:
        _EXECUTED[engine].add(name)  # PostgreSQL's batches are statements of their own
        run_many(name, parameters)

    database.run_many = recording


def never_executed() -> dict[str, list[str]]:
    """By engine; an engine that was not there at all is left out."""
    from octavo.stores.shared.queries import load_queries

    names = {"sqlite": set(load_queries("octavo.stores.sqlite"))}
    if "postgres" in _EXECUTED:
        from octavo.stores.postgres.dialect import query_texts

        names["postgres"] = set(query_texts())
    return {engine: sorted(known - _EXECUTED[engine]) for engine, known in names.items()}


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


def _whole_suite(config: pytest.Config) -> bool:
    chosen = config.option.keyword or config.option.markexpr or config.option.lf or config.option.collectonly
    return not chosen and any(_SUITE.is_relative_to(Path(argument).absolute()) for argument in config.args)


def summarise_missing_queries(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for engine, names in config.stash.get(_MISSING, {}).items():
        terminalreporter.section(f"named queries that the conformance suite does not execute on {engine}", yellow=True)
        terminalreporter.line(", ".join(names))
