"""A server for a library, for the benchmarks that ask one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw


@contextmanager
def serving(library: Path, search_processes: int = 1) -> Iterator[tuple[str, int]]:
    """Address and process of a server that answers from this library, and neither watches folders nor makes vectors."""
    command = [
        sys.executable,
        "-m",
        "octavo",
        "serve",
        "--no-token",
        "--port",
        "0",
        "--no-watch",
        "--library",
        str(library),
    ]
    environ = {**os.environ, "OCTAVO_WORK_IN_SERVER": "false"}
    if search_processes > 1:
        environ["OCTAVO_SERVE_SEARCH_PROCESSES"] = str(search_processes)
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
    """Of every document its title: what somebody who looks for it would type."""
    with closing(apsw.Connection(str(library), apsw.SQLITE_OPEN_READONLY)) as database:
        return [title for (title,) in database.execute("select title from documents where title <> '' order by key")]
