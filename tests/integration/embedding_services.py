"""Embedding services on this machine that speak the wire formats of the real ones, and fail on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from octavo.embedding.hashing_embedder import HashingEmbedder

DIMENSIONS = 8


@dataclass
class Service:
    """What was asked of it, and what it does next: `trouble` is used up one answer at a time."""

    seen: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    trouble: list[Any] = field(default_factory=list)
    """A status with a body and headers, or a function that changes the answer."""
    url: str = ""
    dimensions: int = DIMENSIONS
    gate: threading.Event = field(default_factory=threading.Event)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body, _ in self.seen]

    def vectors(self, texts: list[str]) -> list[list[float]]:
        return [[3.0 * float(x) for x in row] for row in HashingEmbedder(self.dimensions).embed(texts)]

    def answer(self, path: str, body: dict[str, Any]) -> Any:
        if path == "/api/embed":
            return {
                "model": body["model"],
                "embeddings": self.vectors(body["input"]),
                "total_duration": 14143917,
                "load_duration": 1019500,
                "prompt_eval_count": 8,
            }
        if path == "/contextualizedembeddings":
            documents = [
                {"object": "list", "index": index, "data": self.rows([f"{' '.join(group)} {one}" for one in group])}
                for index, group in enumerate(body["inputs"])
            ]
            return {"object": "list", "data": documents[::-1], "model": body["model"], "usage": {"total_tokens": 9}}
        usage = {"prompt_tokens": 9, "total_tokens": 9}
        # Out of order, as the formats allow: the index says where each belongs.
        return {"object": "list", "data": self.rows(body["input"])[::-1], "model": body["model"], "usage": usage}

    def rows(self, texts: list[str]) -> list[dict[str, Any]]:
        return [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self.vectors(texts))
        ]


@contextmanager
def served() -> Iterator[Service]:
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.seen.append((self.path, body, dict(self.headers)))
            status, headers, answer = 200, {}, service.answer(self.path, body)
            if service.trouble:
                trouble = service.trouble.pop(0)
                if trouble == "hang":
                    service.gate.wait(30)
                    self.close_connection = True
                    return
                if trouble == "break":
                    self.close_connection = True
                    return
                if callable(trouble):
                    answer = trouble(answer)
                else:
                    status, answer, headers = trouble
            data = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield service
    finally:
        service.gate.set()
        server.shutdown()
        server.server_close()
        thread.join()
