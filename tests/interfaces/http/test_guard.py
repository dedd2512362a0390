"""What is said to those who are not let in: a page to people, a problem to programs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx2
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from octavo.config.schema import Serve
from octavo.interfaces.http.request_guard import Guard
from octavo.observability.metrics import Metrics

PERSON, PROGRAM = {"accept": "text/html"}, {"accept": "*/*"}


async def forever(scope: Scope, receive: Receive, send: Send) -> None:
    await asyncio.Event().wait()


def page(status: int, detail: str, hint: str | None, headers: Mapping[str, str] | None) -> ASGIApp:
    return PlainTextResponse(f"{status}: {detail}", status, dict(headers or {}))


def answered(headers: Mapping[str, str], *, host: str = "localhost", draining: bool = False) -> httpx2.Response:
    async def asked() -> httpx2.Response:
        guard = Guard(forever, Serve(timeout_seconds=0.001), None, Metrics(), page)
        if draining:
            guard.draining.set()
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(guard), base_url=f"http://{host}") as client:
            return await client.get("/library", headers=headers)

    return asyncio.run(asked())


@pytest.mark.parametrize(
    ("status", "said", "asked"),
    [
        (504, "504: this took longer than 0.001 s", {}),
        (503, "503: the server is shutting down", {"draining": True}),
        (421, "421: this server is not called 'evil.example'", {"host": "evil.example"}),
    ],
)
def test_people_see_a_page_and_programs_a_problem(status: int, said: str, asked: dict[str, object]) -> None:
    shown = answered(PERSON, **asked)  # type: ignore[arg-type]
    assert (shown.status_code, shown.text) == (status, said)
    told = answered(PROGRAM, **asked)  # type: ignore[arg-type]
    assert (told.status_code, told.headers["content-type"]) == (status, "application/problem+json")
