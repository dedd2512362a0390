"""Tokens of people and programs: what each may do, in which projects, how often, and what is written down of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from cli_calls import Location, Octavo
from http_calls import in_process, running
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import octavo as api
from octavo.config.schema import Serve
from octavo.engine.caller_permissions import Caller
from octavo.interfaces.http.authentication import Access

OWNER = "0123456789abcdef-owner"
HIDDEN = "The vault opens with the blue key."
Talk = Callable[[httpx2.AsyncClient], Awaitable[None]]


@pytest.fixture
def library(octavo: Octavo, location: Location) -> Location:
    """With the projects default and quiet, and in each a memory."""
    with api.open(location, create=True) as opened:
        opened.remember("The ladder is in the shed.")
        opened.projects.resolve(name="quiet", create_if_missing=True)
    with api.open(location, project="quiet") as opened:
        opened.remember(HIDDEN)
    return location


def made(library: Location, name: str, **allowed: Any) -> dict[str, str]:
    with api.open(library) as opened:
        return {"authorization": f"Bearer {opened.tokens.create(name, **allowed).token}"}


def asking(library: Location, talk: Talk, **settings: Any) -> None:
    in_process(library, talk, token=OWNER, **settings)


def test_a_token_reads_or_writes_or_sets_up_by_its_scope(library: Location) -> None:
    headers = {scope: made(library, f"for-{scope}", scope=scope) for scope in ("read", "write", "admin")}
    calls = {"recall": {"query": "ladder"}, "remember": {"text": "The rake too."}, "watch": {"enabled": False}}

    async def talk(client: httpx2.AsyncClient) -> None:
        statuses = {
            scope: [
                (await client.post(f"/v1/{name}", json=arguments, headers=headers[scope])).status_code
                for name, arguments in calls.items()
            ]
            for scope in headers
        }
        assert statuses == {"read": [200, 403, 403], "write": [200, 200, 403], "admin": [200, 200, 200]}
        refused = (await client.post("/v1/remember", json={"text": "x"}, headers=headers["read"])).json()
        assert refused["code"] == "FORBIDDEN"
        assert refused["detail"] == "the token for-read may read, and remember needs write"
        # Nothing is looked at before: the same answer for what is there, what is not, and what makes no sense.
        for item in ("mem_none", "", 3):
            answer = await client.post("/v1/forget", json={"item": item}, headers=headers["read"])
            assert answer.status_code == 403

    asking(library, talk)


def test_a_token_for_a_project_works_there_and_knows_of_no_other(library: Location) -> None:
    quiet = made(library, "quiet-reader", projects=["quiet"])
    default = made(library, "default-writer", scope="write", projects=["default"])

    async def talk(client: httpx2.AsyncClient) -> None:
        async def call(name: str, arguments: dict[str, Any], headers: dict[str, str]) -> httpx2.Response:
            return await client.post(f"/v1/{name}", json=arguments, headers=headers)

        found = (await call("recall", {"query": "which key opens the vault"}, quiet)).json()
        assert [memory["text"] for memory in found["memories"]] == [HIDDEN]
        assert HIDDEN not in (await call("recall", {"query": "which key opens the vault"}, default)).text
        listed = (await call("projects_list", {}, default)).json()
        assert [project["name"] for project in listed["projects"]] == ["default"]
        # One that is forbidden is answered as one that is not there, by name and by header.
        answers = [await call("recall", {"query": "key", "project": name}, default) for name in ("quiet", "nowhere")]
        assert [answer.status_code for answer in answers] == [404, 404]
        assert answers[0].text.replace("quiet", "NAME") == answers[1].text.replace("nowhere", "NAME")
        headers = [default | {"octavo-project": name} for name in ("quiet", "nowhere")]
        answers = [await call("recall", {"query": "key"}, one) for one in headers]
        assert [answer.status_code for answer in answers] == [403, 403]
        assert answers[0].text.replace("quiet", "NAME") == answers[1].text.replace("nowhere", "NAME")
        resolved = [await call("projects_resolve", {"name": name}, default) for name in ("quiet", "nowhere")]
        assert [answer.status_code for answer in resolved] == [404, 404]
        making = {"name": "new", "create_if_missing": True}
        assert (await call("projects_resolve", making, default)).status_code == 403
        # The owner goes where the header says.
        owner = {"authorization": f"Bearer {OWNER}", "octavo-project": "quiet"}
        assert HIDDEN in (await call("recall", {"query": "key"}, owner)).text

    asking(library, talk)


def test_a_revoked_an_expired_and_an_invented_token_are_refused(library: Location) -> None:
    headers = made(library, "gone")
    with api.open(library) as opened:
        opened.tokens.revoke("gone")
        assert [(token.name, token.state) for token in opened.tokens.list().tokens] == [("gone", "revoked")]
        with pytest.raises(api.Conflict):
            opened.tokens.create("gone")

    async def talk(client: httpx2.AsyncClient) -> None:
        invented = {"authorization": "Bearer octavo_" + "a" * 43}
        for given in (headers, invented, {}):
            assert (await client.post("/v1/status", json={}, headers=given)).status_code == 401

    asking(library, talk)


def test_a_token_is_refused_as_soon_as_it_is_revoked_and_not_told_to_wait(library: Location) -> None:
    headers = made(library, "laptop", rate=2)

    async def talk(client: httpx2.AsyncClient) -> None:
        async def status() -> int:
            return (await client.post("/v1/status", json={}, headers=headers)).status_code

        assert await status() == 200
        with api.open(library) as opened:
            opened.tokens.revoke("laptop")
        assert [await status() for _ in range(3)] == [401] * 3

    asking(library, talk)


def test_a_token_that_asks_too_often_waits_and_others_do_not(library: Location) -> None:
    slow, other = made(library, "slow", rate=2), made(library, "other")

    async def talk(client: httpx2.AsyncClient) -> None:
        statuses = [(await client.post("/v1/status", json={}, headers=slow)).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]
        refused = await client.post("/v1/status", json={}, headers=slow)
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.json()["detail"] == "the token slow may make 2 requests a minute"
        assert (await client.post("/v1/status", json={}, headers=other)).status_code == 200

    asking(library, talk)


@pytest.mark.one_engine
def test_a_budget_fills_again_with_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("octavo.interfaces.http.authentication.time.monotonic", lambda: now[0])

    async def nobody(digest: str) -> None:
        return None

    access, caller = Access(OWNER, nobody), Caller("ci", rate=60)
    assert [access.overdrawn(caller) for _ in range(60)] == [0.0] * 60
    assert access.overdrawn(caller) == 1.0
    now[0] = 1.0
    assert (access.overdrawn(caller), access.overdrawn(caller)) == (0.0, 1.0)


def test_writes_are_audited_with_who_when_and_how_they_ended(library: Location, octavo: Octavo) -> None:
    writer, reader = made(library, "ann", scope="write"), made(library, "ben", scope="read")

    async def talk(client: httpx2.AsyncClient) -> None:
        owner = {"authorization": f"Bearer {OWNER}"}
        assert (await client.post("/v1/remember", json={"text": "None."}, headers=reader)).status_code == 403
        assert (await client.post("/v1/remember", json={"text": "One."}, headers=writer)).status_code == 200
        assert (await client.post("/v1/forget", json={"item": "mem_none"}, headers=writer)).status_code == 404
        assert (await client.post("/v1/recall", json={"query": "one"}, headers=writer)).status_code == 200
        assert (await client.post("/v1/remember", json={"text": "Two."}, headers=owner)).status_code == 200

    asking(library, talk)
    told = json.loads(octavo("tokens", "audit", "--library", library, "--json").stdout)["writes"]
    assert [(entry["who"], entry["operation"], entry["project"], entry["outcome"]) for entry in told] == [
        ("owner", "remember", "default", "ok"),
        ("ann", "forget", "default", "NOT_FOUND"),
        ("ann", "remember", "default", "ok"),
        ("ben", "remember", "default", "FORBIDDEN"),
    ]
    only = octavo("tokens", "audit", "--library", library, "--who", "owner", "--jsonl").stdout
    assert len(only.splitlines()) == 1


def test_a_browser_session_has_the_rights_of_its_token(library: Location) -> None:
    token = made(library, "page-reader")["authorization"].removeprefix("Bearer ")

    async def talk(client: httpx2.AsyncClient) -> None:
        let_in = await client.post("/login", data={"token": token})
        assert let_in.status_code == 303 and let_in.headers["location"] == "/"
        assert (await client.get("/memories", headers={"accept": "text/html"})).status_code == 200
        html = {"accept": "text/html"}
        refused = await client.post("/change/remember", data={"text": "x"}, headers=html)
        assert refused.status_code == 403 and "may read, and remember needs write" in refused.text
        change = await client.post("/change/setting", data={"name": "retrieval.limit", "value": "3"}, headers=html)
        assert change.status_code == 403

    asking(library, talk, settings=Serve(write=True))


@pytest.mark.one_engine
def test_over_mcp_a_token_has_the_tools_and_projects_it_allows(
    library: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    reader, quiet = made(library, "reader"), made(library, "quiet", scope="write", projects=["quiet"])
    with running(["--no-watch"]) as server:

        async def main() -> None:
            for mode in ("auto", "legacy"):
                async with _client(server.address, reader, mode) as client:
                    names = {tool.name for tool in (await client.list_tools()).tools}
                    assert {"search", "recall"} <= names and not {"remember", "forget", "reindex"} & names
                    told = client.instructions or ""
                    assert "project default" in told and "recall finds" in told
                    assert "remember keeps" not in told and "Call reindex" not in told
                    refused = await client.call_tool("remember", {"text": "no"})
                    assert refused.is_error and "may read, and remember needs write" in str(refused.content)
                async with _client(server.address, quiet, mode) as client:
                    told = client.instructions or ""
                    assert "project default" not in told and "remember keeps" in told and "Call reindex" not in told
                    assert HIDDEN in str((await client.call_tool("recall", {"query": "the vault"})).content)
                    other = await client.call_tool("recall", {"query": "the ladder", "project": "default"})
                    assert other.is_error and "there is no project default" in str(other.content)

        anyio.run(main)


@asynccontextmanager
async def _client(address: str, headers: dict[str, str], mode: str) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=120) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


def test_the_library_keeps_the_hash_and_the_command_line_prints_the_token_once(
    library: Location, octavo: Octavo, tmp_path: Path
) -> None:
    made_once = octavo("tokens", "create", "ci", "--scope", "write", "--for", "quiet", "--library", library)
    token = made_once.stdout.strip()
    assert token.startswith("octavo_") and len(token) == 50
    listed = octavo("tokens", "list", "--library", library, "--json").stdout
    assert token not in listed and json.loads(listed)["tokens"][0] | {"created_at": ""} == {
        "name": "ci",
        "scope": "write",
        "projects": ["quiet"],
        "state": "active",
        "created_at": "",
    }
    if isinstance(library, Path):
        assert all(token.encode() not in file.read_bytes() for file in library.parent.glob(f"{library.name}*"))
    assert octavo("tokens", "create", "x", "--for", "nowhere", "--library", library).exit_code == 1
    assert octavo("tokens", "revoke", "nobody", "--library", library).exit_code == 1
    empty = octavo("tokens", "audit", "--library", library)
    assert empty.stdout.strip() == "Nothing was changed over HTTP yet."
