"""A folder of Markdown in step with the store: every change of one side reaches the other, whatever happens between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interleaving import Interleaved
from secret_tokens import TOKENS
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.errors import InvalidArgument, SourceError
from octavo.memory import folder_sync
from octavo.memory.draft import MemoryDraft
from octavo.memory.folder_sync import TRASH, sync
from octavo.memory.folder_sync_report import SyncReport
from octavo.memory.memory_markdown_files import read_note, write_note
from octavo.memory.remember import remember
from octavo.memory.stored_text_redaction import redact_stored
from octavo.model.ids import ProjectId
from octavo.model.memory import MemoryFilter, MemoryId, MemoryItem, MemoryKind, MemoryStatus
from octavo.operations.memory.memory_reading_and_writing import (
    forget,
    memory_commit,
    memory_get,
    memory_history,
    memory_restore,
)
from octavo.operations.memory.recall import recall
from octavo.operations.memory.requests import (
    ForgetRequest,
    MemoryCommitRequest,
    MemoryGetRequest,
    MemoryHistoryRequest,
    MemoryRestoreRequest,
    RecallRequest,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".memories"


def run(engine: Engine, folder: Path, **options: Any) -> dict[str, Any]:
    """What happened to which files; an empty list is left out."""
    report: SyncReport = sync(engine.memories, folder, **options)
    listed = {field.name: getattr(report, field.name) for field in fields(report)}
    return {name: list(value) for name, value in listed.items() if value and isinstance(value, tuple)}


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


def test_the_name_of_a_file_keeps_the_letters_of_its_title(engine: Engine, folder: Path) -> None:
    memory_commit(engine, MemoryCommitRequest(text="Die Größe heißt Maß."))
    (path,) = run(engine, folder)["written"]
    assert path.startswith("die-grosse-heisst-mass-")


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
    assert [version.reason for version in told.versions] == ["", "", "edited in a file; v2 was committed meanwhile"]
    texts = [memory_get(engine, MemoryGetRequest(done.item, version=number)).text for number in (1, 2, 3)]
    assert texts == ["The pump is blue.\n", "The pump is green.\n", "The pump is red.\n"]
    assert "The pump is red." in path.read_text("utf-8")
    assert run(engine, folder) == {}


def test_deletion_goes_to_the_trash_from_either_side(engine: Engine, folder: Path) -> None:
    first = memory_commit(engine, MemoryCommitRequest(text="First."))
    second = memory_commit(engine, MemoryCommitRequest(text="Second."))
    run(engine, folder)
    paths = {path.name.rpartition("-")[0]: path for path in folder.glob("*.md")}
    paths["first"].unlink()
    forget(engine, ForgetRequest(item=second.item))
    done = run(engine, folder)
    assert (done["archived"], done["trashed"]) == ([paths["first"].name], [paths["second"].name])
    assert items(engine) == []
    assert memory_get(engine, MemoryGetRequest(first.item)).status == "archived"
    assert sorted(path.name for path in (folder / TRASH).iterdir()) == sorted(path.name for path in paths.values())
    assert list(folder.glob("*.md")) == []
    assert run(engine, folder) == {}


def test_a_file_that_comes_back_from_the_trash_is_the_same_memory(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="Come back."))
    run(engine, folder)
    path = only_file(folder)
    forget(engine, ForgetRequest(item=done.item))
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
        (problem,) = done["problems"]
        assert problem.path == "bad.md"
        assert said in problem.reason
        assert (folder / "bad.md").read_text("utf-8") == content
        assert "quarry" not in problem.reason


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
            broken.setattr(folder_sync, "write_atomically", crash)
        else:
            broken.setattr(type(engine.store.memories), "put_file", crash)
        with pytest.raises(Crash):
            sync(engine.memories, folder)
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
    from octavo.model.normalised_text_and_spans import normalise

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


def test_a_note_that_is_created_again_after_its_deletion_is_a_memory_again(engine: Engine, folder: Path) -> None:
    folder.mkdir()
    note = folder / "harbour.md"
    for _ in range(3):
        note.write_text("The harbour opens at six.", "utf-8")
        assert run(engine, folder) == {"created": ["harbour.md"]}
        assert len(recall(engine, RecallRequest(query="harbour")).memories) == 1
        note.unlink()
        assert run(engine, folder) == {"archived": ["harbour.md"]}
    assert items(engine) == []


def test_a_new_file_with_the_first_text_of_a_renamed_one_is_another_memory(engine: Engine, folder: Path) -> None:
    folder.mkdir()
    (folder / "a.md").write_text("The harbour opens at six.", "utf-8")
    run(engine, folder)
    (folder / "a.md").rename(folder / "b.md")
    (folder / "a.md").write_text("The harbour opens at six.", "utf-8")
    run(engine, folder)
    assert len(items(engine)) == 2
    assert run(engine, folder) == {}


def interrupted(engine: Engine, folder: Path, save: Callable[[], object]) -> dict[str, Any]:
    """A run during which an editor saves, after the folder was read and before anything is written."""
    memories = replace(engine.memories, store=Interleaved(engine.store, save))
    report = sync(memories, folder)
    return {"written": report.written, "revised": report.revised, "trashed": report.trashed}


def test_a_file_saved_while_its_earlier_text_is_taken_in_is_not_overwritten(engine: Engine, folder: Path) -> None:
    folder.mkdir()
    note = folder / "harbour.md"
    note.write_text("The harbour opens at six.", "utf-8")
    interrupted(engine, folder, lambda: note.write_text("The harbour opens at seven.", "utf-8"))
    assert note.read_text("utf-8") == "The harbour opens at seven."
    assert run(engine, folder)["revised"] == ["harbour.md"]
    (item,) = items(engine)
    assert item.version == 2
    assert "seven" in note.read_text("utf-8")


def test_a_file_saved_while_its_memory_changes_is_not_overwritten(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    run(engine, folder)
    path = only_file(folder)
    memory_commit(engine, MemoryCommitRequest(item=done.item, text="We ship on Tuesdays."))
    saved = path.read_text("utf-8").replace("Mondays", "Fridays")
    assert interrupted(engine, folder, lambda: path.write_text(saved, "utf-8"))["written"] == ()
    assert path.read_text("utf-8") == saved
    assert run(engine, folder) == {"revised": [path.name], "conflicts": [path.name]}
    assert [version.number for version in engine.store.memories.versions(engine.project.id, MemoryId(done.item))] == [
        1,
        2,
        3,
    ]


def test_a_file_saved_while_its_memory_is_archived_stays_and_brings_it_back(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    memory_commit(engine, MemoryCommitRequest(text="Nobody ships at weekends."))
    run(engine, folder)
    forget(engine, ForgetRequest(item=done.item))
    path = next(path for path in folder.glob("*.md") if "ship-on" in path.name)
    saved = path.read_text("utf-8").replace("Mondays", "Fridays")
    memory_commit(engine, MemoryCommitRequest(text="A release has a name."))
    (folder / "new.md").write_text("Another note, so that there is something to write first.", "utf-8")
    assert interrupted(engine, folder, lambda: path.write_text(saved, "utf-8"))["trashed"] == ()
    assert path.name in run(engine, folder)["revised"]
    assert engine.memories.item(done.item).status is MemoryStatus.ACTIVE


def test_a_memory_that_two_runs_write_at_once_has_one_file(engine: Engine, folder: Path) -> None:
    memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    folder.mkdir()
    assert interrupted(engine, folder, lambda: run(engine, folder))["written"] == ()
    assert only_file(folder).is_file()
    assert run(engine, folder) == {}


def test_a_file_that_two_runs_move_to_the_trash_at_once_is_moved_once(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    run(engine, folder)
    forget(engine, ForgetRequest(item=done.item))
    assert interrupted(engine, folder, lambda: run(engine, folder))["trashed"] == ()
    assert len(list((folder / TRASH).iterdir())) == 1
    assert run(engine, folder) == {}


def test_a_memory_restored_while_its_file_goes_to_the_trash_keeps_its_file(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    run(engine, folder)
    forget(engine, ForgetRequest(item=done.item))
    back = MemoryRestoreRequest(item=done.item, version=1)
    assert interrupted(engine, folder, lambda: memory_restore(engine, back))["trashed"] == ()
    assert only_file(folder).is_file()
    run(engine, folder)
    assert engine.memories.item(done.item).status is MemoryStatus.ACTIVE


def test_what_another_run_has_written_is_no_edit(engine: Engine, folder: Path) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    run(engine, folder)
    begun = folder_sync.Synchronisation(engine.memories, folder, False)
    memory_commit(engine, MemoryCommitRequest(item=done.item, text="We ship on Tuesdays."))
    run(engine, folder)
    memory_commit(engine, MemoryCommitRequest(item=done.item, text="We ship on Wednesdays."))
    begun.files_to_memories()
    begun.memories_to_files()
    assert memory_get(engine, MemoryGetRequest(item=done.item)).text.strip() == "We ship on Wednesdays."
    run(engine, folder)
    assert "Wednesdays" in only_file(folder).read_text("utf-8")


def test_a_memory_restored_after_another_run_took_its_file_away_is_not_archived_again(
    engine: Engine, folder: Path
) -> None:
    done = memory_commit(engine, MemoryCommitRequest(text="We ship on Mondays."))
    run(engine, folder)
    begun = folder_sync.Synchronisation(engine.memories, folder, False)
    forget(engine, ForgetRequest(item=done.item))
    run(engine, folder)
    memory_restore(engine, MemoryRestoreRequest(item=done.item, version=1))
    begun.files_to_memories()
    begun.memories_to_files()
    assert engine.memories.item(done.item).status is MemoryStatus.ACTIVE


def test_a_memory_that_was_redacted_since_does_not_take_the_key_from_its_file(engine: Engine, folder: Path) -> None:
    token = TOKENS["GitHub token"]
    remember(engine.memories, MemoryDraft(f"The door opens with {token}."), force=True)
    (path,) = run(engine, folder)["written"]
    before = (folder / path).read_text("utf-8")
    assert token in before
    assert redact_stored(engine.memories) == 1
    (problem,) = run(engine, folder)["problems"]
    assert (problem.path, "GitHub token" in problem.reason) == (path, True)
    assert (folder / path).read_text("utf-8") == before
