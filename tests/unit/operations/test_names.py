"""A document is found and read by what people call it: its file's name, the end of its path, an alias, its title."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import InvalidArgument, NotFound
from octavo.observability.progress import NoProgress
from octavo.operations.graph.links_entities_and_communities import graph_neighbors, graph_related
from octavo.operations.graph.requests import GraphNeighborsRequest, GraphRelatedRequest
from octavo.operations.history.commits_and_file_history import history
from octavo.operations.history.requests import HistoryRequest
from octavo.operations.library.indexing import reindex
from octavo.operations.library.requests import ReindexRequest
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest
from octavo.operations.search.requests import SearchRequest
from octavo.operations.search.search_handlers import search

FILES = {
    "Zanzibar offsite.md": "## Agenda\n\nBudget first, then the boats.\n\n## Guests\n\nEverybody.\n",
    "travel/Kyoto.md": "---\naliases: [Miyako]\n---\n# Two weeks in spring\n\nTemples and trains.\n",
    "travel/Nara.md": "# Nara\n\nDeer. Back to [[Kyoto]] by train; Kyoto is an hour away, kyoto again.\n",
    "office/Plan.md": "# Plan\n\nShip it.\n",
    "home/Plan.md": "# Plan\n\nPaint the door.\n",
    "src/kettle.py": "def boil() -> None:\n    pass\n",
    "drinks.md": "---\naliases: [kettle]\n---\n# Drinks\n\nTea.\n",
    "links.md": "# Links\n\n[[kettle]] and [[Miyako]].\n",
}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    place = tmp_path_factory.mktemp("names")
    for uri, text in FILES.items():
        path = place / "vault" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    settings = {"embedding.provider": "hashing"}
    with open_library(place / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("vault", place / "vault")
        engine.index()
        yield engine


@pytest.mark.parametrize(
    ("reference", "uri"),
    [
        ("Zanzibar offsite", "Zanzibar offsite.md"),
        ("zanzibar OFFSITE.md", "Zanzibar offsite.md"),
        ("Kyoto", "travel/Kyoto.md"),
        ("travel/kyoto", "travel/Kyoto.md"),
        ("vault/Kyoto", "travel/Kyoto.md"),
        ("Miyako", "travel/Kyoto.md"),
        ("Two weeks in spring", "travel/Kyoto.md"),
        ("office/Plan", "office/Plan.md"),
        ("kettle.py", "src/kettle.py"),
        ("kettle", "drinks.md"),
    ],
)
def test_a_document_is_read_by_its_name_the_end_of_its_path_an_alias_or_its_title(
    notes: Engine, reference: str, uri: str
) -> None:
    assert get(notes, GetRequest(reference)).uri == uri
    assert graph_related(notes, GraphRelatedRequest(reference)).uri == uri
    assert history(notes, HistoryRequest(reference)).uri == uri
    assert graph_neighbors(notes, GraphNeighborsRequest(reference)).uri == uri


@pytest.mark.parametrize("lines", [":3", ":3-3", ":L3", ":L3-L3", "#L3", "#L3-L3", ":3:7"])
@pytest.mark.parametrize(
    "place",
    [
        "{root}/Zanzibar offsite.md",
        "{address}/Zanzibar%20offsite.md",
        "octavo://default/vault/Zanzibar%20offsite.md",
        "./Zanzibar offsite.md",
        "{root}/travel/../Zanzibar offsite.md",
    ],
)
def test_lines_are_read_as_editors_compilers_and_clients_write_them(notes: Engine, place: str, lines: str) -> None:
    root = notes.collection("vault").root
    passage = get(notes, GetRequest(place.format(root=root.as_posix(), address=root.as_uri()) + lines))
    assert (passage.uri, passage.text) == ("Zanzibar offsite.md", "Budget first, then the boats.\n")


@pytest.mark.parametrize("row", ["2. vault/{0}", "{0}  Offsite › Money: 7 points", "10. vault/{0}  Offsite"])
def test_a_row_of_a_list_of_hits_is_the_passage_in_it(notes: Engine, row: str) -> None:
    passage = get(notes, GetRequest(row.format("Zanzibar offsite.md:3-3")))
    assert (passage.uri, passage.text) == ("Zanzibar offsite.md", "Budget first, then the boats.\n")
    with pytest.raises(NotFound, match=r"called vault/Nowhere\.md:3$"):
        get(notes, GetRequest("2. vault/Nowhere.md:3  Offsite"))


@pytest.mark.parametrize(
    ("narrowed", "uris"),
    [
        ({"path_prefix": "{root}/travel"}, {"travel/Kyoto.md", "travel/Nara.md"}),
        ({"path_prefix": "{root}/travel/Ky"}, {"travel/Kyoto.md"}),
        ({"path_prefix": "{root}/"}, set(FILES)),
        ({"uris": ("{root}/travel/Nara.md",)}, {"travel/Nara.md"}),
        ({"query": "Kyoto path:{root}/travel/Ky"}, {"travel/Kyoto.md"}),
    ],
)
def test_a_search_is_narrowed_by_absolute_paths(notes: Engine, narrowed: dict[str, Any], uris: set[str]) -> None:
    root = notes.collection("vault").root.as_posix()
    placed = {
        name: value.format(root=root) if isinstance(value, str) else tuple(uri.format(root=root) for uri in value)
        for name, value in narrowed.items()
    }
    answer = search(notes, SearchRequest(**{"query": "Kyoto", **placed}))
    assert {hit.uri for hit in answer.hits} == uris


@pytest.mark.parametrize(("name", "hint"), [("vaults", "did you mean vault?"), ("zoo", "there are: vault")])
def test_a_collection_that_is_not_there_names_those_that_are(notes: Engine, name: str, hint: str) -> None:
    with pytest.raises(NotFound, match=f"there is no collection {name}") as raised:
        notes.collection(name)
    assert raised.value.hint == hint


@pytest.mark.parametrize(("below", "read"), [("/travel", 2), ("/travel/Ky", 1), ("", len(FILES))])
def test_files_below_an_absolute_path_are_read_again(notes: Engine, below: str, read: int) -> None:
    prefix = f"{notes.collection('vault').root}{below}"
    run = reindex(notes, ReindexRequest("prefix", prefix=prefix, wait=True), NoProgress())
    assert (run.state, run.unchanged) == ("done", read)


def test_a_path_outside_of_every_folder_names_the_folders(notes: Engine, tmp_path: Path) -> None:
    with pytest.raises(NotFound) as raised:
        get(notes, GetRequest(str(tmp_path / "elsewhere" / "q.md")))
    assert raised.value.hint == f"it lies in no folder of the library: {notes.collection('vault').root}"


def test_a_section_and_lines_are_read_below_a_bare_name(notes: Engine) -> None:
    assert get(notes, GetRequest("Zanzibar offsite#guests")).heading_path == ("Guests",)
    assert get(notes, GetRequest("Zanzibar offsite:3")).text == "Budget first, then the boats.\n"


def test_a_name_of_several_documents_lists_them(notes: Engine) -> None:
    with pytest.raises(InvalidArgument, match="Plan is the name of 2 documents") as raised:
        get(notes, GetRequest("Plan"))
    assert raised.value.hint == "choose one of: vault/home/Plan.md, vault/office/Plan.md"


@pytest.mark.parametrize("reference", ["Kyotto", "travel/Kioto.md"])
def test_a_misspelt_name_is_answered_with_the_nearest(notes: Engine, reference: str) -> None:
    with pytest.raises(NotFound) as read:
        get(notes, GetRequest(reference))
    with pytest.raises(NotFound) as asked:
        history(notes, HistoryRequest(reference))
    assert read.value.hint == asked.value.hint == "did you mean travel/Kyoto.md?"


def test_a_name_like_no_other_gets_no_suggestion(notes: Engine) -> None:
    with pytest.raises(NotFound) as raised:
        get(notes, GetRequest("quarterly-report-2031"))
    assert raised.value.hint is not None
    assert "did you mean" not in raised.value.hint


@pytest.mark.parametrize(
    ("query", "uri"),
    [
        ("zanzibar", "Zanzibar offsite.md"),
        ("zanzibar offsite", "Zanzibar offsite.md"),
        ("kyoto", "travel/Kyoto.md"),
        ("miyako", "travel/Kyoto.md"),
    ],
)
@pytest.mark.parametrize("profile", ["hybrid", "lexical_only"])
def test_a_note_is_the_first_hit_for_its_own_name(notes: Engine, query: str, uri: str, profile: str) -> None:
    assert search(notes, SearchRequest(query, profile=profile)).hits[0].uri == uri


def test_the_folders_of_a_note_are_searched(notes: Engine) -> None:
    found = {hit.uri for hit in search(notes, SearchRequest("travel", profile="lexical_only"))}
    assert found == {"travel/Kyoto.md", "travel/Nara.md"}


def test_a_note_without_a_heading_of_rank_one_has_its_file_name_for_a_title(notes: Engine) -> None:
    assert get(notes, GetRequest("Zanzibar offsite.md")).title == "Zanzibar offsite"


def test_a_wikilink_without_an_ending_means_an_alias_before_a_file_of_code(notes: Engine) -> None:
    targets = [edge.place for edge in graph_neighbors(notes, GraphNeighborsRequest("links", direction="out")).edges]
    assert targets == ["vault/drinks.md", "vault/travel/Kyoto.md"]
