"""Embedding profiles that clients make, over HTTP and MCP: what they can have this machine's services be asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import mcp_calls
import pytest
from cli_calls import Location
from http_calls import in_process
from mcp import Client

import octavo
from octavo.operations.operation_lookup import chosen

UPSERT = "profiles_set"


@contextmanager
def talkative() -> Iterator[tuple[str, list[str]]]:
    """Something else that listens on this machine, and answers with what is nobody's business; what was asked of it."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            body = json.dumps({"error": "password of the router: hunter2"}).encode()
            self.send_response(400)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


def requests_of(url: str, folder: Path) -> list[dict[str, Any]]:
    service = {"name": "x", "provider": "ollama", "model": "m"}
    return [
        service | {"url": url},
        service | {"url": f"{url}/v1"},
        service | {"url": url, "provider": "openai"},
        service | {"url": f"{url}/admin"},
        service | {"url": f"{url}/?a=b"},
        service | {"url": url.replace("127.0.0.1", "evil.example")},
        service | {"url": "http://127.0.0.1:notaport"},
        service | {"url": "http://[::1"},
        service | {"provider": "openai"},
        service | {"key_variable": "HOME"},
        service | {"key_file": "/etc/passwd"},
        {"name": "x", "provider": "onnx", "model": str(folder)},
        {"name": "x", "provider": "onnx", "model": str(folder / "nowhere")},
    ]


def by_http(library: Path, arguments: list[dict[str, Any]]) -> list[str]:
    answers: list[str] = []

    async def talk(client: httpx2.AsyncClient) -> None:
        for given in arguments:
            answer = await client.post(f"/v1/{UPSERT}", json=given)
            answers.append(f"{answer.status_code} {answer.text}")

    in_process(library, talk)
    return answers


def by_mcp(library: Path, arguments: list[dict[str, Any]]) -> list[str]:
    answers: list[str] = []

    async def talk(client: Client) -> None:
        for given in arguments:
            answer = await client.call_tool(UPSERT, given)
            answers.append(f"{'error' if answer.is_error else 'done'} {answer.content}")

    mcp_calls.in_memory(library, talk, chosen("full"))
    return answers


@pytest.fixture
def empty(location: Location) -> Location:
    octavo.open(location, create=True).close()
    return location


@pytest.mark.parametrize("ask", [by_http, by_mcp], ids=["http", "mcp"])
def test_a_client_cannot_have_anything_else_on_this_machine_asked(ask: Any, empty: Location, tmp_path: Path) -> None:
    with talkative() as (url, asked):
        answers = ask(empty, requests_of(url, tmp_path))
    assert asked == []
    *services, folder, nowhere = answers
    assert [answer for answer in services if "INVALID_ARGUMENT" not in answer] == []
    assert "NOT_FOUND" in folder and "NOT_FOUND" in nowhere
    assert len({answer.split("client: ")[1].split('"')[0] for answer in (folder, nowhere)}) == 1  # not what is there


@pytest.mark.parametrize("ask", [by_http, by_mcp], ids=["http", "mcp"])
def test_a_port_that_the_configuration_allows_is_asked_and_its_reply_is_not_repeated(
    ask: Any, empty: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    with talkative() as (url, asked):
        monkeypatch.setenv("OCTAVO_EMBEDDING_CLIENT_PORTS", f"1234,{url.rpartition(':')[2]}")
        (answer,) = ask(empty, [{"name": "x", "provider": "ollama", "model": "m", "url": url}])
    assert asked == ["/api/embed"]
    assert "PROVIDER_FAILED" in answer
    assert "hunter2" not in answer
