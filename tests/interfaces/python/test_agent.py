"""examples/agent.py, against an endpoint that plays a model: two calls of tools, then an answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
AGENT = ROOT / "examples" / "agent.py"


def calling(number: int, name: str, **arguments: object) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": f"call_{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


class Model(ThreadingHTTPServer):
    """Answers with the messages it was given, one after the other, and keeps what it was asked."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        super().__init__(("127.0.0.1", 0), Completions)
        self.messages = messages
        self.asked: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Completions(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.add(self.headers["Authorization"])
        known = self.path == "/v1/chat/completions" and self.server.messages
        self.send_response(200 if known else 404)
        self.end_headers()
        choices = [{"message": self.server.messages.pop(0)}] if known else []
        self.wfile.write(json.dumps({"choices": choices}).encode())

    def log_message(self, *given: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[Model]:
    reference = "decisions/0002 Closing at 85 per cent humidity.md:1-12"
    messages = [
        calling(1, "search", query="when does the dome have to close?", limit=2),
        calling(2, "get", reference=reference),
        {"role": "assistant", "content": "At 85 per cent humidity (decisions/0002:1)."},
    ]
    with Model(messages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def ask(*arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(AGENT), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env={**os.environ, **environ})


def test_an_agent_searches_reads_and_answers(path: Path, model: Model) -> None:
    done = ask(str(path), "When must the dome close?", "--base-url", model.url, "--model", "played", "--key", "secret")
    assert (done.returncode, done.stdout) == (0, "At 85 per cent humidity (decisions/0002:1).\n"), done.stderr
    assert [line.split()[1] for line in done.stderr.splitlines()] == ["search", "get"]
    assert model.keys == {"Bearer secret"}
    first, second, third = model.asked
    assert first["model"] == "played"
    assert [tool["function"]["name"] for tool in first["tools"]] == ["search", "get", "recall"]
    assert first["messages"][-1] == {"role": "user", "content": "When must the dome close?"}
    searched, read = second["messages"][-1], third["messages"][-1]
    assert (searched["role"], searched["tool_call_id"]) == ("tool", "call_1")
    assert "\n1. observatory/" in searched["content"]
    assert (read["role"], read["tool_call_id"]) == ("tool", "call_2")
    assert "85 per cent" in read["content"]


def test_settings_come_from_the_environment_and_a_wrong_call_is_told_to_the_model(path: Path, model: Model) -> None:
    model.messages[0] = calling(1, "serach", query="dome")
    done = ask(str(path), "When?", OPENAI_BASE_URL=model.url, OPENAI_MODEL="played")
    assert done.returncode == 0, done.stderr
    assert model.asked[1]["messages"][-1]["content"].startswith("NOT_FOUND: there is no tool 'serach'")
    assert model.keys == {None}


def test_what_cannot_be_had_is_said_in_a_line(path: Path, model: Model, tmp_path: Path) -> None:
    model.messages.clear()
    refused = ask(str(path), "When?", "--base-url", model.url, "--model", "played")
    assert (refused.returncode, "answered 404" in refused.stderr) == (1, True)
    missing = ask(str(tmp_path / "nothing.db"), "When?", "--base-url", model.url, "--model", "played")
    assert missing.returncode == 1 and missing.stderr.startswith("there is no library at ")
