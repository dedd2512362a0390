"""Answers over HTTP: sentences as they are checked, then the whole."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import anyio
import httpx2
import pytest
from cli_calls import Vault
from http_calls import SETTINGS, in_process
from language_model_services import HANG, ModelService, model_served

from octavo.config.schema import Serve
from octavo.engine.wiring import open_library
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.serving.asgi_app import make_app


async def events(client: httpx2.AsyncClient, asked: dict[str, Any]) -> list[tuple[str, Any]]:
    async with client.stream("POST", "/v1/ask_stream", json=asked) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        text = (await response.aread()).decode()
    blocks = (block.split("\n") for block in text.strip().split("\n\n"))
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in blocks]


def test_sentences_come_before_the_whole_answer(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        whole = (await client.post("/v1/ask", json={"question": "what does sourdough need?"})).json()
        told = await events(client, {"question": "what does sourdough need?"})
        assert [name for name, _ in told] == ["sentence"] * len(whole["sentences"]) + ["answer"]
        assert [data for name, data in told if name == "sentence"] == told[-1][1]["sentences"] == whole["sentences"]

    in_process(vault.library, talk)


def test_what_goes_wrong_before_the_first_sentence_is_a_problem(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        response = await client.post("/v1/ask_stream", json={"question": "a", "collections": ["x"]})
        assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
        unknown = await client.post("/v1/ask_stream", json={"question": "a", "colections": ["x"]})
        assert unknown.status_code == 400

    in_process(vault.library, talk)


def test_a_models_sentences_are_streamed_with_what_they_are_worth(vault: Vault) -> None:
    async def talk() -> None:
        with model_served("Penguins eat satellites [1].") as service:
            settings = {**SETTINGS, **service.settings()}
            calls = Calls(lambda: open_library(vault.library, settings=settings), threads=2)
            transport = httpx2.ASGITransport(make_app(calls, Serve(), None), raise_app_exceptions=False)
            try:
                base = "http://localhost:7411"
                async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=60) as client:
                    told = await events(client, {"question": "what does sourdough need?", "mode": "insight"})
            finally:
                assert calls.close(timeout=10)
        assert [(name, data.get("support")) for name, data in told] == [("sentence", "unsupported"), ("answer", None)]
        assert told[-1][1]["usage"]["model"] == "openai:scripted"

    anyio.run(talk)


def test_an_answer_is_never_had_by_get(vault: Vault) -> None:
    async def talk() -> None:
        with model_served("Salt [1].") as service:
            calls = Calls(lambda: open_library(vault.library, settings={**SETTINGS, **service.settings()}), threads=2)
            transport = httpx2.ASGITransport(make_app(calls, Serve(), None))
            base = "http://localhost:7411"
            try:
                async with httpx2.AsyncClient(transport=transport, base_url=base, timeout=60) as client:
                    assert (await client.get("/ask/stream?q=sourdough")).status_code == 405
                    assert (await client.get("/ask?q=sourdough&whole=1")).status_code == 200
                    assert not service.asked.is_set()
                    await client.post("/ask", data={"q": "what do apple trees need?"})  # of its own: replies are cached
                    assert service.asked.is_set()
            finally:
                assert calls.close(timeout=60)

    anyio.run(talk)


async def ask_and_leave(
    vault: Vault, service: ModelService, path: str, asked: dict[str, Any], leaves: Callable[[], object]
) -> None:
    """Asks the application, and goes away once `leaves` returns; the answer must then be at its end."""
    settings = {**SETTINGS, **service.settings()}
    calls = Calls(lambda: open_library(vault.library, settings=settings), threads=2)
    body = [{"type": "http.request", "body": json.dumps(asked).encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if body:
            return body.pop()
        await anyio.to_thread.run_sync(leaves)
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if b"event: sentence" in message.get("body", b""):
            first_sentence.set()

    headers = [(b"host", b"localhost:7411"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    first_sentence.clear()
    try:
        with anyio.fail_after(60):
            await make_app(calls, Serve(), None)({**scope, "asgi": {"spec_version": "2.3"}}, receive, send)
    finally:
        assert calls.close(timeout=60)


first_sentence = threading.Event()


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/v1/ask_stream", {"question": "what does sourdough need?"}),
        ("/v1/ask", {"question": "what does sourdough need?"}),
        ("/v1/search", {"query": "what does sourdough need?", "hyde": True}),
        ("/query_documents_stream", {"query": "what does sourdough need?", "hyde": True}),
    ],
)
def test_a_client_that_goes_before_the_first_word_ends_the_models_call(
    vault: Vault, path: str, asked: dict[str, Any]
) -> None:
    with model_served("Salt.") as service:
        service.trouble = [HANG] * 9
        anyio.run(ask_and_leave, vault, service, path, asked, service.asked.wait)
        assert service.gone.wait(60)


def test_a_client_that_goes_after_a_sentence_ends_the_call_that_is_under_way(vault: Vault) -> None:
    def first_reply(said: str) -> str:
        service.asked.clear()  # so that it stands for the second call, which is to rewrite what no passage supports
        return (
            "The dough rests overnight and is baked in a hot oven in the morning [1]. Penguins eat 37 satellites [1]."
        )

    def leaves() -> None:
        assert first_sentence.wait(60) and service.asked.wait(60)

    with model_served(first_reply) as service:
        service.trouble = [None, HANG]
        anyio.run(ask_and_leave, vault, service, "/v1/ask_stream", {"question": "what does sourdough need?"}, leaves)
        assert service.gone.wait(60)
