"""Profiles of one's own, compressed answers, and searches that are answered again from their trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_calls import Octavo

pytestmark = pytest.mark.usefixtures("vault")

OWN = """\
name = "mine"

[[recall]]
stage = "lexical"

[fuse]
stage = "single"
"""


def _answer(octavo: Octavo, *arguments: object) -> dict[str, object]:
    whole: dict[str, object] = json.loads(octavo(*arguments, "--json").stdout)
    del whole["took_ms"]
    return whole


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "mine.toml"
    file.write_text(OWN, "utf-8")
    return file


@pytest.fixture
def twins(octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of its own, in which two of three notes say the same."""
    folder = tmp_path / "twins"
    folder.mkdir()
    for name in ("first", "second"):
        (folder / f"{name}.md").write_text("Watering trees in summer keeps the trees alive.\n", "utf-8")
    (folder / "third.md").write_text("Sawdust falls where old trees are cut.\n", "utf-8")
    monkeypatch.setenv("OCTAVO_LIBRARY", str(tmp_path / "twins.db"))
    for command in (("init",), ("add", folder, "--name", "twins"), ("index",)):
        assert octavo(*command).exit_code == 0
    return folder


def test_a_profile_is_taken_from_a_file(octavo: Octavo, own: Path) -> None:
    assert _answer(octavo, "search", "apple", "-p", own)["profile"] == "mine"


def test_a_profile_is_found_by_name_beside_the_configuration(
    octavo: Octavo, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert octavo("search", "apple", "-p", "mine").exit_code == 2
    folder = tmp_path / "settings"
    (folder / "profiles").mkdir(parents=True)
    (folder / "config.toml").write_text("", "utf-8")
    own.rename(folder / "profiles" / "mine.toml")
    monkeypatch.setenv("OCTAVO_CONFIG", str(folder / "config.toml"))
    assert _answer(octavo, "search", "apple", "-p", "mine")["profile"] == "mine"


def test_a_profile_may_not_take_the_name_of_a_built_in_one(
    octavo: Octavo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "profiles").mkdir()
    (tmp_path / "config.toml").write_text("", "utf-8")
    (tmp_path / "profiles" / "one.toml").write_text(OWN.replace("mine", "hybrid"), "utf-8")
    monkeypatch.setenv("OCTAVO_CONFIG", str(tmp_path / "config.toml"))
    told = octavo("search", "apple", "-p", "another")
    assert told.exit_code == 3
    assert "the name of a built-in profile" in told.stderr


def test_a_file_that_is_no_profile_is_named(octavo: Octavo, tmp_path: Path) -> None:
    told = octavo("search", "apple", "-p", tmp_path / "nowhere.toml")
    assert told.exit_code == 2
    assert "nowhere.toml cannot be read" in told.stderr


@pytest.mark.parametrize("profile", ["hybrid", "lexical_only", "dense_only", "code"])
def test_a_trace_replays_to_the_same_answer(octavo: Octavo, tmp_path: Path, profile: str) -> None:
    trace = tmp_path / "trace.json"
    first = _answer(octavo, "search", "watering trees", "-p", profile, "--explain", "--trace", trace)
    again = _answer(octavo, "replay", trace, "--explain")
    assert again["hits"] == first["hits"]
    assert (again["query"], again["profile"]) == ("watering trees", profile)


def test_a_replay_says_that_the_library_has_changed(octavo: Octavo, twins: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    octavo("search", "watering", "--trace", trace)
    assert octavo("replay", trace).stderr == ""
    octavo("remember", "Water the beans on Mondays.")
    assert "changed since" in octavo("replay", trace).stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", "# Notes", '{"format": 1}', '{"recording": {"format": 9}}'])
def test_what_is_no_trace_is_refused_with_what_would_be_one(octavo: Octavo, tmp_path: Path, text: str) -> None:
    file = tmp_path / "trace.json"
    file.write_text(text, "utf-8")
    for refused in (octavo("replay", file), octavo("replay", tmp_path / "nowhere")):
        assert refused.exit_code in {2, 3, 6}
        assert "octavo search QUERY --trace FILE" in refused.stderr
        assert "pydantic" not in refused.stderr and "Expecting value" not in refused.stderr


def test_a_trace_of_another_library_is_refused(octavo: Octavo, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    trace = tmp_path / "trace.json"
    octavo("search", "watering trees", "--trace", trace)
    request.getfixturevalue("twins")
    refused = octavo("replay", trace)
    assert refused.exit_code == 2
    assert "another library" in refused.stderr and "--library" in refused.stderr


def test_a_trace_is_no_way_around_freshness(octavo: Octavo, twins: Path, tmp_path: Path) -> None:
    (twins / "fourth.md").write_text("A fourth note without a vector.\n", "utf-8")
    assert octavo("index", "--no-embed").exit_code == 0
    for more in ((), ("--trace", tmp_path / "trace.json")):
        assert octavo("search", "watering", "--require-fresh", *more).exit_code == 4


def test_a_compressed_answer_says_nothing_twice(octavo: Octavo, twins: Path) -> None:
    whole = _answer(octavo, "search", "trees")["hits"]
    once = _answer(octavo, "search", "trees", "--compressed", "--min-score", 0, "--similarity", 0.7)["hits"]
    assert isinstance(whole, list) and isinstance(once, list)
    copies = {place.rpartition(":")[0].partition("/")[2] for hit in whole for place in hit.get("also_in", ())}
    assert {hit["uri"] for hit in whole} | copies == {"first.md", "second.md", "third.md"}
    assert {hit["uri"] for hit in once} == {hit["uri"] for hit in whole}


def test_a_floor_no_passage_reaches_leaves_nothing(octavo: Octavo) -> None:
    assert octavo("search", "trees", "--min-score", 1).exit_code == 1
