"""Real git repositories for tests: small, deterministic, and deaf to whatever git is told elsewhere on the machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

START = 1_700_000_000
_SETTINGS = ("-c", "core.autocrlf=false", "-c", "commit.gpgSign=false", "-c", "maintenance.auto=false")


class GitRepository:
    """A repository in a folder. Commits are a minute apart, unless told otherwise."""

    def __init__(self, folder: Path, *, init: tuple[str, ...] = ("init", "-q", "-b", "main")) -> None:
        self.folder = folder
        self._commits = 0
        folder.mkdir(parents=True, exist_ok=True)
        if init:
            self.git(*init)

    def git(self, *arguments: str, at: float | None = None, author: str = "Ann Lee <ann@example.org>") -> str:
        name, _, email = author.removesuffix(">").partition(" <")
        moment = f"@{int(START + 60 * self._commits if at is None else at)} +0000"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_AUTHOR_DATE": moment,
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": email,
            "GIT_COMMITTER_DATE": moment,
            "GIT_ALLOW_PROTOCOL": "file",
        }
        done = subprocess.run(
            ["git", *_SETTINGS, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            check=True,
        )
        return done.stdout.decode("utf-8").strip()

    def write(self, files: dict[str, str | bytes | None]) -> None:
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def commit(
        self,
        message: str,
        files: dict[str, str | bytes | None] | None = None,
        *,
        at: float | None = None,
        author: str = "Ann Lee <ann@example.org>",
    ) -> str:
        """Writes files (None removes one), commits everything, and answers with the hash."""
        self._commits += 1
        self.write(files or {})
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-m", message, at=at, author=author)
        return self.head()

    def head(self) -> str:
        """Read from the branch's file where there is one: that starts no process."""
        head = self.folder / ".git" / "HEAD"
        branch = head.parent / head.read_text("utf-8").strip().removeprefix("ref: ") if head.is_file() else head
        return branch.read_text("utf-8").strip() if branch.is_file() else self.git("rev-parse", "HEAD")
