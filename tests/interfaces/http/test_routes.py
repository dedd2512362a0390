"""What each route answers, and how it says that it cannot."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from cli_calls import Vault
from http_calls import JSON, in_process
from replaced_functions import done_by

from octavo.config.schema import Serve
from octavo.interfaces.http import routes
from octavo.operations.json_schemas import input_schema
from octavo.operations.operation_lookup import OPERATIONS


def problem(response: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    assert response.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = response.json()
    assert (response.status_code, told["status"], told["code"]) == (status, status, code), told
    assert told["type"] == f"urn:octavo:error:{code}"
    assert told["detail"]
    return told


def test_every_operation_has_a_route_with_its_schema_and_a_true_example(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        paths = (await client.get("/openapi.json")).json()["paths"]
        assert {f"/v1/{name}" for name in OPERATIONS} <= set(paths)
        for name, operation in OPERATIONS.items():
            body = paths[f"/v1/{name}"]["post"]["requestBody"]["content"]["application/json"]
            assert body["example"] == dict(operation.example)
            assert set(body["schema"]["properties"]) >= set(input_schema(operation.takes)["properties"])

    in_process(vault.library, talk)


def test_search_answers_under_all_its_names(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        one = (await client.post("/v1/search", json={"query": "sourdough", "limit": 1})).json()
        other = (await client.post("/query_documents", json={"query": "sourdough", "top_n": 1})).json()
        assert one["hits"] == other["hits"]
        assert one["hits"][0]["uri"] == "bread.md"
        read = await client.post("/v1/get", json={"reference": one["hits"][0]["chunk_id"]})
        assert read.json()["text"] == one["hits"][0]["excerpt"]

    in_process(vault.library, talk)


def test_the_stream_brings_the_hits_one_at_a_time_and_then_the_trace(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        hits = (await client.post("/v1/search", json={"query": "trees", "limit": 3})).json()["hits"]
        events = []
        async with client.stream("POST", "/query_documents_stream", json={"query": "trees", "top_k": 3}) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            text = (await response.aread()).decode()
        for block in text.strip().split("\n\n"):
            name, data = block.split("\n")
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        assert [name for name, _ in events] == ["hit"] * len(hits) + ["trace"]
        assert [data for name, data in events if name == "hit"] == hits
        assert {stage["stage"] for stage in events[-1][1]["trace"]} >= {"lexical", "dense"}
        problem(
            await client.post("/query_documents_stream", json={"query": "a", "collections": ["x"]}), 404, "NOT_FOUND"
        )

    in_process(vault.library, talk)


def test_supervisors_are_told_of_health_readiness_status_and_figures(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.get("/health")).json() == {"status": "ok"}
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        assert (await client.get("/status")).json()["documents"] == 3
        await client.post("/v1/search", json={"query": "a"})
        figures = (await client.get("/metrics")).text
        assert 'octavo_requests_total{route="/v1/search",status="200"} 1' in figures
        assert 'octavo_request_seconds_bucket{route="/v1/search",le="+Inf"} 1' in figures
        assert "octavo_documents 3" in figures

    in_process(vault.library, talk)


def test_without_a_library_the_server_lives_but_is_not_ready(tmp_path: Path) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.get("/health")).status_code == 200
        told = problem(await client.get("/readyz"), 409, "NOT_INDEXED")
        assert "octavo start FOLDER" in told["hint"]
        problem(await client.post("/v1/search", json={"query": "a"}), 409, "NOT_INDEXED")

    in_process(tmp_path / "nowhere.db", talk)


BODIES: list[tuple[bytes, dict[str, str], int, str]] = [
    (b"not json", JSON, 400, "INVALID_ARGUMENT"),
    (b"\xff\xfe", JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "a", "limit": NaN}', JSON, 400, "INVALID_ARGUMENT"),
    (b"[1, 2]", JSON, 400, "INVALID_ARGUMENT"),
    (b"null", JSON, 400, "INVALID_ARGUMENT"),
    (b"[" * 100_000, JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_000 + b"}", JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "\\ud800"}', JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "' + b"x" * 1_000_000 + b'"}', JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "' + b"x" * 5_000_000 + b'"}', JSON, 413, "REQUEST_TOO_LARGE"),
    (b'{"query": 5}', JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "a", "limit": "5"}', JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "a", "nonsense": 1}', JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": null}', JSON, 400, "INVALID_ARGUMENT"),
    (b"", JSON, 400, "INVALID_ARGUMENT"),
    (b'{"query": "a"}', {"content-type": "text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
    (b"query=a", {"content-type": "application/x-www-form-urlencoded"}, 415, "UNSUPPORTED_MEDIA_TYPE"),
]


def test_bodies_that_are_no_request_are_problems_by_name(vault: Vault) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        for body, headers, status, code in BODIES:
            told = problem(await client.post("/v1/search", content=body, headers=headers), status, code)
            assert status != 415 or told["hint"].endswith("Content-Type: application/json")
        told = problem(await client.get("/v1/search"), 405, "METHOD_NOT_ALLOWED")
        assert "as POST" in told["hint"]
        problem(await client.post("/v1/nonsense", json={}), 404, "NO_SUCH_ROUTE")
        problem(await client.get("/v1/../../etc/passwd"), 404, "NO_SUCH_ROUTE")
        assert (await client.post("/v1/status")).status_code == 200

    in_process(vault.library, talk)


def test_a_body_without_a_length_is_counted_as_it_comes(vault: Vault) -> None:
    async def endless() -> Any:
        for _ in range(100):
            yield b" " * 10_000

    async def talk(client: httpx2.AsyncClient) -> None:
        problem(await client.post("/v1/search", content=endless(), headers=JSON), 413, "REQUEST_TOO_LARGE")

    in_process(vault.library, talk, settings=Serve(max_request_bytes=50_000))


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "evil.example:7411"}, 421),
        ({"host": "localhost.evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"host": "evil.example@localhost"}, 421),
        ({"host": "10.0.0.5"}, 421),
        ({"host": ""}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://localhost:3000"}, 403),
        ({"origin": "http://localhost:7411.evil.example"}, 403),
        ({"origin": "file://localhost:7411"}, 403),
        ({}, 200),
        ({"host": "127.0.0.1:7411"}, 200),
        ({"host": "[::1]:7411"}, 200),
        ({"host": "localhost"}, 200),
        ({"origin": "http://localhost:7411"}, 200),
    ],
    ids=str,
)
def test_names_and_pages_that_are_not_ours_are_turned_away(vault: Vault, headers: dict[str, str], status: int) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        for method, path in (("GET", "/health"), ("GET", "/status"), ("POST", "/v1/status"), ("GET", "/openapi.json")):
            response = await client.request(method, path, headers=headers)
            assert response.status_code == status, path
        if status != 200:
            assert (await client.post("/mcp", headers=headers, json={})).status_code == status

    in_process(vault.library, talk)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_asks_for_is_refused_whatever_it_is(vault: Vault, site: str) -> None:
    """A picture, a script or a link has no Origin. Another port is the same site, and another origin."""

    async def talk(client: httpx2.AsyncClient) -> None:
        other = {"sec-fetch-site": site}
        for method, path in (("GET", "/?q=sourdough"), ("GET", "/ask?q=sourdough"), ("POST", "/v1/search")):
            assert (await client.request(method, path, headers=other)).status_code == 403
        followed = await client.get("/?q=sourdough", headers=other | {"accept": "text/html"})
        assert (followed.status_code, '<a href="">' in followed.text) == (403, True)
        for own in ("none", "same-origin"):
            assert (await client.get("/?q=sourdough", headers={"sec-fetch-site": own})).status_code == 200

    in_process(vault.library, talk)


def test_a_page_that_is_allowed_may_ask_and_read(vault: Vault) -> None:
    settings = Serve(allow_origins=("http://localhost:3000",), allow_hosts=("books.local",))

    async def talk(client: httpx2.AsyncClient) -> None:
        origin = {"origin": "http://localhost:3000"}
        asked = {**origin, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
        allowed = await client.options("/v1/search", headers=asked)
        assert allowed.headers["access-control-allow-origin"] == "http://localhost:3000"
        answer = await client.post("/v1/search", json={"query": "a"}, headers={**origin, "host": "books.local"})
        assert answer.headers["access-control-allow-origin"] == "http://localhost:3000"

    in_process(vault.library, talk, settings=settings)


def test_away_from_this_machine_a_token_is_needed_and_an_address_is_name_enough(vault: Vault) -> None:
    token = "a-token-of-some-length"

    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.get("/health")).status_code == 200
        for given in ({}, {"authorization": "Bearer wrong"}, {"authorization": token}, {"authorization": "Basic x"}):
            refused = await client.post("/v1/status", headers=given)
            problem(refused, 401, "UNAUTHORIZED")
            assert refused.headers["www-authenticate"] == "Bearer"
            assert (await client.post("/mcp", json={}, headers=given)).status_code == 401
        right = {"authorization": f"Bearer {token}"}
        assert (await client.post("/v1/status", headers=right)).status_code == 200
        assert (await client.get("/openapi.json", headers=right)).json()["security"] == [{"token": []}]
        problem(await client.get("/health", headers={"host": "evil.example"}), 421, "MISDIRECTED_REQUEST")

    in_process(vault.library, talk, settings=Serve(host="0.0.0.0"), token=token, base="http://10.0.0.5:7411")


def test_what_takes_too_long_and_what_is_too_much_at_once_is_refused(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, let = threading.Event(), threading.Event()
    search = OPERATIONS["search"]

    def slow(engine: object, request: object) -> object:
        begun.set()
        assert let.wait(60)
        return search.run(engine, request)

    monkeypatch.setattr(routes, "OPERATIONS", {**OPERATIONS, "search": done_by(slow, search)})

    async def talk(client: httpx2.AsyncClient) -> None:
        async with anyio.create_task_group() as tasks:

            async def ask() -> None:
                problem(await client.post("/v1/search", json={"query": "a"}), 504, "TIMEOUT")

            tasks.start_soon(ask)
            await anyio.to_thread.run_sync(begun.wait, 60)
            refused = await client.post("/v1/status", json={})
            problem(refused, 503, "SERVER_BUSY")
            assert refused.headers["retry-after"] == "1"
            assert (await client.get("/health")).status_code == 200  # a supervisor is always answered
        let.set()
        assert (await client.post("/v1/status", json={})).status_code == 200

    in_process(vault.library, talk, settings=Serve(concurrency=1, timeout_seconds=4.0))


def test_a_defect_is_a_problem_without_its_insides(vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(engine: object, request: object) -> object:
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(routes, "OPERATIONS", {**OPERATIONS, "search": done_by(broken, OPERATIONS["search"])})

    async def talk(client: httpx2.AsyncClient) -> None:
        told = problem(await client.post("/v1/search", json={"query": "a"}), 500, "INTERNAL")
        assert "secret" not in json.dumps(told)

    in_process(vault.library, talk)


def test_the_health_of_a_library_that_cannot_be_opened_is_an_answer_with_status_503(tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    library.write_bytes(b"not a library" * 1_000)

    async def talk(client: httpx2.AsyncClient) -> None:
        answered = await client.post("/v1/doctor", json={})
        assert (answered.status_code, answered.json()["ok"]) == (503, False)
        (check,) = answered.json()["checks"]
        assert (check["name"], check["ok"]) == ("library", False) and str(library) in check["message"]
        assert (await client.post("/v1/doctor", json={"deep": "x"})).status_code == 400

    in_process(library, talk)
