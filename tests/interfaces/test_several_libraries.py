"""Several libraries in one search: two files, or a file and a database on a server, with the bundled model."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Location, Octavo

import octavo as api
from octavo.engine.library_federation import library_names
from octavo.model.library_location import DatabaseUrl

TEAM = "# Pruning rules\n\nThe team prunes apple trees in February, and roses after the first frost.\n"
MINE = "# Apples\n\nPrune apple trees in late winter, before the buds swell.\n"
BOTH = "# Bread\n\nThe sourdough rests overnight and is baked in the morning.\n"


@pytest.fixture
def mine(octavo: Octavo, tmp_path: Path) -> Path:
    _library(octavo, tmp_path / "mine.db", tmp_path / "mine", {"apples.md": MINE, "bread.md": BOTH})
    return tmp_path / "mine.db"


@pytest.fixture
def team(octavo: Octavo, location: Location, tmp_path: Path) -> Location:
    return _library(octavo, location, tmp_path / "team", {"rules.md": TEAM, "bread.md": BOTH})


@pytest.fixture
def silent() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql://nobody@127.0.0.1:{server.getsockname()[1]}/silent"


def _library(octavo: Octavo, place: Location, folder: Path, files: dict[str, str]) -> Location:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    for arguments in (["init"], ["add", folder, "--name", "notes"], ["index"]):
        made = octavo("--library", place, *arguments)
        assert made.exit_code == 0, made.output
    return place


def _name(place: Location) -> str:
    return library_names([place if isinstance(place, Path) else DatabaseUrl(place)])[0]


def test_hits_of_both_libraries_stand_by_relevance_and_each_names_its_own(
    octavo: Octavo, mine: Path, team: Location
) -> None:
    answer = json.loads(octavo("search", "--library", mine, "--library", team, "--json", "prune apple trees").stdout)
    hits = [(hit["library"], hit["collection"], hit["uri"]) for hit in answer["hits"]]
    assert sorted(hits) == sorted(
        [("mine.db", "mine.db::notes", "apples.md"), (_name(team), f"{_name(team)}::notes", "rules.md")]
    )
    scores = [hit["score"] for hit in answer["hits"]]
    assert scores == sorted(scores, reverse=True) and min(scores) > 0.5
    assert [hit["rank"] for hit in answer["hits"]] == [1, 2]
    assert answer["freshness"]["documents"] == 4
    text = octavo("search", "--library", mine, "--library", team, "prune apple trees").stdout
    assert "mine.db::notes/apples.md:1" in text and f"{_name(team)}::notes/rules.md:1" in text


def test_a_filter_that_lets_nothing_through_in_any_of_them_is_named(octavo: Octavo, mine: Path, team: Location) -> None:
    text = octavo("search", "--library", mine, "--library", team, "tag:nope prune").stdout
    assert text.startswith("No match.\nNothing has the tag nope.\n")


def test_a_score_is_that_of_the_library_searched_alone(octavo: Octavo, mine: Path, team: Location) -> None:
    def scores(*libraries: Location) -> dict[str, float]:
        named = [word for library in libraries for word in ("--library", library)]
        answer = json.loads(octavo("search", *named, "--json", "prune apple trees").stdout)
        return {hit["uri"]: hit["score"] for hit in answer["hits"]}

    assert scores(mine, team) == scores(mine) | scores(team)


def test_what_both_have_is_one_hit_with_the_other_place(octavo: Octavo, mine: Path, team: Location) -> None:
    answer = json.loads(octavo("search", "--library", mine, "--library", team, "--json", "sourdough").stdout)
    assert [(hit["library"], hit["also_in"]) for hit in answer["hits"]] == [
        ("mine.db", [f"{_name(team)}::notes/bread.md:1"])
    ]


def test_a_reference_that_names_a_library_is_read_there(octavo: Octavo, mine: Path, team: Location) -> None:
    reference = f"{_name(team)}::notes/rules.md:3-3"
    read = octavo("get", "--library", mine, "--library", team, reference)
    assert read.exit_code == 0 and read.stdout.strip() == TEAM.splitlines()[2]
    assert octavo("get", "--library", team, reference).stdout == read.stdout
    assert octavo("get", "--library", mine, reference).exit_code != 0


@pytest.mark.parametrize("absent_first", [True, False])
def test_an_absent_library_is_named_and_the_other_answers(
    octavo: Octavo, mine: Path, tmp_path: Path, absent_first: bool
) -> None:
    places = [tmp_path / "gone.db", mine]
    named = [word for place in (places if absent_first else places[::-1]) for word in ("--library", place)]
    found = octavo("search", *named, "--json", "prune apple trees")
    answer = json.loads(found.stdout)
    assert found.exit_code == 0 and [hit["uri"] for hit in answer["hits"]] == ["apples.md"]
    assert answer["degraded"] == [f"gone.db: there is no library at {tmp_path / 'gone.db'}"]
    assert answer["repeatable"] is False


def test_a_library_that_does_not_answer_in_time_is_named(
    octavo: Octavo, mine: Path, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("OCTAVO_RETRIEVAL_LIBRARY_SECONDS", "1")
    answer = json.loads(octavo("search", "--library", mine, "--library", silent, "--json", "prune apple trees").stdout)
    assert [hit["uri"] for hit in answer["hits"]] == ["apples.md"]
    assert answer["degraded"] == [f"silent@127.0.0.1: {DatabaseUrl(silent)} did not answer within 1 s"]


def test_of_three_libraries_the_one_that_is_there_and_answers_does_so_alone(
    octavo: Octavo, mine: Path, silent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("OCTAVO_RETRIEVAL_LIBRARY_SECONDS", "1")
    named = [word for place in (silent, mine, tmp_path / "gone.db") for word in ("--library", place)]
    answer = json.loads(octavo("search", *named, "--json", "prune apple trees").stdout)
    assert [hit["uri"] for hit in answer["hits"]] == ["apples.md"]
    assert answer["degraded"] == [
        f"silent@127.0.0.1: {DatabaseUrl(silent)} did not answer within 1 s",
        f"gone.db: there is no library at {tmp_path / 'gone.db'}",
    ]


@pytest.mark.one_engine
def test_where_no_library_answers_the_first_error_is_told(octavo: Octavo, tmp_path: Path) -> None:
    found = octavo("search", "--library", tmp_path / "a.db", "--library", tmp_path / "b.db", "anything")
    assert found.exit_code == 4 and f"there is no library at {tmp_path / 'a.db'}" in found.stderr


@pytest.mark.one_engine
@pytest.mark.parametrize(
    "command",
    [
        ["remember", "something"],
        ["index"],
        ["ask", "something"],
        ["jobs", "list"],
        ["forget", "mem_1"],
        ["db", "check"],
        ["mcp", "install", "claude"],
    ],
)
def test_a_command_of_one_library_refuses_a_second_by_name(octavo: Octavo, tmp_path: Path, command: list[str]) -> None:
    places = [tmp_path / "a.db", tmp_path / "b.db"]
    refused = octavo("--library", places[0], *command, "--library", places[1])
    assert refused.exit_code == 2
    assert f"works on one library, and 2 were named: {places[0]}, {places[1]}" in refused.stderr
    assert not any(place.exists() for place in places)


@pytest.mark.one_engine
def test_one_library_named_twice_is_one(octavo: Octavo, mine: Path) -> None:
    listed = octavo("--library", mine, "list", "--library", mine)
    assert listed.exit_code == 0, listed.output


def test_the_configuration_names_further_libraries(
    octavo: Octavo, mine: Path, team: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_LIBRARY", str(mine))
    monkeypatch.setenv("OCTAVO_ALSO_SEARCH", str(team))
    answer = json.loads(octavo("search", "--json", "prune apple trees").stdout)
    assert {hit["library"] for hit in answer["hits"]} == {"mine.db", _name(team)}
    shown = octavo("config", "show").stdout
    assert "also_search" in shown and "password" not in shown


@pytest.mark.one_engine
def test_a_project_file_may_not_name_a_library_to_search(octavo: Octavo, mine: Path) -> None:
    Path(".octavo").mkdir()
    Path(".octavo/config.toml").write_text('also_search = ["elsewhere.db"]\n')
    refused = octavo("search", "--library", mine, "apples")
    assert refused.exit_code != 0 and "also_search, which a project file may not" in refused.stderr


def test_python_searches_further_libraries_and_writes_to_its_own(octavo: Octavo, mine: Path, team: Location) -> None:
    with api.open(mine, also_search=[team]) as library:
        answer = library.search("prune apple trees")
        assert {hit.library for hit in answer} == {"mine.db", _name(team)}
        assert {Path(hit.path).name for hit in answer if hit.path} == {"apples.md", "rules.md"}
        other = next(hit for hit in answer if hit.library != "mine.db")
        assert library.get(other.citation).text.rstrip("\n") == TEAM.rstrip("\n")
        library.remember("The ladder is in the shed.")
        assert len(library.recall("ladder").memories) == 1
    with api.open(team) as library:
        assert len(library.recall("ladder").memories) == 0


def test_searching_a_library_makes_no_project_there(octavo: Octavo, mine: Path, team: Location) -> None:
    found = octavo("search", "--library", mine, "--library", team, "--project", "orchard", "--json", "apples")
    assert found.exit_code != 0
    with api.open(team) as library:
        assert [project.name for project in library.projects.list().projects] == ["default"]


@pytest.mark.one_engine
def test_a_library_that_appears_later_is_searched_from_then_on(octavo: Octavo, mine: Path, tmp_path: Path) -> None:
    with api.open(mine, also_search=[tmp_path / "later.db"]) as library:
        assert library.search("prune apple trees").degraded == (
            f"later.db: there is no library at {tmp_path / 'later.db'}",
        )
        _library(octavo, tmp_path / "later.db", tmp_path / "later", {"rules.md": TEAM})
        assert {hit.library for hit in library.search("prune apple trees")} == {"mine.db", "later.db"}


def test_names_of_libraries_differ() -> None:
    server = DatabaseUrl("postgresql://me:secret@host:5432/team")
    assert library_names([Path("/a/x.db"), Path("/b/x.db"), server, Path("/c/x.db")]) == (
        "x.db",
        "x.db-2",
        "team@host",
        "x.db-3",
    )
