"""The application: routes from the table, MCP beside them, a guard around everything."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp, StreamableHTTPSessionManager
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from recto import __version__
from recto.config.schema import Serve
from recto.errors import RectoError
from recto.interfaces.calls import Calls
from recto.interfaces.http.guard import Guard
from recto.interfaces.http.problems import SCHEMA, problem, problem_of
from recto.interfaces.http.routes import UnsupportedMedia, add_routes, unsupported_media
from recto.interfaces.mcp.instructions import instructions, without_library
from recto.interfaces.mcp.server import make_server
from recto.observability.metrics import Metrics
from recto.operations.table import chosen

_log = logging.getLogger("recto.http")
_SESSIONS = 200  # of clients from before 2026, which are remembered between requests


def make_app(calls: Calls, settings: Serve, token: str | None = None, tools: str = "default") -> Guard:
    server = make_server(calls, chosen(tools), "")
    sessions = StreamableHTTPSessionManager(
        server, max_request_body_size=settings.max_request_bytes, max_sessions=_SESSIONS
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            server.instructions = await calls.work(instructions)
        except RectoError as error:
            server.instructions = without_library(error)
        async with sessions.run():
            yield

    app = _Application(
        title="Recto",
        version=__version__,
        description="Straight to the right page: search and read an indexed library.",
        lifespan=lifespan,
        # Their pages come from other people's servers.
        docs_url=None,
        redoc_url=None,
    )
    app.secured = token is not None
    metrics = Metrics()
    add_routes(app, calls, metrics)
    app.router.routes.append(Route("/mcp", endpoint=StreamableHTTPASGIApp(sessions)))
    app.add_exception_handler(RectoError, _purpose)
    app.add_exception_handler(HTTPException, _protocol)
    app.add_exception_handler(UnsupportedMedia, _media)
    app.add_exception_handler(Exception, _defect)
    inner: ASGIApp = app
    if settings.allow_origins:
        inner = CORSMiddleware(
            app,
            allow_origins=list(settings.allow_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["*"],
            expose_headers=["Mcp-Session-Id"],
        )
    return Guard(inner, settings, token, metrics)


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
        return self.openapi_schema or {}


async def _purpose(request: Request, error: Exception) -> Response:
    assert isinstance(error, RectoError)
    return problem_of(error)


async def _protocol(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = "NOT_FOUND" if error.status_code == 404 else "INVALID_ARGUMENT"
    hint = "see /openapi.json" if error.status_code in (404, 405) else None
    return problem(error.status_code, code, str(error.detail), hint, headers=error.headers)


async def _media(request: Request, error: Exception) -> Response:
    return unsupported_media()


async def _defect(request: Request, error: Exception) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return problem(500, "INTERNAL", "unexpected failure", "this is a defect in Recto; its log has the details")
