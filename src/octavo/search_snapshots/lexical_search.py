"""Lexical search over a snapshot's segments and the rows written since, with the scores of the database's own index."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.queries.spelling_suggestions import Vocabulary
from octavo.algorithms.ranking.bm25 import Lengths, Postings, best, idf
from octavo.algorithms.ranking.sorted_array_set_operations import distinct, either
from octavo.algorithms.ranking.vector_nearest_neighbors import top
from octavo.errors import DamagedSnapshot
from octavo.fast_dataclass import dataclass, replace
from octavo.model.ids import ChunkKey, ProjectId
from octavo.model.prepared_document import LexicalField, LexicalRow
from octavo.model.query import Filters, Terms
from octavo.model.search_result import ScoredChunk, scored_chunks
from octavo.model.search_snapshot import Watermark
from octavo.ports import LexicalIndex
from octavo.search_snapshots.lexical_segment import Segment, make_segment, merge_segments
from octavo.search_snapshots.reader import OpenSnapshot, SnapshotReader
from octavo.sql_repositories.documents import DocumentRepository
from octavo.sql_repositories.store import Store

_DOCUMENT_FILTERS = {
    "collections",
    "path_prefix",
    "uris",
    "not_uris",
    "title_contains",
    "tags_all",
    "tags_any",
    "kinds",
    "where",
    "modified_after",
    "modified_before",
    "as_of",
}
_WORDS = 4_096  # whose place in a segment is remembered
_CACHED_FILTERS = 16  # filters whose row masks are cached until the library changes


@dataclass(frozen=True, slots=True)
class _LiveSegment:
    """A segment in its current state. `tombstones` are rows whose chunks were deleted or are in a later segment."""

    segment: Segment
    tombstones: NDArray[np.int64]
    alive: NDArray[np.bool_] | None
    lengths: Lengths
    postings: Callable[[str], Postings]
    """Those of a word. The words of queries are mostly the same few thousand, and finding one takes as long as scoring
    hundreds of rows."""


@dataclass(frozen=True, slots=True)
class _State:
    snapshot: OpenSnapshot
    seen: Watermark
    tombstones: NDArray[np.int64]
    """Keys that were deleted or rewritten after the snapshot was built."""
    recent: Segment
    segments: tuple[_LiveSegment, ...]
    rows: int


class SnapshotLexical:
    """Fits `ports.LexicalIndex`. Falls back to the database's index for phrases and single fields."""

    def __init__(
        self, snapshots: SnapshotReader, store: Store, inner: LexicalIndex, documents: DocumentRepository
    ) -> None:
        self._snapshots = snapshots
        self._store = store
        self._inner = inner
        self._documents = documents
        self._lock = threading.Lock()
        self._state: _State | None = None
        self._vocabulary: tuple[_State, Vocabulary] | None = None
        self._admitted: OrderedDict[Filters, tuple[_State, tuple[NDArray[np.bool_], ...]]] = OrderedDict()

    def put(self, project: ProjectId, rows: Sequence[tuple[ChunkKey, LexicalRow]]) -> None:
        self._inner.put(project, rows)

    def containing(
        self, project: ProjectId, phrase: Sequence[str], *, prefix: bool = False, most: int | None = None
    ) -> Sequence[ChunkKey]:
        # Words beside each other only the database knows.
        mine = project == self._snapshots.project and len(phrase) == 1 and not prefix
        state = self._current() if mine else None
        if state is None:
            return self._inner.containing(project, phrase, prefix=prefix, most=most)
        try:
            keys: list[ChunkKey] = _holding(state, phrase[0], most).tolist()
        except (IndexError, ValueError, DamagedSnapshot) as error:
            self._snapshots.mark_damaged(state.snapshot, error)
            return self._inner.containing(project, phrase, most=most)
        return keys

    def starting(self, project: ProjectId, start: str) -> Sequence[str]:
        return self._inner.starting(project, start)

    def similar(self, project: ProjectId, token: str, limit: int) -> Sequence[str]:
        state = self._current() if project == self._snapshots.project else None
        if state is None:
            return self._inner.similar(project, token, limit)
        try:
            if len(_holding(state, token)):
                return [token][:limit]
            near = self._vocabulary_of(state).similar(token, limit)
            # Where chunks are gone, the last that had a word may be among them.
            whole = all(live.alive is None for live in state.segments)
            return near if whole else [word for word in near if len(_holding(state, word))]
        except (IndexError, ValueError, DamagedSnapshot) as error:
            self._snapshots.mark_damaged(state.snapshot, error)
            return self._inner.similar(project, token, limit)

    def _vocabulary_of(self, state: _State) -> Vocabulary:
        known = self._vocabulary
        if known is None or known[0] is not state:
            words = chain.from_iterable(live.segment.terms() for live in state.segments)
            known = self._vocabulary = (state, Vocabulary(words))
        return known[1]

    def search(
        self, project: ProjectId, terms: Terms, filters: Filters, limit: int, fields: Sequence[LexicalField] = ()
    ) -> tuple[ScoredChunk, ...]:
        mine = project == self._snapshots.project and not fields and _plain(terms)
        state = self._current() if mine else None
        if state is None:
            return self._inner.search(project, terms, filters, limit, fields)
        try:
            return self._search(state, terms, filters, limit)
        except (IndexError, ValueError, DamagedSnapshot) as error:
            self._snapshots.mark_damaged(state.snapshot, error)
            return self._inner.search(project, terms, filters, limit, fields)

    def admitted(self, project: ProjectId, filters: Filters) -> Sequence[ChunkKey]:
        """As `Documents.admitted`, from the keys in the segments, and asked once for each state of the library."""
        state = self._current() if project == self._snapshots.project else None
        if state is None:
            return self._documents.admitted(project, filters)
        masks = self._masks(state, filters)
        keys = [
            live.segment.keys if mask is None else live.segment.keys[mask]
            for live, mask in zip(state.segments, masks, strict=True)
        ]
        return distinct(np.concatenate(keys))  # type: ignore[return-value]  # an array is a sequence of keys

    def _search(self, state: _State, terms: Terms, filters: Filters, limit: int) -> tuple[ScoredChunk, ...]:
        looked_up = [[live.postings(word) for live in state.segments] for word in terms.words]
        looked_up += [[live.segment.prefix_postings(prefix) for live in state.segments] for prefix in terms.prefixes]
        weights = []
        for everywhere in looked_up:
            matching = sum(
                _matching_rows(postings, live) for postings, live in zip(everywhere, state.segments, strict=True)
            )
            weights.append(idf(state.rows, matching) if matching else 0.0)
        masks = self._masks(state, filters, terms.excluded)
        keys, scores = [], []
        for number, live in enumerate(state.segments):
            weighted = [
                (weight, postings[number]) for weight, postings in zip(weights, looked_up, strict=True) if weight
            ]
            rows, row_scores = best(weighted, live.lengths, limit, masks[number])
            keys.append(live.segment.keys[rows])
            scores.append(row_scores)
        chunks, highest = top(np.concatenate(keys), np.concatenate(scores), limit)
        return scored_chunks(chunks.tolist(), highest.tolist())

    def _masks(
        self, state: _State, filters: Filters, excluded: Sequence[Sequence[str]] = ()
    ) -> tuple[NDArray[np.bool_] | None, ...]:
        """For each segment the rows that may be found; None means all."""
        masks: list[NDArray[np.bool_] | None] = [live.alive for live in state.segments]
        if not filters.empty:
            masks = list(self._cached_masks(state, filters))
        for phrase in excluded:
            for number, live in enumerate(state.segments):
                mask = masks[number]
                allowed = np.ones(len(live.segment), dtype=bool) if mask is None else mask.copy()
                allowed[live.postings(phrase[0]).rows] = False
                masks[number] = allowed
        return tuple(masks)

    def _cached_masks(self, state: _State, filters: Filters) -> tuple[NDArray[np.bool_], ...]:
        with self._lock:
            cached = self._admitted.get(filters)
            if cached is not None and cached[0] is state:
                self._admitted.move_to_end(filters)
                return cached[1]
        masks = tuple(self._filter_masks(state, filters))
        with self._lock:
            self._admitted[filters] = (state, masks)
            while len(self._admitted) > _CACHED_FILTERS:
                self._admitted.popitem(last=False)
        return masks

    def _filter_masks(self, state: _State, filters: Filters) -> list[NDArray[np.bool_]]:
        project, masks = self._snapshots.project, []
        by_chunk = _needs_chunk_filter(filters)
        admitted = self._documents.admitted if by_chunk else self._snapshots.source.admitted
        keys = np.asarray(admitted(project, filters), dtype=np.int64)
        for live in state.segments:
            row_keys = live.segment.keys if by_chunk else live.segment.documents
            table = np.zeros(int(max(row_keys.max(initial=0), keys.max(initial=0))) + 1, dtype=bool)
            table[keys] = True
            mask = table[row_keys]
            masks.append(mask if live.alive is None else mask & live.alive)
        return masks

    def _current(self) -> _State | None:
        snapshot = self._snapshots.current()
        if snapshot is None:
            return None
        with self._lock:
            generation = self._store.generation()
            state = self._state
            try:
                if state is None or state.snapshot is not snapshot:
                    self._state = self._updated(_initial_state(snapshot))
                elif state.seen.generation < generation:
                    self._state = self._updated(state)
            except (IndexError, ValueError, DamagedSnapshot) as error:
                self._state = None
                self._snapshots.mark_damaged(snapshot, error)
            return self._state

    def _updated(self, state: _State) -> _State:
        """The state with everything included that was written since."""
        source, project = self._snapshots.source, self._snapshots.project
        now = source.mark(project)
        written = {key: row for _, key, row in source.rows(project, state.seen.block, now.block)}
        changed = np.array([*source.changed(project, state.seen), *written], dtype=np.int64)
        if not len(changed) and state.segments:
            return replace(state, seen=now)
        changed = distinct(changed)
        keep = np.ones(len(state.recent), dtype=bool)
        keep[state.recent.rows_of(changed)] = False
        fresh = make_segment((key, document, written[key]) for key, document in self._alive(written))
        recent = merge_segments([(state.recent, keep), (fresh, np.ones(len(fresh), dtype=bool))])
        tombstones = either(state.tombstones, changed)
        base, *others = state.snapshot.segments
        # A key deleted from the base may be in a later segment again: that of a moved document is.
        segments = [(base, base.rows_of(either(state.snapshot.tombstones, tombstones)))]
        segments += [(segment, segment.rows_of(tombstones)) for segment in others]
        segments.append((recent, np.zeros(0, dtype=np.int64)))
        return _with_statistics(replace(state, seen=now, tombstones=tombstones, recent=recent), segments)

    def _alive(self, written: dict[ChunkKey, str]) -> list[tuple[ChunkKey, int]]:
        places: list[tuple[ChunkKey, int]] = self._snapshots.source.places(
            self._snapshots.project, list(written)
        ).tolist()
        return places


