"""`octavo mcp` as clients start it: a process on two pipes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Vault
from mcp import Client
from mcp_calls import HANDSHAKE, message, over_stdio, raw

NOISY = '''
import ctypes, os, sys
class Noise:
    """Prints as a native library does while it loads: to the descriptor, past everything of Python's."""
    def find_spec(self, name, path=None, target=None):
        if name in ("apsw", "numpy", "pydantic", "mcp"):
            os.write(1, b"native noise\\\\n")
            libc = ctypes.CDLL(None)
            libc.puts(b"noise of the C library")
            libc.fflush(None)
            print("noise of Python", flush=True)
        return None
sys.meta_path.insert(0, Noise())
'''


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_of_either_era_searches_and_reads(vault: Vault, mode: str) -> None:
    async def talk(client: Client) -> None:
        assert (client.protocol_version >= "2026") == (mode == "auto")
        assert "notes: 3 documents" in (client.instructions or "")
        assert len((await client.list_tools()).tools) <= 7
        result = await client.call_tool("search", {"query": "sourdough"})
        (hit, *_) = result.structured_content["hits"]
        assert (hit["uri"], result.content) == ("bread.md", [])
        read = await client.call_tool("get", {"reference": hit["chunk_id"]})
        assert read.structured_content["text"] == hit["excerpt"]

    over_stdio(["--tools", "default,data"], talk, mode=mode)


@pytest.mark.one_engine
def test_named_tools_are_the_only_ones(vault: Vault) -> None:
    async def talk(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["get", "projects_list"]

    over_stdio(["--tools", "get,projects_list"], talk)


def test_without_a_library_the_server_starts_and_says_what_to_do(environment: Path) -> None:
    async def talk(client: Client) -> None:
        assert "octavo start FOLDER" in (client.instructions or "")
        result = await client.call_tool("search", {"query": "anything"})
        assert result.is_error
        assert "NOT_INDEXED" in result.content[0].text  # type: ignore[union-attr]

    over_stdio(["--library", str(environment / "nowhere.db")], talk)


@pytest.mark.one_engine
def test_nothing_but_protocol_reaches_stdout_whoever_prints(
    vault: Vault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(NOISY, "utf-8")
    server = raw([], {"PYTHONPATH": str(tmp_path)})
    call = message(2, "tools/call", {"name": "search", "arguments": {"query": "apples"}})
    told, noise = server.communicate(HANDSHAKE + call, timeout=120)
    answers = [json.loads(line) for line in told.splitlines()]
    assert {answer["id"] for answer in answers} >= {1}
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert b"native noise" in noise
    assert b"noise of the C library" in noise
    assert b"noise of Python" in noise


@pytest.mark.one_engine
def test_the_server_ends_when_its_input_does(vault: Vault) -> None:
    server = raw([])
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(HANDSHAKE)
    server.stdin.flush()
    assert json.loads(server.stdout.readline())["id"] == 1
    server.stdin.close()
    assert server.wait(timeout=120) == 0
    server.stdout.close()
    assert server.stderr is not None
    assert server.stderr.read() == b""
    server.stderr.close()


@pytest.mark.one_engine
def test_what_is_not_protocol_is_refused_and_the_next_message_answered(vault: Vault) -> None:
    server = raw([])
    deep = (
        b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"search","arguments":' + b"[" * 100_000 + b"\n"
    )
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(HANDSHAKE + b"not json\n" + b"\xff\xfe\n" + b"[]\n" + deep + message(9, "ping", {}))
    server.stdin.flush()
    while json.loads(server.stdout.readline()).get("id") != 9:
        pass
    server.communicate(timeout=120)
    assert server.returncode == 0


@pytest.mark.one_engine
def test_a_malformed_request_is_answered_with_an_error(vault: Vault) -> None:
    server = raw([])
    assert server.stdin is not None
    assert server.stdout is not None
    listed = json.loads(message(5, "tools/list", {})) | {"params": []}
    unnamed = {"jsonrpc": "2.0", "id": "six", "method": 3}
    noted = json.loads(message(None, "notifications/progress", {})) | {"params": []}
    wrong = b"".join(json.dumps(line).encode() + b"\n" for line in (listed, unnamed, noted))
    server.stdin.write(HANDSHAKE + wrong + message(9, "ping", {}))
    server.stdin.flush()
    replies = {reply["id"]: reply for reply in (json.loads(server.stdout.readline()) for _ in range(4))}
    server.communicate(timeout=120)
    assert replies.keys() == {1, 5, "six", 9}
    assert replies[5]["error"] == {"code": -32602, "message": "params has to be an object"}
    assert replies["six"]["error"]["code"] == -32600


@pytest.mark.one_engine
def test_a_wrong_set_of_tools_is_a_usage_error_on_stderr(vault: Vault) -> None:
    server = raw(["--tools", "nonsense"])
    told, noise = server.communicate(b"", timeout=60)
    assert (server.returncode, told) == (2, b"")
    assert b"there is no tool or set of tools called nonsense" in noise
