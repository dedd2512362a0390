"""Answers over HTTP: sentences as they are checked, then the whole."""

from __future__ import annotations

import json
from typing import Any

import anyio
import httpx2
from cli_calls import Vault
from http_calls import SETTINGS, in_process
from language_model_services import model_served

from octavo.config.schema import Serve
from octavo.engine.wiring import open_library
from octavo.interfaces.calls import Calls
from octavo.interfaces.http.app import make_app


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
