"""Errors as RFC 9457 problems, with Octavo's own codes."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from octavo import errors
from octavo.operations.names_and_hints_by_interface import for_model
from octavo.operations.operation_lookup import OPERATIONS

MEDIA_TYPE = "application/problem+json"

STATUSES: Mapping[type[errors.OctavoError], int] = {
    errors.OctavoError: 500,
    errors.InvalidArgument: 400,
    errors.ConfigurationError: 500,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.NotIndexed: 409,
    errors.Stale: 409,
    errors.Busy: 409,
    errors.Conflict: 409,
    errors.LibraryError: 500,
    errors.StorageError: 503,
    errors.SourceError: 500,
    errors.ParseError: 400,
    errors.ProviderFailed: 502,
    errors.ModelUnavailable: 503,
    errors.MissingExtra: 501,
}
"""The status of an error is that of its nearest class here."""

PROTOCOL_CODES: Mapping[int, str] = {404: "NO_SUCH_ROUTE", 413: "REQUEST_TOO_LARGE", 503: "SERVER_BUSY", 504: "TIMEOUT"}
"""What HTTP itself refuses, before or beside any operation; every other status has its own name for a code."""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "description": "urn:octavo:error: and the code."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What went wrong, by name."},
        "code": {"type": "string"},
        "hint": {"type": "string", "description": "What to do about it."},
        "details": {"type": "object"},
    },
}


def status_of(error: errors.OctavoError) -> int:
    return next(STATUSES[kind] for kind in type(error).__mro__ if kind in STATUSES)


def problem_of(error: errors.OctavoError, *, as_openai: bool = False) -> JSONResponse:
    """`as_openai` says it a second time, where OpenAI's clients look: that for JavaScript shows nothing else."""
    status = status_of(error)
    headers = {"Retry-After": "1"} if isinstance(error, errors.Busy) else None
    hint = error.hint and for_model(error.hint, OPERATIONS)
    more = {}
    if as_openai:
        told = ": ".join(filter(None, (error.message, hint)))
        kind = "invalid_request_error" if status < 500 else "server_error"
        more = {"error": {"message": told, "type": kind, "param": None, "code": error.code}}
    return problem(status, error.code, error.message, hint, error.details, headers, more)


def protocol_problem(
    status: int, detail: str, hint: str | None = None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A problem of the request as such: its code follows from the status."""
    return problem(status, protocol_code(status), detail, hint, headers=headers)


def protocol_code(status: int) -> str:
    """
    >>> protocol_code(421), protocol_code(404)
    ('MISDIRECTED_REQUEST', 'NO_SUCH_ROUTE')
    """
    return PROTOCOL_CODES.get(status) or HTTPStatus(status).name


def problem(
    status: int,
    code: str,
    detail: str,
    hint: str | None = None,
    details: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, Any] | None = None,
) -> JSONResponse:
    body: dict[str, Any] = {
        "type": f"urn:octavo:error:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
    }
    body |= {"hint": hint} if hint else {}
    body |= {"details": dict(details)} if details else {}
    body |= more or {}
    return JSONResponse(body, status, dict(headers or {}), MEDIA_TYPE)
