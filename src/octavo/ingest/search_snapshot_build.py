"""Builds a snapshot of a library: aside, from one state of it, carrying over what did not change; then checks it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from octavo.algorithms.ranking.bm25 import Lengths, best
from octavo.config.search_snapshot_settings import Faiss
from octavo.errors import DamagedSnapshot, NotIndexed, OctavoError
from octavo.fast_dataclass import dataclass, replace
from octavo.ingest.snapshot_shard_assignment import shard_count, shard_of
from octavo.model.embedding_profile import EmbeddingProfile
from octavo.model.ids import ChunkKey, ProjectId, SnapshotId
from octavo.model.search_snapshot import FileEntry, Manifest, Watermark, WindowVectors
from octavo.observability.progress import Progress
from octavo.plugins import INDEXES, load
from octavo.ports import SnapshotSource
from octavo.search_snapshots.folder import SnapshotFolder, carry, entries
from octavo.search_snapshots.lexical_segment import Segment, make_segment, merge_segments
from octavo.search_snapshots.memory_mapped_array_file import write_arrays
from octavo.search_snapshots.reader import OUTLINE, SEGMENTS, SHARD, TOMBSTONES, OpenSnapshot, index_name
from octavo.search_snapshots.section_outline_index import section_vectors
from octavo.search_snapshots.vector_shards import joined, save_shard, without
from octavo.sql_repositories.store import Store

CODES = "codes"  # vectors found by their binary codes: the form that needs no index
_ROWS_AT_ONCE = 1 << 22  # made into one segment, before these are merged
_LOOKED_UP = 4_096  # stored rows of which it is asked at once whether they are current
_KEYS_AT_ONCE = 20_000  # whose vectors are read together
_STALE_SHARE = 4  # a base segment is made anew once a quarter of it is gone, or has been added to it


@dataclass(frozen=True, slots=True)
class Making:
    """Where a snapshot is made from and put, and how."""

    store: Store
    source: SnapshotSource
    project: ProjectId
    folder: SnapshotFolder
    profiles: tuple[EmbeddingProfile, ...]
    analyzer: str
    shards: int | None = None
    keep: int = 3
    outline: bool = False
    vectors: str = CODES
    faiss: Faiss = Faiss()
    copies: bool = False
    """Whether files that did not change are copied, where they would else be hard links."""
    clock: Callable[[], float] = time.time


@dataclass(frozen=True, slots=True)
class _Delta:
    """Chunks that a previous snapshot has wrongly or not at all; `alive` are those there still are."""

    lexical: NDArray[np.int64]
    vectors: NDArray[np.int64]
    alive: NDArray[np.int64]


def publish(making: Making, previous: OpenSnapshot | None, progress: Progress) -> Manifest:
    """The new snapshot, current from now on. What goes wrong leaves the previous one as it was."""
    if making.vectors != CODES:
        load(INDEXES, making.vectors).require_faiss()
    started = time.perf_counter()
    snapshot = _new_id(making)
    with making.folder.building(snapshot) as built:
        with making.store.transaction():
            making.source.begin(making.project, snapshot)
        try:
            # Progress moves only outside the reading: whoever watches may write that down in the library.
            progress.start("snapshot", 2, "steps")
            with making.store.reading():
                if previous is not None and not making.source.known(making.project).get(previous.manifest.id):
                    previous = None  # the library was restored meanwhile: its numbers are those of another time
                manifest = _build(making, previous, built, snapshot)
            progress.advance(1, "built")
            files = entries(built, manifest.files)
            manifest = replace(manifest, files=files, seconds=round(time.perf_counter() - started, 3))
            check(OpenSnapshot(built, manifest, most_open=1))
            making.folder.publish(built, manifest, lambda: enter_snapshot(making, snapshot))
            progress.advance(1, "checked")
        except BaseException:
            with suppress(OctavoError), making.store.transaction():
                making.source.forget(making.project, [snapshot], 0)
            raise
        finally:
            progress.finish()
        prune(making)
    return manifest


def prune(making: Making) -> tuple[SnapshotId, ...]:
    """Removes all but the newest few and the current one, and what the library kept to tell those gone."""
    folder, current = making.folder, making.folder.current_id()
    known = making.source.known(making.project)
    kept = [snapshot for snapshot in folder.ids() if known.get(snapshot)][: making.keep]
    gone = [snapshot for snapshot in folder.ids() if snapshot not in kept and snapshot != current]
    gone = [snapshot for snapshot in gone if folder.remove(snapshot)]
    there = {*folder.ids()}
    forgotten = [snapshot for snapshot in known if snapshot not in there]
    with suppress(DamagedSnapshot):
        seen = min((folder.manifest(snapshot).mark.change for snapshot in folder.ids()), default=0)
        with making.store.transaction():
            making.source.forget(making.project, forgotten, seen)
    return tuple(gone)


def check(snapshot: OpenSnapshot) -> None:
    """Counts, and one search of each kind for something that is known to be there."""
    manifest = snapshot.manifest
    chunks = sum(len(segment) for segment in snapshot.segments) - len(snapshot.tombstones)
    if chunks != manifest.chunks or len(snapshot.shards) != manifest.vectors:
        raise DamagedSnapshot(
            f"the snapshot {manifest.id} holds {chunks} chunks and {len(snapshot.shards)} vectors, "
            f"not {manifest.chunks} and {manifest.vectors}"
        )
    for segment in snapshot.segments:
        if len(segment.ends) and not _finds(segment):
            raise DamagedSnapshot(f"the snapshot {manifest.id} does not find a chunk by one of its words")
    if len(snapshot.shards):
        row = np.array([len(snapshot.shards) // 2])
        nearest, _ = snapshot.shards.search(snapshot.shards.vectors(row)[0], 10)
        same, cosines = snapshot.shards.search(snapshot.shards.vectors(row)[0], 1)
        if snapshot.shards.chunks[row[0]] not in nearest and cosines[0] < 0.99:
            raise DamagedSnapshot(f"the snapshot {manifest.id} does not find chunk {same[0]} by its own vector")
        if snapshot.outline is not None and not snapshot.outline.route(snapshot.shards.vectors(row)[0], 1, 1):
            raise DamagedSnapshot(f"the snapshot {manifest.id} has an outline without a section in it")


def _finds(segment: Segment) -> bool:
    rarest = int(np.argmin(np.diff(segment.starts)))
    postings = segment.postings(segment.term(rarest).decode("utf-8", "surrogatepass"))
    average = float(segment.tokens.mean()) or 1.0
    rows, _ = best([(1.0, postings)], Lengths.of(segment.tokens, average), len(postings))
    return bool(len(postings)) and set(rows.tolist()) == set(postings.rows.tolist())


def _new_id(making: Making) -> SnapshotId:
    """Sorts by time; within a second, by the state of the library, of which there is never one twice."""
    second = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(making.clock()))
    return SnapshotId(f"{second}-{making.store.generation():08d}")


def enter_snapshot(making: Making, snapshot: SnapshotId) -> None:
    with making.store.transaction():
        making.source.finish(making.project, snapshot)


def _build(making: Making, previous: OpenSnapshot | None, built: Path, snapshot: SnapshotId) -> Manifest:
    source, project = making.source, making.project
    mark = source.mark(project)
    places = source.places(project)
    if not len(places):
        raise NotIndexed("there is nothing to make a snapshot of", hint="run `octavo index` first")
    shards = making.shards or shard_count(len(places))
    made = Manifest(
        id=snapshot,
        project=project,
        created_at=making.clock(),
        seconds=0.0,
        previous=None if previous is None else previous.manifest.id,
        analyzer=making.analyzer,
        profiles=tuple(profile.canonical() for profile in making.profiles),
        dimensions=making.profiles[0].dimensions,
        shards=shards,
        mark=mark,
        chunks=len(places),
        vectors=0,
    )
    delta = None if previous is None else _delta(making, previous, mark)
    carried = publish_lexical(making, previous, delta, mark, places, built)
    if previous is None or delta is None or not _comparable(previous.manifest, made):
        vectors, also = _all_shards(making, places, shards, built)
    else:
        vectors, also = _changed_shards(making, previous, delta, shards, built)
    return replace(made, vectors=vectors, files=carried | also)


def _comparable(one: Manifest, other: Manifest) -> bool:
    return one.profiles == other.profiles and one.shards == other.shards


def _delta(making: Making, previous: OpenSnapshot, mark: Watermark) -> _Delta:
    source, project, before = making.source, making.project, previous.manifest.mark
    written, _ = source.written(project, before.block, mark.block)
    changed = np.array(source.changed(project, before), dtype=np.int64)
    fresh = np.array(source.embedded_since(project, making.profiles, before.vector), dtype=np.int64)
    lexical = np.union1d(changed, written)
    vectors = np.union1d(lexical, fresh)
    return _Delta(lexical, vectors, source.places(project, vectors.tolist()))


def publish_lexical(
    making: Making,
    previous: OpenSnapshot | None,
    delta: _Delta | None,
    mark: Watermark,
    places: NDArray[np.int64],
    built: Path,
) -> dict[str, FileEntry]:
    """Writes the segments; what was carried over unchanged is returned with what is known of it."""
    if previous is None or delta is None or not previous.segments:
        rows = making.source.rows(making.project, 0, mark.block)
        _newest(making, mark, places, rows).save(built / SEGMENTS[0])
        write_arrays(built / TOMBSTONES, {"keys": np.zeros(0, dtype=np.int64)})
        return {}
    base, *others = previous.segments
    fresh = _newest(
        making,
        mark,
        delta.alive[np.isin(delta.alive[:, 0], delta.lexical)],
        making.source.rows(making.project, previous.manifest.mark.block, mark.block),
        since=previous.manifest.mark.block,
    )
    recent = merge_segments(
        [(segment, _kept(segment, delta.lexical)) for segment in others] + [(fresh, _kept(fresh, None))]
    )
    tombstones = np.union1d(previous.tombstones, base.keys[base.rows_of(delta.lexical)])
    if (len(recent) + len(tombstones)) * _STALE_SHARE > len(base):
        merge_segments([(base, _kept(base, tombstones)), (recent, _kept(recent, None))]).save(built / SEGMENTS[0])
        write_arrays(built / TOMBSTONES, {"keys": np.zeros(0, dtype=np.int64)})
        return {}
    carry(previous.path / SEGMENTS[0], built / SEGMENTS[0], copy=making.copies)
    if len(recent):
        recent.save(built / SEGMENTS[1])
    write_arrays(built / TOMBSTONES, {"keys": tombstones})
    return {SEGMENTS[0]: replace(previous.manifest.files[SEGMENTS[0]], carried=True)}


def _kept(segment: Segment, dropped: NDArray[np.int64] | None) -> NDArray[np.bool_]:
    kept = np.ones(len(segment), dtype=bool)
    if dropped is not None:
        kept[segment.rows_of(dropped)] = False
    return kept


def _newest(
    making: Making,
    mark: Watermark,
    places: NDArray[np.int64],
    rows: Iterator[tuple[int, ChunkKey, str]],
    *,
    since: int = 0,
) -> Segment:
    """A segment of these chunks, each as the newest block has it."""
    keys, blocks = making.source.written(making.project, since, mark.block)
    order = np.lexsort((blocks, keys))
    last = order[np.append(keys[order][1:] != keys[order][:-1], True)] if len(order) else order
    at, there = _found(places[:, 0], keys[last])
    newest = np.full(len(places), -1)
    newest[at[there]] = blocks[last][there]
    if missing := int((newest < 0).sum()):
        raise NotIndexed(
            f"{missing} chunks were indexed before snapshots could be made of them",
            hint="take their collections out with `octavo remove` and add them again",
        )
    current = _current(places, newest, rows)
    parts = [make_segment(islice(current, _ROWS_AT_ONCE))]
    while len(parts[-1]) == _ROWS_AT_ONCE:
        parts.append(make_segment(islice(current, _ROWS_AT_ONCE)))
    return merge_segments([(part, _kept(part, None)) for part in parts]) if len(parts) > 1 else parts[0]


def _current(
    places: NDArray[np.int64], newest: NDArray[np.int64], rows: Iterator[tuple[int, ChunkKey, str]]
) -> Iterator[tuple[ChunkKey, int, str]]:
    """Of the stored rows those that are in the newest block of their chunk, with its document."""
    while batch := list(islice(rows, _LOOKED_UP)):
        blocks, keys, fields = zip(*batch, strict=True)
        at, there = _found(places[:, 0], np.array(keys))
        there &= newest[at] == np.array(blocks)
        documents = places[at, 1].tolist()
        yield from ((keys[row], documents[row], fields[row]) for row in np.flatnonzero(there).tolist())


def _found(ascending: NDArray[np.int64], keys: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Where each key is among ascending ones, and whether it is."""
    at = np.minimum(np.searchsorted(ascending, keys), max(0, len(ascending) - 1))
    return at, ascending[at] == keys if len(ascending) else np.zeros(len(keys), dtype=bool)


