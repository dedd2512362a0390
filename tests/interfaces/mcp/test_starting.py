"""`octavo mcp` in a repository where nobody has made a library."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from cli_calls import Octavo, write_vault
from mcp import Client
from mcp_calls import over_stdio

from octavo.config.folder_library_discovery import repository, repository_library
from octavo.config.layered_config_loading import load
from octavo.interfaces.cli.commands.mcp_server_and_client_setup import make_for_repository


@pytest.fixture
def repository_folder(environment: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository of three notes, which the test stands in, with the bundled encoder."""
    monkeypatch.delenv("OCTAVO_EMBEDDING_PROVIDER")
    folder = write_vault(environment / "orchard")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    monkeypatch.chdir(folder)
    return folder


def text_of(result: object) -> str:
    return str(result.content[0].text)  # type: ignore[attr-defined]


def test_a_repository_without_a_library_gets_one_that_the_first_search_finds_something_in(
    repository_folder: Path, octavo: Octavo
) -> None:
    async def talk(client: Client) -> None:
        assert "made a library of this repository by itself" in (client.instructions or "")
        assert str(repository_folder) in (client.instructions or "")
        found = text_of(await client.call_tool("search", {"query": "when to prune apple trees"}))
        assert "orchard/garden/apples.md" in found

    over_stdio([], talk)
    library = repository_library(repository_folder)
    assert library.is_relative_to(Path(os.environ["XDG_DATA_HOME"])) and library.is_file()
    assert sorted(path.name for path in repository_folder.iterdir()) == [".git", "bread.md", "garden", "tokyo.md"]
    assert load(directory=repository_folder / "garden").config.library == library
    assert "garden/apples.md" in octavo("search", "pruning", "--format", "files").stdout


@pytest.mark.parametrize(
    ("arguments", "advice"),
    [(["--no-auto"], "no library"), ([], "Nothing is indexed yet: ask the person to run `octavo start FOLDER`")],
    ids=["told not to", "a library elsewhere"],
)
def test_nothing_is_made_for_who_does_not_want_it_or_has_a_library(
    repository_folder: Path, octavo: Octavo, arguments: list[str], advice: str
) -> None:
    if not arguments:
        assert octavo("init").exit_code == 0

    async def talk(client: Client) -> None:
        assert advice in (client.instructions or "")

    over_stdio(arguments, talk)
    assert not repository_library(repository_folder).exists()


@pytest.mark.parametrize("there", ["notes", "orchard", "orchard/garden", "."])
def test_a_repository_that_the_library_holds_nothing_of_gets_its_own(
    repository_folder: Path, octavo: Octavo, there: str
) -> None:
    folder = repository_folder.parent / there
    folder.mkdir(exist_ok=True)
    assert octavo("init").exit_code == octavo("add", folder, "--name", "there").exit_code == 0
    made = make_for_repository(load().config, repository_folder, beside_others=False)
    assert made == repository_library(repository_folder).is_file() == (there == "notes")


def test_two_repositories_have_two_libraries_and_a_home_directory_has_none(tmp_path: Path) -> None:
    for name in ("a/shop", "b/shop", "home"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "a/shop/src").mkdir()
    first, second = tmp_path / "a/shop", tmp_path / "b/shop"
    assert repository(first / "src") == first
    assert repository_library(first) != repository_library(second)
    assert repository(tmp_path) is None
    assert repository(Path.home()) is None


def test_a_relative_library_of_the_environment_is_served(
    repository_folder: Path, octavo: Octavo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_LIBRARY", "l.db")
    monkeypatch.setenv("OCTAVO_DAEMON_ENABLED", "true")
    for arguments in (["init"], ["add", ".", "--name", "trees"], ["index"]):
        assert octavo(*arguments).exit_code == 0

    async def talk(client: Client) -> None:
        assert "trees: 3 documents" in (client.instructions or "")

    try:
        over_stdio([], talk)
    finally:
        octavo("daemon", "stop")
