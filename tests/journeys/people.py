"""What a person of a journey does: types commands, starts servers, has folders of notes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("OCTAVO_SHARED_DATA") or ROOT / ".." / "shared" / "data")
_PATIENCE = 300  # seconds, for a machine that does other work as well
_KEPT = ("LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")


@dataclass(frozen=True)
class Typed:
    """What a command did."""

    code: int
    stdout: str
    stderr: str

    def __contains__(self, text: str) -> bool:
        return text in self.stdout

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)


@dataclass(frozen=True)
class Person:
    """`home` is also where commands are typed, unless `at` says where."""

    programs: Path
    home: Path
    environ: dict[str, str]

    @staticmethod
    def arrived(programs: Path, home: Path) -> Person:
        home.mkdir(parents=True)
        environ = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environ |= {"HOME": str(home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        return Person(programs, home, environ)

    def with_settings(self, **settings: str) -> Person:
        return replace(self, environ=self.environ | settings)

    def types(self, *arguments: str | Path, at: Path | None = None, limit: Callable[[], None] | None = None) -> Typed:
        command = [str(self.programs / "octavo"), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=at or self.home,
            env=self.environ,
            capture_output=True,
            encoding="utf-8",
            timeout=_PATIENCE,
            preexec_fn=limit,
        )
        assert "Traceback" not in done.stderr and "defect in Octavo" not in done.stderr, done.stderr
        return Typed(done.returncode, done.stdout, done.stderr)

    def hits(self, *query: str, at: Path | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.types("search", "--json", *query, at=at).json["hits"]
        return found

    @contextmanager
    def serving(self) -> Iterator[tuple[str, str]]:
        """The address of `octavo serve` and the token that programs give it."""
        command = [str(self.programs / "octavo"), "serve", "--port", "0"]
        server = subprocess.Popen(command, cwd=self.home, env=self.environ, stderr=subprocess.PIPE, encoding="utf-8")
        assert server.stderr is not None
        try:
            said = ""
            while "token in" not in said:
                line = server.stderr.readline()
                assert line, f"it ended and said: {said}"
                said += line
            address = re.search(r"Serving (\S+)", said)
            token = re.search(r"token in (.+)", said)
            assert address and token
            yield address[1], Path(token[1].strip()).read_text("utf-8").strip()
        finally:
            server.terminate()
            server.communicate(timeout=_PATIENCE)


def vault(folder: Path, *, only: str = "") -> Path:
    """The notes of an observatory, or `only` those of one of its folders, and one with a picture."""
    shutil.copytree(ROOT / "examples" / "vault" / only, folder / only)
    (folder / "dome.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "The view.md").write_text("# The view\n\nThe dome at dusk, from the gate.\n\n![[dome.png]]\n", "utf-8")
    return folder


def repository(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Round the tax once, at the end"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)
    return folder


def shared(name: str) -> Path:
    """Public data that is not in the repository."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{path} is not here; OCTAVO_SHARED_DATA names the folder that holds it")
    return path
