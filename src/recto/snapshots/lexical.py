"""Words → chunks from a snapshot's segments and what was written since, scored as the library's own index scores."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from recto.algorithms.bm25 import Lengths, Postings, best, idf
from recto.errors import DamagedSnapshot
from recto.model.ids import ChunkKey, ProjectId
from recto.model.index import LexicalField, LexicalRow
from recto.model.query import Filters, Terms
from recto.model.result import Scored
from recto.model.snapshot import Mark
from recto.ports import Documents, LexicalIndex, Store
from recto.snapshots.opened import OpenSnapshot, Snapshots
from recto.snapshots.segment import Segment, make_segment, merge_segments

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_OF_DOCUMENTS = {
    "collections",
    "path_prefix",
    "uris",
    "not_uris",
    "title_contains",
    "tags_all",
    "tags_any",
    "kinds",
    "modified_after",
    "modified_before",
}
_REMEMBERED = 16  # filters whose answers are kept, until the library changes


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment as it stands now. `hidden` are rows whose chunks are gone or stand in a later segment."""

    segment: Segment
    hidden: NDArray[np.int64]
    alive: NDArray[np.bool_] | None
    lengths: Lengths


@dataclass(frozen=True, slots=True)
class _State:
    snapshot: OpenSnapshot
    seen: Mark
    hidden: NDArray[np.int64]
    """Keys that went or were written again since the snapshot was made."""
    recent: Segment
    parts: tuple[_Part, ...]
    rows: int


class SnapshotLexical:
    """Fits `ports.LexicalIndex`. What a segment cannot answer (phrases, single fields) the library's own index does."""

    def __init__(self, snapshots: Snapshots, store: Store, inner: LexicalIndex, documents: Documents) -> None:
        self._snapshots = snapshots
        self._store = store
        self._inner = inner
        self._documents = documents
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._admitted: OrderedDict[Filters, tuple[_State, tuple[NDArray[np.bool_], ...]]] = OrderedDict()

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self._inner.put(project, rows)

    def containing(self, project: ProjectId, phrase: Sequence[str]) -> Sequence[ChunkKey]:
        return self._inner.containing(project, phrase)

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        return self._inner.similar(project, token, limit)

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[Scored, ...]:
        mine = project == self._snapshots.project and not fields and _plain(terms)
        state = self._current() if mine else None
        if state is None:
            return self._inner.search(project, terms, filters, limit, fields)
        try:
            return self._search(state, terms, filters, limit)
        except (IndexError, ValueError, DamagedSnapshot) as error:
            self._snapshots.condemn(state.snapshot, error)
            return self._inner.search(project, terms, filters, limit, fields)

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        """As `Documents.admitted`, from what the segments know of each chunk's document."""
        import numpy as np

        state = self._current() if project == self._snapshots.project else None
        if state is None or _about_chunks(filters):
            return self._documents.admitted(project, filters)
        masks = self._masks(state, filters)
        keys = [
            part.segment.keys if mask is None else part.segment.keys[mask]
            for part, mask in zip(state.parts, masks, strict=True)
        ]
        return np.sort(np.concatenate(keys))  # type: ignore[return-value]  # an array reads as a sequence of keys

    def _search(self, state: _State, terms: Terms, filters: Filters, limit: int) -> tuple[Scored, ...]:
        import numpy as np

        looked_up = [[part.segment.postings(word) for part in state.parts] for word in terms.words]
        looked_up += [[part.segment.beginning(prefix) for part in state.parts] for prefix in terms.prefixes]
        weights = []
        for everywhere in looked_up:
            holding = sum(_holding(postings, part) for postings, part in zip(everywhere, state.parts, strict=True))
            weights.append(idf(state.rows, holding) if holding else 0.0)
        masks = self._masks(state, filters, terms.excluded)
        keys, scores = [], []
        for number, part in enumerate(state.parts):
            held = [(weight, one[number]) for weight, one in zip(weights, looked_up, strict=True) if weight]
            rows, found = best(held, part.lengths, limit, masks[number])
            keys.append(part.segment.keys[rows])
            scores.append(found)
        all_keys, all_scores = np.concatenate(keys), np.concatenate(scores)
        order = np.lexsort((all_keys, -all_scores))[:limit]
        return tuple(map(Scored, all_keys[order].tolist(), all_scores[order].tolist()))

    def _masks(
        self, state: _State, filters: Filters, excluded: Sequence[Sequence[str]] = ()
    ) -> tuple[NDArray[np.bool_] | None, ...]:
        """For each part which rows may be found; None where all of them may."""
        import numpy as np

        masks: list[NDArray[np.bool_] | None] = [part.alive for part in state.parts]
        if not filters.empty:
            masks = list(self._let_through(state, filters))
        for phrase in excluded:
            for number, part in enumerate(state.parts):
                mask = masks[number]
                kept = np.ones(len(part.segment), dtype=bool) if mask is None else mask.copy()
                kept[part.segment.postings(phrase[0]).rows] = False
                masks[number] = kept
        return tuple(masks)

    def _let_through(self, state: _State, filters: Filters) -> tuple[NDArray[np.bool_], ...]:
        with self._lock:
            kept = self._admitted.get(filters)
            if kept is not None and kept[0] is state:
                self._admitted.move_to_end(filters)
                return kept[1]
        found = tuple(self._asked(state, filters))
        with self._lock:
            self._admitted[filters] = (state, found)
            while len(self._admitted) > _REMEMBERED:
                self._admitted.popitem(last=False)
        return found

    def _asked(self, state: _State, filters: Filters) -> list[NDArray[np.bool_]]:
        import numpy as np

        project, found = self._snapshots.project, []
        by_chunk = _about_chunks(filters)
        asked = self._documents.admitted if by_chunk else self._snapshots.source.admitted
        keys = np.asarray(asked(project, filters), dtype=np.int64)
        for part in state.parts:
            held = part.segment.keys if by_chunk else part.segment.documents
            table = np.zeros(int(max(held.max(initial=0), keys.max(initial=0))) + 1, dtype=bool)
            table[keys] = True
            mask = table[held]
            found.append(mask if part.alive is None else mask & part.alive)
        return found

    def _current(self) -> _State | None:
        snapshot = self._snapshots.current()
        if snapshot is None:
            return None
        with self._lock:
            generation = self._store.generation()
            state = self._state
            try:
                if state is None or state.snapshot is not snapshot:
                    self._state = self._after(_opened(snapshot))
                elif state.seen.generation < generation:
                    self._state = self._after(state)
            except (IndexError, ValueError, DamagedSnapshot) as error:
                self._state = None
                self._snapshots.condemn(snapshot, error)
            return self._state

    def _after(self, state: _State) -> _State:
        """The state with everything taken in that was written since it was made."""
        import numpy as np

        source, project = self._snapshots.source, self._snapshots.project
        now = source.mark(project)
        written = {key: row for _, key, row in source.rows(project, state.seen.block, now.block)}
        changed = np.array([*source.changed(project, state.seen), *written], dtype=np.int64)
        if not len(changed) and state.parts:
            return replace(state, seen=now)
        changed = np.unique(changed)
        kept = np.ones(len(state.recent), dtype=bool)
        kept[state.recent.present(changed)] = False
        fresh = make_segment((key, document, written[key]) for key, document in self._alive(written))
        recent = merge_segments([(state.recent, kept), (fresh, np.ones(len(fresh), dtype=bool))])
        hidden = np.union1d(state.hidden, changed)
        base, *others = state.snapshot.segments
        # What left the base before may stand in the segment after it, under the same key: a moved document does.
        parts = [(base, base.present(np.union1d(state.snapshot.hidden, hidden)))]
        parts += [(segment, segment.present(hidden)) for segment in others]
        parts.append((recent, np.zeros(0, dtype=np.int64)))
        return _standing(replace(state, seen=now, hidden=hidden, recent=recent), parts)

    def _alive(self, written: dict[ChunkKey, LexicalRow]) -> list[tuple[ChunkKey, int]]:
        found: list[tuple[ChunkKey, int]] = self._snapshots.source.places(
            self._snapshots.project, list(written)
        ).tolist()
        return found


