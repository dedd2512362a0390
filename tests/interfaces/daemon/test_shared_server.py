"""One server for all clients of a library: found, started, shared, survived."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from pathlib import Path

import pytest
from cli_calls import Octavo, Vault
from daemon_calls import PATIENCE, address, await_end, client, server
from http_calls import running as serving
from mcp_calls import message, raw

from octavo.config.layered_config_loading import load
from octavo.errors import InvalidArgument, StorageError
from octavo.fast_dataclass import replace
from octavo.interfaces.daemon import client as daemon_client
from octavo.interfaces.daemon.client import Connection, Unreachable, VersionRefused, connect, running, started
from octavo.interfaces.daemon.greeting_messages import ABOUT, MCP, Hello, settings_of
from octavo.interfaces.daemon.socket_address import private_folder
from octavo.version import __version__

HEAVY = ("numpy", "onnxruntime", "apsw", "mcp", "pydantic", "tokenizers", "octavo.engine")


def greeting(want: str = ABOUT, version: str = __version__) -> Hello:
    return Hello(version, want, settings_of(load().config))


@pytest.mark.usefixtures("served")
def test_the_first_client_starts_a_server_and_the_others_share_it() -> None:
    assert server() is None
    with client() as first:
        began = server()
        with client() as second, client("--tools", "full") as third:
            for one in (first, second, third):
                assert one.found("sourdough")[0] == "bread.md"
            assert server() == began
        assert first.found("sourdough")[0] == "bread.md"
    assert server() == began


@pytest.mark.one_engine
@pytest.mark.usefixtures("served")
def test_clients_that_start_together_start_one_server() -> None:
    pids = []

    def begin() -> None:
        connection = started(load().config, MCP)
        pids.append(connection.greeting["pid"])
        connection.close()

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 4
    assert len(set(pids)) == 1


@pytest.mark.one_engine
@pytest.mark.usefixtures("served")
def test_a_killed_server_is_replaced_and_its_client_goes_on() -> None:
    with client() as one:
        assert one.found("sourdough")
        first = server()
        assert first is not None
        os.kill(first, signal.SIGKILL)
        # What reaches the dead server in this moment is answered with an error; never with silence.
        answers = [one.call("search", query="sourdough") for _ in range(3)]
        assert all("result" in answer or "ask again" in answer["error"]["message"] for answer in answers)
        assert "result" in answers[-1]
        assert server() not in (None, first)


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_client_is_answered_by_its_configuration_as_it_is_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config.toml"
    by_words = '[retrieval]\nprofile = "lexical_only"\n'
    file.write_text(by_words, "utf-8")
    monkeypatch.setenv("OCTAVO_CONFIG", str(file))
    with client() as one:
        assert len(one.found("the")) > 1
        first = server()
        file.write_text(f"{by_words}limit = 1\n", "utf-8")
        deadline = time.monotonic() + PATIENCE
        while len(one.found("the")) > 1:
            assert time.monotonic() < deadline, "the configuration was not read again"
        assert server() == first


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_what_was_being_asked_of_a_killed_server_is_answered_with_an_error() -> None:
    with client() as one:
        pid = server()
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        asked = one.begin("search", query="sourdough")
        one.await_taken()
        one.begin("search", query="apple")
        one.await_taken()  # it goes on to the next message once it has handed this one over
        os.kill(pid, signal.SIGKILL)
        assert "ask again" in one.answer(asked)["error"]["message"]
        assert one.found("sourdough")


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_socket_that_nobody_listens_on_keeps_nobody_waiting(octavo: Octavo) -> None:
    at = address()
    private_folder(at.folder)
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(at.socket))
    left.close()
    assert running(load().config) is None
    assert octavo("search", "sourdough").exit_code == 0
    with client() as one:
        assert one.found("sourdough")


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_server_that_hangs_keeps_nobody_waiting(octavo: Octavo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_client, "ASIDE_SECONDS", 0.5)
    at = address()
    private_folder(at.folder)
    with socket.socket(socket.AF_UNIX) as hung:
        hung.bind(str(at.socket))
        hung.listen()
        assert octavo("search", "sourdough").exit_code == 0


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_server_of_another_version_makes_way_and_serves_those_it_has() -> None:
    with client() as old:
        first = server()
        with pytest.raises(VersionRefused):
            connect(address(), greeting(version="0.0.0"))
        with client() as fresh:
            assert server() not in (None, first)
            assert fresh.found("sourdough")
        assert old.found("sourdough")


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_server_that_does_not_know_what_its_client_sets_makes_way_as_one_of_another_version() -> None:
    newer = greeting(MCP)
    newer = replace(newer, settings={**newer.settings, "embedding": {"provider": "telepathy"}})
    with client() as old:
        first = server()
        with pytest.raises(VersionRefused):
            connect(address(), newer)
        with client() as fresh:
            assert server() not in (None, first)
            assert fresh.found("sourdough")
        assert old.found("sourdough")


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
@pytest.mark.parametrize("answer", [{"rows": []}, InvalidArgument("search has no argument 'telepathy'")], ids=repr)
def test_a_search_that_a_server_does_not_understand_is_answered_without_it(
    octavo: Octavo, monkeypatch: pytest.MonkeyPatch, answer: object
) -> None:
    def call(*_: object) -> object:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(Connection, "call", call)
    with client():
        assert server() is not None
        assert octavo("search", "sourdough").exit_code == 0


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_server_without_clients_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCTAVO_DAEMON_IDLE_SECONDS", "3")
    at = address()
    with client() as one:
        assert one.found("sourdough")
        assert server() is not None
    await_end(at)
    assert not at.socket.exists()


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_server_asked_to_stop_is_gone(octavo: Octavo) -> None:
    with client() as one:
        assert json.loads(octavo("daemon", "status", "--json").stdout)["running"]
        pid = server()
        os.kill(one.process.pid, signal.SIGSTOP)  # it would start another at once
        assert octavo("daemon", "stop").stdout == f"Stopped {pid}.\n"
        await_end(address())
        assert not json.loads(octavo("daemon", "status", "--json").stdout)["running"]
        again = octavo("daemon", "stop")
        assert (again.exit_code, again.stdout) == (0, "No server runs for this library.\n")
        one.kill()


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_folder_others_can_enter_is_closed_before_it_is_used() -> None:
    at = address()
    at.folder.mkdir(mode=0o755, parents=True)
    with pytest.raises(Unreachable):
        connect(at, greeting())
    private_folder(at.folder)
    assert at.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_a_folder_that_is_a_link_is_not_used(octavo: Octavo, tmp_path_factory: pytest.TempPathFactory) -> None:
    at = address()
    at.folder.parent.mkdir(exist_ok=True)
    at.folder.symlink_to(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(StorageError, match="not a private folder"):
        private_folder(at.folder)
    process = raw([])
    _, noise = process.communicate(message(1, "ping", {}), timeout=60)
    assert process.returncode == 0
    assert b"working without a shared server" in noise
    assert octavo("search", "sourdough").exit_code == 0


@pytest.mark.usefixtures("served")
@pytest.mark.one_engine
def test_without_daemon_no_server_is_started(served: Vault) -> None:
    with client("--no-daemon") as one:
        assert one.found("sourdough")
        assert server() is None


@pytest.mark.usefixtures("served")
def test_clients_find_the_server_that_serves_http() -> None:
    with serving() as http:
        with client() as one:
            assert one.found("sourdough")
            assert server() == http.process.pid
        http.process.terminate()
        assert http.process.wait(timeout=60) == 0
        assert server() is None
