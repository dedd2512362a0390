"""A configuration that changes while a process lives: its files are looked at now and then, and read again."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from recto.config.load import load, project_file, user_file
from recto.config.schema import Config
from recto.errors import RectoError
from recto.observability.logs import logger

_EVERY_SECONDS = 2.0

Stamp = tuple[str, int, int, int]


class ConfigFiles:
    """The user's file and the project's, as this process finds them; `again` reads the whole configuration anew."""

    def __init__(self, again: Callable[[], Config]) -> None:
        self._again = again
        self._directory = Path.cwd()
        self._seen = self._stamps()

    def changed(self) -> Config | None:
        """What they say, if they changed since the last call; what cannot be read is logged and changes nothing."""
        stamps = self._stamps()
        if stamps == self._seen:
            return None
        self._seen = stamps
        try:
            return self._again()
        except RectoError as error:
            logger("config").warning("the configuration stays as it was: %s", error.message)
            return None

    def follow(self, use: Callable[[Config], None], stop: threading.Event) -> None:
        """Tells of every change until `stop` is set, from a thread of its own."""

        def look() -> None:
            while not stop.wait(_EVERY_SECONDS):
                config = self.changed()
                if config is not None and not stop.is_set():
                    use(config)

        threading.Thread(target=look, name="recto-config", daemon=True).start()

    def _stamps(self) -> tuple[Stamp, ...]:
        found = []
        for path in (user_file(os.environ), project_file(self._directory)):
            if path is not None:
                try:
                    status = path.stat()
                except OSError:
                    continue
                found.append((str(path), status.st_mtime_ns, status.st_size, status.st_ino))
        return tuple(found)


def loaded(flags: dict[str, object]) -> tuple[Config, ConfigFiles]:
    """The configuration as these flags have it now, and its files. They are looked at first, so no change is missed."""
    files = ConfigFiles(lambda: load(flags).config)
    return load(flags).config, files
