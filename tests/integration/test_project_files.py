"""A project file that travels with a folder: it says how that folder is indexed, and nothing about any other."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.engine.wiring import open_library
from octavo.ingest.indexing_report import CollectionReport

SETTINGS = {"embedding.provider": "hashing"}
CUT_SMALL = """
[chunking]
target_min_tokens = 1
target_max_tokens = 20
hard_max_tokens = 40
min_preferred_tokens = 0
overlap_tokens = 0

[ingest]
ignore = ["two.md"]
"""


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    text = "".join(f"## Section {number}\n\nThe lamp {number} stands on the table of oak.\n\n" for number in range(12))
    for folder in ("notes", "clone"):
        (tmp_path / folder).mkdir()
        for name in ("one", "two"):
            (tmp_path / folder / f"{name}.md").write_text(f"# {name}\n\n{text}", "utf-8")
    (tmp_path / "clone" / ".octavo").mkdir()
    (tmp_path / "clone" / ".octavo" / "config.toml").write_text(CUT_SMALL, "utf-8")
    return tmp_path / "notes", tmp_path / "clone"


def indexed(library: Path, *folders: Path) -> dict[str, CollectionReport]:
    with open_library(library, create=True, settings=SETTINGS) as engine:
        for folder in folders:
            engine.add_collection(folder.name, folder)
        return {report.name: report for report in engine.index().collections}


def test_a_clone_cuts_and_skips_its_own_files_wherever_it_is_indexed_from(
    folders: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, clone = folders
    library = tmp_path / "library.db"
    monkeypatch.chdir(notes)
    first = indexed(library, notes)["notes"]
    assert (first.added, first.removed) == (2, 0)
    monkeypatch.chdir(clone)
    reports = indexed(library, clone)
    assert (reports["clone"].added, reports["clone"].chunks > first.chunks) == (1, True)
    assert (reports["notes"].unchanged, reports["notes"].changed, reports["notes"].removed) == (2, 0, 0)
    monkeypatch.chdir(notes)
    again = indexed(library)
    assert [(report.changed, report.added, report.removed) for report in again.values()] == [(0, 0, 0), (0, 0, 0)]


def test_a_project_file_that_cannot_be_read_keeps_no_other_folder_from_being_indexed(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    notes, clone = folders
    (clone / ".octavo" / "config.toml").write_text("[chunking\n", "utf-8")
    reports = indexed(tmp_path / "library.db", notes, clone)
    assert {name: report.added for name, report in reports.items()} == {"notes": 2, "clone": 2}


def test_a_library_may_leave_project_files_unread(folders: tuple[Path, Path], tmp_path: Path) -> None:
    settings = {**SETTINGS, "ingest.project_files": False}
    with open_library(tmp_path / "library.db", create=True, settings=settings) as engine:
        engine.add_collection("clone", folders[1])
        (report,) = engine.index().collections
    assert report.added == 2
