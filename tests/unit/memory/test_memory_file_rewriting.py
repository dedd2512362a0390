"""A person's file stays as the person wrote it: synchronising changes the fields that changed, and no other byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from set_clock import SetClock

from octavo.engine.engine import Engine
from octavo.memory.folder_sync import TRASH, sync
from octavo.model.memory import MemoryFilter, MemoryItem
from octavo.operations.memory.memory_reading_and_writing import memory_commit
from octavo.operations.memory.requests import MemoryCommitRequest

FILE = (
    "---\n"
    "# kept by hand\n"
    "aliases: [pump, motor]  # both names\n"
    "type: fact\n"
    "tags:\n"
    "  - garden   # where it stands\n"
    "  - water\n"
    "created_at: 2021-03-04\n"
    "\n"
    "owner: {name: Ann, since: 2019}\n"
    "cssclasses:\n"
    "- wide\n"
    "---\n"
    "\n"
    "\n"
    "# The pump\n"
    "\n"
    "It is blue.   \n"
    "\n\n"
)


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "memories" / "pump.md"
    path.parent.mkdir()
    return path


def only_item(engine: Engine) -> MemoryItem:
    (item,) = engine.store.memories.find(engine.project.id, MemoryFilter())
    return item


def added(item: MemoryItem) -> str:
    return f"id: {item.id}\nversion: {item.version}\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_a_file_that_becomes_a_memory_gains_two_fields_and_keeps_every_other_byte(
    engine: Engine, note: Path, newline: str, mark: str
) -> None:
    original = mark + FILE.replace("\n", newline)
    note.write_bytes(original.encode("utf-8"))
    sync(engine.memories, note.parent)
    head, rule, rest = original.partition(f"- wide{newline}")
    expected = head + rule + added(only_item(engine)).replace("\n", newline) + rest
    assert note.read_bytes().decode("utf-8") == expected
    assert not sync(engine.memories, note.parent).changed


def test_the_time_a_file_names_is_the_time_its_memory_was_created_and_last_changed(
    engine: Engine, note: Path, clock: SetClock
) -> None:
    clock.now = 1_700_000_000.0
    note.write_text(FILE, "utf-8")
    sync(engine.memories, note.parent)
    item = only_item(engine)
    assert (item.created_at, item.updated_at) == (1_614_816_000.0, 1_614_816_000.0)
    note.write_text(note.read_text("utf-8").replace("2021-03-04", "2020-03-04T12:00:00+02:00"), "utf-8")
    sync(engine.memories, note.parent)
    assert only_item(engine).created_at == 1_583_316_000.0
    assert "created_at: 2020-03-04T12:00:00+02:00\n" in note.read_text("utf-8")


def test_a_time_in_the_future_counts_as_now(engine: Engine, note: Path, clock: SetClock) -> None:
    note.write_text("---\ncreated_at: 9000-01-01\n---\nLater.\n", "utf-8")
    sync(engine.memories, note.parent)
    assert only_item(engine).created_at <= clock.now
    assert "created_at: 9000-01-01\n" in note.read_text("utf-8")


def test_an_edit_by_a_tool_changes_the_text_the_tags_and_the_version_and_nothing_else(
    engine: Engine, note: Path
) -> None:
    note.write_text(FILE, "utf-8")
    sync(engine.memories, note.parent)
    before = only_item(engine)
    request = MemoryCommitRequest(
        text="# The pump\n\nIt is green.", item=before.id, kind="fact", tags=("garden", "water", "paint")
    )
    memory_commit(engine, request)
    sync(engine.memories, note.parent)
    head, _, rest = FILE.partition("tags:\n")
    middle = rest[rest.index("created_at") : rest.index("---\n")]
    after = only_item(engine)
    assert note.read_text("utf-8") == (
        f'{head}tags: ["garden", "water", "paint"]\n{middle}{added(after)}---\n\n\n# The pump\n\nIt is green.\n'
    )
    assert after.version == 2
    assert not sync(engine.memories, note.parent).changed


def test_a_comment_behind_a_changed_field_stays(engine: Engine, note: Path) -> None:
    note.write_text("---\npinned: true # important\nmine: 1\n---\nText.\n", "utf-8")
    sync(engine.memories, note.parent)
    note.write_text(note.read_text("utf-8").replace("version: 1", "version: 7   # counted"), "utf-8")
    sync(engine.memories, note.parent)
    text = note.read_text("utf-8")
    assert text.startswith("---\npinned: true # important\nmine: 1\n")
    assert "version: 1   # counted\n" in text


def test_a_file_that_cannot_be_edited_in_place_is_kept_in_the_trash(engine: Engine, note: Path) -> None:
    original = "---\n{type: fact, mine: 1}\n---\nText in braces.\n"
    note.write_text(original, "utf-8")
    sync(engine.memories, note.parent)
    assert (note.parent / TRASH / note.name).read_text("utf-8") == original
    assert note.read_text("utf-8").startswith(f"---\nid: {only_item(engine).id}\ntype: fact\n")
    assert not sync(engine.memories, note.parent).changed


def test_a_file_in_another_encoding_is_kept_in_the_trash_before_it_is_rewritten(engine: Engine, note: Path) -> None:
    note.write_bytes("---\nmine: 1\n---\nDas Rohr ist grün.\n".encode("cp1252"))
    sync(engine.memories, note.parent)
    assert (note.parent / TRASH / note.name).read_bytes().decode("cp1252").endswith("grün.\n")
    assert note.read_text("utf-8").endswith("Das Rohr ist grün.\n")
