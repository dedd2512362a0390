"""What another account of the same machine gets from a server: nothing, over every way in that it can find."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from cli_calls import Vault
from http_calls import Running, running

from octavo.config.layered_config_loading import load
from octavo.interfaces.daemon.socket_address import place
from octavo.interfaces.http.server_token import token_path

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can act for another account"
)
NOBODY = 65534

# Runs as the other account with the standard library alone: Octavo lies in a folder of the first one.
ATTEMPT = """
import encodings.idna, json, os, socket, sys, urllib.error, urllib.request
asked = json.loads(sys.stdin.readline())
os.setgroups([]); os.setgid(asked["user"]); os.setuid(asked["user"])

class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *given):
        return None

opener = urllib.request.build_opener(Stay)

def http(method, address, headers, body):
    made = urllib.request.Request(address, body and body.encode(), headers, method=method)
    try:
        with opener.open(made, timeout=60) as answer:
            return [answer.status, answer.headers.get("location"), answer.read().decode("utf-8", "replace")]
    except urllib.error.HTTPError as error:
        return [error.code, error.headers.get("location"), error.read().decode("utf-8", "replace")]

def opened(path):
    try:
        return open(path, "rb").read().decode("utf-8", "replace")
    except OSError as error:
        return error.errno

def connected(path):
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        return "connected"
    except OSError as error:
        return error.errno

ways = {"http": http, "file": opened, "socket": connected}
print(json.dumps([ways[way](*given) for way, *given in asked["attempts"]]))
"""
ACCESS_DENIED = 13


def as_other_account(*attempts: tuple[Any, ...], user: int = NOBODY) -> list[Any]:
    asked = json.dumps({"user": user, "attempts": attempts})
    done = subprocess.run(
        [sys.executable, "-I", "-c", ATTEMPT], input=asked, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.fixture
def server(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "true")
    with running() as started:
        yield started


def test_another_account_reads_and_changes_nothing_through_a_server(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, browser = tmp_path / "address", tmp_path / "browser"
    os.mkfifo(told)  # reading it waits until the browser was told
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {told}\n', "utf-8")
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "true")
    with running(["--open"]) as server:
        _nothing_is_given_away(server, told.read_text("utf-8"))


def _nothing_is_given_away(server: Running, invitation: str) -> None:
    """`invitation` is what a browser was started with, which every account sees in the list of processes."""
    own = httpx2.post(f"{server.address}/v1/search", json={"query": "sourdough"}, headers=server.headers, timeout=60)
    assert own.json()["hits"]
    as_json, as_page = {"content-type": "application/json"}, {"accept": "text/html"}
    sockets = (place(load().config).http, place(load().config).socket)
    assert all(stat.S_ISSOCK(path.stat().st_mode) for path in sockets)
    found = as_other_account(
        ("http", "POST", f"{server.address}/v1/search", as_json, '{"query": "sourdough"}'),
        ("http", "POST", f"{server.address}/v1/forget", as_json, '{"id": "x"}'),
        ("http", "GET", f"{server.address}/?q=sourdough", as_page, None),
        ("http", "GET", f"{server.address}/status", {}, None),
        ("http", "GET", f"{server.address}/metrics", {}, None),
        ("http", "GET", f"{server.address}/openapi.json", {}, None),
        ("http", "POST", f"{server.address}/mcp", as_json, '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'),
        ("http", "GET", invitation, as_page, None),
        ("file", str(token_path())),
        ("file", f"/proc/{server.process.pid}/environ"),
        *(("socket", str(path)) for path in sockets),
        ("file", f"/proc/{server.process.pid}/cmdline"),
    )
    refused, (*closed, command_line) = found[:8], found[8:]
    assert [status for status, _, _ in refused] == [401, 401, 303, 401, 401, 401, 401, 303]
    assert {where for status, where, _ in refused if status == 303} == {"/login", "/login?refused=1"}
    assert not any("bread.md" in text for _, _, text in refused)
    assert closed == [ACCESS_DENIED] * 4
    assert server.page.partition("=")[2] not in command_line
    # It was the account and not the code that was wrong.
    assert httpx2.get(invitation, timeout=60).headers["location"] == "/"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says whose connection it is")
def test_a_session_that_another_account_was_sent_lets_it_in_nowhere(server: Running) -> None:
    """Browsers send the cookies of a host to all its ports, and another account may listen on one."""
    with httpx2.Client(base_url=server.address, timeout=60) as browser:
        browser.get(server.page)
        ((name, value),) = browser.cookies.items()
        headers = {"accept": "text/html", "cookie": f"{name}={value}"}
        assert browser.get("/", headers=headers).status_code == 200
        ((status, where, _),) = as_other_account(("http", "GET", f"{server.address}/", headers, None))
        assert (status, where) == (303, "/login?refused=1")


def test_the_accounts_own_programs_ask_over_its_socket_without_a_token(server: Running) -> None:
    transport = httpx2.HTTPTransport(uds=str(place(load().config).http))
    with httpx2.Client(transport=transport, base_url="http://localhost", timeout=60) as client:
        assert client.post("/v1/search", json={"query": "sourdough"}).json()["hits"][0]["uri"] == "bread.md"


def test_without_a_token_the_server_warns_that_every_account_may_ask(vault: Vault) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "octavo", "serve", "--port", "0", "--no-token"], stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        address = process.stderr.readline().split()[1]
        assert process.stderr.readline() == (
            "warning: without a token every account on this machine reads and changes this library\n"
        )
        as_json = {"content-type": "application/json"}
        ((status, _, text),) = as_other_account(
            ("http", "POST", f"{address}/v1/search", as_json, '{"query": "sourdough"}')
        )
        assert (status, "bread.md" in text) == (200, True)
    finally:
        process.kill()
        process.communicate()
