"""Groups prepared files into batches of one transaction, reports progress, and collects garbage rarely."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from octavo.ingest.prepared_file import PreparedFile
from octavo.model.file_formats import format_of
from octavo.model.prepared_document import PreparedDocument
from octavo.observability.progress import Progress

# Large, because most of what a batch writes is pages of indexes over hashes: each touches nearly all there are.
BATCH_FILES = 1024
_BATCH_CHARACTERS = 12_000_000
BATCH_SECONDS = 2.0
_TOLD_FILES = 32
_SELDOM = (2_000_000, 20, 100)


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """A run makes millions of values and hardly a cycle: looking for cycles all the time costs a quarter of it."""
    before = gc.get_threshold()
    if before == _SELDOM:
        yield  # whoever said so takes it back: a run of another project, in another thread
        return
    gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def with_progress(outcomes: Iterable[PreparedFile], progress: Progress) -> Iterator[PreparedFile]:
    """The same, and how far they have come: a batch is too large a step for anyone who watches, and so are several
    documents that are converted."""
    size = 0
    for number, outcome in enumerate(outcomes, start=1):
        size += outcome.size
        if number % _TOLD_FILES == 0 or (size and format_of(outcome.file.uri) is not None):
            progress.advance(size, outcome.file.uri)
            size = 0
        yield outcome
    if size:
        progress.advance(size)


def batches(
    outcomes: Iterable[PreparedFile], clock: Callable[[], float] = time.monotonic
) -> Iterator[list[PreparedFile]]:
    """A batch is complete when it is large, or some seconds old: a run that is killed keeps all but the last."""
    batch: list[PreparedFile] = []
    characters, begun = 0, clock()
    for outcome in outcomes:
        batch.append(outcome)
        if isinstance(outcome.result, PreparedDocument):
            characters += len(outcome.result.document.text)
        if len(batch) >= BATCH_FILES or characters >= _BATCH_CHARACTERS or clock() - begun >= BATCH_SECONDS:
            yield batch
            batch, characters, begun = [], 0, clock()
    if batch:
        yield batch
