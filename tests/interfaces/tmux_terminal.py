"""A terminal in tmux: keys go in, the screen is read."""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PATIENCE = 120.0  # seconds; a busy machine is slow, and nothing here is a measurement


class Terminal:
    """A terminal of its own server: nobody else's tmux is touched."""

    def __init__(self, socket: Path) -> None:
        self._tmux = ["tmux", "-S", str(socket), "-f", os.devnull]
        self._output = socket.with_suffix(".output")
        os.mkfifo(self._output)
        self._reading = os.open(self._output, os.O_RDWR | os.O_NONBLOCK)  # which never ends, whoever else has it open

    def __call__(self, *arguments: str) -> str:
        return subprocess.run([*self._tmux, *arguments], check=True, capture_output=True, encoding="utf-8").stdout

    def start(self, program: Sequence[str], size: tuple[int, int], **environ: str) -> None:
        setting = [f"{name}={value}" for name, value in {**os.environ, **environ}.items()]
        command = shlex.join(["env", "-i", *setting, "TERM=tmux-256color", *program])
        self("new-session", "-d", "-s", "app", "-x", str(size[0]), "-y", str(size[1]), command)
        self("set-option", "-g", "window-size", "manual")
        self("pipe-pane", "-t", "app", f"exec cat > {shlex.quote(str(self._output))}")

    def type(self, text: str) -> None:
        self("send-keys", "-t", "app", "-l", text)

    def press(self, *keys: str) -> None:
        self("send-keys", "-t", "app", *keys)

    def seen(self, *, colours: bool = False) -> str:
        return self("capture-pane", "-p", "-t", "app", *(["-e"] if colours else []))

    def until(self, true: Callable[[str], object]) -> str:
        """Looks again whenever the program has written, and once a second: a new size is no output."""
        ends = time.monotonic() + PATIENCE
        while not true(screen := self.seen()):
            assert time.monotonic() < ends, screen
            if select.select([self._reading], [], [], 1)[0]:
                os.read(self._reading, 1 << 20)
        return screen

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True)
        os.close(self._reading)