def _opened(snapshot: OpenSnapshot) -> _State:
    import numpy as np

    return _State(snapshot, snapshot.manifest.mark, np.zeros(0, dtype=np.int64), make_segment(()), (), 0)


def _standing(state: _State, parts: list[tuple[Segment, NDArray[np.int64]]]) -> _State:
    """Counted over all parts: how rare a term is and how long a row is are questions about the whole library."""
    import numpy as np

    rows = sum(len(segment) - len(hidden) for segment, hidden in parts)
    tokens = sum(int(segment.tokens.sum()) - int(segment.tokens[hidden].sum()) for segment, hidden in parts)
    average = tokens / rows if tokens else 1.0
    made = []
    for segment, hidden in parts:
        alive = None
        if len(hidden):
            alive = np.ones(len(segment), dtype=bool)
            alive[hidden] = False
        made.append(_Part(segment, hidden, alive, Lengths.of(segment.tokens, average)))
    return replace(state, parts=tuple(made), rows=rows)


def _holding(postings: Postings, part: _Part) -> int:
    import numpy as np

    if not len(postings) or not len(part.hidden):
        return len(postings)
    at = np.searchsorted(postings.rows, part.hidden)
    at[at == len(postings)] = 0
    return len(postings) - int((postings.rows[at] == part.hidden).sum())


def _about_chunks(filters: Filters) -> bool:
    """Whether anything in it tells one chunk of a document from another."""
    return any(getattr(filters, field.name) for field in fields(filters) if field.name not in _OF_DOCUMENTS)


def _plain(terms: Terms) -> bool:
    """Whether it asks for words alone: nothing in it has to stand next to anything else."""
    joined = terms.phrases or any(len(phrase) > 1 for phrase in (*terms.preferred, *terms.excluded))
    return not joined and bool(terms.words or terms.prefixes)
