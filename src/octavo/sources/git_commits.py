"""Git repositories, read through the `git` program: which commits exist, and what each of them contains.

A repository may come from anyone, and its configuration can name programs to run. So git is started without hooks,
pagers, external diffs, text conversions, signature checks and transports, without the caller's GIT_ variables,
and it cannot leave the folder it is asked about.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO

from octavo.bounded_file_reading import read_small
from octavo.errors import SourceError
from octavo.model.git_commit import Commit, Repository
from octavo.path_resolution_and_private_folders import real_path
from octavo.sources.git_diff_tree_parser import FORMAT, Records

_READ = 1 << 20
_READ_AHEAD = 500  # reads of git's output that may be queued, usually of 64 kB each
_SHALLOW = 1 << 26  # bytes of the list of a shallow clone's last commits
_TIMEOUT = 30  # seconds for a command that only reads refs

# Commits that are no branch's history: notes, stashes, prefetched refs.
_NOT_HISTORY = ("refs/notes/*", "refs/stash", "refs/prefetch/*", "refs/bisect/*", "refs/original/*")

_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.pager=cat"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", f"diff.orderFile={os.devnull}"),
    *("-c", f"mailmap.file={os.devnull}"),
    *("-c", "core.quotePath=false"),
    *("-c", "core.bigFileThreshold=1m"),  # larger files are reported as changed, without a diff
    *("-c", "diff.renameLimit=200"),
    *("-c", "diff.submodule=short"),
    *("-c", "log.showSignature=false"),
    *("-c", "protocol.allow=never"),
    *("-c", "gc.auto=0"),
)


def git_program() -> str | None:
    """The path of git, or None where it is not installed."""
    return shutil.which("git")


def open_repository(folder: Path, prefix: str) -> Repository:
    """The repository in exactly this folder; raises a `SourceError` with git's reason when it cannot be read."""
    lines = _lines(
        folder,
        *("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"),
        *("--is-shallow-repository", "--is-bare-repository"),
    )
    if len(lines) != 4:
        raise SourceError(f"git does not report where the repository in {folder} is", hint="run `git status` there")
    return Repository(prefix, folder, Path(lines[0]), Path(lines[1]), lines[2] == "true", lines[3] == "true")


def worktree_of(repository: Repository) -> Path | None:
    """The folder that a repository itself names as its worktree: that of a linked worktree, or of a submodule."""
    try:
        named = read_small(repository.git_dir / "gitdir", links=True).decode("utf-8", "replace").strip()
    except OSError:
        named = ""
    if named:
        return real_path(repository.git_dir / named).parent
    with suppress(SourceError):
        lines = _lines(repository.folder, "config", "--local", "--get", "core.worktree")
        return real_path(repository.git_dir / lines[0]) if lines else None
    return None


def reachable(repository: Repository, most: int | None = None) -> tuple[str, ...]:
    """Hashes of all commits reachable from a branch, a tag or a worktree, newest first; none in a new repository.

    Raises `SourceError` when git had to leave something out: an incomplete list proves nothing about missing commits.
    """
    excluded = [f"--exclude={pattern}" for pattern in _NOT_HISTORY]
    bound = [] if most is None else [f"--max-count={most}"]
    return tuple(_lines(repository.folder, "rev-list", "--date-order", *bound, *excluded, "--all", strict=True))


def refs(repository: Repository) -> str:
    """All refs and their targets in one text: equal texts mean an equal history."""
    heads = _lines(repository.folder, "for-each-ref", "--format=%(objectname) %(refname)")
    with suppress(SourceError):
        heads += _lines(repository.folder, "rev-parse", "--verify", "--quiet", "HEAD")
    return "\n".join(heads)


def shallow_boundary(repository: Repository) -> frozenset[str]:
    """The last commits of a shallow clone: their parents are missing, so git reports all their files as new."""
    if not repository.shallow:
        return frozenset()
    try:
        listed = read_small(repository.common / "shallow", _SHALLOW, links=True)
        return frozenset(listed.decode("ascii", "replace").split())
    except OSError as error:
        raise SourceError(
            f"git's list of shallow commits of {repository.folder} cannot be read: {error.strerror or error}"
        ) from error


