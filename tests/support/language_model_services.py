"""A language model on this machine that speaks like the real services, answers from a script, and fails on request."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from octavo.model.language_model_settings import LanguageModels, ModelRoles, ModelSettings

HANG, BREAK, CUT = "hang", "break", "cut"
"""Troubles: no answer until the gate opens; no answer at all; half an answer."""

Reply = str | Callable[[str], str]
"""A text, or what makes one of everything that was said to the model."""


@dataclass
class ModelService:
    """What was asked of it, what it answers, and what goes wrong: `trouble` is used up one answer at a time.

    `replies` are given in turn, the last of them again and again. A trouble is one of the words above, or a status with
    a body.
    """

    replies: list[Reply] = field(default_factory=lambda: ["I do not know."])
    trouble: list[Any] = field(default_factory=list)
    seen: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    url: str = ""
    gate: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)
    """Set once a request has come."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set once a client went away while its request was hanging."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, body, _ in self.seen]

    def configured(self, provider: str = "openai", **settings: Any) -> LanguageModels:
        """A configuration in which this service has every role."""
        given: dict[str, Any] = {"provider": provider, "model": "scripted", "url": self.url, **settings}
        return LanguageModels(
            models={"local": ModelSettings(**given)}, roles=ModelRoles("local", "local", "local", "local")
        )

    def settings(self, provider: str = "openai") -> dict[str, Any]:
        """The same, as settings by their dotted names."""
        roles = {f"llm.roles.{role}": "local" for role in ("answer", "rerank", "summarise", "hypothesise")}
        return {"llm.models": {"local": {"provider": provider, "model": "scripted", "url": self.url}}, **roles}

    def ranked(self, body: dict[str, Any]) -> Any:
        """As rerank services answer: the best first, each with its place; here by the words of the query it has."""
        words = set(body["query"].lower().split())
        scores = [len(words & set(text.lower().split())) / len(words) for text in body["documents"]]
        results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
        return {"results": sorted(results, key=lambda result: -float(result["relevance_score"]))}

    def reply(self, body: dict[str, Any]) -> str:
        with self.lock:
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, str):
            return reply
        said = [str(body.get("system") or ""), *(str(message["content"]) for message in body["messages"])]
        return reply("\n".join(said))


def _openai(text: str) -> Any:
    return {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _openai_stream(text: str) -> list[str]:
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    lines = [f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': piece}}]})}" for piece in pieces]
    return [*(line for data in lines for line in (data, "")), "data: [DONE]", ""]


def _ollama(text: str) -> Any:
    return {
        "model": "scripted",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 11,
        "eval_count": 7,
    }


def _ollama_stream(text: str) -> list[str]:
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    lines = [json.dumps({"message": {"role": "assistant", "content": piece}, "done": False}) for piece in pieces]
    return [*lines, json.dumps({"message": {"role": "assistant", "content": ""}, "done": True}), ""]


def _anthropic(text: str) -> Any:
    try:
        part = {"type": "tool_use", "id": "1", "name": "answer", "input": json.loads(text)}
    except ValueError:
        part = {"type": "text", "text": text}
    return {
        "type": "message",
        "content": [part],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 11, "output_tokens": 7},
    }


def _anthropic_stream(text: str) -> list[str]:
    pieces = [text[at : at + 5] for at in range(0, len(text), 5)]
    events: list[Any] = [{"type": "message_start", "message": {}}]
    events += [{"type": "content_block_delta", "delta": {"type": "text_delta", "text": piece}} for piece in pieces]
    events += [{"type": "message_stop"}]
    return [line for event in events for line in (f"event: {event['type']}", f"data: {json.dumps(event)}", "")]


FORMATS: dict[str, tuple[Callable[[str], Any], Callable[[str], list[str]]]] = {
    "/chat/completions": (_openai, _openai_stream),
    "/api/chat": (_ollama, _ollama_stream),
    "/messages": (_anthropic, _anthropic_stream),
}


@contextmanager
def model_served(*replies: Reply) -> Iterator[ModelService]:
    service = ModelService(list(replies) or ["I do not know."])

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with service.lock:
                service.seen.append((self.path, body, dict(self.headers)))
                trouble = service.trouble.pop(0) if service.trouble else None
            service.asked.set()
            if trouble in (HANG, BREAK):
                if trouble == HANG:
                    self._hang()
                self.close_connection = True
                return
            if isinstance(trouble, tuple):
                self._send(trouble[0], str(trouble[1]).encode(), "application/json")
                return
            if self.path == "/rerank":
                self._send(200, json.dumps(service.ranked(body)).encode(), "application/json")
                return
            whole, stream = FORMATS[self.path]
            text = service.reply(body)
            if body.get("stream"):
                data, kind = "\n".join(stream(text)).encode(), "text/event-stream"
            else:
                data, kind = json.dumps(whole(text)).encode(), "application/json"
            self._send(200, data, kind, cut=trouble == CUT)

        def _hang(self) -> None:
            """Until the gate opens or the client goes away."""
            self.connection.settimeout(0.02)
            while not service.gate.is_set():
                try:
                    if not self.connection.recv(1):
                        service.gone.set()
                        return
                except TimeoutError:
                    continue
                except OSError:
                    service.gone.set()
                    return

        def _send(self, status: int, data: bytes, kind: str, *, cut: bool = False) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if cut else data)
            self.close_connection = self.close_connection or cut

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
