"""Translates errors of urllib into failures of a service that say whether asking again can help."""

from __future__ import annotations

import http.client
import urllib.error

REQUEST_ERRORS = (OSError, ValueError, http.client.HTTPException)
"""What urllib raises for a request that is not answered."""

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class ServiceFailure(Exception):
    """`again` where asking again can help, `after` so many seconds; `status` is the answer's, if there was one."""

    def __init__(self, reason: str, *, again: bool = False, after: float = 0.0, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.after = after
        self.status = status


def failure_of(error: Exception, *, slow: bool = False) -> ServiceFailure:
    """Of an error in `REQUEST_ERRORS`. `slow` where a deadline passed, whatever the connection says of it."""
    if isinstance(error, ServiceFailure) and not slow:
        return error
    if isinstance(error, urllib.error.HTTPError):
        after = error.headers.get("Retry-After", "") if error.headers else ""
        return ServiceFailure(
            f"it answered {error.code}",
            again=error.code in _AGAIN,
            after=float(after) if after.replace(".", "", 1).isdigit() else 0.0,
            status=error.code,
        )
    reason = getattr(error, "reason", None)
    if slow or isinstance(reason or error, TimeoutError):
        return ServiceFailure("it did not answer in time", again=True)
    if isinstance(error, ValueError):
        return ServiceFailure(f"this is no address ({error})")
    return ServiceFailure(
        f"it cannot be reached ({reason})" if reason else f"it broke off ({type(error).__name__})", again=True
    )