def _all_shards(
    making: Making, places: NDArray[np.int64], shards: int, built: Path
) -> tuple[int, dict[str, FileEntry]]:
    shard = _shards_of(places, shards, making.source.uris(making.project))
    total = 0
    for number in range(shards):
        keys = places[shard == number, 0].tolist()
        pieces = [
            making.source.windows(making.project, making.profiles, keys[start : start + _KEYS_AT_ONCE])
            for start in range(0, len(keys), _KEYS_AT_ONCE)
        ]
        if windows := sum(map(len, pieces)):
            _write_shard(making, number, joined(*pieces), built)
            total += windows
    return total, {}


def _write_shard(making: Making, number: int, windows: WindowVectors, built: Path) -> None:
    save_shard(built / SHARD.format(number), windows)
    if making.vectors != CODES:
        path = built / index_name(SHARD.format(number), making.vectors)
        load(INDEXES, making.vectors).save_index(path, making.vectors, windows.matrix, making.faiss)
    _write_outline(making, number, windows, built)


def _write_outline(making: Making, number: int, windows: WindowVectors, built: Path) -> None:
    if not making.outline:
        return
    chunks, sections = making.source.sections(making.project, np.unique(windows.chunks).tolist())
    save_shard(built / OUTLINE.format(number), section_vectors(windows, chunks, sections))


