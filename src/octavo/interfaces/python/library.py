"""The `Library` of the Python API: operations as methods, folder watching, tools for a language model."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from octavo.interfaces.python.method_lookup import Methods
from octavo.interfaces.python.shared_engine_handle import Handle

if TYPE_CHECKING:
    from octavo.interfaces.python.folder_watch import ChangeCallback, FolderWatch
    from octavo.interfaces.python.language_model_tools import Tools


class Library(Methods):
    """An open library: `octavo.open` makes one. What is done daily is a method, the rest is below nouns:
    `library.search`, `library.memory.history`.

    It may be used from several threads, and it is a context manager: leaving the block closes it. A value may be given
    as what it is in Python: a `Path`, a `datetime`, a `timedelta` for an age, an enum's member, any iterable for a
    list. An argument that is None was not given. Whatever goes wrong on purpose is an `octavo.OctavoError` with a hint.
    """

    def __init__(self, handle: Handle, location: str, project: str) -> None:
        super().__init__(handle)
        self._handle = handle
        self._location = location
        self._project = project
        # An interpreter that ends with a library open closes it: a model that is being loaded then is waited for.
        self._finalizer = weakref.finalize(self, handle.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self.closed else f"project {self._project}"
        return f"<octavo.Library at {self._location}, {state}>"

    @property
    def location(self) -> str:
        """Where the library is: its file, or its database without the password."""
        return self._location

    @property
    def project(self) -> str:
        """The project whose collections and memories it shows."""
        return self._project

    @property
    def closed(self) -> bool:
        return self._handle.closed

    def close(self) -> None:
        """Waits for the calls under way, stops a run that is indexing, and closes. Closing again does nothing."""
        self._finalizer.detach()
        self._handle.close()

    def watch(self, *, debounce_ms: int | None = None, changed: ChangeCallback | None = None) -> FolderWatch:
        """Indexes what changes in the folders, from now on until the watch, or the library, is closed.

        Args:
            debounce_ms: How long a folder must be quiet before it is looked at. 250 to 30,000.
            changed: Called with each run that indexed something, in the watcher's thread.
        """
        from octavo.interfaces.python.folder_watch import FolderWatch

        return FolderWatch(self._handle, debounce_ms, changed)

    def tools(self, names: str | Iterable[str] = "default") -> Tools:
        """Operations as tools for a language model: their JSON schemas, and a dispatcher for its calls.

        Args:
            names: A set of tools (`default`, `code`, `memory`, …, `full`), or operations by name.
        """
        from octavo.interfaces.python.language_model_tools import Tools

        return Tools(self._handle, names if isinstance(names, str) else ",".join(names))
