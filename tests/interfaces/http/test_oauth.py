"""Tokens of an authorization server: where clients learn of it, and which of its tokens are taken for what."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import anyio
import httpx2
import jwt
import pytest
from cli_calls import Location, Octavo
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from http_calls import in_process, running
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import ProtectedResourceMetadata

import octavo as api
from octavo.config.schema import OAuth
from octavo.errors import ConfigurationError
from octavo.interfaces.http.oauth_token_verification import Issuer

OWNER = "0123456789abcdef-owner"
RESOURCE = "https://books.example.org/mcp"
METADATA = "https://books.example.org/.well-known/oauth-protected-resource/mcp"
Talk = Callable[[httpx2.AsyncClient], Awaitable[None]]


class StandIn:
    """An authorization server: its metadata, its keys, and what it says of tokens that are looked up."""

    def __init__(self, address: str) -> None:
        self.issuer = f"{address}/team"
        self.asked: list[str] = []
        self.opaque: dict[str, dict[str, Any]] = {}
        self.down = False
        self.replace_key("RS256")

    def replace_key(self, algorithm: str) -> None:
        self.algorithm, self.kid = algorithm, f"key-{time.monotonic_ns()}"
        if algorithm == "RS256":
            self.key: Any = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
            public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        else:
            self.key = ec.generate_private_key(ec.SECP256R1())
            public = jwt.algorithms.ECAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        self.public = {**public, "kid": self.kid, "use": "sig"}

    def token(self, **claims: Any) -> dict[str, str]:
        """The header with a token for this server; a claim that is None is left out."""
        whole = {"iss": self.issuer, "aud": RESOURCE, "sub": "ann", "scope": "octavo:read", "exp": time.time() + 60}
        held = {name: value for name, value in (whole | claims).items() if value is not None}
        return bearer(jwt.encode(held, self.key, self.algorithm, {"kid": self.kid}))

    def answer(self, path: str, form: dict[str, list[str]], authorization: str) -> dict[str, Any] | None:
        self.asked.append(path)
        if self.down:
            return None
        if path == "/.well-known/oauth-authorization-server/team":
            return {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"}
        if path == "/team/keys":
            return {"keys": [self.public, {"kty": "from the future"}]}
        if path == "/team/introspect" and authorization == f"Basic {base64.b64encode(b'octavo:s3cret').decode()}":
            return self.opaque.get(form["token"][0], {"active": False})
        return None


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    with _served() as server:
        yield server


@contextmanager
def _served() -> Iterator[StandIn]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            form = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
            answer = stand_in.answer(self.path, form, self.headers.get("Authorization", ""))
            self.send_response(404 if answer is None else 200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        do_POST = do_GET  # noqa: N815

        def log_message(self, format: str, *values: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        stand_in = StandIn(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield stand_in
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def library(octavo: Octavo, location: Location) -> Location:
    with api.open(location, create=True) as opened:
        opened.remember("The ladder is in the shed.")
        opened.projects.resolve(name="quiet", create_if_missing=True)
    return location


def asking(library: Location, talk: Talk, settings: OAuth) -> None:
    in_process(library, talk, token=OWNER, issuer=Issuer(settings))


async def statuses(client: httpx2.AsyncClient, headers: dict[str, str]) -> list[int]:
    calls = {"recall": {"query": "ladder"}, "remember": {"text": "The rake too."}, "watch": {"enabled": False}}
    return [(await client.post(f"/v1/{name}", json=body, headers=headers)).status_code for name, body in calls.items()]


def test_a_token_allows_what_its_scopes_mean_here(library: Location, stand_in: StandIn, octavo: Octavo) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        allowed = {
            scopes: await statuses(client, stand_in.token(scope=scopes))
            for scopes in ("octavo:read", "email octavo:write", "octavo:admin octavo:read", "email")
        }
        assert allowed == {
            "octavo:read": [200, 403, 403],
            "email octavo:write": [200, 200, 403],
            "octavo:admin octavo:read": [200, 200, 200],
            "email": [403, 403, 403],
        }
        refused = await client.post("/v1/remember", json={"text": "x"}, headers=stand_in.token())
        assert refused.headers["www-authenticate"] == (
            f'Bearer error="insufficient_scope", scope="octavo:write", resource_metadata="{METADATA}"'
        )
        refused = await client.post("/v1/recall", json={"query": "x"}, headers=stand_in.token(scope="email"))
        assert 'error="insufficient_scope", scope="octavo:read"' in refused.headers["www-authenticate"]
        assert await statuses(client, bearer(OWNER)) == [200, 200, 200]  # the server's own token goes on

    asking(library, talk, OAuth(stand_in.issuer, RESOURCE))
    written = json.loads(octavo("tokens", "audit", "--library", library, "--json").stdout)["writes"]
    assert {entry["who"] for entry in written} == {"owner", "oauth:ann"}


def test_a_token_of_another_issuer_for_another_server_over_or_forged_is_refused(
    library: Location, stand_in: StandIn
) -> None:
    with _served() as stranger:
        secret = base64.urlsafe_b64encode(json.dumps(stand_in.public).encode()).decode()
        claims = {"iss": stand_in.issuer, "aud": RESOURCE, "sub": "ann", "scope": "octavo:read", "exp": 4e9}
        refused = {
            "another issuer": stand_in.token(iss=stranger.issuer),
            "another's key": stranger.token(iss=stand_in.issuer),
            "another's key under a known id": bearer(
                jwt.encode(claims, stranger.key, "RS256", {"kid": stand_in.kid}),
            ),
            "another audience": stand_in.token(aud="https://mail.example.org"),
            "no audience": stand_in.token(aud=None),
            "over": stand_in.token(exp=time.time() - 60),
            "no end": stand_in.token(exp=None),
            "not yet": stand_in.token(nbf=time.time() + 600),
            "nobody": stand_in.token(sub=None),
            "unsigned": bearer(jwt.encode(claims, None, "none", {"kid": stand_in.kid})),
            "a shared secret": bearer(jwt.encode(claims, secret, "HS256", {"kid": stand_in.kid})),
            "no token": bearer("a.b.c"),
            "no token of ours": bearer("octavo_" + "a" * 43),
        }

    async def talk(client: httpx2.AsyncClient) -> None:
        assert (await client.post("/v1/status", json={}, headers=stand_in.token())).status_code == 200
        for name, headers in refused.items():
            answer = await client.post("/v1/status", json={}, headers=headers)
            challenge = f'Bearer error="invalid_token", resource_metadata="{METADATA}"'
            assert (name, answer.status_code) == (name, 401)
            assert answer.headers["www-authenticate"] == challenge
        assert (await client.post("/v1/status", json={}, headers=stand_in.token(aud=[RESOURCE, "x"]))).is_success

    asking(library, talk, OAuth(stand_in.issuer, RESOURCE))


@pytest.mark.one_engine
def test_clients_learn_where_tokens_come_from(library: Location, stand_in: StandIn) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        refused = await client.post("/mcp", json={})
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{METADATA}"'
        for path in ("", "/mcp"):
            answer = await client.get(f"/.well-known/oauth-protected-resource{path}")
            metadata = ProtectedResourceMetadata.model_validate(answer.json())
            assert str(metadata.resource) == RESOURCE
            assert [str(server) for server in metadata.authorization_servers] == [stand_in.issuer]
            assert metadata.scopes_supported == ["octavo:read", "octavo:write", "octavo:admin"]

    asking(library, talk, OAuth(stand_in.issuer, RESOURCE))


@pytest.mark.one_engine
def test_a_server_without_an_issuer_knows_no_metadata_and_takes_no_foreign_token(
    library: Location, stand_in: StandIn
) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        refused = await client.post("/v1/status", json={}, headers=stand_in.token())
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert (await client.get("/.well-known/oauth-protected-resource")).status_code == 404

    in_process(library, talk, token=OWNER)
    assert stand_in.asked == []


@pytest.mark.one_engine
def test_keys_are_fetched_once_and_again_when_they_were_replaced(
    library: Location, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("octavo.interfaces.http.oauth_token_verification.time.monotonic", lambda: now[0])

    async def talk(client: httpx2.AsyncClient) -> None:
        async def status() -> int:
            return (await client.post("/v1/status", json={}, headers=stand_in.token())).status_code

        stand_in.down = True
        assert await status() == 503  # nobody can say whether the token is good
        stand_in.down = False
        now[0] += 30
        assert [await status() for _ in range(3)] == [200, 200, 200]
        assert stand_in.asked.count("/team/keys") == 1
        stand_in.replace_key("ES256")
        assert await status() == 401  # not asked for every token that somebody makes up
        now[0] += 30
        assert await status() == 200
        stand_in.down = True
        now[0] += 3_600
        assert await status() == 200  # with the keys that are known
        assert stand_in.asked.count("/team/keys") == 2

    asking(library, talk, OAuth(stand_in.issuer, RESOURCE))


@pytest.mark.one_engine
def test_a_token_that_is_no_jwt_is_looked_up_at_the_issuer(
    library: Location, stand_in: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr("octavo.interfaces.http.oauth_token_verification.time.monotonic", lambda: now[0])
    (secret := tmp_path / "secret").write_text("s3cret\n")
    known = {"active": True, "sub": "ann", "aud": RESOURCE, "scope": "octavo:write", "exp": int(time.time()) + 60}
    stand_in.opaque = {
        "good": known,
        "elsewhere": known | {"aud": "https://mail.example.org"},
        "unaddressed": {name: value for name, value in known.items() if name != "aud"},
        "over": known | {"exp": int(time.time()) - 60},
        "revoked": {"active": False},
    }

    async def talk(client: httpx2.AsyncClient) -> None:
        async def status(token: str) -> int:
            return (await client.post("/v1/status", json={}, headers=bearer(token))).status_code

        assert {token: await status(token) for token in (*stand_in.opaque, "unknown")} == {
            "good": 200,
            "elsewhere": 401,
            "unaddressed": 401,
            "over": 401,
            "revoked": 401,
            "unknown": 401,
        }
        stand_in.opaque["good"] = {"active": False}
        assert await status("good") == 200  # believed for some seconds
        now[0] += 30
        assert await status("good") == 401

    introspection = f"{stand_in.issuer}/introspect"
    looked_up = OAuth(
        stand_in.issuer, RESOURCE, introspection=introspection, client_id="octavo", client_secret_file=secret
    )
    asking(library, talk, looked_up)


@pytest.mark.one_engine
def test_a_claim_binds_a_token_to_projects_and_each_person_has_a_rate(library: Location, stand_in: StandIn) -> None:
    async def talk(client: httpx2.AsyncClient) -> None:
        async def projects(headers: dict[str, str]) -> httpx2.Response:
            return await client.post("/v1/projects_list", json={}, headers=headers)

        bound = (await projects(stand_in.token(libraries=["quiet"]))).json()
        assert [project["name"] for project in bound["projects"]] == ["quiet"]
        assert (await projects(stand_in.token(sub="ben"))).status_code == 403
        quiet = stand_in.token(libraries="quiet")
        assert [(await projects(quiet)).status_code for _ in range(3)] == [200, 200, 429]

    asking(library, talk, OAuth(stand_in.issuer, RESOURCE, projects_claim="libraries", rate=3))


@pytest.mark.one_engine
@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (OAuth("http://login.example.org", RESOURCE), "oauth.issuer"),
        (OAuth("https://login.example.org", "books"), "oauth.resource"),
        (OAuth("https://login.example.org"), "oauth.resource"),
        (OAuth("https://login.example.org", RESOURCE, keys="ftp://x"), "oauth.keys"),
        (OAuth("https://login.example.org", RESOURCE, scopes=("books=everything",)), "books=everything"),
        (OAuth("https://login.example.org", RESOURCE, client_secret_file=Path("nowhere")), "client_secret_file"),
    ],
)
def test_settings_that_cannot_be_meant_stop_the_start(settings: OAuth, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        Issuer(settings)


@pytest.mark.one_engine
def test_over_mcp_a_token_of_the_issuer_has_the_tools_it_allows(
    library: Location, stand_in: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_LIBRARY", str(library))
    monkeypatch.setenv("OCTAVO_OAUTH_ISSUER", stand_in.issuer)
    monkeypatch.setenv("OCTAVO_OAUTH_RESOURCE", RESOURCE)
    with running(["--no-watch"]) as server:

        async def main() -> None:
            async with (
                httpx2.AsyncClient(headers=stand_in.token(), timeout=120) as http,
                Client(streamable_http_client(f"{server.address}/mcp", http_client=http)) as client,
            ):
                names = {tool.name for tool in (await client.list_tools()).tools}
                assert {"search", "recall"} <= names and "remember" not in names
                assert "ladder" in str((await client.call_tool("recall", {"query": "where is the ladder"})).content)

        anyio.run(main)
