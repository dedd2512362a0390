"""Reports failed stages and damaged snapshots of a search, and queues the jobs that repair the damage."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from octavo.errors import OctavoError
from octavo.model.link_graph import ENTITIES

if TYPE_CHECKING:
    from octavo.engine.open_project_library import OpenLibrary
    from octavo.model.query import Query
    from octavo.model.search_result import StageTrace


_CUT_SHORT = "{} passages were left unread, for want of time or of an answer; asked again, the order may be another"
_SNAPSHOT, _LIBRARY = "snapshot", "library"


class Degradation:
    """Names what failed in a search, and queues what mends it, once for each damage this process meets."""

    def __init__(self, library: OpenLibrary) -> None:
        self._library = library
        self._promised: set[str] = set()

    def parts(self, trace: Sequence[StageTrace]) -> tuple[str, ...]:
        """One sentence for each part that did not answer, starting with its name."""
        snapshot = self._snapshot_damage()
        failed = dict.fromkeys(
            f"{stage.stage}: {stage.failed or _CUT_SHORT.format(stage.unread)}"
            for stage in trace
            if stage.failed or stage.unread
        )
        copies = self._library.store.left_out()
        return (*failed, *copies, *((f"snapshot: {snapshot}; the library answers without it",) if snapshot else ()))

    def unread_names(self, query: Query) -> tuple[str, ...]:
        """That a search is confined to what documents mention, and nobody has read them for it."""
        if not any(condition.name.casefold() == "mentions" for condition in query.filters.where):
            return ()
        if ENTITIES in self._library.store.graph.runs(self._library.project.id):
            return ()
        return ("mentions: nobody has looked for entities yet; run `octavo graph build`",)

    def promise_repair(self, trace: Sequence[StageTrace]) -> None:
        """Outside any transaction: queues the jobs that mend what the search found damaged."""
        if snapshot := self._snapshot_damage():
            self._promise(_SNAPSHOT, snapshot)
        if any(stage.damage for stage in trace):
            self._promise(_LIBRARY, _LIBRARY)

    def promise_all(self) -> None:
        """Queues the job that makes anew whatever derived part is damaged: somebody has met damage."""
        self._promise(_LIBRARY, _LIBRARY)

    def _snapshot_damage(self) -> str:
        published = self._library.active.setup.published
        return "" if published is None else published.snapshots.damage

    def _promise(self, part: str, damage: str) -> None:
        if damage in self._promised:
            return
        self._promised.add(damage)
        from octavo.model.job import REBUILD, REPAIR_ALL, JobKind  # a search that finds everything whole queues nothing

        kind, subject = (JobKind.SNAPSHOT, REBUILD) if part == _SNAPSHOT else (JobKind.REPAIR, REPAIR_ALL)
        store = self._library.store
        with suppress(OctavoError), store.transaction():  # a library that cannot be written still answers
            store.outbox.enqueue(self._library.project.id, kind, subject, {})
