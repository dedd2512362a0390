"""Several libraries asked at once, each in threads of its own: a slow or absent one keeps nobody waiting.

A library is opened when it is first asked, and asked again after a failure. Its name is what hits and references call
it by: `team.db::notes/a.md:7`.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotDone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

from octavo.errors import Busy, OctavoError, StorageError
from octavo.observability.logs import logger

if TYPE_CHECKING:
    from octavo.model.library_location import Location

_T = TypeVar("_T")
QUALIFIES = "::"
"""Between the name of a library and that of a collection, which may not contain a colon."""
_THREADS = 4  # questions of one library at once
_GRACE = 0.05  # seconds that a library has in any case, once another has answered
_CLOSING_SECONDS = 2.0


def library_names(places: Iterable[Location | None]) -> tuple[str, ...]:
    """The file's name, or database@host; further ones of the same name get a number."""
    names: list[str] = []
    for place in places:
        name = _name(place)
        same = sum(1 for other in names if other == name or other.startswith(f"{name}-"))
        names.append(f"{name}-{same + 1}" if name in names else name)
    return tuple(names)


def _name(place: Location | None) -> str:
    if place is None or isinstance(place, Path):
        return place.name if place else "memory"
    url = urlsplit(place.secret)
    return "@".join(filter(None, (url.path.strip("/") or url.scheme, url.hostname or ""))).replace("/", "-")


class FederatedEngine(Protocol):
    """What is needed of an engine here, beside being asked."""

    def own_roots(self) -> dict[str, Path]: ...

    def close(self) -> None: ...


class Reply(NamedTuple):
    """What a library answered, or why it did not."""

    library: str
    answer: Any = None
    error: OctavoError | None = None


class LibraryMember:
    """One library of several, with threads that may hang without holding up the end of the process."""

    def __init__(self, name: str, place: Location, open_library: Callable[[], FederatedEngine]) -> None:
        self.name, self.place = name, place
        self._open = open_library
        self._engine: FederatedEngine | None = None
        self._opening = threading.Lock()
        self._questions: queue.SimpleQueue[tuple[Future[Any], Callable[[Any], Any]] | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._running: dict[int, float] = {}  # since when each thread has been at its question
        self.roots: dict[str, Path] = {}

    def ask(self, function: Callable[[Any], _T], patience: float) -> Future[_T]:
        """Begins to answer. Where every thread has been at something for longer than `patience`, it is refused."""
        future: Future[_T] = Future()
        stuck = [since for since in self._running.copy().values() if time.monotonic() - since > patience]
        if len(stuck) >= _THREADS or (stuck and self._engine is None):
            future.set_exception(Busy(f"{self.place} has not answered earlier questions yet"))
            return future
        self._questions.put((future, function))
        if len(self._threads) < _THREADS and len(self._running) + self._questions.qsize() > len(self._threads):
            thread = threading.Thread(target=self._work, name=f"octavo-{self.name}", daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def _work(self) -> None:
        mine = threading.get_ident()
        while (question := self._questions.get()) is not None:
            future, function = question
            if not future.set_running_or_notify_cancel():
                continue  # nobody waits for it any more
            self._running[mine] = time.monotonic()
            try:
                future.set_result(function(self._opened()))
            except BaseException as error:
                future.set_exception(error)
            finally:
                del self._running[mine]

    def _opened(self) -> FederatedEngine:
        with self._opening:
            if self._engine is None:
                self._engine = self._open()
            self.roots = self._engine.own_roots()
            return self._engine

    def close(self) -> None:
        """Waits a moment for what is under way; a library whose server hangs is left to the end of the process."""
        for _ in self._threads:
            self._questions.put(None)
        until = time.monotonic() + _CLOSING_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        if self._engine is not None and not self._running:
            self._engine.close()


class LibraryGroup:
    """Libraries that are searched together. `own` is the name of the one whose engine the caller has, if any."""

    def __init__(self, members: Sequence[LibraryMember], seconds: float, own: str | None = None) -> None:
        self.members = tuple(members)
        self.own = own
        self._seconds = seconds

    @property
    def names(self) -> tuple[str, ...]:
        return (*filter(None, (self.own,)), *(member.name for member in self.members))

    def ask_all(self, function: Callable[[Any], _T], own: Callable[[], _T] | None = None) -> tuple[Reply, ...]:
        """What each answers within the configured seconds, the caller's own library first; at least one is awaited."""
        started = time.monotonic()
        asked = [(member, member.ask(function, self._seconds)) for member in self.members]
        replies: list[Reply] = []
        if own is not None and self.own is not None:
            try:
                replies.append(Reply(self.own, own()))
            except OctavoError as error:
                replies.append(Reply(self.own, error=error))
        until = started + self._seconds
        for member, future in asked:
            replies.append(self._awaited(member, future, max(_GRACE, until - time.monotonic())))
        if all(reply.answer is None for reply in replies):  # better late than nothing
            slow = [at for at, reply in enumerate(replies) if isinstance(reply.error, _TooSlow)]
            for at in slow[:1]:
                member, future = asked[at - len(replies) + len(asked)]
                replies[at] = self._awaited(member, future, None)
        for _, future in asked:
            future.cancel()
        return tuple(replies)

    def ask_one(self, name: str, function: Callable[[Any], _T]) -> _T:
        member = next(member for member in self.members if member.name == name)
        reply = self._awaited(member, member.ask(function, self._seconds), self._seconds)
        if reply.error is not None:
            raise reply.error
        answer: _T = reply.answer
        return answer

    def roots(self, own: Mapping[str, Path]) -> dict[str, Path]:
        """Where the folders of collections are, by their whole names; of the libraries that have answered."""
        every = [*([(self.own, own)] if self.own else []), *((member.name, member.roots) for member in self.members)]
        return {**own} | {
            qualified(name, collection): root for name, roots in every for collection, root in roots.items()
        }

    def close(self) -> None:
        for member in self.members:
            member.close()

    def _awaited(self, member: LibraryMember, future: Future[Any], seconds: float | None) -> Reply:
        try:
            return Reply(member.name, future.result(seconds))
        except NotDone:
            return Reply(member.name, error=_TooSlow(f"{member.place} did not answer within {self._seconds:g} s"))
        except OctavoError as error:
            return Reply(member.name, error=error)
        except Exception as error:
            logger("engine").exception("%s failed", member.place)
            return Reply(member.name, error=StorageError(f"{member.place} failed: {type(error).__name__}"))


class _TooSlow(Busy):
    """The library may answer yet."""


def split_reference(reference: str, names: Sequence[str]) -> tuple[str | None, str]:
    """The library that a reference or a collection is qualified by, where there is one of that name, and the rest."""
    name, separator, rest = reference.partition(QUALIFIES)
    return (name, rest) if separator and name in names else (None, reference)


def qualified(library: str, collection: str) -> str:
    return f"{library}{QUALIFIES}{collection}"