def commits(
    repository: Repository,
    hashes: Iterable[str],
    *,
    diffs: bool,
    withheld: Callable[[str], str | None] = lambda path: None,
) -> Generator[Commit, None, None]:
    """The commits in the requested order, from one process that is fed the hashes as it goes.

    `diffs` makes git read every changed file, which takes ten times as long as listing their names. The content of
    files for which `withheld` gives a reason is left out of them.
    """
    records = Records(repository.prefix, diffs=diffs, withheld=withheld)
    shown = ("--raw", "--patch") if diffs else ("--raw",)
    command = (
        *("diff-tree", "--stdin", "--root", "-r", "-z", "--always", "-M", "--no-ext-diff", "--no-textconv"),
        *("--no-color", "--encoding=UTF-8", "--no-notes", *shown, f"--format={FORMAT.format(records.mark)}"),
    )
    # As if it were bare: the files beside a repository, such as `.gitattributes`, may be pipes, and are not needed.
    command = ("--git-dir=.", "-c", "core.bare=true", *command)
    with _started(repository.git_dir, command, hashes) as (child, output, errors):
        with closing(_read_ahead(child, output)) as blocks:
            for data in blocks:
                yield from records.feed(data)
        yield from records.end()
        if child.wait() != 0:
            errors.seek(0)
            raise _refused(repository.folder, errors.read().decode("utf-8", "replace"))


def _read_ahead(child: subprocess.Popen[bytes], output: IO[bytes]) -> Generator[bytes, None, None]:
    """The output of a process, read by a thread while earlier output is processed: a full pipe would block git."""
    blocks: SimpleQueue[bytes] = SimpleQueue()
    room = threading.Semaphore(_READ_AHEAD)
    abandoned = threading.Event()

    def read() -> None:
        data = b"-"
        while data and room.acquire() and not abandoned.is_set():
            try:
                data = os.read(output.fileno(), _READ)
            except OSError:
                data = b""
            blocks.put(data)

    reader = threading.Thread(target=read, name="octavo-git-ahead", daemon=True)
    reader.start()
    ended = False
    try:
        while data := blocks.get():
            room.release()
            yield data
        ended = True
    finally:
        if not ended:
            abandoned.set()
            child.kill()  # a reader blocked on the pipe then sees its end
            room.release()
        reader.join()


@contextmanager
def _started(
    folder: Path, arguments: Sequence[str], lines: Iterable[str]
) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes], IO[bytes]]]:
    """A process that a thread feeds with lines; it is killed when the block is left."""
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
        feeder = threading.Thread(target=_feed, args=(child.stdin, lines), name="octavo-git", daemon=True)
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
    """The output lines of a short command; with `strict`, a warning counts as a failure."""
    try:
        done = subprocess.run(
            _command(folder, arguments),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment(folder),
            timeout=_TIMEOUT * 10 if strict else _TIMEOUT,
        )
    except OSError as error:
        raise SourceError(f"git cannot be started: {error.strerror or error}", hint="install git") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"git took too long over {folder}", hint="run `git fsck` there") from error
    stderr = done.stderr.decode("utf-8", "replace")
    if done.returncode != 0 or (strict and stderr.strip()):
        raise _refused(folder, stderr)
    return [line for line in done.stdout.decode("utf-8", "replace").split("\n") if line]


def _command(folder: Path, arguments: Sequence[str]) -> list[str]:
    program = git_program()
    if program is None:
        raise SourceError("git is not installed", hint="install git to have the history of repositories indexed")
    return [program, "--no-pager", "--no-optional-locks", "-C", str(folder), *_SAFE, *arguments]


def environment(folder: Path) -> dict[str, str]:
    """The caller's environment without its git settings, plus settings that keep git in this folder and quiet."""
    inherited = {name: value for name, value in os.environ.items() if not name.upper().startswith("GIT_")}
    return inherited | {
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "",  # none, whatever the repository's `protocol.NAME.allow` says
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PROTOCOL_FROM_USER": "0",
        "LC_ALL": "C",
    }


def _refused(folder: Path, stderr: str) -> SourceError:
    """Git's error message as a `SourceError`, with a hint where one is known."""
    reason = next((line for line in stderr.split("\n") if line.startswith(("fatal:", "error:"))), stderr.strip())
    reason = reason.partition(": ")[2] or reason or "it gave no reason"
    if "dubious ownership" in stderr:
        return SourceError(
            f"git refuses to read {folder}: it belongs to another user",
            hint=f"if you trust it, run `git config --global --add safe.directory {folder}`",
        )
    if "safe.bareRepository" in stderr or "cannot use bare repository" in stderr:
        return SourceError(
            f"git refuses to read the bare repository {folder}",
            hint="your git configuration sets safe.bareRepository to explicit",
        )
    return SourceError(f"git cannot read {folder}: {reason}", hint=f"run `git -C {folder} fsck`; nothing was changed")
