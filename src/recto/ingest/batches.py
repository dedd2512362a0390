"""Outcomes on their way to the library: shown as they come, and put together into what one transaction writes."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from recto.ingest.prepare import Outcome
from recto.model.index import Prepared
from recto.observability.progress import Progress

# Large, because most of what a batch writes is pages of indexes over hashes: each touches nearly all there are.
BATCH_FILES = 1024
_BATCH_CHARACTERS = 12_000_000
_TOLD_FILES = 32
_SELDOM = (2_000_000, 20, 100)


@contextmanager
def seldom_collecting() -> Iterator[None]:
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


def shown(outcomes: Iterable[Outcome], progress: Progress) -> Iterator[Outcome]:
    """The same, and how far they have come: a batch is too large a step for anyone who watches."""
    size = 0
    for number, outcome in enumerate(outcomes, start=1):
        size += outcome.file.stamp.size
        if number % _TOLD_FILES == 0:
            progress.advance(size, outcome.file.uri)
            size = 0
        yield outcome
    if size:
        progress.advance(size)


def batches(outcomes: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    batch: list[Outcome] = []
    characters = 0
    for outcome in outcomes:
        batch.append(outcome)
        if isinstance(outcome.result, Prepared):
            characters += len(outcome.result.document.text)
        if len(batch) >= BATCH_FILES or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
