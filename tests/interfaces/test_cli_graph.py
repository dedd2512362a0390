"""`octavo graph`, over the vault in examples/: neighbours, related documents, communities, exports and the page."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_calls import Location, Octavo
from library_places import Databases

from octavo.engine.wiring import open_library
from octavo.interfaces.cli.error_exit_codes import Exit

VAULT = Path(__file__).parents[2] / "examples" / "vault"
NOTE = "observing/Closing down.md"


@pytest.fixture(scope="module")
def library(databases: Databases) -> Location:
    path = databases.empty()
    with open_library(path, create=True) as engine:
        engine.add_collection("observatory", VAULT)
        engine.index()
    return path


def test_neighbors_go_both_ways_with_their_words(octavo: Octavo, library: Location) -> None:
    told = json.loads(octavo("graph", "neighbors", NOTE, "--library", library, "--json").stdout)
    assert (told["collection"], told["uri"]) == ("observatory", NOTE)
    ways = {one["direction"] for one in told["edges"]}
    assert ways == {"in", "out"}
    inward = [one for one in told["edges"] if one["direction"] == "in"]
    assert len(inward) == told["backlinks"]
    assert all("Closing down" in one["context"] for one in inward)
    shown = octavo("graph", "neighbors", NOTE, "--library", library, "--direction", "in", "--hops", "2").stdout
    assert "→" not in shown and "←" in shown and "Farther away" in shown
    only = octavo(
        "graph", "neighbors", NOTE, "--library", library, "--type", "contains", "--direction", "out", "--json"
    )
    assert {one["type"] for one in json.loads(only.stdout)["edges"]} == {"contains"}


def test_get_tells_what_points_at_a_document_and_a_pipe_takes_the_text_alone(octavo: Octavo, library: Location) -> None:
    told = json.loads(octavo("get", NOTE, "--library", library, "--json").stdout)
    pointing = json.loads(octavo("graph", "neighbors", NOTE, "--library", library, "--json").stdout)
    assert set(told["backlinks"]) == {one["place"] for one in pointing["edges"] if one["direction"] == "in"}
    assert octavo("get", NOTE, "--library", library).stdout == (VAULT / NOTE).read_text("utf-8")


def test_related_says_why(octavo: Octavo, library: Location) -> None:
    told = json.loads(octavo("graph", "related", NOTE, "--library", library, "--json", "-n", "3").stdout)
    assert len(told["documents"]) == 3
    assert all(one["why"] and one["place"] != f"observatory/{NOTE}" for one in told["documents"])
    links = json.loads(octavo("graph", "related", NOTE, "--library", library, "--json", "--links-only").stdout)
    assert not any("similar" in why for one in links["documents"] for why in one["why"])


def test_communities_are_told_once_they_are_built(octavo: Octavo, library: Location) -> None:
    assert "octavo graph build" in octavo("graph", "communities", "--library", library).stdout
    later = json.loads(octavo("graph", "build", "--later", "--library", library, "--json").stdout)
    assert len(later["jobs"]) == 3
    built = json.loads(octavo("graph", "build", "--threshold", "0.3", "--library", library, "--json").stdout)
    assert built["communities"] > 1 and built["thematic_links"] > 0
    told = json.loads(octavo("graph", "communities", "--library", library, "--json", "--members", "2").stdout)
    assert told["current"] and told["total"] == built["communities"]
    assert all(len(one["documents"]) == 2 for one in told["communities"])
    assert told["communities"][0]["name"] in octavo("graph", "communities", "--library", library).stdout


def test_communities_need_no_vectors(location: Location, octavo: Octavo) -> None:
    library = location
    octavo("init", "--library", library)
    octavo("add", VAULT, "--name", "observatory", "--library", library)
    assert octavo("index", "--no-embed", "--library", library).exit_code == 0
    built = octavo("graph", "build", "--library", library)
    assert built.exit_code == 0
    assert re.search(r"communities of more than one document and \d+ entit", built.stdout)
    assert "\nNo thematic links: there are no full vectors" in built.stdout
    assert "octavo index --wait-full" in built.stdout
    alone = octavo("graph", "build", "--no-communities", "--library", library)
    assert alone.exit_code != 0 and "there are no full vectors to compare yet" in alone.output


def test_the_neighbors_of_a_ghost_are_what_links_to_it(octavo: Octavo, tmp_path: Path) -> None:
    notes = tmp_path / "ghostly"
    notes.mkdir()
    (notes / "a.md").write_text("# A\n\nSee [[Plans/Dome]] and again [[plans/dome]].\n", "utf-8")
    for arguments in (["init"], ["add", notes], ["index"]):
        assert octavo(*arguments).exit_code == 0
    for name in ("Plans/Dome", "dome", "plans/dome.md"):
        told = json.loads(octavo("graph", "neighbors", name, "--json").stdout)
        assert (told["ghost"], told["backlinks"], told["linking"]) == (True, 2, 1)
        assert {(edge["direction"], edge["place"], edge["line"]) for edge in told["edges"]} == {
            ("in", "ghostly/a.md", 3)
        }
    assert "linked to, and not there" in octavo("graph", "neighbors", "dome").stdout
    assert octavo("graph", "neighbors", "other/dome").exit_code == Exit.NO_MATCH


def test_a_link_of_a_memory_is_shown_by_the_type_it_was_given(octavo: Octavo, tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "server.py").write_text("port = 1\n", "utf-8")
    (code / "client.py").write_text("port = 2\n", "utf-8")
    for arguments in (
        ["init"],
        ["add", code],
        ["index"],
        ["remember", "We will refactor [[server.py]] next week.", "--title", "Week"],
        ["memory", "link", "Week", "code/client.py", "--type", "replaces"],
    ):
        assert octavo(*arguments).exit_code == 0
    edges = json.loads(octavo("graph", "neighbors", "Week", "--json").stdout)["edges"]
    assert {edge["place"]: edge["type"] for edge in edges} == {
        "code/server.py": "refactors",
        "code/client.py": "replaces",
    }
    (back,) = json.loads(octavo("graph", "neighbors", "code/server.py", "--json").stdout)["edges"]
    assert (back["direction"], back["type"]) == ("in", "refactors")


def test_a_vault_without_ghosts_says_so(octavo: Octavo, library: Location) -> None:
    assert octavo("graph", "ghosts", "--library", library).stdout == "Every link leads somewhere.\n"
    assert json.loads(octavo("graph", "ghosts", "--library", library, "--json").stdout) == {"ghosts": []}


def test_an_export_goes_to_stdout_or_to_a_file_that_is_not_there(octavo: Octavo, library: Location) -> None:
    told = json.loads(octavo("graph", "export", "--library", library).stdout)
    assert {one["kind"] for one in told["nodes"]} - {"entity"} == {"document", "tag"}  # a test before may have built
    done = octavo("graph", "export", "--to", "graphml", "--sections", "-o", "vault.graphml", "--library", library)
    assert done.exit_code == 0
    assert ET.parse("vault.graphml").getroot().tag == "{http://graphml.graphdrawing.org/xmlns}graphml"
    refused = octavo("graph", "export", "-o", "vault.graphml", "--library", library)
    assert refused.exit_code != 0
    assert "--force" in refused.stderr
    assert ET.parse("vault.graphml").getroot() is not None
    assert octavo("graph", "export", "-o", "vault.graphml", "--force", "--library", library).exit_code == 0
    assert json.loads(Path("vault.graphml").read_text("utf-8"))["format"] == "octavo-graph-1"


def test_a_plot_is_one_page(octavo: Octavo, library: Location) -> None:
    told = json.loads(octavo("graph", "plot", "--library", library, "--json").stdout)
    assert told["path"] == "octavo-graph.html"
    assert Path("octavo-graph.html").read_text("utf-8").startswith("<!doctype html>")
    few = json.loads(octavo("graph", "plot", "-o", "few.html", "--most", "5", "--library", library, "--json").stdout)
    assert few["nodes"] == 5
    assert octavo("graph", "plot", "-o", "nowhere/few.html", "--library", library).exit_code != 0


def test_a_plot_says_as_many_nodes_and_links_as_its_page_has(octavo: Octavo, library: Location) -> None:
    told = json.loads(octavo("graph", "plot", "-o", "page.html", "--library", library, "--json").stdout)
    data = re.search(r'<script id="data"[^>]*>(.*?)</script>', Path("page.html").read_text("utf-8"), re.DOTALL)
    assert data
    drawn = json.loads(data[1])
    stands_for = sum(edge[3] for edge in drawn["edges"])
    assert (told["nodes"], told["edges"]) == (len(drawn["nodes"]), stands_for)
    exported = json.loads(octavo("graph", "export", "-o", "graph.json", "--library", library, "--json").stdout)
    assert told["edges"] == exported["edges"]


def test_clusters_fit_the_library_and_their_map_is_not_written_over_another_file(
    databases: Databases, octavo: Octavo, library: Location
) -> None:
    own = databases.copy(library)
    assert octavo("cluster", "plot", "--library", own).exit_code == 4
    built = json.loads(octavo("cluster", "build", "--library", own, "--json").stdout)
    assert built["clusters"] == round((built["chunks"] / 2) ** 0.5)
    drawn = json.loads(octavo("cluster", "plot", "-o", "map.html", "--library", own, "--json").stdout)
    assert (drawn["path"], drawn["points"], drawn["clusters"]) == ("map.html", built["chunks"], built["clusters"])
    Path("map.html").write_text("mine", "utf-8")
    refused = octavo("cluster", "plot", "-o", "map.html", "--library", own)
    assert refused.exit_code == 2 and "--force" in refused.stderr
    assert Path("map.html").read_text("utf-8") == "mine"
    assert octavo("cluster", "plot", "-o", "map.html", "--force", "--library", own).exit_code == 0
    assert Path("map.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    "arguments",
    [("neighbors", "nowhere.md"), ("related", "nowhere.md"), ("export", "-c", "nowhere"), ("plot", "-c", "nowhere")],
)
def test_what_is_not_there_is_named(octavo: Octavo, library: Location, arguments: tuple[str, ...]) -> None:
    refused = octavo("graph", *arguments, "--library", library)
    assert refused.exit_code != 0
    assert "nowhere" in refused.stderr
    assert refused.stdout == ""


def test_an_empty_library_has_no_graph_to_draw(octavo: Octavo, tmp_path: Path) -> None:
    octavo("init", "--library", tmp_path / "empty.db")
    refused = octavo("graph", "plot", "--library", tmp_path / "empty.db")
    assert refused.exit_code != 0
    assert "octavo index" in refused.stderr
