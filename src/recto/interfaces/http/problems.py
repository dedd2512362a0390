"""Errors as RFC 9457 problems, with Recto's own codes."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from recto import errors

MEDIA_TYPE = "application/problem+json"

STATUSES: Mapping[type[errors.RectoError], int] = {
    errors.RectoError: 500,
    errors.InvalidArgument: 400,
    errors.ConfigurationError: 500,
    errors.NotFound: 404,
    errors.NotIndexed: 409,
    errors.Stale: 409,
    errors.Busy: 409,
    errors.Conflict: 409,
    errors.LibraryError: 500,
    errors.StorageError: 500,
    errors.SourceError: 500,
    errors.ParseError: 400,
    errors.ProviderFailed: 502,
    errors.ModelUnavailable: 503,
    errors.MissingExtra: 501,
}
"""The status of an error is that of its nearest class here."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "urn:recto:error: and the code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What went wrong, by name."},
        "code": {"type": "string"},
        "hint": {"type": "string", "description": "What to do about it."},
        "details": {"type": "object"},
    },
}


def problem_of(error: errors.RectoError) -> JSONResponse:
    status = next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)
    headers = {"Retry-After": "1"} if isinstance(error, errors.Busy) else None
    return problem(status, error.code, error.message, error.hint, error.details, headers)


def problem(
    status: int,
    code: str,
    detail: str,
    hint: str | None = None,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    body: dict[str, Any] = {
        "type": f"urn:recto:error:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    body |= {"hint": hint} if hint else {}
    body |= {"details": dict(details)} if details else {}
    return JSONResponse(body, status, dict(headers or {}), MEDIA_TYPE)