def _changed_shards(
    making: Making, previous: OpenSnapshot, delta: _Delta, shards: int, built: Path
) -> tuple[int, dict[str, FileEntry]]:
    """Only shards that a changed chunk was or is in are written; the others are the previous snapshot's files."""
    documents = np.unique(delta.alive[:, 1]).tolist()
    shard = _shards_of(delta.alive, shards, making.source.uris(making.project, documents))
    fresh = making.source.windows(making.project, making.profiles, delta.alive[:, 0].tolist())
    whose = shard[np.searchsorted(delta.alive[:, 0], fresh.chunks)] if len(fresh) else np.zeros(0, dtype=np.int64)
    total, carried = 0, {}
    for number in range(shards):
        name = SHARD.format(number)
        recorded = previous.manifest.files.get(name)
        windows = None if recorded is None else previous.shard(number)
        added = _of(fresh, whose == number)
        if windows is not None and not len(added) and not np.isin(windows.chunks, delta.vectors).any():
            index = index_name(name, making.vectors)
            for file_name in (name, index, *((OUTLINE.format(number),) if making.outline else ())):
                if file_name in previous.manifest.files:
                    carry(previous.path / file_name, built / file_name, copy=making.copies)
                    carried[file_name] = replace(previous.manifest.files[file_name], carried=True)
            if making.vectors != CODES and index not in carried:
                load(INDEXES, making.vectors).save_index(built / index, making.vectors, windows.matrix, making.faiss)
            if OUTLINE.format(number) not in carried:
                _write_outline(making, number, windows, built)
            total += len(windows)
            continue
        kept = [] if windows is None else [without(windows, delta.vectors)]
        both = joined(*kept, added)
        if len(both):
            _write_shard(making, number, both, built)
            total += len(both)
    return total, carried


