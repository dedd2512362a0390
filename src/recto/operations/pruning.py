"""Letting earlier versions go: by age, by number, by size; never what is current, never what was remembered."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from recto.engine.engine import Engine

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


@dataclass(frozen=True, slots=True)
class Pruned:
    """What went, or would. Texts and vectors go when nothing refers to them any more."""

    versions: int
    texts: int
    vectors: int
    bytes: int


def prune(
    engine: Engine,
    *,
    older_than_days: float | None = None,
    keep: int | None = None,
    max_bytes: int | None = None,
    dry_run: bool = False,
    now: Callable[[], float] = time.time,
) -> Pruned:
    store, project = engine.store, engine.project.id
    attic = store.attic
    before = None if older_than_days is None else now() - older_than_days * _DAY

    class Looked(Exception):
        """Raised to take everything back."""

    answer = Pruned(0, 0, 0, 0)
    try:
        with store.transaction():
            going = chosen(attic.earlier(project), before, keep, max_bytes)
            attic.remove(project, going)
            unused = attic.unused(project)
            attic.remove_unused(project)
            answer = Pruned(len(going), unused.texts, unused.vectors, unused.bytes)
            if dry_run:
                raise Looked
    except Looked:
        pass
    return answer


def chosen(
    versions: Sequence[_V], before: float | None = None, keep: int | None = None, max_bytes: int | None = None
) -> list[_V]:
    """Of earlier versions, oldest first, those that any of the conditions lets go."""
    of_document: defaultdict[int, list[int]] = defaultdict(list)
    for one in versions:
        of_document[one.document].append(one.version)
    newest = {document: set(sorted(several)[-keep:] if keep else ()) for document, several in of_document.items()}
    going: list[_V] = []
    left: list[_V] = []
    for one in versions:
        old = before is not None and one.replaced_at < before
        many = keep is not None and one.version not in newest[one.document]
        (going if old or many else left).append(one)
    total = sum(one.size for one in left)
    for one in left if max_bytes is not None else ():
        if total <= (max_bytes or 0):
            break
        going.append(one)
        total -= one.size
    return going
