"""pgbouncer in transaction mode, where the machine has it: `OCTAVO_TEST_PGBOUNCER` names it, or PATH finds it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from postgres_server import at, free_port

PROGRAM = "OCTAVO_TEST_PGBOUNCER"
_STARTED_WITHIN = 30.0
_CONFIGURED = """\
[databases]
* = host={host} port={port} user={user} password={password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own_port}
unix_socket_dir =
logfile = {folder}/log
pidfile =
auth_type = any
admin_users = {user}
pool_mode = transaction
default_pool_size = 8
server_round_robin = 1
"""


def program() -> str | None:
    named = os.environ.get(PROGRAM) or shutil.which("pgbouncer")
    usual = Path("/usr/sbin/pgbouncer")  # which is on root's PATH only
    return named or (str(usual) if usual.is_file() else None)


class Bouncer:
    def __init__(self, through: str) -> None:
        self._through = through

    @property
    def transactions(self) -> int:
        """As it counts them itself."""
        with psycopg.connect(at(self._through, "pgbouncer"), autocommit=True) as console:
            totals: list[tuple[str, int]] = psycopg.ClientCursor(console).execute("show totals").fetchall()
            return dict(totals)["total_xact_count"]


@contextmanager
def bounced(url: str, program: str) -> Iterator[tuple[str, Bouncer]]:
    """The same database through pgbouncer, in a process that ends with this."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-bouncer-"))
    parts, own_port, nobody = urlsplit(url), free_port(), None
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # which it refuses to be
        import pwd

        nobody = pwd.getpwnam("nobody")
        os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    written = _CONFIGURED.format(
        host=parts.hostname or "127.0.0.1",
        port=parts.port or 5432,
        user=parts.username,
        password=parts.password,
        own_port=own_port,
        folder=folder,
    )
    (folder / "pgbouncer.ini").write_text(written, "utf-8")
    process = subprocess.Popen(
        [program, "-q", str(folder / "pgbouncer.ini")],
        cwd=folder,
        user=nobody.pw_uid if nobody else None,
        group=nobody.pw_gid if nobody else None,
        extra_groups=[] if nobody else None,
    )
    named = parts.netloc.rpartition("@")[0] + f"@127.0.0.1:{own_port}"
    through = urlunsplit((parts.scheme, named, parts.path, parts.query, ""))
    try:
        _await(through, process)
        yield through, Bouncer(through)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _await(through: str, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _STARTED_WITHIN
    while True:
        try:
            psycopg.connect(through, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > until:
                raise
