"""Verifies OAuth access tokens by signature or introspection: issuer, audience, expiry, scopes, projects.

Octavo is a resource server as MCP's authorization describes it: it says where tokens are to be had (RFC 9728) and takes
those that were made for it. It makes none itself, and passes none on.
"""

from __future__ import annotations

import base64
import json
import time
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import jwt
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from octavo.config.schema import OAuth
from octavo.engine.caller_permissions import Caller
from octavo.errors import ConfigurationError, Forbidden, OctavoError, ProviderFailed, system_message
from octavo.interfaces.http.server_token import loopback
from octavo.model.access_token import SCOPES, AccessScope, token_hash
from octavo.path_resolution_and_private_folders import expand_user
from octavo.services.http_connections_and_errors import REQUEST_ERRORS, failure_of
from octavo.services.json_client import address_problem, direct_opener

METADATA = "/.well-known/oauth-protected-resource"
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Signatures that a public key verifies: what is signed with a shared secret anybody with the keys could sign."""
_LEEWAY = 10  # seconds by which clocks may differ
_KEYS_SECONDS = 600.0  # after which keys are fetched again
_AGAIN_SECONDS = 10.0  # before keys are fetched for another key id that nobody knows
_BELIEVED_SECONDS = 5.0  # for which a token that was looked up is believed, as one of Octavo's own is
_KNOWN = 1_000  # looked-up tokens
_TIMEOUT = 5.0
_LARGEST = 1_000_000  # bytes of an answer of the issuer


class Issuer:
    """The one authorization server whose tokens are taken."""

    def __init__(self, settings: OAuth) -> None:
        self._settings = settings
        self._scopes = _scopes(settings)
        for name in ("issuer", "resource", *(name for name in ("keys", "introspection") if getattr(settings, name))):
            _checked(f"oauth.{name}", getattr(settings, name))
        self._basic = _basic(settings)
        address = urlsplit(settings.resource)
        self._host = f"{address.scheme}://{address.netloc}"
        self._audience = {settings.resource, self._host}
        self.metadata_path = METADATA + address.path.rstrip("/")
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched = float("-inf")
        self._problem = ""  # with the keys, when they were last fetched
        self._known: dict[str, tuple[float, Mapping[str, Any]]] = {}  # hash → when it was looked up, and its claims

    def routes(self) -> list[Route]:
        """The metadata, at the address that belongs to `/mcp` and at that of the whole server."""
        metadata = {
            "resource": self._settings.resource,
            "authorization_servers": [self._settings.issuer],
            "scopes_supported": list(self._scopes),
            "bearer_methods_supported": ["header"],
            "resource_name": "Octavo",
        }

        async def told(request: Request) -> Response:
            return JSONResponse(metadata)

        return [Route(path, told) for path in sorted({METADATA, self.metadata_path})]

    def challenge(self, error: str = "", scope: object = None) -> str:
        """What `WWW-Authenticate` says: what is wrong, where tokens come from, and which scope is missing.

        Who has no token is told no scope, so that clients ask for every one that the metadata list.
        """
        theirs = next((name for name, ours in self._scopes.items() if ours == scope), None)
        parts = {"error": error, "scope": theirs, "resource_metadata": f"{self._host}{self.metadata_path}"}
        return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)

    async def caller(self, token: str) -> Caller | None:
        """Who has a token; None where it is not the issuer's, not for this server, or over."""
        claims = await anyio.to_thread.run_sync(self._looked_up if self._settings.introspection else self._read, token)
        name = claims and (claims.get("sub") or claims.get("client_id") or claims.get("azp"))
        if not claims or not name:
            return None
        granted = {self._scopes.get(theirs) for theirs in _texts(claims.get("scope") or claims.get("scp"), split=True)}
        allowed = [scope for scope in SCOPES if scope in granted]
        if not allowed:
            hint = f"ask for one of these: {', '.join(self._scopes)}"
            raise Forbidden(
                f"the token of {name} has no scope of this server", hint=hint, details={"scope": AccessScope.READ.value}
            )
        claim = self._settings.projects_claim
        projects = _texts(claims.get(claim)) if claim else ()
        if claim and not projects:  # of no project, which is not the same as of all
            raise Forbidden(f"the token of {name} is for no project: it has nothing in {claim}")
        return Caller(f"oauth:{name}", allowed[-1], projects, rate=self._settings.rate)

    def _read(self, token: str) -> Mapping[str, Any] | None:
        """The claims of a signed token that holds."""
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid", ""))
            if key is None:
                return None
            claims: Mapping[str, Any] = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                issuer=self._settings.issuer,
                audience=self._audience,
                leeway=_LEEWAY,
                options={"require": ["exp", "iss", "aud"]},
            )
        except jwt.PyJWTError:
            return None
        return claims

    def _key(self, number: str) -> jwt.PyJWK | None:
        """The issuer's key of this id, fetched anew after a while, or soon where it is not known: keys are replaced."""
        age = time.monotonic() - self._fetched
        if age >= _KEYS_SECONDS or (number not in self._keys and age >= _AGAIN_SECONDS):
            self._fetched, self._problem = time.monotonic(), ""
            try:
                listed = jwt.PyJWKSet.from_dict(_asked(self._settings.keys or self._discovered()))
                self._keys = {key.key_id or "": key for key in listed.keys}
            except (jwt.PyJWTError, OctavoError) as error:
                self._problem = str(error)
        if number not in self._keys and self._problem:
            raise ProviderFailed(f"the keys of {self._settings.issuer} cannot be read: {self._problem}")
        return self._keys.get(number)

    def _discovered(self) -> str:
        """Where the issuer's metadata say that its keys are (RFC 8414, or OpenID Connect's)."""
        issuer = urlsplit(self._settings.issuer)
        path, host = issuer.path.rstrip("/"), f"{issuer.scheme}://{issuer.netloc}"
        problem = ""
        for place in (
            f"{host}/.well-known/oauth-authorization-server{path}",
            f"{host}{path}/.well-known/openid-configuration",
        ):
            try:
                metadata = _asked(place)
            except ProviderFailed as error:
                problem = error.message
                continue
            if metadata.get("issuer") == self._settings.issuer and "jwks_uri" in metadata:
                return _checked("jwks_uri", metadata["jwks_uri"])
            problem = f"{place} is of another issuer, or names no keys"
        raise ProviderFailed(problem, hint="set oauth.keys to the address of the issuer's JWKS")

    def _looked_up(self, token: str) -> Mapping[str, Any] | None:
        """The claims of a token that the issuer says is active."""
        digest, now = token_hash(token), time.monotonic()
        asked_at, claims = self._known.get(digest, (float("-inf"), {}))
        if now - asked_at >= _BELIEVED_SECONDS:
            body = urllib.parse.urlencode({"token": token, "token_type_hint": "access_token"}).encode()
            claims = _asked(self._settings.introspection, body, {"Authorization": self._basic} if self._basic else {})
            while len(self._known) >= _KNOWN:
                del self._known[next(iter(self._known))]
            self._known[digest] = (now, claims)
        expires = claims.get("exp")
        holds = claims.get("active") is True and (expires is None or time.time() < float(expires) + _LEEWAY)
        ours = claims.get("iss", self._settings.issuer) == self._settings.issuer
        return claims if holds and ours and self._audience & set(_texts(claims.get("aud"))) else None


