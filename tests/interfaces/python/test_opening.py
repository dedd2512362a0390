"""Opening and closing: what a library reads of its surroundings, and what happens to calls when it is closed."""

from __future__ import annotations

import errno
import gc
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from library_places import shown
from python_calls import VAULT

import octavo
from octavo.interfaces.python.shared_engine_handle import Handle


def test_a_library_that_is_not_there_is_not_found_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(octavo.NotFound, match=r"there is no library at .*library\.db") as caught:
        octavo.open(tmp_path / "library.db")
    assert caught.value.hint == "create=True makes one"
    assert not (tmp_path / "library.db").exists()


def test_no_path_at_all_is_refused_unless_the_users_library_is_meant(environment: Path) -> None:
    with pytest.raises(octavo.InvalidArgument, match="no library was named"):
        octavo.open(create=True)
    with octavo.open(create=True, config="user") as library:
        assert library.location.endswith("library.db")
        assert Path(library.location).is_relative_to(environment.parent)


def test_a_path_may_be_text_with_a_tilde_and_folders_that_are_not_there_yet(environment: Path) -> None:
    with octavo.open("~/deep/er/notes.db", create=True) as library:
        assert Path(library.location) == environment.parent / "home" / "deep" / "er" / "notes.db"
    assert Path(library.location).is_file()


@pytest.mark.parametrize("path", [5, b"notes.db", ["notes.db"]])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(octavo.InvalidArgument, match="is not a path") as caught:
        octavo.open(path, create=True)  # type: ignore[arg-type]
    assert caught.value.hint == "give a string or a pathlib.Path"


def test_a_folder_and_a_file_that_is_something_else_are_not_libraries(tmp_path: Path) -> None:
    with pytest.raises(octavo.OctavoError):
        octavo.open(tmp_path, create=True)
    (tmp_path / "text.db").write_text("some text, and no database at all\n" * 100)
    with pytest.raises(octavo.NotALibrary) as refused:
        octavo.open(tmp_path / "text.db")
    assert refused.value.hint == "name another file, or a new path to make a library there"


