"""What is remembered of chunks is that of the library's present state, and of no other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from octavo.engine import library_search
from octavo.engine.wiring import open_library
from octavo.model.query import Filters, Query


def test_chunks_are_read_once_and_anew_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, asked = tmp_path / "notes", []
    folder.mkdir()
    (folder / "dome.md").write_text("# The dome\n\nIt turns slowly.\n")
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        documents = engine.store.documents
        read = documents.candidates

        def counted(project: Any, keys: Sequence[Any]) -> Any:
            asked.extend([len(keys)] if keys else [])
            return read(project, keys)

        monkeypatch.setattr(documents, "candidates", counted)
        titles = [engine.search(Query("dome turns")).hits[0].title for _ in range(2)]
        assert (titles, asked) == (["The dome", "The dome"], [1])
        with engine.store.transaction():
            engine.store.vectors_alone()
        assert engine.search(Query("dome turns")).hits[0].title == "The dome"
        assert asked == [1], "vectors say nothing of what a chunk is"
        (folder / "dome.md").write_text("# The old dome\n\nIt turns slowly.\n")
        engine.index()
        assert engine.search(Query("dome turns")).hits[0].title == "The old dome"


def test_relevance_in_the_whole_library_is_found_anew_once_there_are_other_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, ranked = tmp_path / "notes", []
    folder.mkdir()
    (folder / "dome.md").write_text("# The dome\n\nIt turns slowly.\n")
    rank = library_search.run

    def counted(profile: Any, query: Query, searched: Any) -> Any:
        ranked.append(query.filters.empty)
        return rank(profile, query, searched)

    monkeypatch.setattr(library_search, "run", counted)
    narrowed = Query("dome turns", filters=Filters(collections=("notes",)))
    with open_library(tmp_path / "library.db", create=True, settings={"embedding.provider": "hashing"}) as engine:
        engine.add_collection("notes", folder)
        engine.index()
        engine.search(narrowed)
        engine.search(narrowed)
        assert ranked == [False, True, False]
        with engine.store.transaction():
            engine.store.vectors_alone()
        engine.search(narrowed)
        assert ranked == [False, True, False, False, True]
