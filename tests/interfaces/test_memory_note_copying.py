"""A memory written out into a note, and a section remembered: both sides know of each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_calls import Location, Octavo

import octavo as package
from octavo.errors import InvalidArgument, NotFound

NOTE = "# Garden\n\n## Plans\n\nPrune the apple tree in March.\n\n## Log\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "garden.md").write_text(NOTE)
    return root


@pytest.fixture
def library(location: Location, folder: Path) -> Iterator[package.Library]:
    with package.open(location, create=True) as library:
        library.add(folder, name="notes", writable=True)
        library.index()
        yield library


def test_a_memory_is_written_into_a_section_with_its_provenance_and_links_to_it(
    library: package.Library, folder: Path
) -> None:
    state = library.remember("The pump leaks.", kind="fact", author="ann", reason="seen today.")
    shown = library.memory.to_note(state.item, "garden.md", ["Garden", "Log"], dry_run=True)
    assert (folder / "garden.md").read_text() == NOTE
    answer = library.memory.to_note(state.item, "garden.md", ["Garden", "Log"])
    assert answer.diff == shown.diff
    day = state.created_at[:10]
    assert (folder / "garden.md").read_text() == (
        f"{NOTE}\nThe pump leaks.\n\n*Fact remembered on {day} by ann: seen today ({state.item}, version 1).*\n"
    )
    assert "garden.md#Log" in library.memory.get(state.item).links
    library.doc.restore("garden.md")
    assert (folder / "garden.md").read_text() == NOTE


def test_writing_a_memory_out_needs_leave_and_a_section(library: package.Library, folder: Path) -> None:
    state = library.remember("The pump leaks.")
    with pytest.raises(NotFound):
        library.memory.to_note(state.item, "garden.md", ["Nowhere"])
    library.add(folder, name="notes", writable=False)
    with pytest.raises(InvalidArgument, match="not writable"):
        library.memory.to_note(state.item, "garden.md", ["Garden", "Log"])
    assert library.memory.get(state.item).links == ()


def test_a_section_is_remembered_with_a_citation_back_and_the_note_knows_of_it(library: package.Library) -> None:
    state = library.memory.from_note("garden.md#Plans", kind="plan")
    memory = library.memory.get(state.item)
    assert memory.text == ("## Plans\n\nPrune the apple tree in March.\n\nFrom [[garden.md#Plans]], lines 3-6.\n")
    assert (memory.title, memory.kind, memory.links) == ("Plans", "plan", ("garden.md",))
    edges = library.graph.neighbors("garden.md").edges
    assert [(edge.direction, edge.anchor) for edge in edges if state.item in (edge.place or "")] == [("in", "Plans")]


def test_the_command_line_remembers_a_section(octavo: Octavo, folder: Path) -> None:
    for words in (("init",), ("add", str(folder), "--name", "notes"), ("index",)):
        assert octavo(*words).exit_code == 0
    done = octavo("remember", "--from", "garden.md#Plans", "--kind", "plan")
    assert done.exit_code == 0, done.output
    assert "Prune the apple tree" in octavo("recall", "apple tree").stdout
    assert octavo("remember", "--from", "garden.md#Plans", "text").exit_code == 2
