"""Conversion in a process of its own: what crashes, hangs or swells there costs that file and nothing else."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import IO, Any

from octavo.converting.charset_declarations import declared_text
from octavo.converting.conversion_settings import ConversionSettings
from octavo.converting.sandbox.conversion_worker import received, send
from octavo.converting.sandbox.process_confinement import Confinement, Limits, close_memory
from octavo.fast_dataclass import replace
from octavo.model.converted_file import Converted, Member, RefusedFile, from_plain
from octavo.model.file_formats import SNIFFED, format_of, true_name
from octavo.observability.logs import logger

# The path comes first, so that the process finds the Octavo that started it wherever that lies.
_PROGRAM = """
import json, sys
start = json.loads(sys.stdin.buffer.readline())
sys.path[:] = start["path"]
from octavo.converting.sandbox.conversion_worker import serve
serve(start["limits"], start["settings"])
"""
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TESSDATA_PREFIX")  # no keys, no tokens, no home
STARTING = 60.0  # seconds
_log = logger("converting")


if sys.platform != "win32":
    import fcntl

PREFIX = "octavo-convert-"


class SandboxedConverter:
    """Fits `ports.Converter`. The process is started with the first file, kept for the next, and killed by group."""

    def __init__(self, limits: Limits | None = None, settings: ConversionSettings | None = None) -> None:
        self._limits = limits or Limits()
        self._settings = settings or ConversionSettings()
        self._process: _Process | None = None
        self._lock = threading.Lock()

    def reads(self, uri: str) -> bool:
        known = format_of(uri)
        if known is None or not known.readable:
            return False
        return (self._settings.ocr or not known.ocr) and (self._settings.archives or not known.archive)

    def is_text(self, uri: str) -> bool:
        known = format_of(uri)
        return known is not None and known.text

    def claims(self, uri: str, data: bytes) -> bool:
        known = format_of(uri)
        return known is not None and known.claims(data[:SNIFFED])

    def convert(self, uri: str, data: bytes) -> Converted | RefusedFile:
        name = true_name(uri, data)
        known = format_of(name)
        if known is None or not self.reads(uri):
            return RefusedFile("nothing reads it")
        if not self.reads(name):
            return RefusedFile(f"it is {known.name} under another name: install {known.needs} to read it")
        if known.text and not self.is_text(uri):
            data = (declared_text(data) or data.decode("utf-8", "replace")).encode("utf-8", "replace")
        with self._lock:
            return self._asked(name, known.reader, data)

    def confinement(self) -> Confinement:
        """What holds the process that converts on this machine. Raises `OSError` where none can be started."""
        with self._lock:
            if self._process is None:
                self._process = _Process(self._limits, asdict(self._settings))
            return self._process.get_ready()

    def close(self) -> None:
        with self._lock:
            self._end()

    def __del__(self) -> None:
        self._end()

    def _asked(self, uri: str, reader: str, data: bytes) -> Converted | RefusedFile:
        try:
            if self._process is None:
                self._process = _Process(self._limits, asdict(self._settings))
            question = json.dumps({"reader": reader, "name": uri}).encode()
            answer, members = self._process.ask(question, data, self._limits)
            if "reason" in answer:
                return RefusedFile(str(answer["reason"]), passing=bool(answer["passing"]))
            return replace(from_plain(answer), members=members)
        except _TimedOut:
            self._end()
            seconds = f"{self._limits.seconds:,.0f} seconds"
            return RefusedFile(f"it takes longer than {seconds} to convert: converting.timeout_seconds allows more")
        except (EOFError, BrokenPipeError):
            how = self._end()
            return RefusedFile(f"the converter died of it ({how})")
        except (ValueError, KeyError, TypeError, RecursionError):
            self._end()
            return RefusedFile("the converter's answer cannot be read")
        except OSError as error:
            self._end()
            return RefusedFile(f"no converter could be started: {error.strerror or error}", passing=True)

    def _end(self) -> str:
        process, self._process = self._process, None
        return "" if process is None else process.end()


def _started(command: list[str], **settings: Any) -> subprocess.Popen[bytes]:
    """Started by a thread that lives as long as this process: the kernel kills a converter when the thread that started
    it ends (`PR_SET_PDEATHSIG`), and the threads that convert come and go."""

    def start() -> subprocess.Popen[bytes]:
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nowhere, **settings)

    return _starter(os.getpid()).submit(start).result()


@cache
def _starter(process: int) -> ThreadPoolExecutor:
    """Of this process: threads do not survive a fork."""
    return ThreadPoolExecutor(1, thread_name_prefix="octavo-converters")


class _TimedOut(Exception):
    """A conversion took longer than it may, and its process was killed."""


class _Process:
    def __init__(self, limits: Limits, settings: Mapping[str, Any]) -> None:
        # Only programs write: without them there is no folder, which nobody could remove after a kill.
        self._folder = ScratchFolder() if limits.programs else None
        home = os.devnull if self._folder is None else self._folder.path
        apart: dict[str, Any] = {"process_group": 0}
        if sys.platform == "win32":
            apart = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment |= dict.fromkeys(("TMPDIR", "TEMP", "TMP", "HOME"), home)
        close_memory()
        try:
            self._child = _started(
                [sys.executable, "-S", "-E", "-s", "-X", "utf8", "-B", "-c", _PROGRAM],
                cwd=os.sep if self._folder is None else home,
                env=environment,
                **apart,
            )
        except BaseException:
            self._remove_folder()
            raise
        assert self._child.stdin is not None and self._child.stdout is not None
        self._to: IO[bytes] = self._child.stdin
        self._from: IO[bytes] = self._child.stdout
        start = {"path": sys.path, "limits": asdict(limits), "settings": dict(settings)}
        self._start = json.dumps(start).encode() + b"\n"
        self._confinement: Confinement | None = None

    def ask(self, question: bytes, data: bytes, limits: Limits) -> tuple[dict[str, Any], tuple[Member, ...]]:
        """The answer. What a document may take does not include the start of the process that reads it."""
        self.get_ready()
        with self._deadline(limits.seconds):
            send(self._to, question, data)
            answer = json.loads(received(self._from, limits.output))
            left, members = limits.output, []
            for name in answer["members"]:
                members.append(Member(str(name), received(self._from, left)))
                left -= len(members[-1].data)
            return answer, tuple(members)

    def get_ready(self) -> Confinement:
        if self._confinement is None:
            try:
                with self._deadline(STARTING):
                    self._to.write(self._start)
                    self._to.flush()
                    report = json.loads(received(self._from, 1_000))
            except _TimedOut as error:
                raise OSError(errno.ETIMEDOUT, f"it did not start in {STARTING:,.0f} seconds") from error
            self._confinement = Confinement(report["system_calls"], report["landlock"], tuple(report["resources"]))
            _log.info("files are converted in a process with %s", self._confinement)
        return self._confinement

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        """The process is killed when it is over, which ends every wait for it."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (EOFError, OSError) as error:
            if late.is_set():
                raise _TimedOut from error
            raise EOFError from error
        finally:
            timer.cancel()

    def end(self) -> str:
        """No process and no file is left when this returns; what ended it, if something had."""
        with suppress(subprocess.TimeoutExpired):
            self._child.wait(0.2 if self._to.closed or self._confinement is None else 0.05)
        code = self._child.returncode
        self._kill()
        self._child.wait()
        for channel in (self._to, self._from):
            with suppress(OSError):
                channel.close()
        self._remove_folder()
        if code is None:
            return "killed"
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"

    def _remove_folder(self) -> None:
        if self._folder is not None:
            self._folder.remove()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                self._child.kill()
            else:
                os.killpg(self._child.pid, signal.SIGKILL)
        with suppress(OSError):
            self._child.kill()


class ScratchFolder:
    """A temporary folder that is locked while its owner lives: the system lets go of the lock, however that ends."""

    def __init__(self) -> None:
        remove_abandoned()
        while True:
            self.path = tempfile.mkdtemp(prefix=PREFIX)
            # Another process may take it for abandoned before it is locked: then it is gone, or about to be.
            with suppress(FileNotFoundError, BlockingIOError):
                self._lock = self._locked()
                Path(self.path).stat()
                return

    def _locked(self) -> int | None:
        try:
            return _locked(self.path)
        except (FileNotFoundError, BlockingIOError):
            raise
        except OSError:
            return None  # a file system without locks: there nobody takes it for abandoned either

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def remove_abandoned() -> None:
    """Folders of processes that were killed: those that nobody holds locked."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is locked, somebody else's, or gone
            lock = _locked(str(folder))
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def _locked(folder: str) -> int | None:
    """A lock on a folder. Raises `OSError` where another process has it; Windows has none for folders."""
    if sys.platform == "win32":
        return None
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock
