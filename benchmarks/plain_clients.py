"""Clients that do no more than ask: what is measured with them is the transport, and not what a client makes of it."""

from __future__ import annotations

import http.client
import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any
from urllib.parse import urlsplit

OLD, NEW = "2025-06-18", "2026-07-28"
ABOUT = {"name": "bench", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEW,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": ABOUT,
}


class Lines:
    """MCP over a process's stdin and stdout, introduced."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._numbers = count(1)
        self.ask("initialize", {"protocolVersion": OLD, "capabilities": {}, "clientInfo": ABOUT})
        self._say({"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}})

    def search(self, query: str) -> Any:
        return self.ask("tools/call", {"name": "search", "arguments": {"query": query}})["content"]

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        number = next(self._numbers)
        self._say({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        assert self.process.stdout is not None
        for line in self.process.stdout:
            told = json.loads(line)
            if told.get("id") == number:
                return told["result"]
        raise EOFError(method)

    def close(self) -> None:
        self.process.communicate()

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


class Posts:
    """One connection to an HTTP server, for its routes and for MCP as it is since 2026: a request by itself."""

    def __init__(self, address: str) -> None:
        place = urlsplit(address)
        self._connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)

    def search(self, query: str) -> Any:
        return self._post("/v1/search", {"query": query}, {})

    def search_by_mcp(self, query: str) -> Any:
        params = {"name": "search", "arguments": {"query": query}, "_meta": ENVELOPE}
        headers = {
            "MCP-Protocol-Version": NEW,
            "Mcp-Method": "tools/call",
            "Mcp-Name": "search",
            "Accept": "application/json, text/event-stream",
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        return self._post("/mcp", body, headers)["result"]["content"]

    def close(self) -> None:
        self._connection.close()

    def _post(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        self._connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json", **headers})
        with self._connection.getresponse() as response:
            told = response.read()
            assert response.status == 200, told
            return json.loads(told)


@contextmanager
def closing(*clients: Lines | Posts) -> Iterator[None]:
    try:
        yield
    finally:
        for client in clients:
            client.close()
