"""What changes below a folder, as it happens: from the system's notices, or by looking again and again."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from recto.errors import SourceError
from recto.model.commit import REPOSITORY
from recto.sources.ignore import DENIED_BESIDE, GITIGNORE, RECTOIGNORE

_STEP_MS = 100  # how soon a change, or the wish to stop, is noticed
_REFS = frozenset({"HEAD", "packed-refs", "refs", "reftable"})  # what moves when commits come
# What stands beside a folder decides whether it is indexed: when such a name comes or goes, so may the folder.
_MARKERS = frozenset().union(*DENIED_BESIDE.values())


def changes(
    root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
) -> Iterator[frozenset[str]]:
    """Paths below the root at which something happened, until `stop` is set; the last state of each is on the disk.

    `ready` is called once nothing that happens from then on is missed. A path may be a file or a folder, there or
    gone, indexable or not: a scan confined to it tells. "" is the root itself: anything may have changed. A path that
    ends in `.git` is a repository whose refs moved, and nothing a scan would look at.
    """
    from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

    try:
        base = os.path.realpath(root, strict=True)
        with RustNotify([base], False, polling, poll_ms, True, True) as notify:
            ready()
            while True:
                seen = notify.watch(_STEP_MS, _STEP_MS, 0, stop)
                if isinstance(seen, str):
                    return
                paths = frozenset(path for kind, name in seen for path in _paths(base, kind, name))
                if paths:
                    yield paths
    except FileNotFoundError as error:
        raise SourceError(f"the folder {root} is not there", hint="mount or restore it") from error
    except (OSError, WatchfilesRustInternalError) as error:
        raise SourceError(f"{root} cannot be watched: {error}", hint="set watch.polling, or raise the limit") from error


def _paths(base: str, kind: int, name: str) -> Iterator[str]:
    """Where to look because of one notice."""
    if name == base:
        yield ""
        return
    inside = name.removeprefix(base + os.sep)
    if inside == name:
        return  # not below the root
    path = inside.replace(os.sep, "/")
    parts = path.split("/")
    if REPOSITORY in parts:
        at = parts.index(REPOSITORY) + 1
        if at < len(parts) and parts[at] in _REFS:
            yield "/".join(parts[:at])
        return
    modified = kind == 2
    above = "/".join(parts[:-1])
    if parts[-1] in (GITIGNORE, RECTOIGNORE) or (parts[-1] in _MARKERS and not modified):
        yield above
    yield path
