"""File watching: which paths below a folder change, from the system's notifications or by polling."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from octavo.errors import SourceError
from octavo.model.git_commit import REPOSITORY
from octavo.sources.denied_names import DENIED_NEXT_TO
from octavo.sources.ignore_rules import IGNORE_FILES

_STEP_MS = 100  # how soon a change, or a request to stop, is noticed
_REFS = frozenset({"HEAD", "packed-refs", "refs", "reftable"})  # what changes when commits arrive
# Files next to a folder decide whether it is indexed: when such a file comes or goes, so may the folder.
_MARKERS = frozenset().union(*DENIED_NEXT_TO.values())


def changes(
    root: Path, stop: threading.Event, ready: Callable[[], None], *, polling: bool, poll_ms: int
) -> Iterator[frozenset[str]]:
    """Paths below the root at which something happened, until `stop` is set; only their current state is on disk.

    `ready` is called once no further change can be missed. A path may be a file or a folder, existing or deleted,
    indexable or not: a scan limited to it finds out. "" is the root itself: anything may have changed. A path that
    ends in `.git` is a repository whose refs moved; a scan has nothing to look at there.
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
    """The paths to rescan because of one notification."""
    if name == base:
        yield ""
        return
    inside = name.removeprefix(base + os.sep)
    if inside == name:
        return  # not below the root
    path = inside.replace(os.sep, "/")
    names = path.split("/")
    if REPOSITORY in names:
        at = names.index(REPOSITORY) + 1
        if at < len(names) and names[at] in _REFS:
            yield "/".join(names[:at])
        return
    modified = kind == 2
    above = "/".join(names[:-1])
    if names[-1] in IGNORE_FILES or (names[-1] in _MARKERS and not modified):
        yield above
    yield path
