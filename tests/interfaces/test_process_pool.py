"""Processes that answer for a server: the same answers, and no harm when one of them dies."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from cli_calls import Vault
from http_calls import SETTINGS, in_process

from octavo.config.schema import Serve
from octavo.engine.processes.child_process import Died
from octavo.interfaces.cli.commands.serve import searching
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.execution.search_process_pool import ProcessPool
from octavo.interfaces.serving.asgi_app import make_app

CALLS: Any = partial(operator.methodcaller, "__call__")
"""What makes a process that runs what it is sent, without a library."""


@pytest.fixture
def one() -> Iterator[ProcessPool]:
    processes = ProcessPool(CALLS, 1)
    yield processes
    processes.close()


def submit(processes: ProcessPool, function: Any) -> Any:
    return processes.submit(function)


def test_a_function_runs_elsewhere_and_always_in_the_same_process(one: ProcessPool) -> None:
    first, second = (submit(one, os.getpid).result() for _ in range(2))
    assert first == second != os.getpid()


def test_the_next_question_after_a_death_goes_to_another_process(one: ProcessPool) -> None:
    before = submit(one, os.getpid).result()
    with pytest.raises(Died):
        submit(one, partial(os._exit, 3)).result()
    assert submit(one, os.getpid).result() not in (before, os.getpid())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a pipe with a name")
def test_what_nobody_waits_for_any_more_is_never_begun(one: ProcessPool, tmp_path: Path) -> None:
    busy, done = tmp_path / "busy", tmp_path / "done"
    os.mkfifo(busy)
    first, second = submit(one, partial(Path.read_text, busy)), submit(one, partial(Path.touch, done))
    assert second.cancel()
    busy.write_text("go on")
    assert first.result() == "go on"
    submit(one, os.getpid).result()
    assert not done.exists()


def test_nothing_is_left_of_a_process_once_they_are_closed(one: ProcessPool) -> None:
    submit(one, os.getpid).result()
    one.close()
    with pytest.raises(RuntimeError):
        submit(one, os.getpid)


def test_hits_from_a_process_beside_the_server_are_those_that_it_finds_itself(vault: Vault) -> None:
    asked = [f"/results?q={words}" for words in ("sourdough", "pruning+apple+trees", "kind:nothing+x", '"')]
    asked.append("/results?q=sourdough&explain=1")
    found: list[list[str]] = []

    async def talk(client: httpx2.AsyncClient) -> None:
        found.append([re.sub(r"\d+ ms ·", "", (await client.get(path)).text) for path in asked])

    async def elsewhere() -> None:
        flags = {"library": str(vault.library), **SETTINGS}
        calls = Calls(
            lambda: pytest.fail("the server searched itself"), processes=ProcessPool(partial(searching, flags), 1)
        )
        transport = httpx2.ASGITransport(make_app(calls, Serve()))
        try:
            async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:7411", timeout=60) as client:
                await talk(client)
        finally:
            calls.close(timeout=60)

    in_process(vault.library, talk)
    anyio.run(elsewhere)
    assert "bread.md" in found[0][0]
    assert found[0] == found[1]
