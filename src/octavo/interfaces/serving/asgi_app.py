"""Builds the ASGI application: HTTP routes of operations and tool aliases, web pages and MCP behind one guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from octavo.config.schema import Serve
from octavo.errors import Forbidden, OctavoError
from octavo.interfaces.execution.async_operation_calls import Calls
from octavo.interfaces.http.authentication import Access
from octavo.interfaces.http.oauth_token_verification import Issuer
from octavo.interfaces.http.problem_responses import SCHEMA, problem, problem_of, protocol_problem
from octavo.interfaces.http.request_guard import OPEN, Guard
from octavo.interfaces.http.routes import Endpoint, UnsupportedMedia, add_routes, body_arguments, unsupported_media
from octavo.interfaces.http.server_sent_events import while_wanted
from octavo.interfaces.mcp.instructions import usage
from octavo.interfaces.mcp.server import library_instructions, make_server
from octavo.interfaces.mcp.tool_aliases.aliased_tool import Alias, aliases
from octavo.interfaces.web.ask_pages import Answers
from octavo.interfaces.web.document_pages import DocumentPages
from octavo.interfaces.web.library_change_forms import Changes
from octavo.interfaces.web.library_pages import LibraryPages, MemoryPages
from octavo.interfaces.web.page_rendering import Site, wants_page
from octavo.interfaces.web.search_pages import SearchPages
from octavo.interfaces.web.settings_and_login_pages import Login, SettingsPage
from octavo.model.access_token import AccessToken
from octavo.operations.operation_lookup import DOTTED, chosen, gives_data, set_names
from octavo.version import __version__

_log = logging.getLogger("octavo.http")
_HINTS = {404: "see /openapi.json", 405: "operations are sent as POST, their arguments as JSON: see /openapi.json"}
_SESSIONS = 200  # of clients from before 2026, which are remembered between requests


def make_app(
    calls: Calls, settings: Serve, token: str | None = None, tools: str = "default", issuer: Issuer | None = None
) -> Guard:
    # Files are written for those who have a token, and for nobody else who finds the port.
    operations = tuple(operation for operation in chosen(tools) if token is not None or not operation.writes_files)
    seeds = tuple(alias for alias in aliases(tools) if token is not None or not alias.of.writes_files)
    dotted = DOTTED in set_names(tools)
    server = make_server(calls, operations, "", data=gives_data(tools), seeds=seeds, dotted=dotted)
    sessions = StreamableHTTPSessionManager(
        server, max_request_body_size=settings.max_request_bytes, max_sessions=_SESSIONS
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        server.instructions = await library_instructions(calls, operations)
        server.scopes = {operation.name: operation.scope for operation in operations}
        server.usage = usage(server.scopes)
        if token is not None:
            server.own_project = calls.engine().project.name
        async with sessions.run():
            yield

    app = _Application(
        title="Octavo",
        version=__version__,
        description="The library that fits in your pocket: search and read an indexed library.",
        lifespan=lifespan,
        # Their pages come from other people's servers.
        docs_url=None,
        redoc_url=None,
    )
    app.secured = token is not None
    metrics = calls.metrics
    app.router.routes += alias_routes(calls, seeds)  # first: of two routes of one name, the set's own answers
    add_routes(app, calls, metrics, secured=token is not None)
    access = Access(token, partial(_token_with, calls), issuer) if token is not None else None
    app.router.routes += issuer.routes() if issuer else []
    site = Site(calls, writable=settings.write and token is not None, open_with=settings.open_with, access=access)
    app.router.routes += page_routes(site, app.openapi)
    app.router.routes.append(Route("/mcp", endpoint=StreamableHTTPASGIApp(sessions)))
    app.add_exception_handler(OctavoError, partial(_purpose, issuer))
    app.add_exception_handler(HTTPException, partial(_protocol, site))
    app.add_exception_handler(UnsupportedMedia, _media)
    app.add_exception_handler(Exception, partial(_defect, site))
    inner: ASGIApp = app
    if settings.allow_origins:
        inner = CORSMiddleware(
            app,
            allow_origins=list(settings.allow_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id"],
        )
    return Guard(inner, settings, access, metrics, site.refused)


async def _token_with(calls: Calls, digest: str) -> AccessToken | None:
    return await calls.work(lambda engine: engine.store.access.by_hash(digest))


class _Application(FastAPI):
    """With what the routes share in OpenAPI written once: the shape of a problem, and the token."""

    secured = False

    def openapi(self) -> dict[str, Any]:
        if not self.openapi_schema:
            document = super().openapi()
            parts = document.setdefault("components", {})
            parts.setdefault("schemas", {})["Problem"] = dict(SCHEMA)
            if self.secured:
                parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
                document["security"] = [{"token": []}]
                for path in OPEN & document["paths"].keys():
                    for described in document["paths"][path].values():
                        described["security"] = []
        return self.openapi_schema or {}


async def _purpose(issuer: Issuer | None, request: Request, error: Exception) -> Response:
    assert isinstance(error, OctavoError)
    answer = problem_of(error)
    if issuer and isinstance(error, Forbidden) and "scope" in error.details:
        answer.headers["WWW-Authenticate"] = issuer.challenge("insufficient_scope", error.details["scope"])
    return answer


async def _protocol(site: Site, request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code in (404, 405) and wants_page(request):
        return site.refusal(request, error.status_code, error.headers)
    return protocol_problem(error.status_code, str(error.detail), _HINTS.get(error.status_code), error.headers)


async def _media(request: Request, error: Exception) -> Response:
    return unsupported_media()


async def _defect(site: Site, request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    text = ("unexpected failure", "this is a defect in Octavo; its log has the details")
    return site.refused(500, *text) if wants_page(request) else problem(500, "INTERNAL", *text)


def alias_routes(calls: Calls, seeds: Sequence[Alias]) -> Iterator[Route]:
    """One for each tool, with its arguments as the body and its payload as the answer."""
    for alias in seeds:
        yield Route(f"/{alias.called(dotted=False)}", _endpoint(calls, alias), methods=["POST"])


def _endpoint(calls: Calls, alias: Alias) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        arguments = await body_arguments(request)

        async def answered() -> Response:
            return JSONResponse(await calls.work(lambda engine: alias.answered(engine, arguments, None)))

        return await (while_wanted(request, answered()) if alias.of.annotations.read_only else answered())

    return endpoint


def page_routes(site: Site, describe: Callable[[], Mapping[str, Any]]) -> list[Route]:
    """`describe` gives the OpenAPI document, for the page on the programming interface."""
    listed = [
        *SearchPages(site, describe).listed(),
        *DocumentPages(site).listed(),
        *Answers(site).listed(),
        *MemoryPages(site).listed(),
        *LibraryPages(site).listed(),
        *SettingsPage(site).listed(),
        *(Login(site, site.access).listed() if site.access else ()),
        *(Changes(site).listed() if site.writable else ()),
    ]
    return [Route(path, page, methods=methods) for path, page, methods in listed]
