"""A service that takes and gives JSON: asked again when that can help, no faster than allowed, its key never shown."""

from __future__ import annotations

import http.client
import ipaddress
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

from octavo.errors import ProviderFailed
from octavo.fast_dataclass import Value
from octavo.observability.cancellation import current_cancellation
from octavo.services.http_connections_and_errors import (
    REQUEST_ERRORS,
    RequestSockets,
    ServiceFailure,
    WatchedHttp,
    WatchedHttps,
    failure_of,
)

_FIRST_WAIT, _LONGEST_WAIT = 0.5, 30.0  # seconds; what a service itself asks for may be twice the longest
_TOLD = 300  # characters of a service's own words
_LARGEST = 512_000_000  # bytes of an answer
_LARGEST_REPLY = 16_000_000  # bytes of one that somebody waits for
_DEADLINE = 3.0  # seconds that a search waits for a vector

_ASKED_ONCE: ContextVar[bool] = ContextVar("octavo_asked_once", default=False)
_FIRST, _LONGEST = 5.0, 60.0  # seconds; doubled with every failure


@contextmanager
def asked_once() -> Iterator[None]:
    """Inside, a service is asked once and not for long: what it is asked for can be done later."""
    token = _ASKED_ONCE.set(True)
    try:
        yield
    finally:
        _ASKED_ONCE.reset(token)


class Patience(Value):
    """How long to wait for one answer, how often to ask again, and how many requests a minute may begin."""

    timeout_seconds: float = 60.0
    retries: int = 4
    requests_per_minute: float | None = None


class Endpoint:
    """One service. Safe from several threads: they share its rate.

    `headers` carry the key where the service wants it otherwise than as `Authorization: Bearer`.
    """

    def __init__(
        self,
        name: str,
        url: str,
        key: str | None = None,
        patience: Patience | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        wait: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._url = url.rstrip("/")
        self._key = key
        self._patience = patience or Patience()
        self._headers = {"Authorization": f"Bearer {key}"} if key and headers is None else dict(headers or {})
        self._wait = wait
        self._clock = clock
        self._opener = direct_opener(self._url)
        self._guard = threading.Lock()
        self._next = 0.0
        self._breaker = CircuitBreaker(clock)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """The answer's JSON, or `ProviderFailed` with the last reason there was."""
        if _ASKED_ONCE.get():
            return self.post_once(path, body)
        payload = _encoded(body)
        chance = random.Random(f"{self._name}{len(payload)}")  # seeded: the same request waits the same
        for attempt in range(self._patience.retries + 1):
            self._take_turn()
            try:
                return self._asked(path, payload)
            except ServiceFailure as failure:
                if not failure.again or attempt == self._patience.retries:
                    raise self._failed(path, failure, attempt + 1) from failure.__cause__
                wait = min(_LONGEST_WAIT, _FIRST_WAIT * 2.0**attempt) * chance.uniform(0.5, 1.0)
                self._wait(max(wait, min(failure.after, 2 * _LONGEST_WAIT)))
        raise AssertionError("every attempt answers or fails")

    def post_once(self, path: str, body: Mapping[str, Any]) -> Any:
        """The same for whoever waits for a search: one attempt within a short deadline, none while the service is
        known not to answer."""
        if reason := self._breaker.reason():
            raise self._silent(reason)
        payload = _encoded(body)
        try:
            answer = self._asked(path, payload, min(self._patience.timeout_seconds, _DEADLINE))
        except ServiceFailure as failure:
            if not failure.again:
                raise self._failed(path, failure, 1) from failure.__cause__
            self._breaker.failed(failure.reason)
            raise self._silent(failure.reason) from failure.__cause__
        self._breaker.answered()
        return answer

    def post_within(self, path: str, body: Mapping[str, Any], seconds: float) -> Any:
        """The answer's JSON within a hard deadline, or until nobody waits for it any more.

        Asked once more where that can help and there is time, and not at all while the service is known not to answer.
        """
        return next(self._attempts(path, body, seconds, lambda response: iter((_json(b"".join(_parts(response))),))))

    def lines_within(self, path: str, body: Mapping[str, Any], seconds: float) -> Iterator[str]:
        """The same for an answer that comes in lines, each as soon as it is there; closing ends the request."""
        return self._attempts(path, body, seconds, _lines)

    def _attempts(
        self, path: str, body: Mapping[str, Any], seconds: float, read: Callable[[Any], Iterator[Any]]
    ) -> Iterator[Any]:
        if reason := self._breaker.reason():
            raise self._silent(reason)
        ends = self._clock() + seconds
        payload = _encoded(body)
        for attempt in (1, 2):
            begun = False
            try:
                with self._response(path, payload, ends - self._clock()) as response:
                    for item in read(response):
                        if not begun:
                            self._breaker.answered()
                        begun = True
                        yield item
                return
            except ServiceFailure as failure:
                pause = max(_FIRST_WAIT / 2, failure.after)
                if failure.again and attempt == 1 and not begun and self._clock() + pause < ends:
                    self._wait(pause)
                    continue
                if failure.again:
                    self._breaker.failed(failure.reason)
                raise self._failed(path, failure, attempt) from failure.__cause__

    @contextmanager
    def _response(self, path: str, payload: bytes, seconds: float) -> Iterator[Any]:
        """The answer while it is read. Whatever breaks it off is a `ServiceFailure`."""
        watch = RequestSockets(max(seconds, 0.001), current_cancellation())
        opener = direct_opener(self._url, WatchedHttp(watch), WatchedHttps(watch))
        try:
            with watch.watching(), opener.open(self._request(path, payload), timeout=max(seconds, 0.001)) as response:
                yield response
                if watch.expired or watch.cancelled:
                    raise OSError("the connection was shut")
        except (*REQUEST_ERRORS, ServiceFailure) as error:
            if watch.cancelled:
                raise ServiceFailure("nobody waits for its answer any more") from error
            raise self._told(error, slow=watch.expired) from _cause(error)

    def _silent(self, reason: str) -> ProviderFailed:
        return ProviderFailed(
            f"{self._name} at {self._url} does not answer: {reason}",
            hint="check that the service is running and can be reached",
            details={"status": None, "attempts": 1},
        )

    def _asked(self, path: str, payload: bytes, timeout: float | None = None) -> Any:
        try:
            request = self._request(path, payload)
            with self._opener.open(request, timeout=timeout or self._patience.timeout_seconds) as response:
                answer = response.read(_LARGEST)
        except REQUEST_ERRORS as error:
            raise self._told(error) from _cause(error)
        return _json(answer)

    def _request(self, path: str, payload: bytes) -> urllib.request.Request:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "octavo"}
        return urllib.request.Request(self._url + path, payload, headers | self._headers, method="POST")

    def _told(self, error: Exception, *, slow: bool = False) -> ServiceFailure:
        """With what the service itself said of its refusal, without its key."""
        failure = failure_of(error, slow=slow)
        if isinstance(error, urllib.error.HTTPError):
            with error, suppress(OSError, http.client.HTTPException):
                message = self._harmless(_message(error.read(_LARGEST).decode("utf-8", "replace")))
                failure.reason += f": {message}" if message else ""
        return failure

    def _failed(self, path: str, failure: ServiceFailure, attempts: int) -> ProviderFailed:
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


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the key and the texts to whatever place it names: it counts as a refusal."""

    def redirect_request(self, *request: object) -> None:
        return None


def direct_opener(url: str, *handlers: urllib.request.BaseHandler) -> urllib.request.OpenerDirector:
    """Without redirects, and for a service on this machine without proxies: what is local stays local."""
    try:
        local = _is_this_machine(urlsplit(url).hostname or "")
    except ValueError:
        local = False
    return urllib.request.build_opener(_NoRedirect, *handlers, *([urllib.request.ProxyHandler({})] if local else []))


def _is_this_machine(host: str) -> bool:
    if host in ("localhost", "localhost.") or host.endswith(".localhost"):
        return True
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    return False


def address_problem(url: str) -> str:
    """Why a service cannot be at an address; empty where it can."""
    try:
        address = urlsplit(url)
        usable = address.scheme in ("http", "https") and address.hostname and address.port != 0
    except ValueError:
        usable = False
    if not usable:
        return "is not an http address"
    # Addresses are shown in errors, lists and logs.
    return "has a name or a password in it: a key is read from a variable or a file" if "@" in address.netloc else ""


def _cause(error: Exception) -> Exception | None:
    """An answer with a status is told in words; it would carry the request's headers along."""
    return None if isinstance(error, urllib.error.HTTPError) else error


