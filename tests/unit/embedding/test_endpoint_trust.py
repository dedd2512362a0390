"""A service is asked where it was configured, and nowhere else: no redirect, no proxy for this machine, no echo."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from octavo.errors import ProviderFailed
from octavo.services.endpoint import Endpoint, Patience

ONCE = Patience(timeout_seconds=10.0, retries=0)


@contextmanager
def serving(status: int, body: bytes, **headers: str) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A service that always answers the same, and the headers of the requests it was sent."""
    asked: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(dict(self.headers))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST  # noqa: N815

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_refusal_and_the_key_stays_here(status: int) -> None:
    with serving(200, b"{}") as (elsewhere, stolen), serving(status, b"", Location=f"{elsewhere}/x") as (url, asked):
        with pytest.raises(ProviderFailed, match=str(status)) as failed:
            Endpoint("made", url, "the-key", ONCE).post("/embed", {})
        assert "redirects" in (failed.value.hint or "")
    assert len(asked) == 1
    assert stolen == []


def test_a_service_on_this_machine_is_asked_without_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(502, b"") as (proxy, through_proxy), serving(200, b'{"ok": true}') as (url, asked):
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert Endpoint("made", url, None, ONCE).post("/embed", {}) == {"ok": True}
    assert (len(asked), through_proxy) == (1, [])


@pytest.mark.parametrize("body", [b"root:x:0:0", b"<html>Inside</html>", b'["inside"]', b'{"data": "inside"}'])
def test_a_reply_that_names_no_reason_is_not_repeated(body: bytes) -> None:
    with serving(404, body) as (url, _), pytest.raises(ProviderFailed) as failed:
        Endpoint("made", url, None, ONCE).post("/embed", {})
    assert failed.value.message.endswith("failed: it answered 404")


def test_the_reason_a_service_names_is_repeated_without_the_key() -> None:
    body = json.dumps({"error": {"message": "no model for the-key"}}).encode()
    with serving(404, body) as (url, _), pytest.raises(ProviderFailed, match="no model for …"):
        Endpoint("made", url, "the-key", ONCE).post("/embed", {})
