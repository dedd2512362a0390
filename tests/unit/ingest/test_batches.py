"""How a run changes the process it runs in, and how it leaves it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import ExitStack

from octavo.ingest.prepared_file import PreparationFailure, PreparedFile
from octavo.ingest.prepared_file_batches import batches, rare_garbage_collection, with_progress
from octavo.model.folder_scan import SeenFile
from octavo.model.indexing_ledger import FileStamp
from octavo.observability.progress import NoProgress


def test_garbage_is_looked_for_as_often_as_before_once_runs_that_overlapped_have_ended() -> None:
    before = gc.get_threshold()
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(rare_garbage_collection())
        second.enter_context(rare_garbage_collection())
        assert gc.get_threshold() > before
        first.close()
    assert gc.get_threshold() == before


def test_a_batch_ends_after_some_seconds_however_few_files_it_has() -> None:
    now = 0.0

    def slow() -> Iterator[PreparedFile]:
        nonlocal now
        for number in range(10):
            now += 0.8
            yield PreparedFile(SeenFile(f"{number}.md", "", FileStamp(1, 1, 1)), PreparationFailure("bad"))

    assert [len(batch) for batch in batches(slow(), lambda: now)] == [3, 3, 3, 1]


def test_progress_is_told_of_every_document_that_is_converted_and_counts_no_file_twice() -> None:
    told: list[tuple[int, str]] = []

    class Told(NoProgress):
        def advance(self, n: int = 1, note: str = "") -> None:
            told.append((n, note))

    def outcome(uri: str, inside: bool = False) -> PreparedFile:
        return PreparedFile(SeenFile(uri, "", FileStamp(10, 1, 1)), PreparationFailure("bad"), inside=inside)

    files = [outcome("a.md"), outcome("b.pdf"), outcome("c.eml/d.pdf", inside=True), outcome("c.eml"), outcome("e.md")]
    assert list(with_progress(files, Told())) == files
    assert told == [(20, "b.pdf"), (10, "c.eml"), (10, "")]