def _json(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ServiceFailure("its answer is not JSON", again=True) from error


def _parts(response: Any) -> Iterator[bytes]:
    """The answer in pieces, up to the largest; one that ends before it is whole is a failure."""
    size = 0
    while piece := response.read1(65_536):
        size += len(piece)
        if size > _LARGEST_REPLY:
            raise ServiceFailure(f"its answer is larger than {_LARGEST_REPLY:,} bytes")
        yield piece
    if response.length:
        raise ServiceFailure("it broke off", again=True)


def _lines(response: Any) -> Iterator[str]:
    begun = b""
    for piece in _parts(response):
        *whole, begun = (begun + piece).split(b"\n")
        yield from (line.decode("utf-8", "replace").rstrip("\r") for line in whole)
    if begun:
        yield begun.decode("utf-8", "replace")


def _hint(failure: ServiceFailure) -> str:
    match failure.status:
        case 301 | 302 | 303 | 307 | 308:
            return "it redirects elsewhere, which is not followed: configure the address it redirects to"
        case 401 | 403:
            return "check the key: key_variable (or a profile's key_file) says where it is looked for"
        case 404:
            return "check the configured url and model; a local server may have to fetch the model first"
        case 429:
            return "ask less often (a profile's requests_per_minute), or later"
        case 400 | 413 | 422:
            return "check the configured model and what is asked of it (for embeddings: dimensions and batch)"
    return "check that the service is running and can be reached; the work is tried again later"


def _encoded(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _message(body: str) -> str:
    """What services call their reasons: `error`, `error.message`, `detail` or `message`.

    Any other reply is not repeated: an address may be that of something else, whose pages are nobody's business.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    for name in ("error", "detail", "message"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    if isinstance(value, list):
        value = "; ".join(str(problem["msg"]) for problem in value if isinstance(problem, dict) and "msg" in problem)
    if isinstance(value, dict):
        value = value.get("message", "")
    text = value if isinstance(value, str) else ""
    return " ".join(text.split())[:_TOLD]


class CircuitBreaker:
    """Open after a failure, for longer each time; closed again by an answer. Safe from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._until = self._pause = 0.0
        self._reason = ""

    def reason(self) -> str:
        """Why the service is not to be asked now; empty when it may be."""
        with self._lock:
            return self._reason if self._clock() < self._until else ""

    def failed(self, reason: str) -> None:
        with self._lock:
            self._pause = min(_LONGEST, max(_FIRST, 2 * self._pause))
            self._until, self._reason = self._clock() + self._pause, reason

    def answered(self) -> None:
        with self._lock:
            self._until = self._pause = 0.0
