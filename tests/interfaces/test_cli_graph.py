"""`recto graph`, over the vault in examples/: neighbours, related documents, communities, exports and the page."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_calls import Recto

import recto as package

VAULT = Path(__file__).parents[2] / "examples" / "vault"
NOTE = "observing/Closing down.md"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "library.db"
    with package.open_library(path, create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("observatory", VAULT)
        engine.index()
    return path


def test_neighbors_go_both_ways_with_their_words(recto: Recto, library: Path) -> None:
    told = json.loads(recto("graph", "neighbors", NOTE, "--library", library, "--json").stdout)
    assert (told["collection"], told["uri"]) == ("observatory", NOTE)
    ways = {one["direction"] for one in told["edges"]}
    assert ways == {"in", "out"}
    inward = [one for one in told["edges"] if one["direction"] == "in"]
    assert len(inward) == told["backlinks"]
    assert all("Closing down" in one["context"] for one in inward)
    shown = recto("graph", "neighbors", NOTE, "--library", library, "--direction", "in", "--hops", "2").stdout
    assert "→" not in shown and "←" in shown and "Farther away" in shown
    only = recto("graph", "neighbors", NOTE, "--library", library, "--type", "contains", "--direction", "out", "--json")
    assert {one["type"] for one in json.loads(only.stdout)["edges"]} == {"contains"}


def test_get_tells_what_points_at_a_document_and_a_pipe_takes_the_text_alone(recto: Recto, library: Path) -> None:
    told = json.loads(recto("get", NOTE, "--library", library, "--json").stdout)
    pointing = json.loads(recto("graph", "neighbors", NOTE, "--library", library, "--json").stdout)
    assert set(told["backlinks"]) == {one["place"] for one in pointing["edges"] if one["direction"] == "in"}
    assert recto("get", NOTE, "--library", library).stdout == (VAULT / NOTE).read_text("utf-8")


def test_related_says_why(recto: Recto, library: Path) -> None:
    told = json.loads(recto("graph", "related", NOTE, "--library", library, "--json", "-n", "3").stdout)
    assert len(told["documents"]) == 3
    assert all(one["why"] and one["place"] != f"observatory/{NOTE}" for one in told["documents"])
    links = json.loads(recto("graph", "related", NOTE, "--library", library, "--json", "--links-only").stdout)
    assert not any("similar" in why for one in links["documents"] for why in one["why"])


def test_communities_are_told_once_they_are_built(recto: Recto, library: Path) -> None:
    assert "recto graph build" in recto("graph", "communities", "--library", library).stdout
    later = json.loads(recto("graph", "build", "--later", "--library", library, "--json").stdout)
    assert len(later["jobs"]) == 2
    built = json.loads(recto("graph", "build", "--threshold", "0.3", "--library", library, "--json").stdout)
    assert built["communities"] > 1 and built["thematic_links"] > 0
    told = json.loads(recto("graph", "communities", "--library", library, "--json", "--members", "2").stdout)
    assert told["current"] and told["total"] == built["communities"]
    assert all(len(one["documents"]) == 2 for one in told["communities"])
    assert told["communities"][0]["name"] in recto("graph", "communities", "--library", library).stdout


def test_communities_need_no_vectors(recto: Recto, tmp_path: Path) -> None:
    library = tmp_path / "library.db"
    recto("init", "--library", library)
    recto("add", VAULT, "--name", "observatory", "--library", library)
    assert recto("index", "--no-embed", "--library", library).exit_code == 0
    built = recto("graph", "build", "--library", library)
    assert built.exit_code == 0
    assert "communities of more than one document. No thematic links: there are no vectors" in built.stdout
    alone = recto("graph", "build", "--no-communities", "--library", library)
    assert alone.exit_code != 0 and "there are no vectors to compare" in alone.output


def test_a_vault_without_ghosts_says_so(recto: Recto, library: Path) -> None:
    assert recto("graph", "ghosts", "--library", library).stdout == "Every link leads somewhere.\n"
    assert json.loads(recto("graph", "ghosts", "--library", library, "--json").stdout) == {"ghosts": []}


def test_an_export_goes_to_stdout_or_to_a_file_that_is_not_there(recto: Recto, library: Path) -> None:
    told = json.loads(recto("graph", "export", "--library", library).stdout)
    assert {one["kind"] for one in told["nodes"]} == {"document", "tag"}
    done = recto("graph", "export", "--to", "graphml", "--sections", "-o", "vault.graphml", "--library", library)
    assert done.exit_code == 0
    assert ET.parse("vault.graphml").getroot().tag == "{http://graphml.graphdrawing.org/xmlns}graphml"
    refused = recto("graph", "export", "-o", "vault.graphml", "--library", library)
    assert refused.exit_code != 0
    assert "--force" in refused.stderr
    assert ET.parse("vault.graphml").getroot() is not None
    assert recto("graph", "export", "-o", "vault.graphml", "--force", "--library", library).exit_code == 0
    assert json.loads(Path("vault.graphml").read_text("utf-8"))["format"] == "recto-graph-1"


def test_a_plot_is_one_page(recto: Recto, library: Path) -> None:
    told = json.loads(recto("graph", "plot", "--library", library, "--json").stdout)
    assert told["path"] == "recto-graph.html"
    assert Path("recto-graph.html").read_text("utf-8").startswith("<!doctype html>")
    few = json.loads(recto("graph", "plot", "-o", "few.html", "--most", "5", "--library", library, "--json").stdout)
    assert few["nodes"] == 5
    assert recto("graph", "plot", "-o", "nowhere/few.html", "--library", library).exit_code != 0


@pytest.mark.parametrize(
    "arguments",
    [("neighbors", "nowhere.md"), ("related", "nowhere.md"), ("export", "-c", "nowhere"), ("plot", "-c", "nowhere")],
)
def test_what_is_not_there_is_named(recto: Recto, library: Path, arguments: tuple[str, ...]) -> None:
    refused = recto("graph", *arguments, "--library", library)
    assert refused.exit_code != 0
    assert "nowhere" in refused.stderr
    assert refused.stdout == ""


def test_an_empty_library_has_no_graph_to_draw(recto: Recto, tmp_path: Path) -> None:
    recto("init", "--library", tmp_path / "empty.db")
    refused = recto("graph", "plot", "--library", tmp_path / "empty.db")
    assert refused.exit_code != 0
    assert "recto index" in refused.stderr
