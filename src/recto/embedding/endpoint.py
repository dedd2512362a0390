"""A service that takes and gives JSON: asked again when that can help, no faster than allowed, its key never told."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from recto.errors import ProviderFailed

_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds; what a service itself asks for may be twice the longest
_TOLD = 300  # characters of a service's own words
_LARGEST = 512_000_000  # bytes of an answer


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for one answer, how often to ask again, and how many requests a minute may begin."""

    timeout_seconds: float = 60.0
    retries: int = 4
    requests_per_minute: float | None = None


class Endpoint:
    """One service. Safe from several threads: they share its rate."""

    def __init__(
        self,
        name: str,
        url: str,
        key: str | None = None,
        patience: Patience | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._url = url.rstrip("/")
        self._key = key
        self._patience = patience or Patience()
        self._wait = wait
        self._clock = clock
        self._guard = threading.Lock()
        self._next = 0.0

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The answer's JSON, or `ProviderFailed` with the last reason there was."""
        data = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
        chance = random.Random(f"{self._name}{len(data)}")  # seeded: the same request waits the same
        for attempt in range(self._patience.retries + 1):
            self._take_turn()
            try:
                return self._asked(path, data)
            except _Failure as failure:
                if not failure.again or attempt == self._patience.retries:
                    raise self._failed(path, failure, attempt + 1) from failure.__cause__
                wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt) * chance.uniform(0.5, 1.0)
                self._wait(max(wait, min(failure.after, 2 * _LONGEST_WAIT)))
        raise AssertionError("every attempt answers or fails")

    def _asked(self, path: str, data: bytes) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "recto"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url + path, data, headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=self._patience.timeout_seconds) as response:
                answer = response.read(_LARGEST)
        except urllib.error.HTTPError as error:
            raise self._refused(error) from None
        except TimeoutError as error:
            raise _Failure("it did not answer in time", again=True) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise _Failure("it did not answer in time", again=True) from error
            raise _Failure(f"it cannot be reached ({error.reason})", again=True) from error
        except (OSError, http.client.HTTPException) as error:
            raise _Failure(f"it broke off ({type(error).__name__})", again=True) from error
        except ValueError as error:
            raise _Failure(f"{self._url} is no address ({error})") from error
        try:
            return json.loads(answer)
        except ValueError as error:
            raise _Failure("its answer is not JSON", again=True) from error

    def _refused(self, error: urllib.error.HTTPError) -> _Failure:
        with error:
            try:
                body = error.read(_LARGEST).decode("utf-8", "replace")
            except (OSError, http.client.HTTPException):
                body = ""
        after = error.headers.get("Retry-After", "") if error.headers else ""
        said = self._harmless(_message(body))
        return _Failure(
            f"it answered {error.code}" + (f": {said}" if said else ""),
            again=error.code in _AGAIN,
            after=float(after) if after.replace(".", "", 1).isdigit() else 0.0,
            status=error.code,
        )

    def _failed(self, path: str, failure: _Failure, attempts: int) -> ProviderFailed:
        times = f" after {attempts} attempts" if attempts > 1 else ""
        return ProviderFailed(
            f"{self._name} at {self._url}{path} failed{times}: {failure.reason}",
            hint=_hint(failure),
            details={"status": failure.status, "attempts": attempts},
        )

    def _harmless(self, text: str) -> str:
        return text.replace(self._key, "…") if self._key else text

    def _take_turn(self) -> None:
        if not self._patience.requests_per_minute:
            return
        with self._guard:
            now = self._clock()
            start = max(now, self._next)
            self._next = start + 60.0 / self._patience.requests_per_minute
        if start > now:
            self._wait(start - now)


class _Failure(Exception):
    def __init__(self, reason: str, *, again: bool = False, after: float = 0.0, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.after = after
        self.status = status


def _hint(failure: _Failure) -> str:
    match failure.status:
        case 401 | 403:
            return "check the key: the profile's key_variable or key_file says where it is looked for"
        case 404:
            return "check the profile's url and model; a local server may have to fetch the model first"
        case 429:
            return "set the profile's requests_per_minute below what the service allows"
        case 400 | 413 | 422:
            return "check the profile's model, dimensions and batch"
    return "check that the service is running and can be reached; the work is tried again later"


def _message(body: str) -> str:
    """What services call their reasons: `error`, `error.message`, `detail` or `message`; else the beginning."""
    try:
        value = json.loads(body)
    except ValueError:
        value = body
    for name in ("error", "detail", "message"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    if isinstance(value, dict):
        value = value.get("message", json.dumps(value))
    text = value if isinstance(value, str) else json.dumps(value)
    return " ".join(text.split())[:_TOLD]
