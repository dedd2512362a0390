"""Writes that meet other programs: nothing they made meanwhile is overwritten, and a file keeps what it has."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from python_calls import HASHING

import octavo as package
from octavo.errors import Conflict, OctavoError, StorageError
from octavo.note_editing import no_overwrite_renames, note_change_transaction, note_files
from octavo.note_editing.no_overwrite_renames import exchange, rename_new
from octavo.note_editing.note_files import StagedFile, overwrite, read

NOTE = "# A\n\nalpha\n\n## B\n\nbeta\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are read by the system's own calls")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "note.md").write_text(NOTE)
    (root / "links.md").write_text("[[note]] [[note#A]]\n")
    return root


@pytest.fixture
def library(tmp_path: Path, folder: Path) -> Iterator[package.Library]:
    with package.open(tmp_path / "library.db", create=True, config=HASHING) as library:
        library.add(folder, name="notes", writable=True)
        yield library


@pytest.fixture(params=["by one call", "by a link", "by a placeholder"])
def system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways in which systems and disks differ."""
    if request.param != "by one call":
        monkeypatch.setattr(no_overwrite_renames, "renamed_by_system", lambda *_: False)
    if request.param == "by a placeholder":
        monkeypatch.setattr(os, "link", _no_links)
        monkeypatch.setattr(note_files, "unnamed_file", lambda *_: None)
    return str(request.param)


def _no_links(*_: Any, **__: Any) -> None:
    raise PermissionError(1, "no links on this disk")


def test_a_file_gets_a_new_name_and_never_that_of_another(system: str, tmp_path: Path) -> None:
    one, other, free = (tmp_path / name for name in ("one.md", "other.md", "free.md"))
    one.write_text("1")
    other.write_text("2")
    (tmp_path / "dangling.md").symlink_to("nowhere")
    for taken in (other, tmp_path / "dangling.md"):
        with pytest.raises(FileExistsError):
            rename_new(one, taken)
    rename_new(one, free)
    assert (free.read_text(), other.read_text(), one.exists()) == ("1", "2", False)


