"""The documents that were changed last."""

from __future__ import annotations

from octavo.engine.engine import Engine
from octavo.operations.reading.many_documents_reading_and_listing import recent
from octavo.operations.reading.requests import RecentRequest


def test_the_newest_documents_come_first_and_memories_are_none(engine: Engine) -> None:
    rows = recent(engine, RecentRequest(5)).documents or ()
    times = [row.modified_at for row in recent(engine, RecentRequest(100)).documents or ()]
    assert len(rows) == 5 and times == sorted(times, reverse=True)
    assert all(row.kind not in ("commit", "memory") for row in rows)