def _of(windows: WindowVectors, mask: NDArray[np.bool_]) -> WindowVectors:
    return WindowVectors(windows.chunks[mask], windows.inputs[mask], windows.tiers[mask], windows.matrix[mask])


def _shards_of(places: NDArray[np.int64], shards: int, uris: Mapping[int, str]) -> NDArray[np.int64]:
    by_document = {document: shard_of(uri, shards) for document, uri in uris.items()}
    return np.array([by_document[document] for document in places[:, 1].tolist()], dtype=np.int64)


def behind(making: Making, manifest: Manifest | None) -> tuple[int, int]:
    """Chunks written, gone or changed since a snapshot, and vectors computed since."""
    source, project = making.source, making.project
    since = Watermark() if manifest is None else manifest.mark
    now = source.mark(project)
    written, _ = source.written(project, since.block, now.block)
    return len(written) + len(source.changed(project, since)), now.vector - since.vector


def unseen(making: Making, manifest: Manifest | None) -> int:
    """Chunks that were written since a snapshot and still are there, each once."""
    source, project = making.source, making.project
    since = Watermark() if manifest is None else manifest.mark
    written, _ = source.written(project, since.block, source.mark(project).block)
    return len(source.places(project, sorted({ChunkKey(int(key)) for key in written})))
