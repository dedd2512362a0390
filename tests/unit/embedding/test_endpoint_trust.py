"""A service is asked where it was configured, and nowhere else: no redirect, no proxy for this machine, no echo."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from octavo.embedding.embedding_services import completed
from octavo.errors import ConfigurationError, InvalidArgument, ProviderFailed
from octavo.llm.model_providers import model_named
from octavo.model.embedding_profile import EmbeddingProfileSettings
from octavo.model.language_model_settings import LanguageModels, ModelSettings
from octavo.services.json_client import Endpoint, Patience

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


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "LocalHost", "[::ffff:127.0.0.1]"])
def test_a_service_on_this_machine_is_asked_without_the_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(502, b"") as (proxy, through_proxy), serving(200, b'{"ok": true}') as (url, asked):
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        address = url.replace("127.0.0.1", host)
        for ask in (Endpoint.post, Endpoint.post_once, partial(Endpoint.post_within, seconds=10.0)):
            # Not every machine answers at each of these: none of them asks elsewhere.
            with suppress(ProviderFailed):
                assert ask(Endpoint("made", address, None, ONCE), "/embed", {}) == {"ok": True}
    assert (len(asked) == 3 or host != "127.0.0.1") and through_proxy == []


@pytest.mark.parametrize(
    "url", ["http://user:hush@127.0.0.1:1", "http://hush@host/v1", "http://[::1", "file:///hush", "http://"]
)
def test_an_address_that_cannot_be_shown_or_asked_is_refused_without_repeating_it(url: str) -> None:
    profile = EmbeddingProfileSettings("openai", "model", url=url)
    model = {"m": ModelSettings(provider="openai", model="model", url=url)}
    for use in (lambda: completed(profile), lambda: model_named("m", LanguageModels(models=model), {}.get)):
        with pytest.raises((InvalidArgument, ConfigurationError)) as refused:
            use()
        assert "hush" not in str(refused.value)


def test_a_reply_without_an_end_is_not_json() -> None:
    for status in (200, 404):
        with serving(status, b"[" * 100_000) as (url, _), pytest.raises(ProviderFailed):
            Endpoint("made", url, None, ONCE).post("/embed", {})


@pytest.mark.parametrize("body", [b"root:x:0:0", b"<html>Inside</html>", b'["inside"]', b'{"data": "inside"}'])
def test_a_reply_that_names_no_reason_is_not_repeated(body: bytes) -> None:
    with serving(404, body) as (url, _), pytest.raises(ProviderFailed) as failed:
        Endpoint("made", url, None, ONCE).post("/embed", {})
    assert failed.value.message.endswith("failed: it answered 404")


def test_the_reason_a_service_names_is_repeated_without_the_key() -> None:
    body = json.dumps({"error": {"message": "no model for the-key"}}).encode()
    with serving(404, body) as (url, _), pytest.raises(ProviderFailed, match="no model for …"):
        Endpoint("made", url, "the-key", ONCE).post("/embed", {})