def made_before(call: str, module: Any, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Has another program save a file right before one of our calls: after every check."""
    original: Callable[..., Any] = getattr(module, call)

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.setattr(module, call, original)
        path.with_name("saved").write_text("theirs")
        path.with_name("saved").replace(path)
        return original(*arguments)

    monkeypatch.setattr(module, call, overtaken)


@pytest.mark.parametrize("update_links", [False, True])
def test_a_rename_does_not_overwrite_a_file_that_appears_meanwhile(
    library: package.Library, folder: Path, monkeypatch: pytest.MonkeyPatch, update_links: bool
) -> None:
    target = folder / "new.md"
    made_before("rename_new", note_change_transaction, target, monkeypatch)
    with pytest.raises(Conflict, match=r"new\.md was made meanwhile"):
        library.doc.rename("note.md", to="new.md", update_links=update_links)
    assert (target.read_text(), (folder / "note.md").read_text()) == ("theirs", NOTE)
    assert (folder / "links.md").read_text() == "[[note]] [[note#A]]\n"


def test_a_new_note_does_not_overwrite_one_that_appears_meanwhile(
    library: package.Library, folder: Path, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(note_files, "unnamed_file", lambda *_: None)
    made_before("rename_new", note_files, folder / "new.md", monkeypatch)
    with pytest.raises(Conflict, match=r"new\.md was made meanwhile"):
        library.doc.create("new.md", "New")
    assert (folder / "new.md").read_text() == "theirs"


def test_an_edit_does_not_replace_a_file_that_was_saved_after_the_last_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "note.md"
    path.write_text(NOTE)
    (tmp_path / "probe").write_text("")
    if not exchange(path, tmp_path / "probe"):
        pytest.skip("files cannot change places on this disk")
    exchange(path, tmp_path / "probe")
    for action in ("saved", "deleted"):
        path.write_text(NOTE)
        file = read(path, "note.md", 1 << 20)
        if action == "saved":
            made_before("exchange", note_files, path, monkeypatch)
        else:
            path.unlink()
        with pytest.raises(Conflict, match="changed while it was edited"):
            StagedFile(path, b"ours", None).replace(file.stamp)
        assert (path.read_text() if path.exists() else "") == ("theirs" if action == "saved" else "")


def test_no_save_of_another_program_is_lost_between_the_last_look_and_the_write(folder: Path) -> None:
    path, rounds, stop = folder / "note.md", 150, threading.Event()
    if not exchange(path, folder / "links.md"):
        pytest.skip("files cannot change places on this disk")

    def edit() -> None:
        while not stop.is_set():
            with suppress(Conflict):
                file = read(path, "note.md", 1 << 20)
                overwrite(file, b"+" + file.content.lstrip(b"+"))

    editor = threading.Thread(target=edit)
    editor.start()
    lost = []
    for number in range(rounds):
        (folder / "saved").write_bytes(b"%d" % number)
        (folder / "saved").replace(path)
        # What the editor takes back is there for a moment, so that one look is not enough.
        lost += [] if any(path.read_bytes().lstrip(b"+") == b"%d" % number for _ in range(10_000)) else [number]
    stop.set()
    editor.join()
    assert (lost, path.read_bytes().lstrip(b"+")) == ([], b"%d" % (rounds - 1))


def test_what_came_out_of_its_place_goes_back_also_where_that_is_empty_by_then(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "note.md"
    if not exchange(path, folder / "links.md"):
        pytest.skip("files cannot change places on this disk")
    draft, calls = StagedFile(path, b"ours", None), []

    def deleted(one: Path, other: Path) -> bool:
        calls.append(one)
        if len(calls) == 2:
            other.unlink()
        return exchange(one, other)

    monkeypatch.setattr(note_files, "exchange", deleted)
    theirs = path.read_bytes()
    with pytest.raises(Conflict):
        draft.replace((0, 0, 0))
    draft.discard()
    assert path.read_bytes() == theirs


def test_a_draft_takes_the_place_of_the_file_that_was_read_alone(folder: Path, system: str) -> None:
    path = folder / "note.md"
    file = read(path, "note.md", 1 << 20)
    overwrite(file, b"ours")
    assert path.read_text() == "ours"
    late = StagedFile(path, b"late", file)
    with pytest.raises(Conflict):
        late.replace(file.stamp)
    late.discard()
    assert path.read_text() == "ours"
    assert sorted(entry.name for entry in folder.iterdir()) == ["links.md", "note.md"]


def test_a_file_with_several_names_is_not_split(library: package.Library, folder: Path) -> None:
    os.link(folder / "note.md", folder / "same.md")
    for dry_run in (True, False):
        with pytest.raises(StorageError, match="2 names"):
            library.doc.append_to_section("note.md", ["A"], "x", dry_run=dry_run)
    assert (folder / "same.md").samefile(folder / "note.md")
    with pytest.raises(Conflict, match="there is a file"):
        library.doc.rename("note.md", to="same.md")
    library.doc.rename("note.md", to="moved.md")
    assert (folder / "same.md").samefile(folder / "moved.md")


@linux
def test_a_write_keeps_extended_attributes(library: package.Library, folder: Path) -> None:
    note = folder / "note.md"
    try:
        os.setxattr(note, "user.xdg.tags", b"garden,plans")
    except OSError as error:
        pytest.skip(f"this disk has no extended attributes: {error.strerror}")
    library.doc.append_to_section("note.md", ["A"], "x")
    library.doc.rename("note.md", heading_path=["A"], heading="C", update_links=True)
    library.doc.restore("note.md")
    assert os.getxattr(note, "user.xdg.tags") == b"garden,plans"


@linux
def test_a_file_whose_attributes_cannot_be_kept_is_not_written(
    library: package.Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any) -> None:
        raise PermissionError(1, "not permitted")

    try:
        os.setxattr(folder / "note.md", "user.a", b"1")
    except OSError as error:
        pytest.skip(f"this disk has no extended attributes: {error.strerror}")
    monkeypatch.setattr(os, "setxattr", refused)
    with pytest.raises(OctavoError, match=r"would lose its attribute user\.a"):
        library.doc.append_to_section("note.md", ["A"], "x")
    assert (folder / "note.md").read_text() == NOTE
    assert sorted(entry.name for entry in folder.iterdir()) == ["links.md", "note.md"]