def test_nothing_around_the_process_changes_a_library(
    path: Path, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCTAVO_RETRIEVAL_LIMIT", "1")
    monkeypatch.setenv("OCTAVO_PROJECT", "elsewhere")
    (environment / ".octavo").mkdir()
    (environment / ".octavo" / "config.toml").write_text('project = "another"\n[retrieval]\nlimit = 2\n')
    with octavo.open(path) as library:
        assert library.project == "default"
        assert len(library.search("dome")) == 10
    with octavo.open(path, config="user") as library:
        assert library.project == "elsewhere"


def test_settings_are_given_by_name_nested_or_in_a_file(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('[embedding]\nprovider = "hashing"\n[retrieval]\nlimit = 3\n')
    for config in (
        {"embedding.provider": "hashing", "retrieval.limit": 3},
        {"embedding": {"provider": "hashing"}, "retrieval": {"limit": 3}},
        file,
        str(file),
    ):
        with octavo.open(path, config=config) as library:
            assert len(library.search("dome")) == 3


@pytest.mark.parametrize(
    ("config", "message", "hint"),
    [
        ({"retrieval.limt": 3}, "config sets retrieval.limt, which is not a setting", "did you mean retrieval.limit?"),
        ({"retrieval": {"limit": "many"}}, "retrieval.limit in config: ", None),
        ("nowhere.toml", "nowhere.toml cannot be read: ", None),
    ],
)
def test_a_setting_that_is_unknown_or_malformed_is_refused_by_name(
    path: Path, config: dict[str, object] | str, message: str, hint: str | None
) -> None:
    with pytest.raises(octavo.ConfigurationError) as caught:
        octavo.open(path, config=config)
    assert caught.value.message.startswith(message)
    assert hint is None or caught.value.hint == hint


def test_a_configuration_that_is_not_there_is_named_once(path: Path, tmp_path: Path) -> None:
    with pytest.raises(octavo.ConfigurationError) as caught:
        octavo.open(path, config=tmp_path / "none.toml")
    assert caught.value.message == f"{tmp_path / 'none.toml'} cannot be read: {os.strerror(errno.ENOENT)}"


def test_a_configuration_of_another_type_is_refused(path: Path) -> None:
    with pytest.raises(octavo.InvalidArgument, match="config cannot be a list"):
        octavo.open(path, config=["retrieval.limit"])  # type: ignore[arg-type]


def test_projects_of_one_library_do_not_see_each_other(path: Path) -> None:
    with octavo.open(path, project="other") as other, octavo.open(path) as library:
        assert (other.project, library.project) == ("other", "default")
        other.remember("The other project's own.", kind="fact")
        assert len(other.recall("own")) == 1
        assert "The other project's own." not in {memory.text for memory in library.recall("own")}


def test_a_library_that_was_closed_says_so_and_how_to_go_on(library: octavo.Library) -> None:
    tools = library.tools()
    library.close()
    library.close()
    assert library.closed
    assert repr(library) == f"<octavo.Library at {library.location}, closed>"
    refused: list[Callable[[], object]] = [
        lambda: library.search("dome"),
        lambda: library.add(VAULT, name="more"),
        lambda: library.watch(),
        lambda: tools.call("search", {"query": "dome"}),
    ]
    for call in refused:
        with pytest.raises(octavo.LibraryClosed, match=f"{re.escape(library.location)} is closed") as caught:
            call()
        assert caught.value.hint is not None and "octavo.open" in caught.value.hint


def test_leaving_the_block_closes_whatever_was_raised_in_it(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), octavo.open(path) as library:
        _ = 1 / 0
    assert library.closed


def test_closing_waits_for_the_calls_of_other_threads(path: Path) -> None:
    library = octavo.open(path)
    begun, go_on = threading.Event(), threading.Event()
    ends: list[BaseException | None] = []

    def hold(update: octavo.ProgressUpdate) -> None:
        begun.set()
        go_on.wait(60)

    def index() -> None:
        try:
            library.reindex("full", wait=True, progress=hold)
        except octavo.LibraryClosed as error:
            ends.append(error)

    indexing, closing = threading.Thread(target=index), threading.Thread(target=library.close)
    indexing.start()
    assert begun.wait(60)
    closing.start()
    while not library.closed:
        closing.join(0.01)
    assert closing.is_alive() and not ends
    go_on.set()
    closing.join(60)
    indexing.join(60)
    assert [str(error) for error in ends] == [f"the library at {shown(path)} was closed while it was being indexed"]
    with octavo.open(path) as again:
        assert again.doctor().ok


def test_a_progress_callback_may_close_the_library_or_raise(path: Path) -> None:
    library = octavo.open(path)
    with pytest.raises(octavo.LibraryClosed):
        library.reindex("full", wait=True, progress=lambda update: library.close())
    assert library.closed
    with octavo.open(path) as library:
        with pytest.raises(ZeroDivisionError):
            library.reindex("full", wait=True, progress=lambda update: 1 / 0)
        assert library.index().complete


def test_a_library_that_nobody_holds_any_more_is_closed(path: Path) -> None:
    library = octavo.open(path)
    library.search("dome")
    assert open_handles()
    del library
    gc.collect()
    assert not open_handles()


def open_handles() -> list[Handle]:
    return [known for known in gc.get_objects() if isinstance(known, Handle)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes are forked")
def test_a_forked_process_is_told_to_open_the_library_itself(path: Path) -> None:
    program = f"""
import os, sys, octavo
library = octavo.open({str(path)!r})
library.search("dome")
child = os.fork()
if not child:
    try:
        library.search("dome")
    except octavo.LibraryClosed as error:
        print(error.hint)
    library.close()
    sys.exit()
os.waitpid(child, 0)
print(len(library.search("dome", limit=3)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("open it in each process") and done.stdout.endswith("\n3\n")


def test_several_libraries_are_open_at_once_and_used_from_several_threads(path: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "pump.md").write_text("# Pump\n\nThe switch is behind the boiler.\n")
    with (
        octavo.open(path) as vault,
        octavo.open(tmp_path / "pump.db", create=True) as pump,
        ThreadPoolExecutor(6) as pool,
    ):
        pump.add(notes, name="notes")
        pump.index()
        asked = [(vault, "dome"), (pump, "switch")] * 12
        found = list(pool.map(lambda asking: asking[0].search(asking[1], limit=1).hits[0].collection, asked))
        kept = list(pool.map(lambda number: pump.remember(f"Valve {number} leaks.", kind="fact").action, range(12)))
    assert found == ["observatory", "notes"] * 12
    assert kept == ["created"] * 12
