"""A library made from a small vault, on each engine, and ways to call the command line.

Modules of `library_places.BOTH_ENGINES` have the bundled model, and what reaches a library by one of the fixtures below
runs twice: in a file and on PostgreSQL. The mark `one_engine` says that a test needs no library, or one in a file, or
is about the process, the terminal or the protocol around any. Other modules have the stand-in for a model, in files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from cli_calls import GOLDEN, REWRITE, Location, Octavo, Shell, Vault, surroundings, write_vault
from click.testing import CliRunner, Result
from library_places import BOTH_ENGINES, Databases, Files, ServerDatabases

from octavo.interfaces.cli.main import cli


@pytest.fixture(autouse=True)
def environment(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
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
    if on_both_engines(request.path):
        monkeypatch.delenv("OCTAVO_EMBEDDING_PROVIDER")
    monkeypatch.chdir(work)
    yield work


def on_both_engines(path: Path) -> bool:
    place = path.relative_to(Path(__file__).parent)
    return place.parts[0] == "python" or place.as_posix() in BOTH_ENGINES


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    def runs(item: pytest.Item) -> bool:
        library = getattr(item, "callspec", None) and item.callspec.params.get("databases")  # type: ignore[attr-defined]
        if not library:
            return True
        if not on_both_engines(item.path):
            return bool(library == "stand-in")
        return bool(library == "sqlite" or (library == "postgres" and not item.get_closest_marker("one_engine")))

    config.hook.pytest_deselected(items=[item for item in items if not runs(item)])
    items[:] = [item for item in items if runs(item)]


@pytest.fixture(scope="session", params=["stand-in", "sqlite", "postgres"])
def databases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Databases:
    if request.param == "postgres":
        return ServerDatabases(request.getfixturevalue("postgres"))
    return Files(tmp_path_factory, stand_in=request.param == "stand-in")


@pytest.fixture
def location(databases: Databases) -> Iterator[Location]:
    """Where a test makes a library of its own: a path, or the URL of a database without a project."""
    made = databases.empty()
    yield made
    databases.remove(made)


@pytest.fixture
def bare_location(databases: Databases) -> Iterator[Location]:
    """A path, or the URL of a database in which there is nothing: for tests of what is said of that."""
    made = databases.bare()
    yield made
    databases.remove(made)


@pytest.fixture
def octavo(
    databases: Databases, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, environment: Path
) -> Octavo:
    """Calls the command line in this process, as `octavo ARGUMENTS` would; on PostgreSQL, with a library of its own."""
    own_library(databases, request, monkeypatch)

    def call(*arguments: str | Path) -> Result:
        return CliRunner().invoke(cli, [str(one) for one in arguments])

    return call


def own_library(databases: Databases, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    on_server = isinstance(databases, ServerDatabases)
    if on_server and "OCTAVO_LIBRARY" not in os.environ and "vault" not in request.fixturenames:
        monkeypatch.setenv("OCTAVO_LIBRARY", str(request.getfixturevalue("location")))


@pytest.fixture
def shell(
    databases: Databases, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, environment: Path
) -> Shell:
    """Calls the command line as a process of its own, with the same library."""
    own_library(databases, request, monkeypatch)

    def call(*arguments: str | Path, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "octavo", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, **options)  # type: ignore[call-overload,no-any-return]

    return call


@pytest.fixture(scope="session")
def indexed(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Vault:
    """Indexed once; tests only read it."""
    folder = write_vault(tmp_path_factory.mktemp("vault") / "notes")
    library = databases.empty()
    environ = surroundings(tmp_path_factory.mktemp("home")) | {"OCTAVO_LIBRARY": str(library)}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environ.items():
            patch.setenv(name, value)
        if not databases.stand_in:
            patch.delenv("OCTAVO_EMBEDDING_PROVIDER")
        for arguments in (["init"], ["add", str(folder), "--name", "notes"], ["index"]):
            result = CliRunner().invoke(cli, arguments)
            assert result.exit_code == 0, result.output
    return Vault(folder, library)


@pytest.fixture
def vault(indexed: Vault, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vault]:
    """The indexed vault, with its library the one in use."""
    monkeypatch.setenv("OCTAVO_LIBRARY", str(indexed.library))
    before = holdings(indexed)
    yield indexed
    assert holdings(indexed) == before, "every test reads this vault; write into one of your own"


def holdings(vault: Vault) -> tuple[list[Path], int]:
    """Its files, and how many documents its library has, where that is a file."""
    files = sorted(vault.folder.rglob("*"))
    if isinstance(vault.library, str):
        return files, 0
    with closing(apsw.Connection(str(vault.library), apsw.SQLITE_OPEN_READONLY)) as connection:
        return files, connection.execute("SELECT count(*) FROM documents").get


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
