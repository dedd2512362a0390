"""`octavo serve` as a process: it listens where it may, speaks MCP too, and ends in order."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from cli_calls import Octavo, Vault
from fuzz_http import SETTINGS
from http_calls import mcp_client, running
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from octavo.config.schema import Serve
from octavo.errors import ConfigurationError
from octavo.interfaces.http.server_token import read_token, token_path


def test_mcp_clients_of_either_era_and_plain_ones_share_a_server_that_ends_in_order(vault: Vault) -> None:
    with running(["--tools", "default,data"]) as server:

        async def main() -> None:
            for mode in ("auto", "legacy"):
                async with mcp_client(server, mode) as client:
                    assert "notes: 3 documents" in (client.instructions or "")
                    result = await client.call_tool("search", {"q": "sourdough", "k": 1})
                    assert result.structured_content["hits"][0]["uri"] == "bread.md"
            async with httpx2.AsyncClient(base_url=server.address, headers=server.headers, timeout=60) as client:
                assert (await client.get("/health")).json() == {"status": "ok"}
                answer = await client.post("/v1/search", json={"query": "sourdough"})
                assert answer.json()["hits"][0]["uri"] == "bread.md"
            async with mcp_client(server, "legacy") as client:  # its stream for news stays open
                await client.list_tools()
                server.process.send_signal(signal.SIGTERM)
                assert await anyio.to_thread.run_sync(lambda: server.process.wait(timeout=60)) == 0

        anyio.run(main)


@pytest.mark.one_engine
def test_with_a_token_mcp_clients_give_it_too(vault: Vault, tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("0123456789abcdef0123\n", "utf-8")
    secret.chmod(0o600)
    with running(["--host", "0.0.0.0", "--token-file", str(secret)]) as server:
        address = server.address.replace("0.0.0.0", "127.0.0.1")

        async def main() -> None:
            headers = {"authorization": "Bearer 0123456789abcdef0123"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as http,
                Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
            ):
                assert not (await client.call_tool("status", {})).is_error
            async with httpx2.AsyncClient(timeout=60) as http:
                assert (await http.post(f"{address}/v1/status")).status_code == 401

        anyio.run(main)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_listening_elsewhere_without_a_token_is_refused(octavo: Octavo, host: str) -> None:
    refused = octavo("serve", "--host", host)
    assert refused.exit_code == 3
    assert "needs a token" in refused.stderr


def test_a_token_must_be_long_and_plain(tmp_path: Path) -> None:
    path = tmp_path / "token"
    for text in ("", "short", "with spaces in the middle of it", "mit-ümläuten-und-länge"):
        path.write_text(text, "utf-8")
        with pytest.raises(ConfigurationError):
            read_token(Serve(token_file=path))
    with pytest.raises(ConfigurationError):
        read_token(Serve(token_file=tmp_path / "nowhere"))
    path.write_text("0123456789abcdef\n", "utf-8")
    assert read_token(Serve(token_file=path)) == "0123456789abcdef"
    assert read_token(Serve(require_token=False)) is None


def test_an_account_has_one_token_that_only_it_can_read(octavo: Octavo) -> None:
    token = read_token(Serve())
    assert token is not None and len(token) >= 40
    assert read_token(Serve(port=8080)) == token
    assert octavo("open", "--print").stdout.strip() == f"http://127.0.0.1:7411/login?token={token}"
    if os.name == "posix":
        assert stat.S_IMODE(token_path().stat().st_mode) == 0o600
        token_path().chmod(0o644)
        with pytest.raises(ConfigurationError, match="known to others"):
            read_token(Serve())


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        (Serve(require_token=False, write=True), "changes things"),
        (Serve(require_token=False, host="0.0.0.0"), "needs a token"),
        (Serve(require_token=False, token_file=Path("token")), "leave out"),
    ],
)
def test_serving_without_a_token_is_for_reading_on_this_machine(settings: Serve, why: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        read_token(settings)
    assert why in f"{refused.value} {refused.value.hint}"


def test_a_port_that_is_taken_is_said_so(octavo: Octavo, vault: Vault) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = octavo("serve", "--port", str(taken.getsockname()[1]))
    assert refused.exit_code == 5
    assert "cannot be listened on" in refused.stderr


def test_the_server_keeps_what_its_openapi_document_promises(vault: Vault, tmp_path: Path) -> None:
    """A short run; `scripts/fuzz_http.py` is the long one."""
    pytest.importorskip("schemathesis")
    program = "from schemathesis.cli import schemathesis; schemathesis()"
    options = ["--phases", "examples,fuzzing", "-n", "1", "--seed", "1"]
    (tmp_path / "schemathesis.toml").write_text(SETTINGS, "utf-8")
    if not isinstance(vault.library, Path):
        pytest.skip("fuzzing writes, and a copy of a file is what it writes to")
    library = tmp_path / "library.db"
    library.write_bytes(vault.library.read_bytes())
    with running(["--library", str(library)]) as server:
        options += ["--header", f"Authorization: {server.headers['authorization']}"]
        command = [sys.executable, "-W", "ignore", "-c", program, "run", f"{server.address}/openapi.json", *options]
        environ = {**os.environ, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, env=environ)
    assert done.returncode == 0, done.stdout[-5_000:]
