"""Nothing that a client sends holds the event loop, by the processor time of its thread: load does not change that."""

from __future__ import annotations

import asyncio
import json
import time

import httpx2
import pytest
from anyio.lowlevel import checkpoint
from cli_calls import Vault
from http_calls import JSON, in_process

_HELD = 0.5
"""Seconds of processor time. The aim is a tenth of it, which `benchmarks/faults.py` reports; what this guards against
took seconds."""

HOSTILE: dict[str, tuple[str, bytes]] = {
    "an argument's name of 3.9 MB": ("/v1/search", json.dumps({"x" * 3_900_000: 1}).encode()),
    "a question of doubled words": ("/v1/search_code", json.dumps({"query": "aB" * 10_000}).encode()),
    "brackets that never close": ("/v1/search", b"[" * 1_000_000),
    "deep objects": ("/v1/search", b'{"query": ' + b'{"a":' * 100_000),
    "many arguments": ("/v1/search", json.dumps({f"argument {number}": 1 for number in range(50_000)}).encode()),
    "a long reference": ("/v1/get", json.dumps({"reference": "a/" * 500_000}).encode()),
    "a section of a long name": ("/v1/get", json.dumps({"reference": "bread.md#" + "a" * 100_000}).encode()),
}


async def longest_hold(client: httpx2.AsyncClient, path: str, body: bytes) -> tuple[int, float]:
    longest, over = 0.0, False

    async def beat() -> None:
        nonlocal longest
        while not over:
            before = time.thread_time()
            await checkpoint()
            longest = max(longest, time.thread_time() - before)

    heart = asyncio.create_task(beat())
    await checkpoint()  # it has to beat once before the request begins
    answer = await client.post(path, content=body, headers=JSON)
    over = True
    await heart
    return answer.status_code, longest


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_does_not_hold_the_loop(vault: Vault, name: str) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        await longest_hold(client, "/v1/search", b'{"query": "apples"}')  # opens the library
        status, held = await longest_hold(client, *HOSTILE[name])
        assert status < 500
        assert held < _HELD

    in_process(vault.library, talk)
