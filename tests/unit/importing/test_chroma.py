"""A Chroma directory taken into a library: every text, id, value and readable vector, and the directory as it was."""

from __future__ import annotations

import hashlib
import os
import pickle
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from chroma_files import Held, write_chroma
from click.testing import CliRunner

from octavo.engine.engine import Engine
from octavo.engine.wiring import open_library
from octavo.errors import Conflict, LibraryError, NewerLibrary, NotALibrary, NotFound
from octavo.interfaces.cli.main import cli
from octavo.model.query import Query
from octavo.observability.progress import NoProgress
from octavo.operations.database.importer_choice import open_source
from octavo.operations.database.results import Imported
from octavo_import import imported_record_writer
from octavo_import.chroma import ChromaDirectory

NOTES = [
    Held("a", "The moon is up by ten.", [3.0, 4.0], {"page": 7, "half": 0.5, "seen": True, "who": "ann"}),
    Held("b", "Batteries are kept dry.\r\nAlways.", [1.0, 0.0], {"title": "Storage", "tags": ["shed", "power"]}),
    Held("c", "Late to the log.", [0.0, 2.0], indexed=False),
    Held("d", None, [1.0, 1.0]),
    Held("e", "Never embedded."),
]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return write_chroma(tmp_path / "chroma", {"notes": NOTES, "empty": []})


def opened(path: Path) -> Engine:
    return open_library(path, create=True, settings={"embedding.provider": "hashing"})


def taken(engine: Engine, directory: Path) -> Imported:
    with open_source(directory) as source:
        return source.import_into(engine, NoProgress())


def state(directory: Path) -> dict[str, tuple[str, int]]:
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(file): (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns) for file in files}


def test_every_record_becomes_a_document_and_the_directory_stays_as_it_was(directory: Path, tmp_path: Path) -> None:
    before = state(directory)
    with opened(tmp_path / "library.db") as engine:
        done = taken(engine, directory)
        assert [
            (collection.name, collection.records, collection.added, collection.without_text, collection.vectors)
            for collection in done.collections
        ] == [
            ("empty", 0, 0, [], 0),
            ("notes", 5, 4, ["d"], 3),
        ]
        project = engine.project.id
        (b,) = engine.store.documents.find(project, "b")
        assert (b.title, b.collection, dict(b.metadata)) == (
            "Storage",
            "notes",
            {"title": "Storage", "tags": ["shed", "power"]},
        )
        assert engine.store.documents.texts(project, [b.text_hash])[b.text_hash] == "Batteries are kept dry.\nAlways.\n"
        (a,) = engine.store.documents.find(project, "a")
        assert dict(a.metadata) == {"page": 7, "half": 0.5, "seen": True, "who": "ann"}
        assert a.modified_at == 1794732265.0
        assert engine.search(Query("moon")).hits[0].citation.uri == "a"
        assert engine.store.check() == ()
    assert state(directory) == before


def test_vectors_come_from_the_index_folder_and_from_the_log(directory: Path) -> None:
    with closing(ChromaDirectory(directory)) as source:
        (notes,) = (collection for collection in source.collections() if collection.name == "notes")
        vectors = source.vectors(notes)
        found = {one.id: vectors.of(one.id) for page in source.pages(notes, 2) for one in page}
    wanted: dict[str, Any] = {"a": [0.6, 0.8], "b": [1, 0], "c": [0, 2], "d": [0.5**0.5, 0.5**0.5], "e": None}
    assert {name: None if one is None else pytest.approx(one.tolist()) for name, one in found.items()} == wanted


def test_kept_vectors_belong_to_a_profile_of_their_own_and_those_of_a_known_service_can_answer(tmp_path: Path) -> None:
    said = {
        "type": "known",
        "name": "openai",
        "config": {"model_name": "text-embedding-3-small", "api_base": "http://x"},
    }
    source = write_chroma(tmp_path / "chroma", {"notes": NOTES}, functions={"notes": said})
    with opened(tmp_path / "library.db") as engine:
        taken(engine, source)
        (named,) = engine.store.profiles.named(engine.project.id)
        assert (named.name, named.settings.provider, named.settings.model) == (
            "chroma-notes",
            "openai",
            "text-embedding-3-small",
        )
        assert named.settings.url == ""
        profile = engine.profile_embedder(named).profile
        assert engine.store.embeddings.coverage(engine.project.id, profile) == (3, 4)
        held = engine.store.embeddings.vectors(engine.project.id, profile, 0)
        assert np.linalg.norm(held.matrix, axis=1) == pytest.approx([1.0] * 3, abs=1e-3)


def test_given_again_it_passes_over_what_is_there_and_takes_what_is_new(directory: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "library.db") as engine:
        first = taken(engine, directory).collections
        again = taken(engine, directory).collections
        assert [(one.added, one.unchanged, one.vectors) for one in again] == [(0, 0, 0), (0, 4, 0)]
        assert [one.sha256 for one in again] == [one.sha256 for one in first]


def test_an_interrupted_import_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [Held(f"n{number:03}", f"text {number}", [1.0, float(number)]) for number in range(40)]
    source = write_chroma(tmp_path / "chroma", {"notes": many})
    monkeypatch.setattr("octavo_import.collection_import.PAGE", 10)
    write, pages = imported_record_writer.write_documents, iter(range(100))

    def interrupted(*arguments: Any) -> None:
        if next(pages) == 2:
            raise KeyboardInterrupt
        write(*arguments)

    monkeypatch.setattr(imported_record_writer, "write_documents", interrupted)
    with opened(tmp_path / "library.db") as engine:
        with pytest.raises(KeyboardInterrupt):
            taken(engine, source)
        (done,) = taken(engine, source).collections
        assert (done.unchanged, done.added, done.vectors) == (20, 20, 40)


