"""What `snapshots_list` counts: chunks there are, however often they were written and whatever has gone since."""

from __future__ import annotations

from pathlib import Path

from octavo.engine.wiring import open_library
from octavo.observability.progress import NoProgress
from octavo.operations.search_snapshots.build_list_and_rollback import snapshots_build, snapshots_list
from octavo.operations.search_snapshots.requests import SnapshotsBuildRequest, SnapshotsListRequest


def test_chunks_that_went_are_not_counted(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(4):
        (notes / f"{number}.md").write_text(f"# Note {number}\n\nIts words, the number {number}.\n", encoding="utf-8")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", notes)
        engine.index()
        (notes / "0.md").unlink()
        (notes / "1.md").write_text("# Note 1\n\nOther words.\n", encoding="utf-8")
        engine.index()
        there = engine.store.counts(engine.project.id).chunks
        assert there == 3
        assert snapshots_list(engine, SnapshotsListRequest()).behind == there
        assert snapshots_build(engine, SnapshotsBuildRequest(), NoProgress()).behind == 0
        for words in ("Third words.", "Fourth words."):
            (notes / "1.md").write_text(f"# Note 1\n\n{words}\n", encoding="utf-8")
            engine.index()
        assert snapshots_list(engine, SnapshotsListRequest()).behind == 1
