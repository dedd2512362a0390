"""What a request names, resolved: the memory, the instant, and who makes the change."""

from __future__ import annotations

from datetime import UTC, datetime

from octavo.algorithms.text.time_parsing_and_formatting import moment
from octavo.engine.engine import Engine
from octavo.memory.draft import Provenance
from octavo.model.memory import MemoryItem, SessionId
from octavo.operations.memory.requests import ChangeRequest


def provenance(request: ChangeRequest) -> Provenance:
    session = SessionId(request.session) if request.session else None
    return Provenance(request.author, request.reason, session, request.idempotency_key)


def item_named(engine: Engine, name: str, *, partly: bool = False) -> MemoryItem:
    """`partly`: a part of the title is enough when only one memory has it."""
    return engine.memories.item(name.strip(), partly=partly)


def instant(engine: Engine, text: str | None) -> float | None:
    """The time that was written; ages count from the engine's own clock."""
    return None if text is None else moment(text, datetime.fromtimestamp(engine.memories.clock(), UTC))
