"""A file as the library sees it, in the vault of the examples and in folders that leave files out."""

from __future__ import annotations

from pathlib import Path

import pytest

from octavo.engine.engine import Engine
from octavo.errors import NotFound
from octavo.model.query import Query
from octavo.operations.operation_lookup import OPERATIONS
from octavo.operations.reading.file_inspection import inspect
from octavo.operations.reading.requests import InspectRequest

NOTE = "observing/Closing down.md"


def test_a_document_is_shown_with_all_its_passages_links_and_versions(engine: Engine) -> None:
    answer = inspect(engine, InspectRequest(NOTE))
    assert (answer.outcome, answer.uri, answer.query) == ("indexed", NOTE, None)
    assert answer.passages and all(passage.tokens > 0 and passage.rank is None for passage in answer.passages)
    lines = [(passage.start_line, passage.end_line) for passage in answer.passages]
    assert lines == sorted(lines)
    assert {passage.vector for passage in answer.passages} <= {"full", "fast"}
    assert answer.links_out and answer.links_in
    assert [version.version for version in answer.versions] == [1]


def test_with_a_query_each_passage_says_where_it_ranks_and_what_keeps_it_below(engine: Engine) -> None:
    query = "when does the dome have to close?"
    first = inspect(engine, InspectRequest(NOTE, query))
    assert first.candidates and first.first_hit
    for passage in first.passages:
        assert passage.because or passage.rank == 1
        assert passage.rank is None or passage.channels
    for hit in engine.search(Query(query)).hits:
        shown = inspect(engine, InspectRequest(hit.citation.uri, query, hit.collection)).passages
        (passage,) = (passage for passage in shown if passage.chunk_id == hit.chunk_id)
        assert (passage.rank, passage.score) == (hit.rank, round(hit.score, 6))
    best = inspect(engine, InspectRequest(first.first_hit.rpartition(":")[0], query))
    assert [passage.because for passage in best.passages if passage.rank == 1] == [None]


def test_a_file_that_was_left_out_says_why_and_one_nobody_knows_is_not_found(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("# Good\n\nThe only note.\n", "utf-8")
    (tmp_path / "broken.md").write_bytes(b"\x00\x01\x02" * 400)
    engine.add_collection("mixed", tmp_path)
    engine.index(["mixed"], embed=False)
    skipped = inspect(engine, InspectRequest(str(tmp_path / "broken.md")))
    assert (skipped.collection, skipped.uri, skipped.passages) == ("mixed", "broken.md", ())
    assert skipped.outcome in ("skipped", "failed") and skipped.reason
    assert skipped.reason in OPERATIONS["inspect"].written(skipped)
    assert inspect(engine, InspectRequest(str(tmp_path / "good.md"))).outcome == "indexed"
    (tmp_path / "later.md").write_text("# Later\n", "utf-8")
    with pytest.raises(NotFound, match="not looked at yet"):
        inspect(engine, InspectRequest(str(tmp_path / "later.md")))
    with pytest.raises(NotFound, match=r"is called nowhere\.md"):
        inspect(engine, InspectRequest("nowhere.md"))
