"""What a shared server answers, and what it refuses: the same as a process of one's own."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from dataclasses import replace

import pytest
from cli_calls import Octavo
from daemon_calls import address, client, server
from language_model_services import HANG, model_served
from mcp import Client as SdkClient
from mcp_calls import over_stdio, raw, uris

from octavo.config.layered_config_loading import load
from octavo.errors import InvalidArgument, OctavoError
from octavo.interfaces.cli.output import screen
from octavo.interfaces.daemon.client import running, started
from octavo.interfaces.daemon.greeting_messages import CALLS
from octavo.interfaces.daemon.server_or_local_library import LibraryClient
from octavo.operations.answering.results import AnswerSentence
from octavo.version import __version__

HEAVY = (
    "numpy",
    "onnxruntime",
    "apsw",
    "mcp",
    "tokenizers",
    "octavo.engine",
    "octavo.operations.operation_lookup",
)
# `octavo`, but a busy machine is no reason for it to work without the server.
PATIENT = """
from octavo.interfaces.daemon import client
client.ASIDE_SECONDS = 60.0
from octavo.interfaces.cli.main import main
main()
"""
TIMES = re.compile(r'("took_ms": |"age_seconds": )[\d.]+|\d[\d.,]* m?s\b|(?<= )\d+\.\d(?= |$)', re.MULTILINE)


@pytest.mark.usefixtures("lasting")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.one_engine
def test_a_client_of_either_era_is_served_through_the_relay(mode: str) -> None:
    async def talk(one: SdkClient) -> None:
        assert "notes: 3 documents" in (one.instructions or "")
        result = await one.call_tool("search", {"query": "sourdough"})
        assert uris(result.content[0].text)[0] == "bread.md"  # type: ignore[union-attr]
        (resource, *_) = (await one.list_resources()).resources
        assert "bread.md" in (await one.read_resource(resource.uri)).contents[0].text  # type: ignore[union-attr]

    over_stdio([], talk, mode=mode)


@pytest.mark.usefixtures("lasting")
@pytest.mark.one_engine
def test_the_relay_imports_no_model_no_library_and_no_sdk() -> None:
    with client(environ={"PYTHONPROFILEIMPORTTIME": "1"}) as watched:
        assert watched.found("sourdough")
        _, noise = watched.process.communicate(timeout=60)
        told = noise.decode()
    imported = {line.rpartition("|")[2].strip() for line in told.splitlines() if line.startswith("import time:")}
    assert "octavo.interfaces.daemon.mcp_relay" in imported
    assert {name for name in imported if name.startswith(HEAVY)} == set()


@pytest.mark.usefixtures("lasting")
@pytest.mark.one_engine
def test_a_served_search_imports_only_what_it_takes_to_ask_and_print() -> None:
    command = [sys.executable, "-c", PATIENT, "search", "sourdough"]
    environ = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(command, env=environ, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "octavo.interfaces.daemon.client" in imported
    heavy = (*HEAVY, "rich", "Stemmer", "octavo.algorithms.text.search_tokenizer", "octavo.retrieval")
    assert {name for name in imported if name.startswith(heavy)} == set()


@pytest.mark.usefixtures("lasting")
@pytest.mark.one_engine
def test_a_client_that_is_killed_in_the_middle_of_a_call_costs_only_itself() -> None:
    with client() as stays:
        began = server()
        with client() as dies:
            dies.begin("search", query="sourdough")
            dies.begin("reindex", scope="full", wait=True)
            dies.kill()
        assert stays.found("sourdough")[0] == "bread.md"
        assert server() == began


@pytest.mark.usefixtures("lasting")
@pytest.mark.parametrize(
    "arguments",
    [
        ["sourdough"],
        ["--json", "東京"],
        ["--json", "prune in late winter"],
        ["--jsonl", "apple"],
        ["--format", "csv", "apple"],
        ["--format", "md", "apple"],
        ["--format", "files", "apple"],
        ["--explain", "-n", "2", "water the tree"],
        ["--full", "-p", "lexical_only", "prune"],
        ["-c", "nowhere", "apple"],
        ["--json", "-p", "nonsense", "apple"],
        ["--kind", "code", "zebrafish"],
        ["--tag", "garden", "--after", "2020-01-01", "apple"],
    ],
    ids=" ".join,
)
def test_a_search_says_the_same_with_and_without_a_server(
    octavo: Octavo, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> tuple[str, str, int]:
        result = octavo("search", *arguments)
        return re.sub(r" +", " ", TIMES.sub(r"\1T", result.stdout)), result.stderr, result.exit_code

    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")
    alone = told()
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "true")
    connection = running(load().config)
    assert connection is not None
    connection.close()
    assert told() == alone


@pytest.mark.usefixtures("lasting")
@pytest.mark.one_engine
def test_a_wrong_set_of_tools_is_the_same_usage_error_through_a_server() -> None:
    process = raw(["--tools", "nonsense"])
    told, noise = process.communicate(b"", timeout=60)
    assert (process.returncode, told) == (2, b"")
    assert b"there is no tool or set of tools called nonsense" in noise


@pytest.mark.usefixtures("lasting")
@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"\x00" * 10_000 + b"\n",
        b"[" * 100_000 + b"\n",
        b'{"settings": {}, "version": "%s", "want": "nonsense"}\n' % __version__.encode(),
        b'{"settings": {"library": 7, "nonsense": {}}, "version": "%s", "want": "calls"}\n' % __version__.encode(),
    ],
    ids=["nothing", "a blank line", "HTTP", "zeros", "deep", "an unknown wish", "a wrong configuration"],
)
@pytest.mark.one_engine
def test_what_strangers_say_to_the_socket_costs_only_their_conversation(said: bytes) -> None:
    with client() as one:
        with socket.socket(socket.AF_UNIX) as stranger:
            stranger.connect(str(address().socket))
            stranger.sendall(said)
            stranger.shutdown(socket.SHUT_WR)
            stranger.settimeout(30)
            answer = stranger.recv(1 << 16)
            assert answer == b"" or json.loads(answer)["ok"] is False
        assert one.found("sourdough")


@pytest.mark.usefixtures("lasting")
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("get", {"reference": "../../etc/passwd"}, "NOT_FOUND"),
        ("get", {"reference": "a\0b"}, "NOT_FOUND"),
        ("outline", {"reference": "/etc/passwd"}, "NOT_FOUND"),
        ("reindex", {"prefix": "../", "scope": "prefix"}, "INVALID_ARGUMENT"),
        ("watch", {"debounce_ms": 10}, "INVALID_ARGUMENT"),
        ("watch", {"enabled": "perhaps"}, "INVALID_ARGUMENT"),
        ("nonsense", {}, "INVALID_ARGUMENT"),
        ("search", {"query": "x" * 1_000_000}, "INVALID_ARGUMENT"),
    ],
)
@pytest.mark.one_engine
def test_hostile_calls_over_the_socket_are_refused(name: str, arguments: dict[str, object], code: str) -> None:
    connection = started(load().config, CALLS)
    try:
        with pytest.raises(OctavoError) as refused:
            connection.call(name, arguments, 60)
        assert refused.value.code == code
        assert connection.call("projects_list", {}, 60)["projects"]
    finally:
        connection.close()


@pytest.mark.usefixtures("lasting")
@pytest.mark.one_engine
def test_a_search_of_the_wrong_shape_is_refused_by_the_server() -> None:
    connection = started(load().config, CALLS)
    try:
        with pytest.raises(InvalidArgument):
            shown = {"format": "json", "screen": screen()._asdict(), "full": False, "explain": False}
            connection.call("search", {"request": {"query": "apple", "limit": 0}, "shown": shown}, 60)
    finally:
        connection.close()


@pytest.mark.usefixtures("lasting")
def test_an_answer_is_told_sentence_by_sentence_and_alike_with_and_without_a_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = LibraryClient(load().config)
    assert shared.served
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "false")
    alone = LibraryClient(load().config)
    assert not alone.served
    heard: dict[str, list[AnswerSentence]] = {"shared": [], "alone": []}
    told = shared.answer("when does the starter need food?", heard["shared"].append)
    assert shared.served
    assert alone.answer("when does the starter need food?", heard["alone"].append).sentences == told.sentences
    assert tuple(heard["shared"]) == tuple(heard["alone"]) == told.sentences != ()
    shared.close()
    alone.close()


@pytest.mark.usefixtures("lasting")
@pytest.mark.one_engine
def test_a_client_that_goes_ends_the_call_of_a_model_that_nobody_waits_for() -> None:
    with model_served("Salt.") as service:
        service.trouble = [HANG] * 9
        changed = replace(load().config, llm=service.configured())
        connection = started(changed, CALLS)
        connection.sock.sendall(b'{"call": "ask", "arguments": {"question": "when does the starter need food?"}}\n')
        assert service.asked.wait(60)
        connection.close()
        assert service.gone.wait(60)
