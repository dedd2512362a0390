"""Answers about snapshots as lines."""

from __future__ import annotations

from collections.abc import Iterator

from octavo.operations.search_snapshots.build_list_and_rollback import SnapshotsAnswer
from octavo.operations.styled_answer_lines import Line, Part, columns, count, size


def snapshots_lines(answer: SnapshotsAnswer) -> Iterator[Line]:
    if not answer.snapshots:
        yield (Part(f"No snapshots. {count(answer.behind, 'chunk')} searched in the library itself."),)
        return
    rows = [
        (
            Part(snapshot.snapshot, "title" if snapshot.current else ""),
            Part("current" if snapshot.current else "", "good"),
            Part(count(snapshot.chunks, "chunk")),
            Part(count(snapshot.vectors, "vector")),
            Part(size(snapshot.bytes)),
            Part(f"{snapshot.carried} of {snapshot.files} files carried over", "dim"),
            Part(snapshot.problem or "", "bad"),
        )
        for snapshot in answer.snapshots
    ]
    yield from columns(rows)
    yield (Part(f"{count(answer.behind, 'chunk')} written since", "dim"),)
    if answer.verified:
        yield (_verdict(answer),)


def _verdict(answer: SnapshotsAnswer) -> Part:
    every = count(len(answer.snapshots), "snapshot")
    unusable = sum(bool(snapshot.problem) for snapshot in answer.snapshots)
    if unusable:
        return Part(f"{unusable} of {every} cannot be used; `octavo snapshots recover` clears that up.", "bad")
    read = size(sum(snapshot.bytes for snapshot in answer.snapshots))
    return Part(f"All is well: {read} in {every}, every byte as it was written.", "good")
