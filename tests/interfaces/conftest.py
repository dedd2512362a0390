"""A small vault, a library made from it, and ways to call the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recto.interfaces.cli.main import cli

REWRITE = os.environ.get("RECTO_GOLDEN") == "rewrite"
GOLDEN = Path(__file__).parents[1] / "golden" / "cli"

APPLES = """\
---
tags: [garden, trees]
---
# Apple trees

Apple trees live long when they are looked after. The oldest one in the village was planted by a schoolmaster more than
a hundred years ago and still gives four baskets in a good autumn. What follows is what we have learned from it.

## Pruning

Prune in late winter, before the buds swell. Take out crossing branches first, then whatever grows towards the middle,
so that light and air reach every part of the tree. Cut just above a bud that looks outwards, slanting away from it. A
saw that is blunt tears the bark, and a torn branch heals badly. Paint is not needed: a clean cut closes by itself. In
summer take away only the shoots that grow straight up, because they bear nothing and shade the fruit below them.

## Watering

A young tree needs two buckets of water a week in its first summer. Pour slowly, so that the ground drinks it. Older
trees look after themselves unless no rain falls for a month; then one long soaking is better than many short ones. A
ring of straw around the trunk keeps the ground moist, but it must not touch the bark, where it would breed rot.
"""

BREAD = """\
# Sourdough bread

Feed the starter in the evening. The dough rests overnight and is baked in a hot oven in the morning.
"""

TOKYO = """\
# 東京

東京都は日本の首都です。
"""


@dataclass(frozen=True)
class Vault:
    """A folder of notes, and the library that has indexed it."""

    folder: Path
    library: Path


Recto = Callable[..., Result]
Shell = Callable[..., "subprocess.CompletedProcess[str]"]


def surroundings(home: Path) -> dict[str, str]:
    """An environment in which nothing of the person running the tests can be seen."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RECTO_", "XDG_", "COLUMNS"))}
    for name in ("NO_COLOR", "FORCE_COLOR"):
        kept.pop(name, None)
    return kept | {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "data"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "XDG_CACHE_HOME": str(home / "cache"),
        "RECTO_EMBEDDING_PROVIDER": "hashing",
        "COLUMNS": "80",
        "PYTHONWARNINGS": "error",
    }


def write_vault(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "garden").mkdir(exist_ok=True)
    (folder / "garden" / "apples.md").write_text(APPLES, "utf-8")
    (folder / "bread.md").write_text(BREAD, "utf-8")
    (folder / "tokyo.md").write_text(TOKYO, "utf-8")
    return folder


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test has a home of its own and stands in an empty folder."""
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    for name in [name for name in os.environ if name.startswith(("RECTO_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in surroundings(home).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(work)
    yield work


@pytest.fixture
def recto() -> Recto:
    """Calls the command line in this process, as `recto ARGUMENTS` would."""

    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(cli, [str(one) for one in arguments])

    return call


@pytest.fixture
def shell() -> Shell:
    """Calls the command line as a process of its own."""

    def call(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "recto", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, **options)  # type: ignore[call-overload,no-any-return]

    return call


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """Indexed once; tests only read it."""
    folder = write_vault(tmp_path_factory.mktemp("vault") / "notes")
    library = tmp_path_factory.mktemp("library") / "library.db"
    environ = surroundings(tmp_path_factory.mktemp("home")) | {"RECTO_LIBRARY": str(library)}
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
    monkeypatch.setenv("RECTO_LIBRARY", str(indexed.library))
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
