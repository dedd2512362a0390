"""Counts what waits to be read or embedded, and marks hits whose file changed or went since it was indexed."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from octavo.engine.search.containing_file_on_disk import containing_file
from octavo.errors import OctavoError
from octavo.fast_dataclass import replace
from octavo.model.indexing_ledger import FileStamp
from octavo.model.projects_and_collections import Collection
from octavo.model.search_result import Freshness, Hit

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary

CHANGED, GONE = "changed", "gone"
COUNTED_AT_ONCE = 0.05  # seconds of counting that a search takes upon itself
PACE = "full vectors"
"""The lease under which whoever computes full vectors tells its pace to every process with the library open."""
_SHARE = 20  # of the time of one processor that counting may take: a twentieth


class Counts:
    """What only a change of the library changes, counted again once it has changed.

    A large library is counted in a thread, and not after every commit; searches are given the last count meanwhile.
    """

    def __init__(self, count: Callable[[], Freshness], generation: Callable[[], int]) -> None:
        self._count = count
        self._generation = generation
        self._known: tuple[int, Freshness] | None = None
        self.counting_seconds = self.not_before = 0.0
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def now(self) -> Freshness:
        generation, known = self._generation(), self._known
        if known is None or (known[0] != generation and self.counting_seconds < COUNTED_AT_ONCE):
            return self._counted(generation)
        if known[0] != generation and time.perf_counter() >= self.not_before:
            with self._lock:
                if self._thread is None or not self._thread.is_alive():
                    self._thread = threading.Thread(target=self._count_in_thread, name="octavo-count", daemon=True)
                    self._thread.start()
        return known[1]

    def stop(self) -> None:
        """Waits for a count that is under way: it reads from what is about to be closed."""
        if self._thread is not None:
            self._thread.join()

    def _count_in_thread(self) -> None:
        with suppress(OctavoError):  # whoever searches meets it as well
            self._counted(self._generation())

    def _counted(self, generation: int) -> Freshness:
        started = time.thread_time()
        fresh = self._count()
        self.counting_seconds = time.thread_time() - started
        self.not_before = time.perf_counter() + _SHARE * self.counting_seconds
        self._known = (generation, fresh)
        return fresh


def counted(library: OpenLibrary) -> Freshness:
    """What only a change of the library changes."""
    documents, failed = library.store.documents_and_failed(library.project.id)
    done, total = library.store.embeddings.coverage(library.project.id, library.active.profile)
    return Freshness(documents, total - done, failed, done / total if total else 1.0)


def as_of_now(library: OpenLibrary, fresh: Freshness, queued: int) -> Freshness:
    """With what changes by itself: how many paths wait to be looked at, how long ago the folders were compared, how
    long the vectors that are missing take."""
    checks = library.store.ledger.checks(library.project.id)
    age = max(0, round(library.now() - min(checks.values()))) if checks else None
    return replace(fresh, queued=queued, age_seconds=age, seconds_left=seconds_left(library, fresh.pending))


def seconds_left(library: OpenLibrary, waiting: int) -> int | None:
    """How long the full vectors of so many chunks take at the pace of whoever computes them; None if nobody does."""
    pace = library.store.leases.current(library.project.id, PACE) if waiting else None
    return None if pace is None else max(1, round(waiting / pace.detail["a_second"]))


def learning(freshness: Freshness) -> str:
    """`still learning 3,944 passages, about 4 minutes`; empty once every chunk has its full vector."""
    if not freshness.pending:
        return ""
    passages = f"{freshness.pending:,} passage{'s' if freshness.pending > 1 else ''}"
    if freshness.seconds_left is None:
        return f"{passages} not learnt yet"
    return f"still learning {passages}, about {about(freshness.seconds_left)}"


def about(seconds: float) -> str:
    """`40 seconds`, `1 minute`, `3.5 hours`: as exact as an estimate can be."""
    unit, amount = ("second", seconds) if seconds < 60 else ("minute", seconds / 60)
    if seconds >= 5_400:
        return f"{seconds / 3_600:.1f} hours"
    return f"{amount:.0f} {unit}" + ("" if round(amount) == 1 else "s")


def mark_stale(library: OpenLibrary, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """The hits, those marked whose file is no longer what was indexed. Only these files are looked at."""
    reasons = stale_files(library, [(hit.collection, hit.citation.uri) for hit in hits])
    stale = [reasons.get((hit.collection, hit.citation.uri)) for hit in hits]
    return tuple(replace(hit, stale=why) if why else hit for hit, why in zip(hits, stale, strict=True))


def stale_files(library: OpenLibrary, files: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Collection and uri of those files that are no longer what was indexed → whether they changed or went."""
    uris: dict[str, set[str]] = {}
    for name, uri in files:
        uris.setdefault(name, set()).add(uri)
    reasons: dict[tuple[str, str], str] = {}
    for collection in library.store.catalog.collections(library.project.id) if uris else ():
        if collection.name in uris and collection.on_disk:
            stamps = library.store.ledger.stamps(library.project.id, collection.id, sorted(uris[collection.name]))
            for uri, stamp in stamps.items():
                reasons[collection.name, uri] = _changed_since(collection.root, uri, stamp)
    return {file: reason for file, reason in reasons.items() if reason}


def unseen(library: OpenLibrary, collection: Collection, uris: Sequence[str]) -> int:
    """How many of these paths, at which something happened, are not as they were indexed: what Octavo wrote is."""
    stamps = library.store.ledger.stamps(library.project.id, collection.id, uris)
    root = collection.root
    return sum(
        bool(_changed_since(root, uri, stamps[uri])) if uri in stamps else os.path.lexists(root / uri) for uri in uris
    )


def _changed_since(root: Path, uri: str, stamp: FileStamp) -> str:
    """Whether a file changed or went; empty where that is unknown: an empty root may be a disk that is not mounted."""
    try:
        status = _status(root, uri)
    except (FileNotFoundError, NotADirectoryError):
        return GONE if _has_entries(root) else ""
    except (OSError, ValueError):
        return ""
    if not stat.S_ISREG(status.st_mode):
        return GONE
    same = (status.st_size, status.st_mtime_ns) == (stamp.size, stamp.mtime_ns)
    return "" if same else CHANGED


def _status(root: Path, uri: str) -> os.stat_result:
    """Most documents are files of their own: what they may lie in is looked for only where there is none."""
    try:
        return os.stat(f"{root}/{uri}")  # noqa: PTH116 (of every hit: making a Path takes longer than asking)
    except (FileNotFoundError, NotADirectoryError):
        return containing_file(root, uri).stat()


def _has_entries(root: Path) -> bool:
    try:
        with os.scandir(root) as entries:
            return any(True for _ in entries)
    except OSError:
        return False
