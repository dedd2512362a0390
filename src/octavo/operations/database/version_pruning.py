"""Deletes earlier versions of documents by age, number or size; never current ones, never memories."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from octavo.engine.engine import Engine
from octavo.model.job import JobState
from octavo.operations.database.requests import DbPruneRequest
from octavo.operations.database.results import PruneAnswer

_DAY = 86_400.0


class Version(Protocol):
    @property
    def document(self) -> int: ...

    @property
    def version(self) -> int: ...

    @property
    def replaced_at(self) -> float: ...

    @property
    def size(self) -> int: ...


_V = TypeVar("_V", bound=Version)


def db_prune(engine: Engine, request: DbPruneRequest, now: Callable[[], float] = time.time) -> PruneAnswer:
    store, project = engine.store, engine.project.id
    pruning = store.pruning
    before = None if request.older_than is None else now() - request.older_than * _DAY

    class DryRun(Exception):
        """Raised to roll everything back."""

    answer = PruneAnswer(0, 0, 0, 0, request.dry_run)
    try:
        with store.transaction():
            going = chosen(pruning.earlier(project), before, request.keep, request.max_bytes)
            pruning.remove(project, going)
            unused = pruning.unused(project)
            pruning.remove_unused(project)
            store.outbox.purge(project, [JobState.DONE], now())
            cached = (
                (store.completions.prune(project, 0) + store.rerank_scores.prune(project, 0)) if request.cache else 0
            )
            answer = PruneAnswer(len(going), unused.texts, unused.vectors, unused.bytes, request.dry_run, cached)
            if request.dry_run:
                raise DryRun
    except DryRun:
        return answer
    store.compact(fully=True)
    return answer


def chosen(
    versions: Sequence[_V], before: float | None = None, keep: int | None = None, max_bytes: int | None = None
) -> list[_V]:
    """Of earlier versions, oldest first, those that any of the conditions lets go."""
    of_document: defaultdict[int, list[int]] = defaultdict(list)
    for version in versions:
        of_document[version.document].append(version.version)
    newest = {document: set(sorted(versions)[-keep:] if keep else ()) for document, versions in of_document.items()}
    going: list[_V] = []
    left: list[_V] = []
    for version in versions:
        old = before is not None and version.replaced_at < before
        many = keep is not None and version.version not in newest[version.document]
        (going if old or many else left).append(version)
    total = sum(version.size for version in left)
    for version in left if max_bytes is not None else ():
        if total <= (max_bytes or 0):
            break
        going.append(version)
        total -= version.size
    return going
