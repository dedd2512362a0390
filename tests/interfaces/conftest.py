"""A library made from a small vault, and ways to call the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_calls import GOLDEN, REWRITE, Octavo, Shell, Vault, surroundings, write_vault
from click.testing import CliRunner, Result

from octavo.interfaces.cli.main import cli


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test has a home of its own and stands in an empty folder."""
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    for name in [name for name in os.environ if name.startswith(("OCTAVO_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in surroundings(home).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(work)
    yield work


@pytest.fixture
def octavo() -> Octavo:
    """Calls the command line in this process, as `octavo ARGUMENTS` would."""

    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(cli, [str(one) for one in arguments])

    return call


@pytest.fixture
def shell() -> Shell:
    """Calls the command line as a process of its own."""

    def call(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "octavo", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, **options)  # type: ignore[call-overload,no-any-return]

    return call


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """Indexed once; tests only read it."""
    folder = write_vault(tmp_path_factory.mktemp("vault") / "notes")
    library = tmp_path_factory.mktemp("library") / "library.db"
    environ = surroundings(tmp_path_factory.mktemp("home")) | {"OCTAVO_LIBRARY": str(library)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        for arguments in (["init"], ["add", str(folder), "--name", "notes"], ["index"]):
            result = CliRunner().invoke(cli, arguments)
            assert result.exit_code == 0, result.output
    return Vault(folder, library)


@pytest.fixture
def vault(indexed: Vault, monkeypatch: pytest.MonkeyPatch) -> Vault:
    """The indexed vault, with its library the one in use."""
    monkeypatch.setenv("OCTAVO_LIBRARY", str(indexed.library))
    return indexed


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Holds what a person reads to what was read and approved; `./dev golden` rewrites it."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if REWRITE:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8")

    return check
