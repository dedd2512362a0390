"""Git repositories, read through the `git` program: which commits there are, and what each of them says.

A repository may come from anyone, and its configuration can name programs to run. So git is started without hooks,
pagers, external diffs, text conversions, signature checks and transports, with none of the caller's GIT_ variables,
and is not let out of the folder it is asked about.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from recto.errors import SourceError
from recto.model.commit import Commit, Repository
from recto.sources.git_records import FORMAT, Records

_READ = 1 << 20
_AHEAD = 500  # reads of what git said that may wait to be worked on, of 64 kB each as a rule
_SMALL = 30  # seconds for a command that only looks at refs

# Commits that are nobody's history: notes, stashes, what a fetch keeps aside.
_NOT_HISTORY = ("refs/notes/*", "refs/stash", "refs/prefetch/*", "refs/bisect/*", "refs/original/*")

_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.pager=cat"),
    *("-c", "core.quotePath=false"),
    *("-c", "core.bigFileThreshold=1m"),  # what is larger is told to have changed, and not how
    *("-c", "diff.renameLimit=200"),
    *("-c", "log.showSignature=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "gc.auto=0"),
)


def git_program() -> str | None:
    """Where git is, or None where it is not installed."""
    return shutil.which("git")


def opened(folder: Path, prefix: str) -> Repository:
    """The repository in exactly this folder, or a `SourceError` that says why git will not read it."""
    said = _lines(
        folder,
        *("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"),
        *("--is-shallow-repository", "--is-bare-repository"),
    )
    if len(said) != 4:
        raise SourceError(f"git does not say where the repository in {folder} is", hint="run `git status` there")
    return Repository(prefix, folder, Path(said[0]), Path(said[1]), said[2] == "true", said[3] == "true")


def reachable(repository: Repository, most: int | None = None) -> tuple[str, ...]:
    """Hashes of all commits that a branch, a tag or a worktree leads to, newest first; none in a new repository.

    Raises `SourceError` when git had to leave something out: then nothing can be concluded from what is missing.
    """
    excluded = [f"--exclude={pattern}" for pattern in _NOT_HISTORY]
    bound = [] if most is None else [f"--max-count={most}"]
    return tuple(_lines(repository.folder, "rev-list", "--date-order", *bound, *excluded, "--all", strict=True))


def refs(repository: Repository) -> str:
    """What every ref points at, in one text: equal texts mean an equal history."""
    heads = _lines(repository.folder, "for-each-ref", "--format=%(objectname) %(refname)")
    with suppress(SourceError):
        heads += _lines(repository.folder, "rev-parse", "--verify", "--quiet", "HEAD")
    return "\n".join(heads)


def cut_off(repository: Repository) -> frozenset[str]:
    """Where a shallow clone ends: commits whose parents it does not have, so that git takes all files for new."""
    if not repository.shallow:
        return frozenset()
    try:
        return frozenset((repository.common / "shallow").read_text("ascii", "replace").split())
    except OSError as error:
        raise SourceError(
            f"git's list of where {repository.folder} is cut off cannot be read: {error.strerror or error}"
        ) from error


def commits(repository: Repository, hashes: Iterable[str], *, diffs: bool) -> Generator[Commit, None, None]:
    """Each of the commits, in the order asked for, from one process that is fed the hashes as it goes.

    `diffs` makes git read every changed file, which takes ten times as long as telling their names.
    """
    records = Records(repository.prefix, diffs=diffs)
    shown = ("--raw", "--patch") if diffs else ("--raw",)
    command = (
        *("diff-tree", "--stdin", "--root", "-r", "-z", "--always", "-M", "--no-ext-diff", "--no-textconv"),
        *("--no-color", "--encoding=UTF-8", "--no-notes", *shown, f"--format={FORMAT.format(records.mark)}"),
    )
    with _started(repository.folder, command, hashes) as (child, output, errors):
        with closing(_read_ahead(child, output)) as blocks:
            for data in blocks:
                yield from records.feed(data)
        yield from records.end()
        if child.wait() != 0:
            errors.seek(0)
            raise _refused(repository.folder, errors.read().decode("utf-8", "replace"))


def _read_ahead(child: subprocess.Popen[bytes], output: IO[bytes]) -> Generator[bytes, None, None]:
    """What a process writes, taken from it while the last of it is still worked on: a full pipe would stop it."""
    blocks: SimpleQueue[bytes] = SimpleQueue()
    room = threading.Semaphore(_AHEAD)
    left = threading.Event()

    def read() -> None:
        data = b"-"
        while data and room.acquire() and not left.is_set():
            try:
                data = os.read(output.fileno(), _READ)
            except OSError:
                data = b""
            blocks.put(data)

    reader = threading.Thread(target=read, name="recto-git-ahead", daemon=True)
    reader.start()
    ended = False
    try:
        while data := blocks.get():
            room.release()
            yield data
        ended = True
    finally:
        if not ended:
            left.set()
            child.kill()  # so that whoever waits for its next words is told that there are none
            room.release()
        reader.join()


@contextmanager
def _started(
    folder: Path, arguments: Sequence[str], lines: Iterable[str]
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """A process that is fed lines by a thread of its own, and is gone when the block is left."""
    import tempfile

    # Errors go to a file: a pipe that nobody reads would stop git once it is full.
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(
            _command(folder, arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment(folder),
        )
        assert child.stdin is not None and child.stdout is not None
        feeder = threading.Thread(target=_feed, args=(child.stdin, lines), name="recto-git", daemon=True)
        feeder.start()
        try:
            yield child, child.stdout, errors
        finally:
            child.kill()
            child.wait()
            feeder.join()
            child.stdout.close()


def _feed(channel: IO[bytes], lines: Iterable[str]) -> None:
    with suppress(OSError, ValueError):
        for line in lines:
            channel.write(f"{line}\n".encode("ascii"))
    with suppress(OSError):
        channel.close()


def _lines(folder: Path, *arguments: str, strict: bool = False) -> list[str]:
    """What a short command says, line by line; `strict` takes a warning for a failure."""
    try:
        done = subprocess.run(
            _command(folder, arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(folder),
            timeout=_SMALL * 10 if strict else _SMALL,
        )
    except OSError as error:
        raise SourceError(f"git cannot be started: {error.strerror or error}", hint="install git") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git took too long over {folder}", hint="run `git fsck` there") from error
    said = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0 or (strict and said.strip()):
        raise _refused(folder, said)
    return [line for line in done.stdout.decode("utf-8", "replace").split("\n") if line]


def _command(folder: Path, arguments: Sequence[str]) -> list[str]:
    program = git_program()
    if program is None:
        raise SourceError("git is not installed", hint="install git to have the history of repositories indexed")
    return [program, "--no-pager", "--no-optional-locks", "-C", str(folder), *_SAFE, *arguments]


def environment(folder: Path) -> dict[str, str]:
    """The caller's environment without what it says to git, and with what keeps git in this folder and quiet."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    return kept | {
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PROTOCOL_FROM_USER": "0",
        "LC_ALL": "C",
    }


def _refused(folder: Path, said: str) -> SourceError:
    """Git's own words as ours, with what to do where that is known."""
    reason = next((line for line in said.split("\n") if line.startswith(("fatal:", "error:"))), said.strip())
    reason = reason.partition(": ")[2] or reason or "it gave no reason"
    if "dubious ownership" in said:
        return SourceError(
            f"git refuses to read {folder}: it belongs to another user",
            hint=f"if you trust it, run `git config --global --add safe.directory {folder}`",
        )
    if "safe.bareRepository" in said or "cannot use bare repository" in said:
        return SourceError(
            f"git refuses to read the bare repository {folder}",
            hint="your git configuration sets safe.bareRepository to explicit",
        )
    return SourceError(f"git cannot read {folder}: {reason}", hint=f"run `git -C {folder} fsck`; nothing was changed")