def test_what_is_not_the_same_is_not_called_copied(
    directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = imported_record_writer.write_documents

    def careless(store: Any, collection: Any, several: Any, entries: Any) -> None:
        write(store, collection, several[1:], entries[1:])

    monkeypatch.setattr(imported_record_writer, "write_documents", careless)
    with opened(tmp_path / "library.db") as engine, pytest.raises(LibraryError, match="a in notes is not what"):
        taken(engine, directory)


def test_two_databases_with_a_collection_of_one_name_stay_apart(directory: Path, tmp_path: Path) -> None:
    connection = apsw.Connection(str(directory / "chroma.sqlite3"))
    connection.execute("insert into databases values ('1', 'second', 'default_tenant')")
    connection.close()
    write_chroma(directory, {"notes": [Held("a", "Another moon.")]}, database="1")
    with opened(tmp_path / "library.db") as engine:
        names = {collection.name: collection.records for collection in taken(engine, directory).collections}
    assert names == {"empty": 0, "default_database.notes": 5, "second.notes": 1}


def test_a_folder_of_the_same_name_is_not_mixed_with_it(directory: Path, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    with opened(tmp_path / "library.db") as engine:
        engine.add_collection("notes", tmp_path / "vault")
        with pytest.raises(Conflict, match="already has a collection notes"):
            taken(engine, directory)


def test_what_came_in_can_be_taken_out_again(directory: Path, tmp_path: Path) -> None:
    with opened(tmp_path / "library.db") as engine:
        taken(engine, directory)
        engine.remove_collection("notes")
        assert engine.store.counts(engine.project.id).documents == 0


def test_what_is_no_chroma_directory_is_said_and_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no directory"):
        ChromaDirectory(tmp_path / "nowhere")
    with pytest.raises(NotALibrary, match=r"has no chroma\.sqlite3"):
        ChromaDirectory(tmp_path)
    (tmp_path / "chroma.sqlite3").write_bytes(b"no database, however long it may be" * 100)
    with pytest.raises(NotALibrary, match="is not a database"):
        ChromaDirectory(tmp_path)
    (tmp_path / "chroma.sqlite3").unlink()
    apsw.Connection(str(tmp_path / "chroma.sqlite3")).execute("create table collections (id)").close()
    with pytest.raises(NotALibrary, match="is not Chroma's"):
        ChromaDirectory(tmp_path)
    told = CliRunner().invoke(cli, ["db", "migrate", "--from", str(tmp_path), "--to", str(tmp_path / "to.db")])
    assert told.exit_code != 0
    assert not (tmp_path / "to.db").exists()


def test_a_newer_chroma_is_refused(directory: Path) -> None:
    connection = apsw.Connection(str(directory / "chroma.sqlite3"))
    connection.execute("insert into migrations values ('metadb', 7, '', '', '')")
    connection.close()
    with pytest.raises(NewerLibrary, match=r"newer Chroma \(metadb 7"):
        ChromaDirectory(directory)


def test_changes_that_chroma_has_not_carried_out_are_not_lost_in_silence(directory: Path, tmp_path: Path) -> None:
    connection = apsw.Connection(str(directory / "chroma.sqlite3"))
    connection.execute(
        "insert into embeddings_queue (seq_id, operation, topic, id) values (99, 3, 'persistent://x/c-0-notes', 'a')"
    )
    connection.close()
    with opened(tmp_path / "library.db") as engine, pytest.raises(LibraryError, match="1 changes of notes"):
        taken(engine, directory)


def test_a_collection_of_which_nothing_was_carried_out_is_not_taken_for_empty(directory: Path) -> None:
    connection = apsw.Connection(str(directory / "chroma.sqlite3"))
    connection.execute("delete from max_seq_id; delete from embeddings")
    connection.close()
    with closing(ChromaDirectory(directory)) as source:
        (notes,) = (collection for collection in source.collections() if collection.name == "notes")
        with pytest.raises(LibraryError, match="has not carried out yet"):
            source.count(notes)


def test_a_table_of_labels_that_calls_something_is_not_obeyed(directory: Path, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "made"),)

    (table,) = directory.glob("*/index_metadata.pickle")
    table.write_bytes(pickle.dumps({"id_to_label": Evil()}))
    with opened(tmp_path / "library.db") as engine, pytest.raises(LibraryError, match="does not belong there"):
        taken(engine, directory)
    assert not (tmp_path / "made").exists()


def test_an_index_folder_of_another_width_or_version_is_refused(directory: Path) -> None:
    (header,) = directory.glob("*/header.bin")
    written = header.read_bytes()
    with closing(ChromaDirectory(directory)) as source:
        (notes,) = (collection for collection in source.collections() if collection.name == "notes")
        for broken in (written[:20], b"\x09" + written[1:], written[:36] + b"\xff" + written[37:]):
            header.write_bytes(broken)
            with pytest.raises(LibraryError):
                source.vectors(notes)


def test_a_record_that_is_not_current_is_left_out_and_counted(tmp_path: Path) -> None:
    versions = [
        Held("v1", "Open until eight.", metadata={"is_current": False, "version": 1}),
        Held(
            "v2", "Open until ten.", metadata={"is_current": True, "version": 2, "heading": "Hours", "mtime_ns": 10**18}
        ),
    ]
    directory = write_chroma(tmp_path / "chroma", {"lsm": versions})
    with opened(tmp_path / "library.db") as engine:
        (done,) = taken(engine, directory).collections
        (hit,) = engine.search(Query("open until")).hits
    assert (done.records, done.added, done.earlier_versions, done.without_text) == (2, 1, 1, [])
    assert (hit.citation.uri, hit.title, hit.modified_at) == ("v2", "Hours", 10**9)
