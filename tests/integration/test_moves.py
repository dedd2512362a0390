"""The same content under a new path is a move: chunks, vectors and history go along, and nothing is embedded."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workbench import Bench

from octavo.model.ids import ChunkKey
from octavo.model.query import Filters
from octavo.operations.reading.passage_reading import get
from octavo.operations.reading.requests import GetRequest

TITLED = "# Zebrafish\n\nThe quagga and the okapi.\n"
UNTITLED = "The quagga and the okapi, without a title.\n"


def keys(bench: Bench, uri: str) -> list[ChunkKey]:
    """The store's own numbers for the chunks of one document: what a move keeps."""
    with bench.opened() as engine:
        return list(engine.store.documents.admitted(engine.project.id, Filters(uris=(uri,))))


def history(bench: Bench, uri: str) -> list[str]:
    """The uris a document has had, version by version."""
    with bench.opened() as engine:
        (stored,) = engine.store.documents.find(engine.project.id, uri)
        return [version.uri for version in engine.store.documents.versions(engine.project.id, stored.id)]


def assert_moved(bench: Bench, pairs: dict[str, str], embedded: int = 0) -> None:
    before = {old: keys(bench, old) for old in pairs}
    for old, new in pairs.items():
        (bench.folder / new).parent.mkdir(parents=True, exist_ok=True)
        (bench.folder / old).rename(bench.folder / new)
    report = bench.run()
    (collection,) = report.collections
    assert (collection.moved, collection.added, collection.removed, collection.changed) == (len(pairs), 0, 0, 0)
    assert report.embedded == embedded
    assert {old: keys(bench, new) for old, new in pairs.items()} == before
    assert all(keys(bench, old) == [] for old in pairs)
    assert bench.problems() == ()


def test_a_renamed_file_is_moved(bench: Bench) -> None:
    bench.write({"a.md": TITLED, "b.md": "other\n"})
    bench.index()
    assert_moved(bench, {"a.md": "c.md"})
    assert bench.found("quagga") == ["c.md"]
    assert history(bench, "c.md") == ["a.md"]


def test_a_file_moved_across_folders_is_moved(bench: Bench) -> None:
    bench.write({"one/a.md": TITLED})
    bench.index()
    assert_moved(bench, {"one/a.md": "two/three/a.md"})
    assert bench.found("path:two/ quagga") == ["two/three/a.md"]
    assert bench.found("path:one/ quagga") == []


def test_a_renamed_folder_moves_everything_in_it(bench: Bench) -> None:
    files = {f"folder/deep/{number}.md": f"# Note {number}\n\nzebrafish {number}\n" for number in range(20)}
    bench.write(files)
    bench.index()
    before = {uri: keys(bench, uri) for uri in files}
    (bench.folder / "folder").rename(bench.folder / "renamed")
    report = bench.run()
    assert (report.collections[0].moved, report.collections[0].removed, report.embedded) == (20, 0, 0)
    assert {uri: keys(bench, uri.replace("folder", "renamed", 1)) for uri in files} == before


def test_a_rename_in_case_alone_is_a_move(bench: Bench) -> None:
    bench.write({"Note.md": TITLED})
    bench.index()
    assert_moved(bench, {"Note.md": "note.md"})
    assert bench.found("quagga") == ["note.md"]


def test_a_title_that_comes_from_the_file_name_follows_the_file(bench: Bench) -> None:
    bench.write({"penguin.md": UNTITLED})
    bench.index()
    assert bench.found("title:penguin quagga") == ["penguin.md"]
    # The title stands in front of what is embedded, so that this one move costs a vector.
    assert_moved(bench, {"penguin.md": "birds/albatross.md"}, embedded=1)
    assert (bench.found("albatross"), bench.found("penguin")) == (["birds/albatross.md"], [])
    assert bench.found("title:albatross quagga") == ["birds/albatross.md"]
    assert bench.state()["embeddings"][0]["pending"] == []


def test_a_copy_is_a_new_document_and_the_original_stays(bench: Bench) -> None:
    bench.write({"a.md": TITLED})
    bench.index()
    before = keys(bench, "a.md")
    shutil.copy2(bench.folder / "a.md", bench.folder / "b.md")
    report = bench.run()
    assert (report.collections[0].added, report.collections[0].moved, report.embedded) == (1, 0, 0)
    assert (keys(bench, "a.md"), sorted(bench.found("quagga"))) == (before, ["a.md", "b.md"])
    assert history(bench, "b.md") == ["b.md"]


def test_of_two_copies_of_one_file_that_is_gone_the_first_is_the_move(bench: Bench) -> None:
    bench.write({"a.md": TITLED})
    bench.index()
    before = keys(bench, "a.md")
    for name in ("c.md", "b.md"):
        shutil.copy2(bench.folder / "a.md", bench.folder / name)
    (bench.folder / "a.md").unlink()
    report = bench.index()
    assert (report.moved, report.added, report.removed) == (1, 1, 0)
    assert (keys(bench, "b.md"), history(bench, "b.md"), history(bench, "c.md")) == (before, ["a.md"], ["c.md"])


