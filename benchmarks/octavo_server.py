"""A server for a library, for the benchmarks that ask one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def serving(library: Path) -> Iterator[tuple[str, int]]:
    """Address and process of a server that answers from this library, and neither watches folders nor makes vectors."""
    command = [sys.executable, "-m", "octavo", "serve", "--port", "0", "--no-watch", "--library", str(library)]
    environ = {**os.environ, "OCTAVO_WORK_IN_SERVER": "false"}
    server = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8", env=environ)
    assert server.stderr is not None
    try:
        found = re.match(r"Serving (http://\S+) ", server.stderr.readline())
        assert found, "the server did not start"
        yield found[1], server.pid
    finally:
        server.kill()
        server.wait()


def titles(library: Path) -> list[str]:
    """Of every document the end of its path, as somebody would type it."""
    command = [sys.executable, "-m", "octavo", "list", "--documents", "--format", "files", "--library", str(library)]
    listed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    return [re.sub(r"[\W_]+", " ", "/".join(Path(line).parts[-2:]).rpartition(".")[0]).strip() for line in listed]