def _texts(value: object, *, split: bool = False) -> tuple[str, ...]:
    """What a claim lists: JSON has one text for one, and OAuth one text with spaces for several scopes."""
    if isinstance(value, str):
        return tuple(value.split()) if split else (value,)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _asked(address: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
    request = urllib.request.Request(address, body, {"Accept": "application/json", **(headers or {})})
    try:
        with direct_opener(address).open(request, timeout=_TIMEOUT) as response:
            answer = json.loads(response.read(_LARGEST))
    except REQUEST_ERRORS as error:
        raise ProviderFailed(f"{address}: {failure_of(error).reason}") from error
    if not isinstance(answer, dict):
        raise ProviderFailed(f"{address}: its answer is no JSON object")
    return answer


def _checked(name: str, address: str) -> str:
    """Tokens and keys travel encrypted, unless they stay on this machine."""
    problem = address_problem(address)
    if not problem and urlsplit(address).scheme != "https" and not loopback(urlsplit(address).hostname or ""):
        problem = "is not an https address"
    if problem:
        raise ConfigurationError(f"{name} is {address!r}, which {problem}", hint="see `octavo config describe oauth`")
    return address


def _scopes(settings: OAuth) -> dict[str, AccessScope]:
    scopes: dict[str, AccessScope] = {}
    for each in settings.scopes:
        theirs, _, ours = each.rpartition("=")
        if not theirs or ours not in tuple(SCOPES) or '"' in theirs or " " in theirs:
            hint = "write THEIRS=read, THEIRS=write or THEIRS=admin"
            raise ConfigurationError(f"oauth.scopes has {each!r}, which is no scope", hint=hint)
        scopes[theirs] = AccessScope(ours)
    return scopes


def _basic(settings: OAuth) -> str:
    if settings.client_secret_file is None:
        return ""
    try:
        secret = expand_user(settings.client_secret_file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"oauth.client_secret_file cannot be read: {system_message(error)}") from error
    pair = ":".join(map(urllib.parse.quote_plus, (settings.client_id, secret)))
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
