"""Configuration files that change while a process runs: they are polled, and read again when they changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from octavo.config.layered_config_loading import load, project_file, user_file
from octavo.config.schema import Config
from octavo.errors import OctavoError
from octavo.observability.logs import logger

_POLL_SECONDS = 2.0

Stamp = tuple[str, int, int, int]


class ConfigFiles:
    """The user's file and the project's, as this process finds them; `reload` reads the whole configuration anew."""

    def __init__(self, reload: Callable[[], Config]) -> None:
        self._reload = reload
        self._directory = Path.cwd()
        self._seen = self._stamps()

    def changed(self) -> Config | None:
        """The new configuration, if a file changed since the last call; an invalid one is logged and ignored."""
        stamps = self._stamps()
        if stamps == self._seen:
            return None
        self._seen = stamps
        try:
            return self._reload()
        except OctavoError as error:
            logger("config").warning("the configuration stays as it was: %s", error.message)
            return None

    def follow(self, use: Callable[[Config], None], stop: threading.Event) -> None:
        """Calls `use` with every new configuration until `stop` is set, from a thread of its own."""

        def poll() -> None:
            while not stop.wait(_POLL_SECONDS):
                config = self.changed()
                if config is not None and not stop.is_set():
                    use(config)

        threading.Thread(target=poll, name="octavo-config", daemon=True).start()

    def _stamps(self) -> tuple[Stamp, ...]:
        stamps = []
        for path in (user_file(os.environ), project_file(self._directory)):
            if path is not None:
                try:
                    status = path.stat()
                except OSError:
                    continue
                stamps.append((str(path), status.st_mtime_ns, status.st_size, status.st_ino))
        return tuple(stamps)


def load_with_files(flags: dict[str, object]) -> tuple[Config, ConfigFiles]:
    """The configuration under these flags, and its files. They are stamped first, so no change is missed."""
    files = ConfigFiles(lambda: load(flags).config)
    return load(flags).config, files
