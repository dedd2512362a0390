"""What is said about snapshots."""

from __future__ import annotations

from octavo.operations.search_snapshots.build_list_and_rollback import ShownSnapshot, SnapshotsAnswer, snapshots_lines


def last_line(*problems: str | None, verified: bool) -> str:
    shown = tuple(
        ShownSnapshot(f"s{at}", at == 0, None, 9, 9, 1, 1_000_000, 3, 0, 0.1, problem)
        for at, problem in enumerate(problems)
    )
    return "".join(part.text for part in list(snapshots_lines(SnapshotsAnswer(shown, 0, "used", verified)))[-1])


def test_a_check_of_every_byte_ends_with_a_verdict() -> None:
    assert last_line(None, None, verified=True) == "All is well: 2.0 MB in 2 snapshots, every byte as it was written."
    assert "1 of 2 snapshots cannot be used" in last_line(None, "a file is short", verified=True)
    assert last_line(None, verified=False) == "0 chunks written since"