def test_identical_files_are_moved_each_to_its_own_name(bench: Bench) -> None:
    bench.write({"old/x.md": TITLED, "old/y.md": TITLED, "old/z.md": TITLED})
    bench.index()
    assert_moved(bench, {"old/x.md": "new/x.md", "old/y.md": "new/y.md", "old/z.md": "new/z.md"})


def test_of_several_vanished_files_of_one_content_the_one_of_the_same_name_has_moved(bench: Bench) -> None:
    bench.write({"old/x.md": TITLED, "old/y.md": TITLED})
    bench.index()
    before = keys(bench, "old/y.md")
    (bench.folder / "old/x.md").unlink()
    (bench.folder / "new").mkdir()
    (bench.folder / "old/y.md").rename(bench.folder / "new/y.md")
    report = bench.index()
    assert (report.moved, report.removed) == (1, 1)
    assert (keys(bench, "new/y.md"), history(bench, "new/y.md")) == (before, ["old/y.md"])


def test_two_files_that_change_places_are_two_changes(bench: Bench) -> None:
    bench.write({"a.md": "zebrafish\n", "b.md": "quagga\n"})
    bench.index()
    aside = bench.folder / "aside"
    (bench.folder / "a.md").rename(aside)
    (bench.folder / "b.md").rename(bench.folder / "a.md")
    aside.rename(bench.folder / "b.md")
    report = bench.index()
    assert (report.changed, report.moved, report.removed) == (2, 0, 0)
    assert (bench.found("zebrafish"), bench.found("quagga")) == (["b.md"], ["a.md"])
    assert bench.problems() == ()


def test_a_file_that_takes_the_place_of_a_moved_one_is_a_change_there(bench: Bench) -> None:
    bench.write({"a.md": "zebrafish\n"})
    bench.index()
    (bench.folder / "a.md").rename(bench.folder / "b.md")
    bench.write({"a.md": "quagga\n"})
    report = bench.index()
    assert (report.changed, report.added, report.moved) == (1, 1, 0)
    assert (bench.found("zebrafish"), bench.found("quagga")) == (["b.md"], ["a.md"])
    assert bench.problems() == ()


def test_a_move_to_a_place_with_a_history_leaves_both_histories_whole(bench: Bench) -> None:
    bench.write({"a.md": "zebrafish\n", "b.md": "quagga\n"})
    bench.index()
    (bench.folder / "b.md").unlink()
    bench.index()
    (bench.folder / "a.md").rename(bench.folder / "b.md")
    bench.index()
    assert (bench.found("zebrafish"), bench.found("quagga")) == (["b.md"], [])
    assert history(bench, "b.md") == ["b.md", "b.md"]
    assert bench.problems() == ()


def test_a_file_that_moves_there_and_back_ends_as_it_began(bench: Bench) -> None:
    bench.write({"a.md": TITLED})
    bench.index()
    before = bench.state()
    assert_moved(bench, {"a.md": "b.md"})
    assert_moved(bench, {"b.md": "a.md"})
    assert bench.state() == before


def test_a_file_moved_and_edited_is_another_document(bench: Bench) -> None:
    bench.write({"a.md": TITLED})
    bench.index()
    (bench.folder / "a.md").unlink()
    bench.write({"b.md": TITLED + "\nAnd a penguin.\n"})
    report = bench.index()
    assert (report.added, report.removed, report.moved) == (1, 1, 0)
    assert bench.found("quagga") == ["b.md"]


def test_empty_files_are_not_taken_for_one_another(bench: Bench) -> None:
    bench.write({"a.md": "", "b.md": "words\n"})
    bench.index()
    (bench.folder / "a.md").rename(bench.folder / "c.md")
    report = bench.index()
    assert (report.moved, report.added, report.removed) == (0, 1, 1)
    assert set(bench.ledger()) == {"b.md", "c.md"}


def test_a_file_moved_out_of_the_collection_and_into_another_is_there_alone(bench: Bench, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    bench.write({"a.md": TITLED})
    with bench.opened() as engine:
        engine.add_collection("other", other)
        engine.index()
        (bench.folder / "a.md").rename(other / "a.md")
        report = engine.index()
    assert [(collection.name, collection.added, collection.removed) for collection in report.collections] == [
        ("notes", 0, 1),
        ("other", 1, 0),
    ]
    assert report.embedded == 0
    assert bench.found("quagga") == ["a.md"]


@pytest.mark.parametrize("kept", ["a.md", "z.md"])
def test_a_move_beside_an_identical_file_that_stays_leaves_that_one_alone(bench: Bench, kept: str) -> None:
    bench.write({"m.md": TITLED, kept: TITLED})
    bench.index()
    before = keys(bench, kept)
    assert_moved(bench, {"m.md": "moved/m.md"})
    assert keys(bench, kept) == before


def test_names_that_a_moved_file_had_resolve_no_link_and_still_find_it(bench: Bench) -> None:
    bench.write({"old.py": "def lamp():\n    return 1\n", "note.md": "# Note\n\nSee [[old.py]].\n"})
    bench.index()
    (bench.folder / "old.py").rename(bench.folder / "new.py")
    bench.write({"later.py": "from old import lamp\n"})
    bench.index()
    with bench.opened() as engine:
        store, project = engine.store, engine.project.id
        assert {edge.target for edge in store.graph.edges(project)} == {None}
        assert get(engine, GetRequest("old")).uri == "new.py"
