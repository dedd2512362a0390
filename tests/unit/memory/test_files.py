"""A folder of Markdown in step with the store: every change of one side reaches the other, whatever happens between."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recto.engine.engine import Engine
from recto.errors import InvalidArgument, SourceError
from recto.memory import files
from recto.memory.files import TRASH, SyncReport, sync
from recto.memory.notes import read_note, write_note
from recto.model.ids import ProjectId
from recto.model.memory import MemoryFilter, MemoryId, MemoryItem, MemoryKind, MemoryStatus
from recto.operations.memory_commit import MemoryArchiveRequest, MemoryCommitRequest, memory_archive, memory_commit
from recto.operations.memory_history import MemoryGetRequest, MemoryHistoryRequest, memory_get, memory_history
from recto.operations.recall import RecallRequest, recall
from recto.testing.clock import SetClock


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".memories"


def run(engine: Engine, folder: Path, **options: Any) -> dict[str, Any]:
    """What happened, without what did not."""
    report: SyncReport = sync(engine.desk, folder, **options)
    return {name: value for name, value in vars(report).items() if value and name != "unchanged"}


def only_file(folder: Path) -> Path:
    (path,) = folder.glob("*.md")
    return path


def items(engine: Engine) -> list[MemoryItem]:
    return list(engine.store.memories.find(engine.project.id, MemoryFilter()))


def test_a_memory_gets_a_file_and_a_second_run_changes_nothing(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays.", kind="decision", tags=("release",)))
    (path,) = run(engine, folder)["written"]
    assert path.startswith("we-ship-on-mondays-")
    text = (folder / path).read_text("utf-8")
    assert text.startswith(f'---\nid: {done.item}\ntype: decision\nstatus: active\ntags: ["release"]\ncreated_at: ')
    assert text.endswith("version: 1\n---\n\nWe ship on Mondays.\n")
    assert run(engine, folder) == {}


def test_a_file_becomes_a_memory_that_the_next_search_finds(engine: Engine, folder: Path) -> None:
    folder.mkdir()
    note = folder / "valves.md"
    note.write_text("---\ntype: bug\ntags: [boiler]\n---\n# Valves\n\nThe left valve leaks.\n", "utf-8")
    assert run(engine, folder) == {"created": ["valves.md"]}
    (found,) = recall(engine, RecallRequest("valve")).memories
    assert (found.kind, found.title, found.tags) == ("bug", "Valves", ("boiler",))
    assert f"id: {found.item}" in note.read_text("utf-8")
    assert run(engine, folder) == {}


def test_an_edit_on_either_side_reaches_the_other(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="The pump is blue."))
    run(engine, folder)
    path = only_file(folder)
    path.write_text(path.read_text("utf-8").replace("blue", "red"), "utf-8")
    assert run(engine, folder) == {"revised": [path.name]}
    assert memory_get(engine, MemoryGetRequest(done.item)).text == "The pump is red.\n"
    memory_commit(engine, MemoryCommitRequest(text="The pump is green.", item=done.item))
    assert run(engine, folder) == {"written": [path.name]}
    assert path.read_text("utf-8").endswith("version: 3\n---\n\nThe pump is green.\n")
    path.write_text(path.read_text("utf-8").replace("type: note", "type: fact\npinned: true"), "utf-8")
    assert run(engine, folder) == {"revised": [path.name]}
    assert [(one.kind.value, one.pinned) for one in items(engine)] == [("fact", True)]
    assert run(engine, folder) == {}


def test_a_conflict_keeps_both_texts_as_versions(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="The pump is blue."))
    run(engine, folder)
    path = only_file(folder)
    path.write_text(path.read_text("utf-8").replace("blue", "red"), "utf-8")
    memory_commit(engine, MemoryCommitRequest(text="The pump is green.", item=done.item))
    assert run(engine, folder) == {"revised": [path.name], "conflicts": [path.name]}
    told = memory_history(engine, MemoryHistoryRequest(done.item))
    assert [one.reason for one in told.versions] == ["", "", "edited in a file; v2 was committed meanwhile"]
    texts = [memory_get(engine, MemoryGetRequest(done.item, version=number)).text for number in (1, 2, 3)]
    assert texts == ["The pump is blue.\n", "The pump is green.\n", "The pump is red.\n"]
    assert "The pump is red." in path.read_text("utf-8")
    assert run(engine, folder) == {}


def test_deletion_goes_to_the_trash_from_either_side(engine: Engine, folder: Path) -> None:
    first = memory_commit(engine, MemoryCommitRequest(text="First."))
    second = memory_commit(engine, MemoryCommitRequest(text="Second."))
    run(engine, folder)
    paths = {one.name.rpartition("-")[0]: one for one in folder.glob("*.md")}
    paths["first"].unlink()
    memory_archive(engine, MemoryArchiveRequest(item=second.item))
    done = run(engine, folder)
    assert (done["archived"], done["trashed"]) == ([paths["first"].name], [paths["second"].name])
    assert items(engine) == []
    assert memory_get(engine, MemoryGetRequest(first.item)).status == "archived"
    assert sorted(one.name for one in (folder / TRASH).iterdir()) == sorted(one.name for one in paths.values())
    assert list(folder.glob("*.md")) == []
    assert run(engine, folder) == {}


def test_a_file_that_comes_back_from_the_trash_is_the_same_memory(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="Come back."))
    run(engine, folder)
    path = only_file(folder)
    memory_archive(engine, MemoryArchiveRequest(item=done.item))
    run(engine, folder)
    (folder / TRASH / path.name).rename(path)
    assert run(engine, folder) == {"revised": [path.name]}
    assert [(one.id, one.status) for one in items(engine)] == [(done.item, MemoryStatus.ACTIVE)]


def test_a_renamed_file_stays_the_same_memory_and_a_copy_is_another(engine: Engine, folder: Path) -> None:
    memory_commit(engine, MemoryCommitRequest(text="Only one."))
    run(engine, folder)
    path = only_file(folder)
    path.rename(folder / "mine.md")
    assert run(engine, folder) == {}
    assert len(items(engine)) == 1
    (folder / "copy.md").write_text((folder / "mine.md").read_text("utf-8"), "utf-8")
    assert run(engine, folder) == {"created": ["copy.md"]}
    assert len(items(engine)) == 2


def test_a_folder_that_looks_unmounted_deletes_nothing_unless_told(engine: Engine, folder: Path) -> None:
    for number in range(3):
        memory_commit(engine, MemoryCommitRequest(text=f"Fact {number}."))
    run(engine, folder)
    for path in folder.glob("*.md"):
        path.unlink()
    with pytest.raises(SourceError, match="all 3 files are gone"):
        run(engine, folder)
    assert len(items(engine)) == 3
    assert len(run(engine, folder, accept_deletions=True)["archived"]) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("---\ntype: nonsense\n---\nText.\n", "no type of memory"),
        ("---\n: [\n---\nText.\n", ""),
        ("", "empty"),
        ("The password: 'dX7-quarry-Lantern'\n", "secret"),
    ],
)
def test_a_bad_file_costs_only_itself(engine: Engine, folder: Path, content: str, said: str) -> None:
    folder.mkdir()
    (folder / "bad.md").write_text(content, "utf-8")
    (folder / "good.md").write_text("A good one.\n", "utf-8")
    done = run(engine, folder)
    assert "good.md" in done["created"]
    if "problems" in done:
        ((path, reason),) = done["problems"]
        assert path == "bad.md"
        assert said in reason
        assert (folder / "bad.md").read_text("utf-8") == content
        assert "quarry" not in reason


def test_links_out_of_the_folder_and_other_files_are_left_alone(engine: Engine, folder: Path, tmp_path: Path) -> None:
    folder.mkdir()
    (tmp_path / "outside.md").write_text("Outside.\n", "utf-8")
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "notes.txt").write_text("Text.\n", "utf-8")
    (folder / ".hidden.md").write_text("Hidden.\n", "utf-8")
    assert run(engine, folder) == {}
    assert items(engine) == []


class Crash(BaseException):
    """Stands for a process that ends here."""


@pytest.mark.parametrize("when", ["before the file", "after the file, before the row"])
@pytest.mark.parametrize("side", ["file", "store"])
def test_a_crash_between_a_file_and_its_row_is_made_good_by_the_next_run(
    engine: Engine, folder: Path, monkeypatch: pytest.MonkeyPatch, when: str, side: str, clock: SetClock
) -> None:
    folder.mkdir()
    if side == "file":
        (folder / "new.md").write_text("Written by hand.\n", "utf-8")
    else:
        memory_commit(engine, MemoryCommitRequest(text="Committed by a tool."))

    def crash(*arguments: object) -> None:
        raise Crash

    with monkeypatch.context() as broken:
        if when == "before the file":
            broken.setattr(files, "_write", crash)
        else:
            broken.setattr(type(engine.store.memories), "put_file", crash)
        with pytest.raises(Crash):
            sync(engine.desk, folder)
    clock.now += 5.0
    run(engine, folder)
    assert len(items(engine)) == 1
    assert len(list(folder.glob("*.md"))) == 1
    assert items(engine)[0].version == 1
    assert run(engine, folder) == {}


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), min_size=1).map(str.strip)


@given(
    text=TEXT.filter(lambda text: bool(text) and not text.startswith("---")),
    title=TEXT,
    scope=TEXT.filter(bool),
    tags=st.lists(TEXT.filter(bool), unique=True),
    kind=st.sampled_from(list(MemoryKind)),
    pinned=st.booleans(),
    version=st.integers(1, 10**6),
)
def test_a_memory_written_to_a_file_is_read_back_as_it_was(
    text: str, title: str, scope: str, tags: list[str], kind: MemoryKind, pinned: bool, version: int
) -> None:
    from recto.model.text import normalise

    body = normalise(text).lstrip("\n")
    item = MemoryItem(
        MemoryId("mem_x"),
        ProjectId("p"),
        kind,
        scope,
        title,
        tuple(tags),
        (),
        pinned,
        MemoryStatus.ACTIVE,
        version,
        "",
        1.0,
        2.0,
    )
    note = read_note(write_note(item, body, title))
    assert (note.item, note.version, note.pinned, note.status) == (item.id, version, pinned, MemoryStatus.ACTIVE)
    assert (note.draft.text, note.draft.kind, note.draft.scope) == (body, kind, scope)
    assert (note.draft.title, note.draft.tags) == (title, tuple(tags))


def test_a_type_that_does_not_exist_is_named() -> None:
    with pytest.raises(InvalidArgument, match="nonsense"):
        read_note("---\ntype: nonsense\n---\nText.\n")