def _initial_state(snapshot: OpenSnapshot) -> _State:
    return _State(snapshot, snapshot.manifest.mark, np.zeros(0, dtype=np.int64), make_segment(()), (), 0)


def _with_statistics(state: _State, segments: list[tuple[Segment, NDArray[np.int64]]]) -> _State:
    """Statistics over all segments: the rarity of a term and the length of a row are relative to the whole library."""
    rows = sum(len(segment) - len(tombstones) for segment, tombstones in segments)
    tokens = sum(int(segment.tokens.sum()) - int(segment.tokens[tombstones].sum()) for segment, tombstones in segments)
    average = tokens / rows if tokens else 1.0
    live = []
    for segment, tombstones in segments:
        alive = None
        if len(tombstones):
            alive = np.ones(len(segment), dtype=bool)
            alive[tombstones] = False
        postings = lru_cache(_WORDS)(segment.postings)
        live.append(_LiveSegment(segment, tombstones, alive, Lengths.of(segment.tokens, average), postings))
    return replace(state, segments=tuple(live), rows=rows)


def _holding(state: _State, word: str, most: int | None = None) -> NDArray[np.int64]:
    """The chunks with a word, ascending; the first `most` of them."""
    keys = []
    for live in state.segments:
        rows = live.postings(word).rows
        # Rows ascend with their keys.
        keys.append(live.segment.keys[(rows if live.alive is None else rows[live.alive[rows]])[:most]])
    return distinct(np.concatenate(keys))[:most]


def _matching_rows(postings: Postings, live: _LiveSegment) -> int:
    if not len(postings) or not len(live.tombstones):
        return len(postings)
    at = np.searchsorted(postings.rows, live.tombstones)
    at[at == len(postings)] = 0
    return len(postings) - int((postings.rows[at] == live.tombstones).sum())


def _needs_chunk_filter(filters: Filters) -> bool:
    """Whether any of the filters distinguishes chunks of one document."""
    return any(getattr(filters, field.name) for field in fields(filters) if field.name not in _DOCUMENT_FILTERS)


def _plain(terms: Terms) -> bool:
    """Whether the query has single words only: no two terms must be adjacent."""
    joined = terms.phrases or any(len(phrase) > 1 for phrase in (*terms.preferred, *terms.excluded))
    return not joined and bool(terms.words or terms.prefixes)
