"""The first index of many notes: searchable with fast vectors, the full ones left to jobs."""

from __future__ import annotations

from pathlib import Path

import octavo
from octavo.ingest.provisional_fast_vectors import AT_ONCE
from octavo.model.library_location import DatabaseUrl


def test_many_notes_have_fast_vectors_when_the_first_index_ends(url: DatabaseUrl, tmp_path: Path) -> None:
    for number in range(AT_ONCE + 1):
        (tmp_path / f"{number}.md").write_text(f"Telescope number {number}.\n", "utf-8")
    with octavo.open(url.secret) as library:
        library.add(tmp_path, name="notes")
        report = library.index()
        assert (report.embedded, report.fast_vectors) == (0, report.collections[0].chunks)
        assert library.search("telescope number 7", limit=1).hits
